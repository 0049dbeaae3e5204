"""Anthropic's messages, with the proposal as the input of a tool that the model must use. Its library is an optional extra."""

import json
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from anthropic import (
    Anthropic,
    APIConnectionError,
    APIError,
    APIStatusError,
    DefaultHttpxClient,
)
from anthropic.types import RawMessageStreamEvent

from backend.adapters.llm import http_call
from backend.adapters.llm.model import instructions
from backend.adapters.llm.prompt import Prompt
from backend.adapters.llm.reply_stream import ModelRefusal, ReplyStream, StreamEnd, StreamEvent, TokenCount
from backend.domain.connection import Connection, host_of
from backend.ports.credentials import Secret
from backend.ports.egress import MODEL, EgressPolicy

TOOL = "propose"
_ERRORS = http_call.ApiErrors(APIStatusError, APIConnectionError, APIError)
_CUT = {"max_tokens": "the model reached its longest reply", "model_context_window_exceeded": "the prompt left no room"}


class _AnthropicStream:
    def __init__(self, connection: Connection, secret: Secret | None, prompt: Prompt, outgoing: EgressPolicy) -> None:
        self._connection = connection
        key = secret.reveal() if secret else ""
        announced = outgoing.call(host_of(connection.base_url), MODEL.code)
        self._exchange = http_call.ModelHttpCall(connection, key, _ERRORS, announced)
        self._prompt = prompt
        self._http = DefaultHttpxClient(**self._exchange.options())
        self._client = Anthropic(
            api_key=key or "none", base_url=connection.base_url, max_retries=0, http_client=self._http
        )

    def events(self) -> Iterator[StreamEvent]:
        """Deltas, as they come."""
        told_in = 0
        form = self._connection.mode == "json_schema"
        with self._exchange.translating_errors():
            for event in self._client.messages.create(**self._request()):
                yield ""
                if event.type == "message_start":
                    usage = event.message.usage
                    told_in = sum(
                        count or 0
                        for count in (
                            usage.input_tokens,
                            usage.cache_creation_input_tokens,
                            usage.cache_read_input_tokens,
                        )
                    )
                elif event.type == "message_delta":
                    yield TokenCount(told_in, event.usage.output_tokens)
                    yield from _ending(event.delta.stop_reason)
                else:
                    yield from _of(event, form)

    def close(self) -> None:
        """Close the connection under the reader."""
        with suppress(Exception):
            self._http.close()

    def _request(self) -> dict[str, Any]:
        connection, prompt = self._connection, self._prompt
        request: dict[str, Any] = {
            "model": connection.model,
            "system": instructions(connection, prompt),
            "messages": [{"role": "user", "content": prompt.state}],
            "max_tokens": connection.max_output_tokens,
            "stream": True,
        }
        if connection.mode == "json_schema":
            tool = {"name": TOOL, "description": "Hands in the proposal.", "input_schema": prompt.schema}
            request |= {"tools": [tool], "tool_choice": {"type": "tool", "name": TOOL}}
        return request


def _of(event: RawMessageStreamEvent, form: bool) -> Iterator[StreamEvent]:
    if event.type == "content_block_start" and event.content_block.type == "tool_use" and event.content_block.input:
        yield json.dumps(event.content_block.input)  # some servers send it whole
    if event.type == "content_block_delta":
        delta = event.delta
        if delta.type == "input_json_delta" and form:
            yield delta.partial_json
        elif delta.type == "text_delta":
            # Beside the tool that it must use, words are its way to decline.
            yield ModelRefusal(delta.text) if form else delta.text


def _ending(reason: str | None) -> Iterator[StreamEvent]:
    if reason == "refusal":
        yield ModelRefusal("")
    if reason is not None:
        yield StreamEnd(_CUT.get(reason, ""))


def open_stream(
    connection: Connection, secret: Secret | None, prompt: Prompt, *, outgoing: EgressPolicy
) -> ReplyStream:
    """One request by this protocol."""
    return _AnthropicStream(connection, secret, prompt, outgoing)
