"""HTTP calls to model servers: time-outs, no redirects, no proxy for this machine, and a limit to every answer."""

import ssl
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import replace
from typing import ClassVar, NamedTuple, cast

import httpx2

from backend.adapters.http_settings import (
    ORDINARY_HEADERS,
    PROXY_SIGN_IN,
    PROXY_SILENT,
    causes_of,
    client_options,
    proxy_failed,
    proxy_failure,
)
from backend.adapters.llm.prompt import Prompt
from backend.adapters.llm.reply_stream import ModelRequestError, NothingAnswered, ServerErrorInStream
from backend.domain.device.model_server_error import (
    NO_DETAIL,
    NOTHING_RAN,
    RETRYABLE_STATUSES,
    ServerError,
    meaning_of,
    read_error,
)
from backend.domain.device.request_form import RequestForm
from backend.domain.device.retry_after import SECONDS_ASKED, seconds_asked, seconds_in_words, wait_words
from backend.domain.model.connection import Connection, host_of, lacks_version
from backend.domain.values.errors import OutriderError
from backend.ports.credentials import Secret, header_text
from backend.ports.egress import MODEL, EgressPolicy, OutgoingCall

MAX_RESPONSE_BYTES = 64 * 1_048_576
"""Of one answer on the wire: a token of four bytes travels in some three hundred."""

_SIGN_IN = 511
"""Network Authentication Required (RFC 6585)."""
_NO_CONTENT, _UNAUTHORISED, _NOT_FOUND, _TOO_LARGE = 204, 401, 404, 413
_UNTRUSTED = {
    9: "by this machine's clock it is not valid yet",
    10: "by this machine's clock it has expired",
    62: "it is for another host",
    64: "it is for another host",
}
"""By OpenSSL's number."""
_ENDS = frozenset(("content-length", "transfer-encoding"))
_MOST_READ = 100_000
"""Of what says why a request failed."""

READ_TIMEOUT_MARGIN_SECONDS = 5

_KEYS = frozenset({"authorization", "x-api-key"})
_SENT = ORDINARY_HEADERS | {"anthropic-version"}


class _Body(httpx2.SyncByteStream):
    """A request's body, which says when the connection has taken all of it: a library hides that it did not."""

    def __init__(self, body: bytes, on_end: Callable[[], None]) -> None:
        self._body = body
        self._on_end = on_end

    def __iter__(self) -> Iterator[bytes]:
        yield self._body
        self._on_end()


class _Bounded(httpx2.SyncByteStream):
    def __init__(self, response: httpx2.Response, call: OutgoingCall) -> None:
        self._stream = response.stream
        self._response = response
        self._call = call

    def __iter__(self) -> Iterator[bytes]:
        left = MAX_RESPONSE_BYTES
        for chunk in cast("Iterable[bytes]", self._stream):
            left -= len(chunk)
            self._call.bytes_in += len(chunk)
            if not self._response.is_success and MAX_RESPONSE_BYTES - left > _MOST_READ:
                return  # enough to say why it refuses
            if left < 0:
                raise ModelRequestError(
                    OutriderError("proposer_cut_off", why="the answer had no end"), may_be_billed=True
                )
            yield chunk
        if left == MAX_RESPONSE_BYTES and self._response.is_success:
            raise NothingAnswered

    def close(self) -> None:
        cast("httpx2.SyncByteStream", self._stream).close()


class ApiErrors(NamedTuple):
    """The exceptions of a provider's library: for a failing status, for no connection, and its base class."""

    status: type[Exception]
    connection: type[Exception]
    other: type[Exception]


