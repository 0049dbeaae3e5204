"""The shared store in memory: the schema's rules without the rows, and without the network but for what tests ask of it."""

import hashlib
import json
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Literal, TypeVar

from backend.domain.erasure.remains import keeps_states, least_remains, lesser
from backend.domain.events.events import EVENT_KINDS, FENCED, WORKSPACE
from backend.domain.events.signature import SignedHeads
from backend.ports.shared_store import (
    Appended,
    Batch,
    Lease,
    LoggedAudit,
    LoggedEvent,
    SharedStoreConflictError,
    SharedStoreRefusedError,
    SharedStoreTooSlowError,
    SharedStoreUnreachableError,
    StreamHeads,
)
from backend.store.log.chain import GENESIS, entry_hash, payload_digest

MOST_PULLED = 5_000
MOST_BYTES = 4_000_000
MOST_PART = 1_048_576

Entry = TypeVar("Entry", LoggedEvent, LoggedAudit)


@dataclass
class _User:
    events: dict[str, list[LoggedEvent]] = field(default_factory=dict)
    audits: dict[str, list[LoggedAudit]] = field(default_factory=dict)
    blobs: dict[tuple[str, int], tuple[int, bytes]] = field(default_factory=dict)
    signatures: list[SignedHeads] = field(default_factory=list)
    fence: int = 0
    device_id: str = ""
    device_name: str = ""
    holder: str = ""
    ends: float = 0.0
    wanted_by: str = ""


