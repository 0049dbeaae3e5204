"""Anthropic's messages, with the proposal as the input of a tool that the model must use. Its library is an optional extra."""

import json
from collections.abc import Iterable, Iterator
from typing import Any

from anthropic import Anthropic, APIConnectionError, APIError, APIStatusError

from backend.adapters.llm import http_call
from backend.adapters.llm.model import instructions
from backend.adapters.llm.reply_stream import ModelRefusal, StreamEnd, StreamEvent, TokenCount, token_count
from backend.adapters.llm.server_objects import objects_of
from backend.domain.model.connection import host_of, root_of
from backend.domain.values.json_in_text import object_text

TOOL = "propose"
_CUT = {"max_tokens": "the model reached its longest reply", "model_context_window_exceeded": "the prompt left no room"}


class AnthropicStream(http_call.ModelReplyCall):
    """One request for a reply by this protocol."""

    errors = http_call.ApiErrors(APIStatusError, APIConnectionError, APIError)

    def _library(self) -> Anthropic:
        return Anthropic(
            api_key=self._key or "none", base_url=root_of(self._connection), max_retries=0, http_client=self._http
        )

    def events(self) -> Iterator[StreamEvent]:
        """The parts of the reply, as they arrive."""
        with self._translated_errors(), self._library().messages.create(**self._request()) as stream:
            objects = objects_of(stream.response.iter_text(), host_of(self._connection.base_url))
            yield from events_in(objects, tool=self._form.mode == "json_schema")

    def _request(self) -> dict[str, Any]:
        connection, prompt = self._connection, self._prompt
        request: dict[str, Any] = {
            "model": connection.model,
            "system": instructions(self._form.mode, prompt),
            "messages": [{"role": "user", "content": prompt.state}],
            "max_tokens": connection.max_output_tokens,
            "stream": True,
        }
        if self._form.mode == "json_schema":
            tool = {"name": TOOL, "description": "Hands in the proposal.", "input_schema": prompt.schema}
            request |= {"tools": [tool], "tool_choice": {"type": "tool", "name": TOOL}}
        return request


def events_in(objects: Iterable[dict[str, Any]], *, tool: bool) -> Iterator[StreamEvent]:
    """The events in the objects that a server sends: events of a stream, or a whole message."""
    input_tokens: int | None = None
    replied, texts = False, list[str]()
    for server_object in objects:
        yield ""
        if server_object and "type" not in server_object:
            raise LookupError("an answer of another protocol")
        if server_object.get("type") == "message_start":
            input_tokens = _tokens_in(_dict(_dict(server_object, "message"), "usage"))
        if server_object.get("type") in ("message", "message_delta"):
            usage = _dict(server_object, "usage")
            yield TokenCount(_tokens_in(usage) or input_tokens, token_count(usage.get("output_tokens")))
        for kind, text in _pieces(server_object):
            if kind == "text" and tool:
                texts.append(text)
            elif kind == "text" or tool:
                replied = True
                yield text
        if server_object.get("type") == "message_stop":
            yield from _without_tool(texts, replied)
            yield StreamEnd()
            return
        reason = server_object.get("stop_reason") or _dict(server_object, "delta").get("stop_reason")
        if isinstance(reason, str):
            yield from _without_tool(texts, replied)
            texts.clear()
            yield from _ending(reason)
    yield from _without_tool(texts, replied)


def _without_tool(texts: list[str], replied: bool) -> Iterator[StreamEvent]:
    """Text in place of the tool call: the proposal in another form, or the model's words to decline."""
    text = "".join(texts)
    if text and not replied:
        yield text if object_text(text) is not None else ModelRefusal(text)


def _pieces(server_object: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """The kind and content of each piece: text, or the tool's input."""
    content = server_object.get("content")
    blocks = [*(content if isinstance(content, list) else []), _dict(server_object, "content_block")]
    for block in blocks:
        if isinstance(block, dict) and block.get("type") == "tool_use" and block.get("input"):
            yield "tool", json.dumps(block["input"])  # some servers send it whole
        if isinstance(block, dict) and block.get("type") == "text" and isinstance(block.get("text"), str):
            yield "text", block["text"]
    delta = _dict(server_object, "delta")
    for kind, name in (("tool", "partial_json"), ("text", "text")):
        if isinstance(text := delta.get(name), str):
            yield kind, text


def _dict(server_object: dict[str, Any], name: str) -> dict[str, Any]:
    inner = server_object.get(name)
    return inner if isinstance(inner, dict) else {}


def _tokens_in(usage: dict[str, Any]) -> int | None:
    """Input tokens with those read from or written to a cache; None if the server does not count."""
    counts = [
        token_count(usage.get(name))
        for name in ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
    ]
    # Beside a cache, no new token may be left to count; without any number there is no count.
    return sum(count or 0 for count in counts) or None


def _ending(reason: str) -> Iterator[StreamEvent]:
    if reason == "refusal":
        yield ModelRefusal("")
    yield StreamEnd(_CUT.get(reason, ""))
