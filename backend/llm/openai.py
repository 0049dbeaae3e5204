"""OpenAI's chat completions, spoken by OpenAI and by nearly everybody else."""

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from openai import APIConnectionError, APIError, APIStatusError, DefaultHttpxClient, OpenAI
from openai.types.chat import ChatCompletionChunk

from backend.domain.connection import Connection, Provider
from backend.llm import bounded_http
from backend.llm.line import Billed, Ended, Heard, Line, Refused
from backend.llm.model import instructions
from backend.llm.prompt import Prompt
from backend.ports.credentials import Secret
from backend.ports.outgoing import Outgoing

_ERRORS = bounded_http.ApiErrors(APIStatusError, APIConnectionError, APIError)
_CUT = {"length": "the model reached its longest reply", "content_filter": "the provider's filter stopped it"}


class _Line:
    def __init__(self, connection: Connection, secret: Secret | None, prompt: Prompt, outgoing: Outgoing) -> None:
        self._connection = connection
        key = secret.reveal() if secret else ""
        self._exchange = bounded_http.Exchange(connection, key, _ERRORS, outgoing)
        self._prompt = prompt
        self._http = DefaultHttpxClient(**self._exchange.options())
        self._client = OpenAI(
            api_key=key or "none",
            base_url=connection.base_url,
            max_retries=0,
            http_client=self._http,
        )

    def heard(self) -> Iterator[Heard]:
        """Deltas, as they come."""
        with self._exchange.coded():
            for chunk in self._client.chat.completions.create(**self._request()):
                yield from _of(chunk)

    def hang_up(self) -> None:
        """Close the connection under the reader."""
        with suppress(Exception):
            self._http.close()

    def _request(self) -> dict[str, Any]:
        connection, prompt = self._connection, self._prompt
        # OpenAI's newer models refuse the old name, and other servers do not know the new one.
        longest = "max_completion_tokens" if connection.provider is Provider.OPENAI else "max_tokens"
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


def _of(chunk: ChatCompletionChunk) -> Iterator[Heard]:
    yield ""
    if chunk.usage is not None:
        yield Billed(chunk.usage.prompt_tokens, chunk.usage.completion_tokens)
    for choice in chunk.choices[:1]:
        if choice.delta.refusal:
            yield Refused(choice.delta.refusal)
        if choice.delta.content:
            yield choice.delta.content
        if choice.finish_reason is not None:
            yield Ended(_CUT.get(choice.finish_reason, ""))


def line(connection: Connection, secret: Secret | None, prompt: Prompt, *, outgoing: Outgoing) -> Line:
    """One request by this protocol."""
    return _Line(connection, secret, prompt, outgoing)