class FakeProject:
    """What all devices of all users share. `advance` lets time pass for leases."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.lock = threading.RLock()
        self.users: dict[str, _User] = {}
        self._clock = clock
        self._ahead = 0.0

    def now(self) -> float:
        """Seconds; never back."""
        return self._clock() + self._ahead

    def advance(self, seconds: float) -> None:
        """Time passes."""
        self._ahead += seconds


class FakeSharedStore:
    """One user's view. `offline` and `signed_out` hold until they are taken back, and so does `quick_enough_for`: by stream, how
    many entries at a time do not take too long. `faults` strike one call each, in order:

    "before" nothing was done, "after" it was done and the answer was lost, "" nothing goes wrong.
    """

    def __init__(self, project: FakeProject, user: str = "ada") -> None:
        self.offline = False
        self.signed_out = False
        self.quick_enough_for: dict[str, int] = {}
        self.faults: deque[Literal["", "before", "after"]] = deque()
        self.calls = 0
        self._project = project
        self._devices = set[str]()
        with project.lock:
            self._user = project.users.setdefault(user, _User())

    def streams(self) -> list[StreamHeads]:
        """Every stream, with where it ends."""
        with self._call() as user:
            heads = [
                StreamHeads(
                    name, len(log), len(audits), log[-1].hash if log else b"", audits[-1].hash if audits else b""
                )
                for name, log in sorted(user.events.items())
                for audits in (user.audits[name],)
            ]
            return [head for head in heads if head.event_seq or head.audit_seq]

    def append(self, batch: Batch, fence: int | None) -> Appended:
        """One transaction."""
        with self._call() as user:
            self._admit(user, batch.device_id)
            name = batch.campaign_id
            if batch.size > self.quick_enough_for.get(name, sys.maxsize):
                raise SharedStoreTooSlowError("canceling statement due to statement timeout")
            events, audits = user.events.get(name, []), user.audits.get(name, [])
            new_events = _following(events, batch.event_seq, batch.events)
            _look(name, events, new_events)
            if any(event.kind in FENCED for event in new_events):
                self._check(user, fence)
            if new_events and name != WORKSPACE and (events + new_events)[0].kind != "CampaignCreated":
                raise SharedStoreRefusedError("append_refused", "There is no such campaign.")
            new_audits = _following(audits, batch.audit_seq, batch.audits)
            if new_audits and batch.event_seq + len(batch.events) < len(events):
                raise SharedStoreConflictError
            before = audits[-1].hash if audits else GENESIS
            for entry in new_audits:
                before = _tied(name, entry, before, (entry.seq, entry.timestamp, entry.action_type))
            left = least_remains(
                entry
                for event in new_events
                if event.kind == "EntriesErased"
                for entry in json.loads(event.payload)["entries"].items()
            )
            _refuse_rewriting(events + new_events if left else [], left)
            user.events[name] = _without(events + new_events, left)
            user.audits[name] = _without(audits + new_audits, left)
            if batch.signature is not None and batch.signature not in user.signatures:
                user.signatures.append(batch.signature)
            return Appended(len(user.events[name]), len(user.audits[name]), len(user.events.get(WORKSPACE, ())))

    def pull_events(self, campaign_id: str, after: int, most: int) -> Sequence[LoggedEvent]:
        """The next events."""
        with self._call() as user:
            return _page(user.events.get(campaign_id, []), after, most)

    def pull_audits(self, campaign_id: str, after: int, most: int) -> Sequence[LoggedAudit]:
        """The next audit entries."""
        with self._call() as user:
            return _page(user.audits.get(campaign_id, []), after, most)

    def pull_signatures(self, after: StreamHeads, head: StreamHeads) -> Sequence[SignedHeads]:
        """All of them: the fake thins nothing."""
        with self._call() as user:
            return [
                signed_heads
                for signed_heads in user.signatures
                if signed_heads.campaign_id == after.campaign_id
                and (signed_heads.event_seq > after.event_seq or signed_heads.audit_seq > after.audit_seq)
                and signed_heads.event_seq <= head.event_seq
                and signed_heads.audit_seq <= head.audit_seq
            ]

    def acquire_lease(
        self, device_id: str, device_name: str, holder: str, seconds: float, *, take_over: bool = False
    ) -> Lease:
        """The lease, or whose it is."""
        with self._call() as user:
            self._admit(user, device_id)
            lease_holds = user.ends > self._project.now()
            if lease_holds and user.holder != holder:
                if take_over:
                    user.wanted_by = device_name
                return self._lease(user, holder)
            if not lease_holds:
                user.wanted_by = ""
            user.fence, user.device_id, user.device_name, user.holder = user.fence + 1, device_id, device_name, holder
            return self._extended(user, seconds)

    def read_lease(self, holder: str) -> Lease:
        """Whose it is."""
        with self._call() as user:
            return self._lease(user, holder)

    def renew_lease(self, device_id: str, fence: int, seconds: float) -> Lease:
        """Keep it."""
        with self._call() as user:
            self._admit(user, device_id)
            if (user.device_id, user.fence) != (device_id, fence):
                raise SharedStoreRefusedError("lease_lost")
            self._check(user, fence)
            return self._extended(user, seconds)

    def release_lease(self, device_id: str, fence: int) -> None:
        """Give it back."""
        with self._call() as user:
            own = device_id in self._devices and _revoked(user) & self._devices <= {device_id}
            if own and (user.device_id, user.fence) == (device_id, fence):
                user.ends = 0.0

    def put_blob(self, sha256: str, part: int, parts: int, content: bytes) -> None:
        """Keep a part of a file."""
        with self._call() as user:
            self._admit(user)
            if len(sha256) != 64 or set(sha256) - set("0123456789abcdef") or not 0 <= part < parts:
                raise SharedStoreRefusedError("append_refused", "That is no part of a file.")
            if len(content) > MOST_PART:
                raise SharedStoreRefusedError("append_refused", "The part is too large.")
            user.blobs[sha256, part] = (parts, content)

    def blob_digests(self, sha256: str) -> dict[int, str]:
        """Which parts of a file are there."""
        with self._call() as user:
            return {
                part: hashlib.sha256(content).hexdigest()
                for (name, part), (_, content) in user.blobs.items()
                if name == sha256
            }

    def get_blob(self, sha256: str, part: int) -> bytes | None:
        """A part of a file."""
        with self._call() as user:
            return user.blobs.get((sha256, part), (0, None))[1]

    @contextmanager
    def _call(self) -> Iterator[_User]:
        fault = self.faults.popleft() if self.faults else ""
        self.calls += 1
        if self.offline or fault == "before":
            raise SharedStoreUnreachableError("the project cannot be reached")
        if self.signed_out:
            raise SharedStoreRefusedError("signed_out")
        with self._project.lock:
            yield self._user
        if fault == "after":
            raise SharedStoreUnreachableError("the connection broke")

    def _admit(self, user: _User, *device_ids: str) -> None:
        """A view is one sign-in."""
        if not _revoked(user).isdisjoint({*self._devices, *device_ids}):
            raise SharedStoreRefusedError("device_revoked")
        self._devices.update(device_ids)

    def _check(self, user: _User, fence: int | None) -> None:
        if user.fence != fence or user.ends <= self._project.now():
            raise SharedStoreRefusedError("lease_lost")
        if user.device_id in _revoked(user):
            raise SharedStoreRefusedError("lease_lost")

    def _extended(self, user: _User, seconds: float) -> Lease:
        user.ends = self._project.now() + max(1.0, min(seconds, 300.0))
        return self._lease(user, user.holder)

    def _lease(self, user: _User, holder: str) -> Lease:
        fence = user.fence if user.holder == holder else 0
        left = max(0.0, user.ends - self._project.now())
        return Lease(fence, user.device_id, user.device_name, left, user.wanted_by)


def _revoked(user: _User) -> set[str]:
    return {event.entity_id for event in user.events.get(WORKSPACE, ()) if event.kind == "DeviceRevoked"}


def _following(log: list[Entry], expected: int, entries: Sequence[Entry]) -> list[Entry]:
    """What is new of it. What is there must be the same, and nothing may be missing in between."""
    if expected > len(log) or any(entry.seq != expected + n for n, entry in enumerate(entries, start=1)):
        raise SharedStoreConflictError
    if any(entry.hash != log[entry.seq - 1].hash for entry in entries if entry.seq <= len(log)):
        raise SharedStoreConflictError
    return [entry for entry in entries if entry.seq > len(log)]


def _refuse_rewriting(log: list[LoggedEvent], left: Mapping[str, str]) -> None:
    for event in log:
        digest = event.digest or payload_digest(event.salt or b"", event.payload)
        if (remains := left.get(digest.hex())) and not keeps_states(remains, event.payload):
            raise SharedStoreRefusedError("append_refused", f"An erasure would change what event {event.seq} says.")


def _without(log: list[Entry], left: Mapping[str, str]) -> list[Entry]:
    """The log once these entries are erased."""
    return [_erased(entry, left) for entry in log] if left else log


def _erased(entry: Entry, left: Mapping[str, str]) -> Entry:
    """Of one that was erased before, what both left counts."""
    digest = entry.digest or payload_digest(entry.salt or b"", entry.payload)
    remains = left.get(digest.hex())
    if remains is None:
        return entry
    if entry.digest:
        remains = lesser(remains, entry.payload)
    return entry._replace(payload=remains, salt=None, digest=digest)


def _look(campaign_id: str, log: list[LoggedEvent], new: list[LoggedEvent]) -> None:
    before = log[-1].hash if log else GENESIS
    for event in new:
        if event.kind not in EVENT_KINDS:
            raise SharedStoreRefusedError("append_refused", f"Event {event.seq} is of a kind that is not known here.")
        meta = (event.seq, event.timestamp, event.kind, event.entity_type, event.entity_id)
        before = _tied(campaign_id, event, before, meta)


def _tied(campaign_id: str, entry: LoggedEvent | LoggedAudit, before: bytes, meta: tuple[int | str, ...]) -> bytes:
    digest = entry.digest or payload_digest(entry.salt or b"", entry.payload)
    if entry.hash != entry_hash(before, digest, campaign_id, *meta, entry.actor, entry.cause):
        raise SharedStoreRefusedError("append_refused", f"The hash of entry {entry.seq} does not follow.")
    return entry.hash


def _page(log: list[Entry], after: int, most: int) -> list[Entry]:
    page: list[Entry] = []
    size = 0
    for entry in log[after : after + min(most, MOST_PULLED)]:
        if size >= MOST_BYTES:
            break
        page.append(entry)
        size += len(entry.payload.encode())
    return page
