"""The shared store that is a Supabase project (port: `backend.ports.shared_store`)."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, NamedTuple, TypeVar

from backend.adapters.supabase import log_codec
from backend.adapters.supabase.auth_session import AuthSession
from backend.adapters.supabase.project import SupabaseProject
from backend.adapters.supabase.response_error import SupabaseResponseError
from backend.domain.events.signature import SignedHeads
from backend.domain.values.error_table import ErrorCode
from backend.ports.shared_store import (
    SCHEMA_VERSION,
    Appended,
    Batch,
    Lease,
    LoggedAudit,
    LoggedEvent,
    SharedStoreConflictError,
    SharedStoreRefusedError,
    SharedStoreUnreachableError,
    StreamHeads,
)

T = TypeVar("T")
E = TypeVar("E", LoggedEvent, LoggedAudit)

_UNAUTHORISED = 401

_CODES = {
    "PT403": "device_revoked",
    "PT423": "lease_lost",
    "PT422": "append_refused",
    "PGRST106": "schema_mismatch",  # the schema is not exposed
    "PGRST202": "schema_mismatch",  # no such function
    "42883": "schema_mismatch",
    "42P01": "schema_mismatch",
    "3F000": "schema_mismatch",  # no such schema
    "42501": "schema_mismatch",  # a function that a signed-in user may not call
    "PGRST204": "schema_mismatch",  # no such column
}
_OF_ENTRY = ("22", "23")
"""SQLSTATE's classes for what is wrong with the data itself: data exception, integrity constraint violation."""
_OF_PROJECT: dict[str, ErrorCode] = {"25006": "project_read_only"}


class Health(NamedTuple):
    """The schema's version, tables without row security, and the size of the whole database."""

    version: int
    unprotected: list[str]
    bytes: int