class ModelHttpCall:
    """One request through a provider's library: the HTTP client that the library uses, and our errors for its own."""

    def __init__(
        self,
        connection: Connection,
        secret: Secret | None,
        errors: ApiErrors,
        announced: AbstractContextManager[OutgoingCall],
    ) -> None:
        self._connection = connection
        self._announced = announced
        self._call = OutgoingCall()
        self._errors = errors
        self._sent = _SENT | _KEYS if connection.key else _SENT
        self._response: httpx2.Response | None = None
        self._is_sent = False
        try:
            self._key = header_text(connection.key, secret) if secret else ""
            self._http = self._client()
        except OutriderError as error:
            raise ModelRequestError(error) from None

    def close(self) -> None:
        """Close the connection while its reader waits; never raises."""
        with suppress(Exception):
            self._http.close()

    def _client(self) -> httpx2.Client:
        """A client whose reads time out soon after the deadlines of `stream_reader.py`."""
        connection = self._connection
        silence = (
            max(connection.first_token_timeout_ms, connection.idle_timeout_ms) / 1_000 + READ_TIMEOUT_MARGIN_SECONDS
        )
        options = client_options(connection.base_url, httpx2.create_ssl_context, httpx2.Proxy)
        return httpx2.Client(
            **options,
            timeout=httpx2.Timeout(silence, connect=connection.connect_timeout_ms / 1_000),
            follow_redirects=False,
            event_hooks={"request": [self._remove_headers, self._count_bytes], "response": [self._check_response]},
        )

    def _remove_headers(self, request: httpx2.Request) -> None:
        """The libraries add headers about this machine and from its environment; none of them is sent."""
        for name in list(request.headers):
            if name.lower() not in self._sent:
                del request.headers[name]

    def _count_bytes(self, request: httpx2.Request) -> None:
        body = request.read()
        self._call.bytes_out += _header_bytes(request.headers) + len(body)
        request.stream = _Body(body, self._note_sent)

    def _note_sent(self) -> None:
        self._is_sent = True

    def _check_response(self, response: httpx2.Response) -> None:
        self._response = response
        if response.is_success and _is_page(response):
            # A page for people: a wrong address, or a network that wants one to log in first.
            raise ModelRequestError(OutriderError("proposer_web_page", host=response.url.host))
        response.encoding = "utf-8"  # as both protocols have it, whatever a proxy says
        self._call.bytes_in += _header_bytes(response.headers)
        response.stream = _Bounded(response, self._call)

    @contextmanager
    def _translated_errors(self) -> Iterator[None]:
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
        except NothingAnswered:
            raise self._nothing_answered() from None
        except (self._errors.other, httpx2.HTTPError) as error:
            if isinstance(error.__cause__, ModelRequestError):
                raise error.__cause__ from None
            raise self._broken(host, error) from None
        except (ValueError, TypeError, AttributeError, LookupError):  # an answer that the protocol does not know
            raise _garbled(host) from None

    def _nothing_answered(self) -> ModelRequestError:
        """Nothing ran if the server says itself where its answer ends: one that ends with the connection may have broken."""
        response = self._response
        is_whole = response is not None and (
            response.status_code == _NO_CONTENT or not response.headers.keys().isdisjoint(_ENDS)
        )
        facts: dict[str, object] = {
            "host": host_of(self._connection.base_url),
            "http": f"HTTP {response.status_code}" if response is not None else "the connection broke",
            NOTHING_RAN: is_whole,
        }
        error = OutriderError("proposer_no_content", **facts)
        return ModelRequestError(error, may_be_billed=not is_whole)

    def _broken(self, host: str, error: Exception) -> ModelRequestError:
        """What a failure of the connection means, by how far the answer had come: a status that refuses stands alone."""
        if self._response is None and isinstance(error, self._errors.connection):
            if self._is_sent:  # the server may have worked on it
                return self._nothing_answered()
            return _no_connection(self._connection.base_url, error)
        if self._response is not None and not self._response.is_success:
            return self._refused(self._response)
        if isinstance(error, httpx2.DecodingError):
            return _garbled(host)
        cut_off = OutriderError("proposer_cut_off", why="the connection broke")
        return ModelRequestError(cut_off, retryable=True, may_be_billed=True)

    def _refused(self, response: httpx2.Response) -> ModelRequestError:
        status = response.status_code
        if status == PROXY_SIGN_IN:
            return ModelRequestError(proxy_failed(self._connection.base_url, f"HTTP {status}"))
        if 300 <= status < 400:  # noqa: PLR2004 - Redirection
            target = response.next_request.url if response.next_request else None
            named = f" ({target.copy_with(userinfo=b'', query=None, fragment=None)})" if target else ""
            message = f"it points to another address{named}, to which nothing is sent"
            return self._failure(ServerError(status, message=message))
        says_why = status in RETRYABLE_STATUSES or status >= 500 or status in (_UNAUTHORISED, _TOO_LARGE)  # noqa: PLR2004
        if (_is_page(response) and not says_why) or status == _SIGN_IN:
            return ModelRequestError(OutriderError("proposer_web_page", host=host_of(self._connection.base_url)))
        try:
            body = response.text
        except httpx2.StreamError:
            body = ""  # it broke before its words came
        retry_after = seconds_asked({name.lower(): value for name, value in response.headers.items()}, time.time())
        if not retry_after:  # some say 0, and the truth in words
            retry_after = seconds_in_words(body[:_MOST_READ]) or retry_after
        server_error = read_error(body, status)
        if status == _NOT_FOUND and lacks_version(self._connection):
            detail = f"{server_error.detail(self._key)} (most servers need /v1 at the end of their address)"
            server_error = replace(server_error, message=detail)
        return self._failure(server_error, retry_after)

    def _failure(self, server_error: ServerError, retry_after: float | None = None) -> ModelRequestError:
        """What a server says of itself. The key is in none of the words."""
        host, meaning = host_of(self._connection.base_url), meaning_of(server_error)
        detail = server_error.detail(self._key)
        facts: dict[str, object] = {"host": host, "status": server_error.status or 200, "detail": detail}
        if meaning.code == "proposer_rate_limited":
            facts["wait"] = wait_words(retry_after)
        elif meaning.code == "proposer_failed" and server_error.status:
            facts["detail"] = f"HTTP {server_error.status}" + ("" if detail == NO_DETAIL else f", {detail}")
        if meaning.retryable:
            facts[SECONDS_ASKED] = retry_after
        refused_because = server_error.message or detail if meaning.code == "proposer_request_refused" else ""
        error, retryable = OutriderError(meaning.code, **facts), meaning.retryable
        return ModelRequestError(error, retryable=retryable, retry_after=retry_after, refused_because=refused_because)


