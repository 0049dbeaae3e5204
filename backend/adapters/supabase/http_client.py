"""The HTTP client under Supabase's library: announced, bounded in time and size, no redirects, and nothing told of this machine.

Imported with the library, not before: both take half a second.
"""

import errno
import json
import socket
import ssl
import time
from datetime import UTC, datetime
from typing import Any

import httpx

from backend.adapters.http_settings import (
    ORDINARY_HEADERS,
    PROXY_SIGN_IN,
    causes_of,
    client_options,
    proxy_failed,
    proxy_failure,
)
from backend.adapters.supabase.response_error import SupabaseResponseError, text
from backend.domain.device.retry_after import LONGEST_WAIT, seconds_asked
from backend.domain.model.connection import host_of
from backend.domain.values.error_table import ErrorCode
from backend.domain.values.errors import OutriderError
from backend.ports.egress import SUPABASE_AUTH, SUPABASE_SYNC, EgressPolicy, OutgoingCall
from backend.ports.shared_store import SharedStoreRefusedError, SharedStoreTooSlowError, SharedStoreUnreachableError

CONNECT = 10.0
KEPT_SECONDS = 150.0
"""How long a connection without requests is kept: polls are a minute apart, and each new one costs several round trips."""

MOST_SECONDS = 90.0
"""Until an answer is read: a server that drips its body holds nobody for longer. (Reads of headers have their own time-out.)"""

MOST_BYTES = 64 * 1_048_576
"""Of one answer, unpacked."""

_SENT = ORDINARY_HEADERS | {"apikey", "authorization", "accept-profile", "content-profile", "x-supabase-api-version"}
_CUT = frozenset({b"content-encoding", b"content-length", b"transfer-encoding"})
_LATER = frozenset({408, 425})
_STATUSES: dict[int, ErrorCode] = {
    402: "project_over_quota",
    504: "project_slow",
    511: "network_sign_in",
    540: "project_paused",
    544: "project_slow",
}
"""Of the platform and of networks (Supabase's documentation, "HTTP status codes"; RFC 6585)."""
_OUT_OF_TIME = "57014"
"""PostgreSQL's `query_canceled`: the statement took longer than its role may."""
_WORDS_OF_AUTH = ("message", "msg", "error", "error_description", "error_code")
"""What an error of Supabase Auth says in words; its library takes them as they are."""
_NO_ROUTE = frozenset({errno.ENETUNREACH, errno.EHOSTUNREACH, errno.ENETDOWN, errno.EADDRNOTAVAIL})
_NOT_YET_VALID, _EXPIRED = 9, 10
"""OpenSSL's X509_V_ERR_CERT_…"""
_ANSWER, _NOTHING = 200, 204
"""What PostgREST answers to our functions, and Auth to a sign-in: any other success is somebody else's, or no answer yet."""
_NO_KEY, _TOO_LARGE, _TOO_MANY = 401, 413, 429


class GuardedHttpClient(httpx.Client):
    """One for all threads. Whatever is no answer is `SharedStoreUnreachableError`, whichever library asked."""

    def __init__(
        self,
        url: str,
        outgoing: EgressPolicy,
        timeout: float,
        *,
        most_seconds: float = MOST_SECONDS,
        most_bytes: int = MOST_BYTES,
    ) -> None:
        self._unusable: OutriderError | None = None
        try:
            options = client_options(url, httpx.create_ssl_context, httpx.Proxy)
        except OutriderError as error:  # told to whoever asks, as the store's silence
            options, self._unusable = (
                {"trust_env": False, "verify": ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)},
                error,
            )
        super().__init__(
            **options,
            timeout=httpx.Timeout(timeout, connect=min(CONNECT, timeout)),
            limits=httpx.Limits(max_connections=20, keepalive_expiry=KEPT_SECONDS),
            follow_redirects=False,
            headers={"User-Agent": "outrider"},
        )
        self._url, self._name = url, host_of(url)
        self._outgoing = outgoing
        self._most_seconds, self._most_bytes = most_seconds, most_bytes
        self._auth_path = f"{httpx.URL(url).path.rstrip('/')}/auth/v1/"

    def send(self, request: httpx.Request, **more: Any) -> httpx.Response:
        """Ask, and read the answer whole."""
        if self._unusable:
            raise _stopped_here(self._unusable)
        for name in [name for name in request.headers if name.lower() not in _SENT]:
            del request.headers[name]
        signing_in = request.url.path.startswith(self._auth_path)
        try:
            with self._outgoing.call(request.url.host, (SUPABASE_AUTH if signing_in else SUPABASE_SYNC).code) as call:
                call.bytes_out = int(request.headers.get("content-length", "0"))
                response = self._whole(request, call, more)
                call.failed = "" if response.status_code < 400 else f"HTTP {response.status_code}"  # noqa: PLR2004
        except OutriderError as refused:
            raise _stopped_here(refused) from None
        except (httpx.HTTPError, httpx.InvalidURL, RuntimeError) as error:  # the last: closed meanwhile
            raise no_answer(self._url, error) from None
        return self._answer(response, signing_in=signing_in)

    def _whole(self, request: httpx.Request, call: OutgoingCall, more: dict[str, Any]) -> httpx.Response:
        content, end = bytearray(), time.monotonic() + self._most_seconds
        response = super().send(request, **{**more, "stream": True})
        try:
            for chunk in response.iter_bytes():
                content += chunk
                if len(content) > self._most_bytes or time.monotonic() > end:
                    raise httpx.ReadTimeout("without end", request=request)
        finally:
            call.bytes_in = response.num_bytes_downloaded
            response.close()
        headers = [pair for pair in response.headers.raw if pair[0].lower() not in _CUT]
        return httpx.Response(response.status_code, headers=headers, content=bytes(content), request=request)

    def _answer(self, response: httpx.Response, *, signing_in: bool) -> httpx.Response:
        status = response.status_code
        if status == _NOTHING:
            return response if signing_in else _null(response)
        if status == _ANSWER and response.content and _is_json(response):
            return response  # an empty answer, to the library, is an empty list
        error_body = _told(response)
        message = text(error_body, "message") or text(error_body, "msg") or "it says no more"
        code: ErrorCode | None = _STATUSES.get(status)
        if status == PROXY_SIGN_IN:
            raise _stopped_here(proxy_failed(self._url, f"HTTP {status}"))
        if text(error_body, "code") == _OUT_OF_TIME:
            raise SharedStoreTooSlowError(f"{self._name} failed (HTTP {status}): {message}", _seconds(response))
        if status >= 500 or status in _LATER or code or (status == _TOO_MANY and not (signing_in and error_body)):  # noqa: PLR2004
            message = f"{self._name} failed (HTTP {status}): {message}"
            raise SharedStoreUnreachableError(message, _seconds(response), code or "shared_store_unreachable")
        if status < 400 and (response.is_redirect or _is_page(response)):  # noqa: PLR2004
            raise SharedStoreUnreachableError(f"a web page answers in place of {self._name}", code="network_sign_in")
        if status == _TOO_LARGE:  # often in words of what stands before a project
            raise SharedStoreRefusedError("append_refused", "it is too large")
        if status == _NO_KEY and error_body and (refusal := refused_key(error_body)):
            raise SharedStoreRefusedError(refusal, text(error_body, "message"))
        is_strange = signing_in and any(not isinstance(error_body.get(name, ""), str) for name in _WORDS_OF_AUTH)
        if status < 400 or not error_body or is_strange:  # noqa: PLR2004
            raise SharedStoreUnreachableError(f"{self._name} does not answer as a Supabase project (HTTP {status})")
        if signing_in:
            return response
        raise SupabaseResponseError(status, error_body)


