"""Asks a server once which models it offers. Its answer is limited in size, and only names are taken from it."""

import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import httpx2

from backend.adapters.llm import http_call
from backend.adapters.llm.reply_stream import ModelRequestError, ReplyStream, StreamEvent
from backend.adapters.llm.stream_reader import StreamControl, read_with_deadlines
from backend.domain.model.connection import Connection, ModelNames, host_of, model_names, root_of
from backend.domain.model.providers import PRESETS
from backend.domain.values.errors import OutriderError
from backend.ports.credentials import Secret
from backend.ports.egress import MODEL_LIST, EgressPolicy

MAX_LIST_BYTES = 8 * 1_048_576
"""Ten thousand models, each described in some hundreds of bytes."""

_ERRORS = http_call.ApiErrors(httpx2.HTTPStatusError, httpx2.TransportError, httpx2.HTTPError)
_NO_LIST = frozenset({404, 405, 501})


class _ModelListStream(http_call.ModelHttpCall):
    """One request for the list; its events are the text of the answer."""

    def __init__(self, connection: Connection, secret: Secret | None, outgoing: EgressPolicy) -> None:
        url = urlsplit(connection.base_url)
        announced = outgoing.call_once(
            host_of(connection.base_url), MODEL_LIST.code, local_network_only=url.scheme != "https"
        )
        super().__init__(connection, secret, _ERRORS, announced)

    def events(self) -> Iterator[StreamEvent]:
        """The answer, as it comes."""
        address, headers = self._request()
        with self._translated_errors(), self._http.stream("GET", address, headers=headers) as response:
            if response.status_code in _NO_LIST:
                raise ModelRequestError(OutriderError("model_list_missing", host=host_of(address)))
            if not response.is_success:
                response.read()
                raise httpx2.HTTPStatusError("", request=response.request, response=response)
            yield from response.iter_text()

    def _request(self) -> tuple[str, dict[str, str]]:
        base = root_of(self._connection)
        if PRESETS[self._connection.provider].protocol == "openai":
            return f"{base}/models", {"authorization": f"Bearer {self._key}"} if self._key else {}
        key = {"x-api-key": self._key} if self._key else {}
        return f"{base}/v1/models?limit=1000", {"anthropic-version": "2023-06-01", **key}


def list_models(
    connection: Connection, secret: Secret | None, outgoing: EgressPolicy, stream_control: StreamControl
) -> ModelNames:
    """What the server offers. Raises `model_list_…`, and `proposer_…` as when a model is asked."""
    pieces, length = list[str](), 0
    host = host_of(connection.base_url)
    try:
        stream: ReplyStream = _ModelListStream(connection, secret, outgoing)
        deadline = stream_control.now() + connection.total_timeout_ms / 1_000
        for piece in read_with_deadlines(stream, connection, deadline, stream_control):
            pieces.append(str(piece))
            length += len(pieces[-1])
            if length > MAX_LIST_BYTES:
                raise OutriderError("proposer_garbled", host=host)
    except ModelRequestError as failure:
        broken = failure.error.code == "proposer_cut_off"
        raise OutriderError("proposer_garbled", host=host) if broken else failure.error from None
    offered_models = model_names(_read("".join(pieces)))
    if offered_models is None:
        raise OutriderError("proposer_garbled", host=host)
    if not offered_models.names:
        raise OutriderError("model_list_empty", host=host)
    return offered_models


def _read(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
