"""What both providers' libraries are given: time-outs, no redirects, no proxy for this machine, and an end to every answer."""

import ssl
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import NamedTuple

import httpx2

from backend.adapters.http_settings import client_options, proxies_in_use
from backend.adapters.llm.reply_stream import ModelRequestError, ServerErrorInStream
from backend.domain.device.model_server_error import NO_DETAIL, RETRYABLE_STATUSES, ServerError, meaning_of, read_error
from backend.domain.device.retry_after import SECONDS_ASKED, seconds_asked, seconds_in_words, wait_words
from backend.domain.model.connection import Connection, host_of
from backend.domain.values.errors import OutriderError
from backend.ports.egress import OutgoingCall

MAX_RESPONSE_BYTES = 64 * 1_048_576
"""Of one answer on the wire: a token of four bytes travels in some three hundred."""

_SIGN_IN = 511
"""Network Authentication Required (RFC 6585)."""
_PROXY_SIGN_IN, _TOO_LARGE = 407, 413
_MOST_READ = 100_000

READ_TIMEOUT_MARGIN_SECONDS = 5

_KEYS = frozenset({"authorization", "x-api-key"})
_SENT = frozenset(
    {
        "host",
        "accept",
        "accept-encoding",
        "connection",
        "content-type",
        "content-length",
        "user-agent",
        "anthropic-version",
    }
)


class _Bounded(httpx2.SyncByteStream):
    def __init__(self, stream: httpx2.SyncByteStream, call: OutgoingCall) -> None:
        self._stream = stream
        self._call = call

    def __iter__(self) -> Iterator[bytes]:
        left = MAX_RESPONSE_BYTES
        for chunk in self._stream:
            left -= len(chunk)
            self._call.bytes_in += len(chunk)
            if left < 0:
                raise ModelRequestError(OutriderError("proposer_cut_off", why="the answer had no end"), asked=True)
            yield chunk

    def close(self) -> None:
        self._stream.close()


class ApiErrors(NamedTuple):
    """What a library raises: an answer with a failing status, no connection, and anything else that it was told."""

    status: type[Exception]
    connection: type[Exception]
    other: type[Exception]