def _stopped_here(reason: OutriderError) -> SharedStoreUnreachableError:
    return SharedStoreUnreachableError(reason.sentence.removesuffix("."), reason=reason)


def no_answer(url: str, error: Exception) -> SharedStoreUnreachableError:
    """Why a call to that address came back without an answer, as far as that can be told."""
    code: ErrorCode = "shared_store_unreachable"
    name = host_of(url)
    message = f"the connection to {name} broke"
    causes = list(causes_of(error))
    certificate_error = next((cause for cause in causes if isinstance(cause, ssl.SSLCertVerificationError)), None)
    if certificate_error is not None and getattr(certificate_error, "verify_code", 0) in (_NOT_YET_VALID, _EXPIRED):
        code, message = "clock_differs", f"the certificate of {name} is not valid on {datetime.now(UTC):%d %B %Y}"
    elif certificate_error is not None:
        code, message = "project_certificate", f"the certificate of {name} cannot be trusted"
    elif failed := proxy_failure(url, error, httpx.ProxyError, httpx.ConnectTimeout):
        return _stopped_here(failed)
    elif isinstance(error, httpx.TimeoutException):
        code, message = "project_slow", f"{name} took too long to answer"
    elif any(isinstance(cause, socket.gaierror) for cause in causes):
        code, message = "network_unreachable", f"nobody here knows the address of {name}"
    elif any(isinstance(cause, OSError) and cause.errno in _NO_ROUTE for cause in causes):
        code, message = "network_unreachable", f"there is no route to {name}"
    elif isinstance(error, httpx.ConnectError):
        message = f"{name} cannot be reached"
    return SharedStoreUnreachableError(message, code=code)


def _is_page(response: httpx.Response) -> bool:
    return "html" in response.headers.get("content-type", "")


def _is_json(response: httpx.Response) -> bool:
    """By its header, and in the one encoding that JSON has."""
    try:
        response.content.decode()
    except UnicodeDecodeError:
        return False
    return "json" in response.headers.get("content-type", "")


def _null(response: httpx.Response) -> httpx.Response:
    """What a function without an answer says; to the library no body would be an empty list, as if there were nothing."""
    return httpx.Response(200, headers={"content-type": "application/json"}, content=b"null", request=response.request)


def refused_key(error_body: dict[str, Any]) -> str:
    """What a 401 says of the public key itself, "" if it is about who is signed in.

    The gateway that looks at the key puts no code beside its words, unlike Auth and PostgREST behind it; should it once do so,
    it will name the key.
    """
    words = " ".join(
        text(error_body, name) for name in ("code", "error_code", "message", "msg", "error", "hint")
    ).lower()
    names_key = any(name in words for name in ("api key", "api_key", "apikey", "legacy key", "legacy_key"))
    if not names_key and error_body.keys() & {"code", "error_code"}:
        return ""
    return "key_disabled" if "disabled" in words or "legacy" in words else "key_refused"


def _told(response: httpx.Response) -> dict[str, Any]:
    """The object that an error came with; {} if it came with none."""
    try:
        error_body = json.loads(response.content) if _is_json(response) else {}
    except (ValueError, RecursionError):
        return {}
    return error_body if isinstance(error_body, dict) else {}


def _seconds(response: httpx.Response) -> float:
    return min(seconds_asked(response.headers, time.time()) or 0.0, LONGEST_WAIT)
