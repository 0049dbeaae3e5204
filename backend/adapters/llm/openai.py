"""OpenAI's chat completions, which nearly every other provider offers, too, each a little differently."""

import json
from collections.abc import Iterable, Iterator
from typing import Any

from openai import APIConnectionError, APIError, APIStatusError, OpenAI

from backend.adapters.llm import http_call
from backend.adapters.llm.model import LONGEST_REPLY, instructions
from backend.adapters.llm.reply_stream import (
    ModelRefusal,
    ServerErrorInStream,
    StreamEnd,
    StreamEvent,
    TokenCount,
    token_count,
)
from backend.adapters.llm.server_objects import DONE, objects_of
from backend.domain.device.model_server_error import ServerError, error_in
from backend.domain.model.connection import host_of, root_of
from backend.domain.values.json_in_text import object_text

_LENGTH_REACHED = "the model reached its longest reply"
_FILTERED = "the provider's filter stopped it"
_CUT = {
    "length": _LENGTH_REACHED,
    "max_tokens": _LENGTH_REACHED,
    "model_length": _LENGTH_REACHED,
    "abort": "its server broke it off",
    **dict.fromkeys(
        ("content_filter", "safety", "recitation", "blocklist", "prohibited_content", "spii", "refusal"), _FILTERED
    ),
}
"""By `finish_reason`, in lower case; Gemini's own are spelled as they are, or stand behind `content_filter:`."""

_BROKEN = "error", "network_error", "insufficient_system_resource"
"""By `finish_reason`, or by that of the server behind it (`native_finish_reason`): it failed."""

_COUNTS = ("prompt_tokens", "input_tokens"), ("completion_tokens", "output_tokens")
_TEXT_PARTS = ("text", "output_text")
_THOUGHTS = ("reasoning_content", "reasoning")


class OpenAIStream(http_call.ModelReplyCall):
    """One request for a reply by this protocol."""

    errors = http_call.ApiErrors(APIStatusError, APIConnectionError, APIError)

    def _library(self) -> OpenAI:
        return OpenAI(
            api_key=self._key or "none", base_url=root_of(self._connection), max_retries=0, http_client=self._http
        )

    def events(self) -> Iterator[StreamEvent]:
        """The parts of the reply, as they arrive."""
        with self._translated_errors(), self._library().chat.completions.create(**self._request()) as stream:
            yield from events_in(objects_of(stream.response.iter_text(), host_of(self._connection.base_url)))

    def _request(self) -> dict[str, Any]:
        connection, prompt, form = self._connection, self._prompt, self._form
        rules = instructions(form.mode, prompt)
        messages = [{"role": "system", "content": rules}, {"role": "user", "content": prompt.state}]
        if not form.apart:
            messages = [{"role": "user", "content": f"{rules}\n\n# State\n{prompt.state}"}]
        request: dict[str, Any] = {
            "model": connection.model,
            "messages": messages,
            form.limit: connection.max_output_tokens,
            "stream": True,
        }
        if not form.stream:  # the library goes on reading it as one, as it reads every server's answer
            request["extra_body"] = {"stream": False}
        if form.usage:
            request["stream_options"] = {"include_usage": True}
        if form.mode == "json_schema":
            schema = {"name": "proposal", "strict": True, "schema": prompt.schema}
            request["response_format"] = {"type": "json_schema", "json_schema": schema}
        elif form.mode == "json_object":
            request["response_format"] = {"type": "json_object"}
        return request


def events_in(objects: Iterable[dict[str, Any]]) -> Iterator[StreamEvent]:
    """The events in the objects that a server sends: chunks of a stream, or a whole completion."""
    reply, thoughts, tool_arguments = "", "", ""
    is_own_protocol: bool | None = None
    for server_object in objects:
        yield ""
        if server_object is DONE:
            yield from () if is_own_protocol is False else (StreamEnd(),)
            break
        if server_object:
            is_own_protocol = is_own_protocol or "choices" in server_object
        choices = server_object.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices else None
        yield from _counts(server_object, server_object.get("x_groq"), choice)
        if not isinstance(choice, dict):
            continue
        message = choice.get("delta") or choice.get("message") or {"content": choice.get("text")}
        if isinstance(message, dict):
            if isinstance(refusal := message.get("refusal"), str) and refusal:
                yield ModelRefusal(refusal)
            text = _text(message.get("content"))
            if text and text == reply and object_text(text) is not None:
                text = ""  # some servers repeat the whole reply at the end
            if len(reply) < LONGEST_REPLY:
                reply += text
            yield text
            if len(thoughts) < LONGEST_REPLY:
                tool_arguments += _arguments(message)
                thoughts += next((more for name in _THOUGHTS if isinstance(more := message.get(name), str)), "")
        yield from _ending(choice)
    if is_own_protocol is False:
        raise LookupError("an answer of another protocol")
    if tool_arguments and object_text(reply) is None:  # some models call a tool, with or without a word before
        yield tool_arguments
    elif not reply.strip() and object_text(thoughts) is not None:  # some servers take the reply for thoughts
        yield thoughts


def _counts(*places: Any) -> Iterator[TokenCount]:
    """What is counted; Groq does it within an object of its own, Moonshot within the choice."""
    for place in places:
        usage = place.get("usage") if isinstance(place, dict) else None
        if isinstance(usage, dict):
            yield TokenCount(*(next(filter(None, map(token_count, map(usage.get, names))), None) for names in _COUNTS))


def _text(content: Any) -> str:
    """Mistral sends parts, some of which are thoughts; some proxies send the object already parsed."""
    if isinstance(content, dict):
        return json.dumps(content, ensure_ascii=False)
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, dict) and part.get("type") in _TEXT_PARTS]
        return "".join(part for part in parts if isinstance(part, str))
    return content if isinstance(content, str) else ""


def _arguments(message: dict[str, Any]) -> str:
    """The arguments of a message's tool calls; two calls give two objects, which are refused later."""
    calls = message.get("tool_calls")
    functions = [call.get("function") for call in calls if isinstance(call, dict)] if isinstance(calls, list) else []
    arguments = [
        function.get("arguments")
        for function in (*functions, message.get("function_call"))
        if isinstance(function, dict)
    ]
    return "".join(_text(part) for part in arguments)


def _ending(choice: dict[str, Any]) -> Iterator[StreamEvent]:
    reason = choice.get("finish_reason") or choice.get("finishReason")  # Gemini's own spelling, too
    if isinstance(reason, dict):  # SGLang's, of a request that it broke off
        reason = reason.get("type")
    failed = error_in({"error": choice.get("error")})
    if failed is not None or reason in _BROKEN or choice.get("native_finish_reason") in _BROKEN:
        raise ServerErrorInStream(failed or ServerError())
    if isinstance(reason, str) and reason:
        yield StreamEnd(_CUT.get(reason.lower().partition(":")[0], ""))
