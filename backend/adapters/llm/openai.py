"""OpenAI's chat completions, spoken by OpenAI and by nearly everybody else, in many dialects."""

import json
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any

from openai import APIConnectionError, APIError, APIStatusError, OpenAI

from backend.adapters.llm import http_call
from backend.adapters.llm.model import LONGEST_REPLY, instructions
from backend.adapters.llm.prompt import Prompt
from backend.adapters.llm.reply_stream import (
    ModelRefusal,
    ReplyStream,
    ServerErrorInStream,
    StreamEnd,
    StreamEvent,
    TokenCount,
    token_count,
)
from backend.adapters.llm.server_objects import DONE, objects_of
from backend.domain.device.model_server_error import ServerError, error_in
from backend.domain.device.request_form import RequestForm
from backend.domain.model.connection import Connection, host_of
from backend.domain.values.json_in_text import object_text
from backend.ports.credentials import Secret
from backend.ports.egress import MODEL, EgressPolicy

_ERRORS = http_call.ApiErrors(APIStatusError, APIConnectionError, APIError)
_LONGEST = "the model reached its longest reply"
_FILTERED = "the provider's filter stopped it"
_CUT = {
    "length": _LONGEST,
    "max_tokens": _LONGEST,
    "model_length": _LONGEST,
    "abort": "its server broke it off",
    **dict.fromkeys(
        ("content_filter", "safety", "recitation", "blocklist", "prohibited_content", "spii", "refusal"), _FILTERED
    ),
}
"""By `finish_reason`, in lower case; Gemini's own are spelled as they are, or stand behind `content_filter:`."""

_KNOWN = frozenset({"choices", "usage", *DONE})
_SPOKEN = ("text", "output_text")
_THOUGHTS = ("reasoning_content", "reasoning")


class _OpenAIStream:
    def __init__(
        self, connection: Connection, secret: Secret | None, prompt: Prompt, form: RequestForm, outgoing: EgressPolicy
    ) -> None:
        self._connection = connection
        key = secret.reveal() if secret else ""
        announced = outgoing.call(host_of(connection.base_url), MODEL.code)
        self._exchange = http_call.ModelHttpCall(connection, key, _ERRORS, announced)
        self._prompt = prompt
        self._form = form
        self._http = self._exchange.client()
        self._client = OpenAI(
            api_key=key or "none",
            base_url=connection.base_url,
            max_retries=0,
            http_client=self._http,
        )

    def events(self) -> Iterator[StreamEvent]:
        """Deltas, as they come."""
        with self._exchange.translating_errors(), self._client.chat.completions.create(**self._request()) as stream:
            yield from events_in(objects_of(stream.response.iter_text(), host_of(self._connection.base_url)))

    def close(self) -> None:
        """Close the connection under the reader."""
        with suppress(Exception):
            self._http.close()

    def _request(self) -> dict[str, Any]:
        connection, prompt, form = self._connection, self._prompt, self._form
        request: dict[str, Any] = {
            "model": connection.model,
            "messages": [
                {"role": "system", "content": instructions(form.mode, prompt)},
                {"role": "user", "content": prompt.state},
            ],
            form.limit: connection.max_output_tokens,
            "stream": True,
        }
        if form.usage:
            request["stream_options"] = {"include_usage": True}
        if form.mode == "json_schema":
            schema = {"name": "proposal", "strict": True, "schema": prompt.schema}
            request["response_format"] = {"type": "json_schema", "json_schema": schema}
        elif form.mode == "json_object":
            request["response_format"] = {"type": "json_object"}
        return request


def events_in(objects: Iterable[dict[str, Any]]) -> Iterator[StreamEvent]:
    """What a server says, by the objects that it sends: chunks of a stream, or a whole completion."""
    thoughts, spoken, foreign = "", "", False
    calls = ""
    for server_object in objects:
        yield ""
        if server_object:
            foreign = not server_object.keys() & _KNOWN
        if server_object is DONE:
            yield StreamEnd()
            break
        if isinstance(usage := server_object.get("usage"), dict):
            yield TokenCount(token_count(usage.get("prompt_tokens")), token_count(usage.get("completion_tokens")))
        choices = server_object.get("choices")
        if not isinstance(choices, list) or not choices or not isinstance(choice := choices[0], dict):
            continue
        message = choice.get("delta") or choice.get("message") or {"content": choice.get("text")}
        if isinstance(message, dict):
            if isinstance(refusal := message.get("refusal"), str) and refusal:
                yield ModelRefusal(refusal)
            text = _text(message.get("content"))
            if text and text == spoken and object_text(text) is not None:
                text = ""  # a server that ends with the whole reply once more
            if len(spoken) < LONGEST_REPLY:
                spoken += text
            yield text
            if len(thoughts) < LONGEST_REPLY:
                calls += _arguments(message)
                thoughts += next((more for name in _THOUGHTS if isinstance(more := message.get(name), str)), "")
        yield from _ending(choice)
    if foreign:
        raise LookupError("an answer of another protocol")
    if not spoken.strip():  # a server that takes the reply for a call of a tool, or for thoughts
        yield calls or (thoughts if object_text(thoughts) is not None else "")


def _text(content: Any) -> str:
    """Mistral sends parts, some of which are thoughts; some proxies send the object that they have read."""
    if isinstance(content, dict):
        return json.dumps(content, ensure_ascii=False)
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, dict) and part.get("type") in _SPOKEN]
        return "".join(part for part in parts if isinstance(part, str))
    return content if isinstance(content, str) else ""


def _arguments(message: dict[str, Any]) -> str:
    """What a message hands to tools; those of two calls are two objects, which are refused."""
    calls = message.get("tool_calls")
    functions = [call.get("function") for call in calls if isinstance(call, dict)] if isinstance(calls, list) else []
    arguments = [
        function.get("arguments")
        for function in (*functions, message.get("function_call"))
        if isinstance(function, dict)
    ]
    return "".join(_text(part) for part in arguments)


def _ending(choice: dict[str, Any]) -> Iterator[StreamEvent]:
    reason = choice.get("finish_reason")
    failed = error_in({"error": choice.get("error")})
    if failed is not None or reason == "error":
        raise ServerErrorInStream(failed or ServerError())
    if isinstance(reason, str) and reason:
        yield StreamEnd(_CUT.get(reason.lower().partition(":")[0], ""))


def open_stream(
    connection: Connection, secret: Secret | None, prompt: Prompt, form: RequestForm, *, outgoing: EgressPolicy
) -> ReplyStream:
    """One request by this protocol."""
    return _OpenAIStream(connection, secret, prompt, form, outgoing)
