"""How both stores stand to each other, as the page shows it: the phase, what is wrong, and how far a pull is."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from typing import NamedTuple

from backend.domain.values.error_table import ErrorCode
from backend.domain.values.errors import OutriderError, as_told
from backend.domain.values.shapes import ErrorShape
from backend.ports.clock import Clock
from backend.ports.shared_store import SharedStoreRefusedError, SharedStoreUnreachableError
from backend.runtime.feed.feed_messages import SyncPhase, SyncState
from backend.runtime.sync.handover import Handover
from backend.runtime.sync.lease import LeaseKeeper
from backend.runtime.sync.stream_sync import StreamSync
from backend.store.database import CachedRead, Database, DatabaseConnection
from backend.store.queries.device import devices
from backend.store.replication import replica, shared_conflicts

NOTIFY_INTERVAL_SECONDS = 0.25
_PROBLEMS: dict[str, ErrorCode] = {
    "signed_out": "signed_out",
    "key_disabled": "project_key_disabled",
    "key_refused": "project_key_refused",
    "schema_mismatch": "shared_store_schema",
    "device_revoked": "device_revoked",
}


class Download(NamedTuple):
    """How far a round is with pulling what was not here when it began, by a clock that counts seconds."""

    whole: int
    began: float
    done: int = 0

    def seconds_left(self, now: float) -> int | None:
        """At the pace so far; None before anything is here."""
        return round((self.whole - self.done) * (now - self.began) / self.done) if self.done else None


class _Stored(NamedTuple):
    """How many events wait to be pushed, and decisions for a choice, and whether the log says that this device was revoked."""

    waiting: int
    conflicts: int
    is_revoked: bool


@dataclass
class SyncReport:
    """May be asked from any thread. `on_change` hears the state, a few times a second at most, until `closing` is set."""

    database: Database
    clock: Clock
    lease: LeaseKeeper
    handover: Handover
    streams: StreamSync
    closing: threading.Event
    on_change: Callable[[SyncState], None]
    phase: SyncPhase = "pulling"
    _since: int | None = None
    _problem: OutriderError | None = None
    _download: Download | None = None
    _last_state: SyncState | None = field(default_factory=SyncState)
    _said_at: float = -NOTIFY_INTERVAL_SECONDS

    def describe_failure(self) -> str:
        """Why nothing can be exchanged, "" if it can; fits behind “The shared store is”."""
        if self.phase == "offline" and self._since is not None:
            since = datetime.fromtimestamp((self._since + self.clock.offset(self._since)) / 1_000, UTC)
            return f"out of reach since {since:%H:%M}"
        if self.phase == "locked":
            return "not open to this device, whose keys are locked"
        if self.phase == "signed_out":
            return "not open to this device, which is not signed in"
        if self.phase == "refused":
            return f"not usable ({self._problem.sentence if self._problem else ''})"
        return ""

    def state(self) -> SyncState:
        """At this moment."""
        state = self._state()
        if state != self._last_state:
            self._last_state = None  # whoever asked is to hear what follows, even if all the others heard it before
        return state

    def say(self) -> None:
        """Tell the page, unless it knows."""
        if self.closing.is_set():
            return
        self._said_at, state = self._seconds(), self._state()
        if state != self._last_state:
            self._last_state = state
            self.on_change(state)

    def expect(self, entries: int) -> None:
        """So many are to be pulled."""
        self._download = Download(entries, self._seconds()) if entries else None

    def move(self, phase: SyncPhase, entries: int) -> None:
        """So many went one way or the other."""
        self.reach(phase)
        if phase == "pulling" and (download := self._download):
            self._download = download._replace(done=min(download.whole, download.done + entries))
        if self._seconds() - self._said_at >= NOTIFY_INTERVAL_SECONDS:
            self.say()

    def reach(self, phase: SyncPhase = "in_sync") -> None:
        """It answered. Its token still reads for an hour: that its access was taken away, a device learns from the log first."""
        revoked = phase == "in_sync" and self._stored().is_revoked
        problem = OutriderError("device_revoked") if revoked else None
        self.phase, self._since, self._problem = "refused" if revoked else phase, None, problem

    def fail(self, error: Exception) -> OutriderError:
        """Nothing can be exchanged, as people are told it."""
        phase: SyncPhase = "refused"
        if isinstance(error, SharedStoreUnreachableError):
            problem = error.as_error()
            phase = "locked" if error.code == "sign_in_locked" else "offline"  # locked: it was not even asked
        elif isinstance(error, SharedStoreRefusedError):
            problem = OutriderError(_PROBLEMS.get(error.code, "shared_store_refused"), detail=error.said)
            phase = "signed_out" if error.code == "signed_out" else "refused"
        else:
            problem = as_told(error)
        if phase != "offline":
            self._since = None
        elif self.phase != "offline":
            self._since = self.clock.now()
        self.phase, self._problem = phase, problem
        self.say()
        return problem

    def _state(self) -> SyncState:
        stored = self._stored()
        phase, problem = self.phase, self._problem
        if phase == "in_sync" and (refused := self.streams.refused_entry()):
            phase, problem = "refused", refused
        elif phase == "in_sync" and stored.waiting:
            phase = "pushing"
        download = self._download if phase == "pulling" else None
        acts_here = self.lease.fence is not None
        other_holder = "" if acts_here else self.lease.other_holder
        return SyncState(
            phase=phase,
            waiting=stored.waiting,
            since=self._since,
            conflicts=stored.conflicts,
            acting="here" if acts_here else "elsewhere" if other_holder else "nobody",
            acting_name=self.lease.device.name if acts_here else other_holder,
            asked=self.handover.requested,
            until=self.lease.until if acts_here else self.lease.other_holder_until,
            problem=ErrorShape.showing(problem) if problem else None,
            pulled=download.done if download else 0,
            to_pull=download.whole if download else 0,
            pull_seconds_left=download.seconds_left(self._seconds()) if download else None,
        )

    @cached_property
    def _stored(self) -> CachedRead[_Stored]:
        return CachedRead(self.database, self._read_stored)

    def _read_stored(self, connection: DatabaseConnection) -> _Stored:
        device = devices.device(connection, self.lease.device.id)
        is_revoked = device is not None and device.revoked_at is not None
        return _Stored(replica.count_unacknowledged(connection), shared_conflicts.count(connection), is_revoked)

    def _seconds(self) -> float:
        return self.clock.ticks() / 1e6
