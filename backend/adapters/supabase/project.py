"""One project, as Supabase's own library reaches it."""

import threading
from typing import TYPE_CHECKING, Any

from backend.adapters.supabase.response_error import SupabaseResponseError
from backend.domain.device.project_address import project_address, refuse_secret_key
from backend.domain.model.connection import host_of
from backend.ports.egress import SUPABASE_AUTH, SUPABASE_SYNC, EgressPolicy
from backend.ports.shared_store import SharedStoreUnreachableError

if TYPE_CHECKING:
    from supabase import Client
    from supabase._sync.auth_client import SyncSupabaseAuthClient
    from supabase_auth import SyncSupportedStorage

    from backend.adapters.supabase.http_client import GuardedHttpClient

# ruff: noqa: PLC0415 - Supabase's library takes half a second to import, which no start shall wait for


class SupabaseProject:
    """An address and a public key; safe to use from any thread. `timeout`: seconds without a byte from it.

    Raises `project_address_refused` and `project_key_secret`.
    """

    def __init__(self, url: str, public_key: str, outgoing: EgressPolicy, *, timeout: float = 20.0) -> None:
        refuse_secret_key(public_key)
        self.url = project_address(url)
        self.host = host_of(self.url)
        self._key = public_key
        self._outgoing = outgoing
        self._timeout = timeout
        self._lock = threading.Lock()
        self._http: GuardedHttpClient | None = None
        self._latest: tuple[str, Client] | None = None

    def allow(self) -> None:
        """The user named this project: it may be called."""
        for purpose in (SUPABASE_SYNC, SUPABASE_AUTH):
            self._outgoing.allow(self.host.strip("[]"), purpose)

    def forbid(self) -> None:
        """It may not be called any more."""
        for purpose in (SUPABASE_SYNC, SUPABASE_AUTH):
            self._outgoing.forbid(self.host.strip("[]"), purpose.code)

    def auth(self, proof: "SyncSupportedStorage | None" = None) -> "SyncSupabaseAuthClient":
        """Supabase's client for signing in, used once: it keeps for itself whom it signed in.

        A mail asked for with `proof` leads back with a code that is worth nothing without it (PKCE).
        """
        return self._client("", proof).auth

    def rpc(self, function: str, arguments: dict[str, Any], token: str = "") -> Any:
        """What a function of the schema answers; raises `SupabaseResponseError` and `SharedStoreUnreachableError`."""
        latest = self._latest
        if latest is None or latest[0] != token:
            latest = self._latest = (token, self._client(token))
        try:
            return latest[1].rpc(function, arguments).execute().data
        except (ValueError, RecursionError):  # deeper than anything that Supabase answers, or a number without end
            raise self._unreadable(function) from None

    def ask(self, path: str) -> tuple[Any, str]:
        """What is answered to a GET, with the answer's `Date`. Raises like `rpc`."""
        response = self._shared().get(self.url + path, headers={"apiKey": self._key})
        if not response.is_success:
            raise SupabaseResponseError(response.status_code, response.json())
        try:
            return response.json(), response.headers.get("date", "")
        except (ValueError, RecursionError):
            raise self._unreadable(path) from None

    def _unreadable(self, asked: str) -> SharedStoreUnreachableError:
        return SharedStoreUnreachableError(f"{self.host} answers {asked} in a form of its own")

    def use_key(self, public_key: str) -> None:
        """The project's key was replaced. Raises `project_key_secret`."""
        refuse_secret_key(public_key)
        with self._lock:
            self._key, self._latest = public_key, None

    def close(self) -> None:
        """Let go of the connections."""
        with self._lock:
            if self._http is not None:
                self._http.close()
            self._http = self._latest = None

    def _client(self, token: str, proof: "SyncSupportedStorage | None" = None) -> "Client":
        # It starts no thread and keeps nothing on disk; a token makes another one.
        from supabase import create_client
        from supabase.lib.client_options import SyncClientOptions
        from supabase_auth import SyncMemoryStorage

        options = SyncClientOptions(
            auto_refresh_token=False,
            persist_session=False,
            postgrest_client_retry=False,
            flow_type="pkce" if proof else "implicit",
            storage=proof or SyncMemoryStorage(),
            httpx_client=self._shared(),
        )
        if token:
            options.headers["Authorization"] = f"Bearer {token}"
        return create_client(self.url, self._key, options)

    def _shared(self) -> "GuardedHttpClient":
        from backend.adapters.supabase.http_client import GuardedHttpClient

        with self._lock:
            if self._http is None:
                self._http = GuardedHttpClient(self.url, self._outgoing, self._timeout)
            return self._http
