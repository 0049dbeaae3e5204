"""The HTTP client under Supabase's library: announced, bounded in time and size, no redirects, and nothing told of this machine.

Imported with the library, not before: both take half a second.
"""

import json
import ssl
import time
from functools import cache
from typing import Any

import httpx

from backend.adapters.supabase.response_error import SupabaseResponseError, text
from backend.domain.connection import host_of, is_loopback
from backend.domain.errors import OutriderError
from backend.ports.egress import SUPABASE_AUTH, SUPABASE_SYNC, EgressPolicy, OutgoingCall
from backend.ports.shared_store import SharedStoreRefusedError, SharedStoreUnreachableError

CONNECT = 10.0
KEPT_SECONDS = 150.0
"""How long a connection without requests is kept: polls are a minute apart, and each new one costs several round trips."""

MOST_SECONDS = 90.0
"""Until an answer is read: a server that drips its body holds nobody for longer. (Of headers each read has its patience.)"""

MOST_BYTES = 64 * 1_048_576
"""Of one answer, unpacked."""

_SENT = frozenset(
    {
        "host",
        "accept",
        "accept-encoding",
        "connection",
        "content-type",
        "content-length",
        "user-agent",
        "apikey",
        "authorization",
        "accept-profile",
        "content-profile",
        "x-supabase-api-version",
    }
)
_CUT = frozenset({"content-encoding", "content-length", "transfer-encoding"})
_LATER = frozenset({408, 425})
_NOTHING, _NO_KEY, _TOO_LARGE, _TOO_MANY = 204, 401, 413, 429

_KEY_REFUSALS = {"Legacy API keys are disabled": "key_disabled", "Invalid API key": "key_refused"}
"""What stands before a project says of its public key: whoever is signed in still is."""


@cache
def _certificates() -> ssl.SSLContext:
    """Read once: it takes longer than everything else that is made for a client."""
    return httpx.create_ssl_context()


class GuardedHttpClient(httpx.Client):
    """One for all threads. Whatever is no answer is `SharedStoreUnreachableError`, whichever library asked."""

    def __init__(self, url: str, outgoing: EgressPolicy, patience: float) -> None:
        super().__init__(
            timeout=httpx.Timeout(patience, connect=min(CONNECT, patience)),
            limits=httpx.Limits(max_connections=20, keepalive_expiry=KEPT_SECONDS),
            follow_redirects=False,
            verify=_certificates(),
            trust_env=not is_loopback(url),
            headers={"User-Agent": "outrider"},
        )
        self._name = host_of(url)
        self._outgoing = outgoing
        self._auth_path = f"{httpx.URL(url).path.rstrip('/')}/auth/v1/"

    def send(self, request: httpx.Request, **more: Any) -> httpx.Response:
        """Ask, and read the answer whole."""
        for name in [name for name in request.headers if name.lower() not in _SENT]:
            del request.headers[name]
        signing_in = request.url.path.startswith(self._auth_path)
        try:
            with self._outgoing.call(request.url.host, (SUPABASE_AUTH if signing_in else SUPABASE_SYNC).code) as call:
                call.bytes_out = int(request.headers.get("content-length", "0"))
                response = self._whole(request, call, more)
                call.failed = "" if response.status_code < 400 else f"HTTP {response.status_code}"  # noqa: PLR2004
        except OutriderError as refused:
            raise SharedStoreUnreachableError(refused.sentence) from None
        except (httpx.HTTPError, httpx.InvalidURL, RuntimeError) as error:  # the last: closed meanwhile
            raise SharedStoreUnreachableError(self._why(error)) from None
        return self._answer(response, signing_in=signing_in)

    def _whole(self, request: httpx.Request, call: OutgoingCall, more: dict[str, Any]) -> httpx.Response:
        content, end = bytearray(), time.monotonic() + MOST_SECONDS
        response = super().send(request, **{**more, "stream": True})
        try:
            for chunk in response.iter_bytes():
                content += chunk
                if len(content) > MOST_BYTES or time.monotonic() > end:
                    raise httpx.ReadTimeout("without end", request=request)
        finally:
            call.bytes_in = response.num_bytes_downloaded
            response.close()
        headers = [pair for pair in response.headers.multi_items() if pair[0].lower() not in _CUT]
        return httpx.Response(response.status_code, headers=headers, content=bytes(content), request=request)

    def _answer(self, response: httpx.Response, *, signing_in: bool) -> httpx.Response:
        status = response.status_code
        if status == _NOTHING or (status < 300 and response.content and _is_json(response)):  # noqa: PLR2004
            return response  # an empty answer, to the library, is an empty list
        told = _told(response)
        if status >= 500 or status in _LATER or (status == _TOO_MANY and not (signing_in and told)):  # noqa: PLR2004
            said = text(told, "message") or text(told, "msg") or "it says no more"
            raise SharedStoreUnreachableError(f"{self._name} failed (HTTP {status}): {said}", _seconds(response))
        if status == _TOO_LARGE:  # often in words of what stands before a project
            raise SharedStoreRefusedError("append_refused", "it is too large")
        if status < 400 or not told:  # noqa: PLR2004
            raise SharedStoreUnreachableError(f"{self._name} does not answer as a Supabase project (HTTP {status})")
        if status == _NO_KEY and (code := _KEY_REFUSALS.get(text(told, "message"))):
            raise SharedStoreRefusedError(code, text(told, "message"))
        if signing_in:
            return response
        raise SupabaseResponseError(status, told)

    def _why(self, error: Exception) -> str:
        if "CERTIFICATE_VERIFY_FAILED" in str(error):
            return f"the certificate of {self._name} cannot be trusted"
        if isinstance(error, httpx.ConnectError | httpx.ConnectTimeout):
            return f"{self._name} cannot be reached"
        if isinstance(error, httpx.TimeoutException):
            return f"{self._name} took too long to answer"
        return f"the connection to {self._name} broke"


def _is_json(response: httpx.Response) -> bool:
    return "json" in response.headers.get("content-type", "")


def _told(response: httpx.Response) -> dict[str, Any]:
    """The object that an error came with; {} if it came with none."""
    try:
        told = json.loads(response.content) if _is_json(response) else {}
    except ValueError:
        return {}
    return told if isinstance(told, dict) else {}


def _seconds(response: httpx.Response) -> float:
    later = response.headers.get("retry-after", "").strip()
    return float(later) if later.isdecimal() and len(later) < 6 else 0.0  # noqa: PLR2004 - a date is a rarity
