"""OpenAI's chat completions, spoken by OpenAI and by nearly everybody else."""

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from openai import APIConnectionError, APIError, APIStatusError, DefaultHttpxClient, OpenAI
from openai.types.chat import ChatCompletionChunk

from backend.adapters.llm import http_call
from backend.adapters.llm.model import instructions
from backend.adapters.llm.prompt import Prompt
from backend.adapters.llm.reply_stream import ModelRefusal, ReplyStream, StreamEnd, StreamEvent, TokenCount
from backend.domain.connection import Connection, host_of
from backend.domain.providers import PRESETS
from backend.ports.credentials import Secret
from backend.ports.egress import MODEL, EgressPolicy

_ERRORS = http_call.ApiErrors(APIStatusError, APIConnectionError, APIError)
_CUT = {"length": "the model reached its longest reply", "content_filter": "the provider's filter stopped it"}


class _OpenAIStream:
    def __init__(self, connection: Connection, secret: Secret | None, prompt: Prompt, outgoing: EgressPolicy) -> None:
        self._connection = connection
        key = secret.reveal() if secret else ""
        announced = outgoing.call(host_of(connection.base_url), MODEL.code)
        self._exchange = http_call.ModelHttpCall(connection, key, _ERRORS, announced)
        self._prompt = prompt
        self._http = DefaultHttpxClient(**self._exchange.options())
        self._client = OpenAI(
            api_key=key or "none",
            base_url=connection.base_url,
            max_retries=0,
            http_client=self._http,
        )

    def events(self) -> Iterator[StreamEvent]:
        """Deltas, as they come."""
        with self._exchange.translating_errors():
            for chunk in self._client.chat.completions.create(**self._request()):
                yield from _of(chunk)

    def close(self) -> None:
        """Close the connection under the reader."""
        with suppress(Exception):
            self._http.close()

    def _request(self) -> dict[str, Any]:
        connection, prompt = self._connection, self._prompt
        # OpenAI's newer models refuse the old name, and other servers do not know the new one.
        new_name = PRESETS[connection.provider].completion_limit
        longest = "max_completion_tokens" if new_name else "max_tokens"
        request: dict[str, Any] = {
            "model": connection.model,
            "messages": [
                {"role": "system", "content": instructions(connection, prompt)},
                {"role": "user", "content": prompt.state},
            ],
            longest: connection.max_output_tokens,
            "stream": True,
            "stream_options": {"include_usage": True},
        }
        if connection.mode == "json_schema":
            form = {"name": "proposal", "strict": True, "schema": prompt.schema}
            request["response_format"] = {"type": "json_schema", "json_schema": form}
        elif connection.mode == "json_object":
            request["response_format"] = {"type": "json_object"}
        return request


def _of(chunk: ChatCompletionChunk) -> Iterator[StreamEvent]:
    yield ""
    if chunk.usage is not None:
        yield TokenCount(chunk.usage.prompt_tokens, chunk.usage.completion_tokens)
    for choice in chunk.choices[:1]:
        if choice.delta.refusal:
            yield ModelRefusal(choice.delta.refusal)
        if choice.delta.content:
            yield choice.delta.content
        if choice.finish_reason is not None:
            yield StreamEnd(_CUT.get(choice.finish_reason, ""))


def open_stream(
    connection: Connection, secret: Secret | None, prompt: Prompt, *, outgoing: EgressPolicy
) -> ReplyStream:
    """One request by this protocol."""
    return _OpenAIStream(connection, secret, prompt, outgoing)