class ModelReplyCall(ModelHttpCall):
    """One request for a reply; each protocol names the exceptions of its library, and says what it sends and reads."""

    errors: ClassVar[ApiErrors]

    def __init__(
        self,
        connection: Connection,
        secret: Secret | None,
        prompt: Prompt,
        form: RequestForm,
        *,
        outgoing: EgressPolicy,
    ) -> None:
        super().__init__(connection, secret, self.errors, outgoing.call(host_of(connection.base_url), MODEL.code))
        self._prompt = prompt
        self._form = form


def _header_bytes(headers: httpx2.Headers) -> int:
    """Their size as HTTP/1.1 sends them."""
    return sum(len(name) + len(value) + 4 for name, value in headers.raw)


def _is_page(response: httpx2.Response) -> bool:
    return "html" in response.headers.get("content-type", "").lower()


def _no_connection(base_url: str, error: Exception) -> ModelRequestError:
    """The error for a connection that was not made, by its cause."""
    host = host_of(base_url)
    for cause in causes_of(error):
        if isinstance(cause, ssl.SSLCertVerificationError):
            why = _UNTRUSTED.get(cause.verify_code, "nobody who vouches for it is known here")
            return ModelRequestError(OutriderError("proposer_certificate", host=host, why=why))
    if failed := proxy_failure(base_url, error, httpx2.ProxyError, httpx2.ConnectTimeout):
        return ModelRequestError(failed, retryable=failed.facts["why"] == PROXY_SILENT)
    return ModelRequestError(OutriderError("proposer_unreachable", host=host), retryable=True)


def _garbled(host: str) -> ModelRequestError:
    return ModelRequestError(OutriderError("proposer_garbled", host=host), may_be_billed=True)