class ModelHttpCall:
    """One request: what its library is given, and what becomes of the library's errors."""

    def __init__(
        self, connection: Connection, key: str, errors: ApiErrors, announced: AbstractContextManager[OutgoingCall]
    ) -> None:
        self._connection = connection
        self._announced = announced
        self._call = OutgoingCall()
        self._key = key
        self._errors = errors
        self._sent = _SENT | _KEYS if connection.key else _SENT
        self._answered = False

    def client(self) -> httpx2.Client:
        """What the library asks with. No read outlasts for long who listens (`listening.py`)."""
        connection = self._connection
        silence = (
            max(connection.first_token_timeout_ms, connection.idle_timeout_ms) / 1_000 + READ_TIMEOUT_MARGIN_SECONDS
        )
        try:
            options = client_options(connection.base_url, httpx2.create_ssl_context, httpx2.Proxy)
        except OutriderError as error:
            raise ModelRequestError(error) from None
        return httpx2.Client(
            **options,
            timeout=httpx2.Timeout(silence, connect=connection.connect_timeout_ms / 1_000),
            follow_redirects=False,
            event_hooks={"request": [self._own_headers, self._weigh], "response": [self._bound]},
        )

    def _own_headers(self, request: httpx2.Request) -> None:
        """Whatever the libraries find in the environment or tell of this machine stays here."""
        for name in list(request.headers):
            if name.lower() not in self._sent:
                del request.headers[name]

    def _weigh(self, request: httpx2.Request) -> None:
        self._call.bytes_out += _weight(request.headers) + len(request.read())

    def _bound(self, response: httpx2.Response) -> None:
        self._answered = True
        if response.is_success and _is_page(response):
            # A page for people: a wrong address, or a network that wants one to log in first.
            raise ModelRequestError(OutriderError("proposer_web_page", host=response.url.host))
        response.encoding = "utf-8"  # as both protocols have it, whatever a proxy says
        self._call.bytes_in += _weight(response.headers)
        response.stream = _Bounded(response.stream, self._call)  # type: ignore[arg-type]

    @contextmanager
    def translating_errors(self) -> Iterator[None]:
        """The call, announced and registered; its failures become `ModelRequestError`, without the library's own words."""
        host = host_of(self._connection.base_url)
        try:
            with self._announced as self._call:
                yield
        except OutriderError as error:  # it is not on the list
            raise ModelRequestError(error) from None
        except self._errors.status as error:
            raise self._refused(error.response) from None  # type: ignore[attr-defined]
        except ServerErrorInStream as error:
            raise self._failure(error.server_error) from None
        except (self._errors.other, httpx2.HTTPError) as error:
            if isinstance(error.__cause__, ModelRequestError):
                raise error.__cause__ from None
            if isinstance(error, self._errors.connection) and not self._answered:
                raise _no_connection(host, error) from None
            raise _broken() from None
        except (ValueError, TypeError, AttributeError, LookupError):
            # An answer that the protocol does not know.
            raise ModelRequestError(OutriderError("proposer_garbled", host=host), asked=True) from None

    def _refused(self, response: httpx2.Response) -> ModelRequestError:
        status = response.status_code
        if status == _PROXY_SIGN_IN:
            return _proxy_failed(host_of(self._connection.base_url), f"HTTP {status}")
        says_why = status in RETRYABLE_STATUSES or status >= 500 or status == _TOO_LARGE  # noqa: PLR2004
        if (_is_page(response) and not says_why) or status == _SIGN_IN:
            return ModelRequestError(OutriderError("proposer_web_page", host=host_of(self._connection.base_url)))
        if 300 <= status < 400:  # noqa: PLR2004 - Redirection
            return self._failure(ServerError(status, message="it points to another address, to which nothing is sent"))
        try:
            body = response.text
        except httpx2.StreamError:
            body = ""  # it broke before its words came
        retry_after = seconds_asked({name.lower(): value for name, value in response.headers.items()}, time.time())
        if retry_after is None:
            retry_after = seconds_in_words(body[:_MOST_READ])
        return self._failure(read_error(body, status), retry_after)

    def _failure(self, server_error: ServerError, retry_after: float | None = None) -> ModelRequestError:
        """What a server says of itself. The key is in none of the words."""
        host, meaning, detail = (
            host_of(self._connection.base_url),
            meaning_of(server_error),
            server_error.detail(self._key),
        )
        facts: dict[str, object] = {"host": host, "status": server_error.status, "detail": detail}
        if meaning.code == "proposer_rate_limited":
            facts["wait"] = wait_words(retry_after)
        elif meaning.code == "proposer_failed" and server_error.status:
            facts["detail"] = f"HTTP {server_error.status}" + ("" if detail == NO_DETAIL else f", {detail}")
        if meaning.passes:
            facts[SECONDS_ASKED] = retry_after
        refused = server_error.message or detail if meaning.code == "proposer_request_refused" else ""
        return ModelRequestError(
            OutriderError(meaning.code, **facts), passes=meaning.passes, retry_after=retry_after, refused=refused
        )


def _weight(headers: httpx2.Headers) -> int:
    """In bytes, as HTTP/1.1 has them."""
    return sum(len(name) + len(value) + 4 for name, value in headers.raw)


def _is_page(response: httpx2.Response) -> bool:
    return bool(response.headers.get("content-type", "").startswith("text/html"))


def _no_connection(host: str, error: BaseException) -> ModelRequestError:
    """Why nobody was asked, as far as that can be told."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ssl.SSLCertVerificationError):
            return ModelRequestError(OutriderError("proposer_certificate", host=host))
        if isinstance(cause, httpx2.ProxyError):
            return _proxy_failed(host, str(cause))
        cause = cause.__cause__ or cause.__context__
    return ModelRequestError(OutriderError("proposer_unreachable", host=host), passes=True)


def _proxy_failed(host: str, why: str) -> ModelRequestError:
    variable = " or ".join(dict.fromkeys(proxy.variable for proxy in proxies_in_use())) or "this network"
    return ModelRequestError(OutriderError("proxy_failed", variable=variable, host=host, why=why))


def _broken() -> ModelRequestError:
    return ModelRequestError(OutriderError("proposer_cut_off", why="the connection broke"), passes=True, asked=True)