class SupabaseSharedStore:
    """One project, as whoever is signed in sees it."""

    def __init__(self, project: SupabaseProject, sign_in: AuthSession) -> None:
        self._project = project
        self._sign_in = sign_in

    def streams(self) -> list[StreamHeads]:
        """Every stream, with where it ends."""
        return self._call(
            "list_campaigns", lambda rows: [log_codec.decode_heads(row) for row in log_codec.listed(rows)]
        )

    def append(self, batch: Batch, fence: int | None) -> Appended:
        """One transaction. What a project of another version refuses is told as that: no entry is at fault."""
        try:
            return self._call(
                "append_events",
                partial(log_codec.decode_some, Appended),
                device_id=batch.device_id,
                campaign=batch.campaign_id,
                expected_seq=batch.event_seq,
                fence=fence,
                events=log_codec.encode_entries(batch.events),
                expected_audit_seq=batch.audit_seq,
                audits=log_codec.encode_entries(batch.audits),
                signature=None if batch.signature is None else log_codec.encode_signature(batch.signature),
            )
        except SharedStoreRefusedError as refused:
            if refused.code != "append_refused" or (version := self._version()) in (None, SCHEMA_VERSION):
                raise
            detail = f"it has version {version}, and this Outrider {SCHEMA_VERSION}"
            raise SharedStoreRefusedError("schema_mismatch", detail) from None

    def pull_events(self, campaign_id: str, after: int, most: int) -> Sequence[LoggedEvent]:
        """The next events."""
        return self._pull("pull_events", LoggedEvent, campaign_id, after, most)

    def pull_audits(self, campaign_id: str, after: int, most: int) -> Sequence[LoggedAudit]:
        """The next audit entries."""
        return self._pull("pull_audits", LoggedAudit, campaign_id, after, most)

    def pull_signatures(self, after: StreamHeads, head: StreamHeads) -> Sequence[SignedHeads]:
        """The signatures between two places of a stream."""
        return self._call(
            "pull_signatures",
            log_codec.decode_signatures,
            campaign=after.campaign_id,
            after_event=after.event_seq,
            after_audit=after.audit_seq,
            head_event=head.event_seq,
            head_audit=head.audit_seq,
        )

    def acquire_lease(
        self, device_id: str, device_name: str, holder: str, seconds: float, *, take_over: bool = False
    ) -> Lease:
        """The lease, or whose it is."""
        return self._call(
            "acquire_lease",
            partial(log_codec.decode_some, Lease),
            device_id=device_id,
            device_name=device_name,
            holder=holder,
            seconds=seconds,
            take_over=take_over,
        )

    def read_lease(self, holder: str) -> Lease:
        """Whose it is."""
        return self._call("read_lease", partial(log_codec.decode_some, Lease), holder=holder)

    def renew_lease(self, device_id: str, fence: int, seconds: float) -> Lease:
        """Keep it."""
        return self._call(
            "renew_lease", partial(log_codec.decode_some, Lease), device_id=device_id, fence=fence, seconds=seconds
        )

    def release_lease(self, device_id: str, fence: int) -> None:
        """Give it back."""
        self._call("release_lease", lambda _: None, device_id=device_id, fence=fence)

    def put_blob(self, sha256: str, part: int, parts: int, content: bytes) -> None:
        """Keep a part of a file."""
        self._call(
            "put_blob", lambda _: None, sha256=sha256, part=part, parts=parts, content=log_codec.encode_bytes(content)
        )

    def blob_digests(self, sha256: str) -> dict[int, str]:
        """Which parts of a file are there."""
        return self._call("blob_digests", log_codec.decode_digests, sha256=sha256)

    def get_blob(self, sha256: str, part: int) -> bytes | None:
        """A part of a file."""
        return self._call("get_blob", log_codec.decode_bytes, sha256=sha256, part=part)

    def health(self) -> Health:
        """What the project says of its schema; no part of the port."""
        return self._call("project_health", _health)

    def _version(self) -> int | None:
        """Of the project's schema; None if that cannot be known now."""
        with suppress(SharedStoreRefusedError, SharedStoreUnreachableError):
            return self.health().version
        return None

    def _pull(self, function: str, make: type[E], campaign_id: str, after: int, most: int) -> list[E]:
        return self._call(
            function,
            lambda rows: log_codec.decode_entries(make, rows),
            campaign=campaign_id,
            after_seq=after,
            limit=most,
        )

    def _call(self, function: str, read: Callable[[Any], T], **arguments: Any) -> T:
        token = self._sign_in.token()
        try:
            answer = self._asked(function, arguments, token)
        except _ExpiredError:
            try:
                answer = self._asked(function, arguments, self._sign_in.renewed(token))
            except _ExpiredError as error:  # a token of this minute: signing in once more would not help
                raise SharedStoreUnreachableError(f"a new sign-in is not accepted yet: {error}") from None
        try:
            return read(answer)
        except (KeyError, TypeError, ValueError):
            raise SharedStoreUnreachableError(f"{self._project.host} answers {function} in a form of its own") from None

    def _asked(self, function: str, arguments: dict[str, Any], token: str) -> Any:
        try:
            return self._project.rpc(function, arguments, token)
        except SupabaseResponseError as error:
            if error.status == _UNAUTHORISED:
                raise _ExpiredError(error.message) from None
            if error.code == "PT409":
                raise SharedStoreConflictError from None
            if refused := _CODES.get(error.code) or ("append_refused" if error.code[:2] in _OF_ENTRY else None):
                raise SharedStoreRefusedError(refused, error.details or error.message) from None
            # No word about what was asked: the project is in a state that it may leave by itself.
            message = f"{self._project.host} does not do that now (HTTP {error.status}): {error.message}"
            code = _OF_PROJECT.get(error.code, "shared_store_unreachable")
            raise SharedStoreUnreachableError(message, code=code) from None


class _HealthNumbers(NamedTuple):
    schema_version: int
    bytes: int


def _health(answer: Mapping[str, Any]) -> Health:
    """Raises KeyError, TypeError, ValueError."""
    numbers, unprotected = log_codec.decode_some(_HealthNumbers, answer), answer["unprotected"]
    if not isinstance(unprotected, list) or not all(isinstance(table, str) for table in unprotected):
        raise TypeError("unprotected")
    return Health(numbers.schema_version, unprotected, numbers.bytes)


class _ExpiredError(Exception):
    """The token is not accepted."""
