"""What both providers' libraries are given: time-outs, no redirects, no proxy for this machine, and an end to every answer."""

import ssl
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import cache
from typing import Any, NamedTuple

import httpx2

from backend.adapters.llm.reply_stream import ModelRequestError
from backend.domain.connection import Connection, host_of, is_loopback
from backend.domain.errors import OutriderError
from backend.ports.egress import OutgoingCall

MAX_RESPONSE_BYTES = 64 * 1_048_576
"""Of one answer on the wire: a token of four bytes travels in some three hundred."""

_QUOTA_SPENT = "insufficient_quota"
"""What OpenAI and servers like it say with 429 when the account is out of credit."""
RETRYABLE_STATUSES = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
MAX_ERROR_TEXT = 300
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


@cache
def _certificates() -> ssl.SSLContext:
    """Read once: it takes longer than everything else that is made for a request."""
    return httpx2.create_ssl_context()


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

    def options(self) -> dict[str, Any]:
        """Arguments for the library's own HTTP client. No read outlasts for long who listens (`listening.py`)."""
        connection = self._connection
        silence = (
            max(connection.first_token_timeout_ms, connection.idle_timeout_ms) / 1_000 + READ_TIMEOUT_MARGIN_SECONDS
        )
        return {
            "timeout": httpx2.Timeout(silence, connect=connection.connect_timeout_ms / 1_000),
            "follow_redirects": False,
            "verify": _certificates(),
            "trust_env": not is_loopback(connection.base_url),
            "event_hooks": {"request": [self._own_headers, self._weigh], "response": [self._bound]},
        }

    def _own_headers(self, request: httpx2.Request) -> None:
        """Whatever the libraries find in the environment or tell of this machine stays here."""
        for name in list(request.headers):
            if name.lower() not in self._sent:
                del request.headers[name]

    def _weigh(self, request: httpx2.Request) -> None:
        self._call.bytes_out += _weight(request.headers) + len(request.read())

    def _bound(self, response: httpx2.Response) -> None:
        self._answered = True
        if response.is_success and response.headers.get("content-type", "").startswith("text/html"):
            # A page for people: a wrong address, or a network that wants one to log in first.
            raise ModelRequestError(OutriderError("proposer_garbled", host=response.url.host), asked=True)
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
            response: httpx2.Response = error.response  # type: ignore[attr-defined]
            if response.status_code < 300:  # noqa: PLR2004 - it was said in the middle of the stream
                raise _broken() from None
            reason = _reason(error)
            if _QUOTA_SPENT in (reason.get("code"), reason.get("type")):
                raise ModelRequestError(OutriderError("proposer_unpaid", host=host)) from None  # waiting does not help
            raise _refused(host, response, str(reason.get("message") or error), self._key) from None
        except (self._errors.other, httpx2.HTTPError) as error:
            if isinstance(error.__cause__, ModelRequestError):
                raise error.__cause__ from None
            if isinstance(error, self._errors.connection) and not self._answered:
                raise ModelRequestError(OutriderError("proposer_unreachable", host=host), passes=True) from None
            raise _broken() from None
        except (ValueError, TypeError, AttributeError, LookupError):
            # An answer that the protocol does not know.
            raise ModelRequestError(OutriderError("proposer_garbled", host=host), asked=True) from None


def _weight(headers: httpx2.Headers) -> int:
    """In bytes, as HTTP/1.1 has them."""
    return sum(len(name) + len(value) + 4 for name, value in headers.raw)


def _reason(error: Exception) -> dict[str, object]:
    """What the server says is wrong, where it says so as both protocols do."""
    body = getattr(error, "body", None)
    inner = body.get("error", body) if isinstance(body, dict) else None
    return inner if isinstance(inner, dict) else {}


def _refused(host: str, response: httpx2.Response, said: str, key: str) -> ModelRequestError:
    # The key is in none of the words, whatever the server says.
    status = response.status_code
    if status in (401, 403):
        return ModelRequestError(OutriderError("proposer_unauthorised", host=host))
    if status == 402:  # noqa: PLR2004 - Payment Required
        return ModelRequestError(OutriderError("proposer_unpaid", host=host))
    passes, later = status in RETRYABLE_STATUSES, _seconds(response.headers.get("retry-after", ""))
    if status == 429:  # noqa: PLR2004 - Too Many Requests
        return ModelRequestError(OutriderError("proposer_rate_limited", host=host), passes=True, retry_after=later)
    if status >= 500 or passes:  # noqa: PLR2004 - the server's own failure
        return ModelRequestError(
            OutriderError("proposer_failed", host=host, status=status), passes=passes, retry_after=later
        )
    if 300 <= status < 400:  # noqa: PLR2004 - Redirection
        said = "it points to another address, to which nothing is sent"
    detail = " ".join((said.replace(key, "…") if key else said)[:MAX_ERROR_TEXT].split()) or "it does not say why"
    detail = detail.rstrip(".")
    return ModelRequestError(OutriderError("proposer_request_refused", host=host, status=status, detail=detail))


def _broken() -> ModelRequestError:
    return ModelRequestError(OutriderError("proposer_cut_off", why="the connection broke"), passes=True, asked=True)


def _seconds(text: str) -> float | None:
    # A date is a rarity among these servers; without a number our own pauses hold.
    return float(text) if text.strip().isdecimal() and len(text) < 8 else None  # noqa: PLR2004
