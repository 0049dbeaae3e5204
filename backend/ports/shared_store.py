"""The shared store that decides, once a project is attached (design: architecture, "Local cache and Supabase").

What is asked of it is safe to ask again: an append is known by the hashes of its entries, a lease by its device.
"""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from backend.domain.events.signature import SignedHeads
from backend.domain.values.error_table import ErrorCode
from backend.domain.values.errors import OutriderError

SCHEMA_VERSION = 1
"""Of the project's tables and functions (`store/replication/project_schema.sql`); whoever changes them counts it up."""


class LoggedEvent(NamedTuple):
    """A row of `event_log` as it stands in every store; once erased, `payload` is what is left of it, `salt` is
    None, and `digest`, of both as they were, is not."""

    seq: int
    timestamp: int
    kind: str
    entity_type: str
    entity_id: str
    payload: str
    actor: str
    cause: str
    salt: bytes | None
    digest: bytes | None
    hash: bytes


class LoggedAudit(NamedTuple):
    """A row of `audit_log`, likewise."""

    seq: int
    timestamp: int
    action_type: str
    payload: str
    actor: str
    cause: str
    salt: bytes | None
    digest: bytes | None
    hash: bytes


class Batch(NamedTuple):
    """What a device adds behind an event and an audit entry of one stream, in both logs, without gaps; `signature` is of where they
    end then."""

    device_id: str
    campaign_id: str
    event_seq: int
    events: tuple[LoggedEvent, ...]
    audit_seq: int
    audits: tuple[LoggedAudit, ...]
    signature: SignedHeads | None = None

    @property
    def size(self) -> int:
        """How many entries."""
        return len(self.events) + len(self.audits)


class StreamHeads(NamedTuple):
    """Where a stream's logs end at the shared store, and the hashes of the entries there; empty for a log without any."""

    campaign_id: str
    event_seq: int = 0
    audit_seq: int = 0
    event_hash: bytes = b""
    audit_hash: bytes = b""


class Appended(NamedTuple):
    """Where the stream ends now, and where the workspace's own event log does: a later decision may forbid an act."""

    event_seq: int
    audit_seq: int
    workspace_seq: int


class Lease(NamedTuple):
    """Who may act. `fence` is 0 when whoever asked was not given it; `seconds` are what is left of it, by the shared store's clock.

    `wanted_by` is the name of the device that asked for it to be handed over, "" if none did.
    """

    fence: int
    device_id: str
    device_name: str
    seconds: float
    wanted_by: str


class SharedStoreUnreachableError(Exception):
    """No answer, or none that says whether it was done: ask again, not before `wait` seconds. `said` is for people.

    `code` is why, where that is known; its sentence may name what was said as `detail`.
    """

    def __init__(
        self,
        message: str,
        wait: float = 0.0,
        code: ErrorCode = "shared_store_unreachable",
        reason: OutriderError | None = None,
    ) -> None:
        super().__init__(message)
        self.said = message
        self.wait = wait
        self.code: ErrorCode = reason.code if reason else code
        self._reason = reason

    def as_error(self) -> OutriderError:
        """As it is told to people."""
        return self._reason or OutriderError(self.code, detail=self.said)


class SharedStoreTooSlowError(SharedStoreUnreachableError):
    """It gave up on what was asked, which took longer than it lets anything take: nothing was done, and less may be possible."""

    def __init__(self, message: str, wait: float = 0.0) -> None:
        super().__init__(message, wait, "project_slow")


class SharedStoreConflictError(Exception):
    """The stream does not end where the batch begins; nothing was appended."""


class SharedStoreRefusedError(Exception):
    """It will not be done, however often it is asked. Codes: `lease_lost`, `device_revoked`, `signed_out`, `key_disabled`,
    `key_refused`, `schema_mismatch`, `append_refused`."""

    def __init__(self, code: str, message: str = "") -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.said = message


class SharedStore(Protocol):
    """One project, as one user sees it, for any thread; raises `SharedStoreUnreachableError`, `SharedStoreRefusedError`."""

    def streams(self) -> list[StreamHeads]:
        """Every stream of this user, the workspace's own included, with where it ends."""
        ...

    def append(self, batch: Batch, fence: int | None) -> Appended:
        """Append in one transaction and fold. What is there already, entry for entry, is passed over.

        `fence` is needed for what only the device that acts may record. Raises `SharedStoreConflictError`.

        This sign-in has written as that device from now on. Once a device is revoked, every sign-in that ever wrote as it
        is refused all further writing with `device_revoked`, whatever device it names.
        """
        ...

    def pull_events(self, campaign_id: str, after: int, most: int) -> Sequence[LoggedEvent]:
        """The next events of a stream, at most so many; fewer only at its end or when they are large."""
        ...

    def pull_audits(self, campaign_id: str, after: int, most: int) -> Sequence[LoggedAudit]:
        """Likewise of the audit log."""
        ...

    def pull_signatures(self, after: StreamHeads, head: StreamHeads) -> Sequence[SignedHeads]:
        """Signatures of a stream beyond `after` and up to `head`, in no order: at least one in 500 entries of each log where there
        are any, and that of `head` itself. They are as they were sent; who reads them verifies."""
        ...

    def acquire_lease(
        self, device_id: str, device_name: str, holder: str, seconds: float, *, take_over: bool = False
    ) -> Lease:
        """The lease of this user's devices under a new fence, if it is free, over or this holder's; else whose it is.

        The holder is one launch: the same device, or a copy of its data folder, waits for the end like any other.

        With `take_over` its holder is told to hand it over; it is never taken away before it ends.
        """
        ...

    def read_lease(self, holder: str) -> Lease:
        """Whose it is, asking for nothing; no `seconds` are left of it where nobody has it."""
        ...

    def renew_lease(self, device_id: str, fence: int, seconds: float) -> Lease:
        """Keep it for so long from now. Raises `SharedStoreRefusedError("lease_lost")`."""
        ...

    def release_lease(self, device_id: str, fence: int) -> None:
        """Give it back; nothing if it is not ours any more."""
        ...

    def put_blob(self, sha256: str, part: int, parts: int, content: bytes) -> None:
        """Keep a part of a file that events name by its SHA-256."""
        ...

    def blob_digests(self, sha256: str) -> dict[int, str]:
        """Which parts of a file are there, each with its own SHA-256 (hex)."""
        ...

    def get_blob(self, sha256: str, part: int) -> bytes | None:
        """A part of a file; None if it is not there."""
        ...
