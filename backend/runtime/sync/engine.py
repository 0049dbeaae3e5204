"""The engine between the local store and the shared store: both come into step by themselves, and one device at a time acts.

One worker pushes what waits and pulls what others recorded; a second one only keeps the lease, so that no slow request loses
it. Whatever goes wrong is the state that the page shows, and is tried again.
"""

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from datetime import UTC, datetime
from typing import NamedTuple

from backend.commands import conflicts
from backend.commands.user_commands import Commands
from backend.domain.events.events import WORKSPACE
from backend.domain.values.error_table import ErrorCode
from backend.domain.values.errors import OutriderError, as_told
from backend.domain.values.shapes import ErrorShape
from backend.ports.blobs import Blobs
from backend.ports.clock import Clock
from backend.ports.shared_store import (
    SharedStore,
    SharedStoreConflictError,
    SharedStoreRefusedError,
    SharedStoreTooSlowError,
    SharedStoreUnreachableError,
    StreamHeads,
)
from backend.ports.sync_status import IN_SYNC
from backend.runtime.feed.feed_messages import SyncPhase, SyncState
from backend.runtime.sync import file_transfer
from backend.runtime.sync.lease import LeaseKeeper, LeaseTimes, ThisDevice
from backend.runtime.sync.pages import PageLimits
from backend.runtime.sync.stream_sync import StreamSync
from backend.runtime.worker import Workers
from backend.store.database import DatabaseVersion
from backend.store.log.journal import Committed, Journal
from backend.store.queries.device import devices
from backend.store.queries.turn import artifacts
from backend.store.replication import replica, shared_conflicts

PUSH_DELAY_SECONDS = 0.2
"""What is committed within so long goes in one push."""
NOTIFY_INTERVAL_SECONDS = 0.25
LEASE_RETRY_SECONDS = 2.0
HANDOVER_PAUSE_SECONDS = 10.0
"""How long nothing begins here by itself after it was handed over: the other device must have time to ask again."""
TRIES = 3
"""How often an act's intent is pushed if the answer is lost; then the act does not happen."""
ROUNDS = 10
"""How often in a row others may be quicker before it is called a failure."""


class PollTimes(NamedTuple):
    """How often others are asked for news, while somebody is at the page or something acts, and otherwise. Seconds."""

    used: float = 4.0
    idle: float = 60.0


class Download(NamedTuple):
    """How far a round is with pulling what was not here when it began, by a clock that counts seconds."""

    whole: int
    began: float
    done: int = 0

    def went_on(self, entries: int) -> "Download":
        """So many more are here."""
        return self._replace(done=min(self.whole, self.done + entries))

    def seconds_left(self, now: float) -> int | None:
        """At the pace so far; None before anything is here."""
        return round((self.whole - self.done) * (now - self.began) / self.done) if self.done else None


class _Settled(NamedTuple):
    """A moment at which there was nothing to do in any stream: this store's, and where the streams ended there."""

    version: DatabaseVersion
    heads: Mapping[str, StreamHeads]

    def holds(self, version: DatabaseVersion | None, heads: Mapping[str, StreamHeads]) -> bool:
        """Whether there is still nothing to do; empty `heads` are those of a shared store that was not asked."""
        return self.version == version and (not heads or self.heads == heads)


class _StoredState(NamedTuple):
    """How many events wait to be pushed, and decisions for a choice, and whether the log says that this device was revoked."""

    version: DatabaseVersion | None = None
    waiting: int = 0
    conflicts: int = 0
    is_revoked: bool = False


class SyncEngine:
    """For as long as a project is attached. Its `SyncStatus` may be asked from any thread.

    `connect` gives the shared store, when first needed, in the thread that needs it. `on_change` hears the state, a few times a
    second at most; `on_wanted` that this device is to stop acting, and the name of the one that acts next; `is_watched` says
    whether somebody is here to see news; `commands_for` gives a campaign's commands, by its own clock.
    """

    def __init__(
        self,
        journal: Journal,
        blobs: Blobs,
        device: ThisDevice,
        clock: Clock,
        *,
        connect: Callable[[], SharedStore],
        turn: Callable[[Callable[[], bool]], AbstractContextManager[None]],
        chance: Callable[[], float],
        on_change: Callable[[SyncState], None] = lambda _: None,
        on_wanted: Callable[[str], None] = lambda _: None,
        is_watched: Callable[[], bool] = lambda: True,
        commands_for: Callable[[str], Commands] | None = None,
        workers: Workers | None = None,
        times: LeaseTimes = LeaseTimes(),  # noqa: B008 - a tuple
        polls: PollTimes = PollTimes(),  # noqa: B008 - a tuple
        limits: PageLimits = PageLimits(),  # noqa: B008 - a tuple
    ) -> None:
        self._journal = journal
        self._blobs = blobs
        self._clock = clock
        self._connect = connect
        self._on_change, self._on_wanted, self._is_watched = on_change, on_wanted, is_watched
        self._commands_for = commands_for or (lambda _: Commands(journal, clock))
        self._polls = polls
        self._workers = workers or Workers(clock)
        asks_in_turn = self._workers.scheduler.lock
        self.lease = LeaseKeeper(device, clock, times, asks_in_turn())
        self._streams = StreamSync(
            journal,
            blobs,
            self.lease,
            clock,
            lambda: turn(self._closing.is_set),
            self._moved,
            self._workers.scheduler,
            limits,
        )
        self._download: Download | None = None
        self._backoff = self._workers.backoff(chance)
        self._shared_store: SharedStore | None = None
        self._pulled_fence: int | None = None  # the fence under which everything was pulled
        self._confirmed_fence: int | None = None  # the fence under which the act that is under way was confirmed
        self._asking_stream = WORKSPACE  # the stream whose act asked last
        self._acting_count = self._hold_count = 0
        self._handover_announced = False
        self._handover_target: tuple[str, float] = ("", 0.0)
        self.takeover_requested = False
        self._phase: SyncPhase = "pulling"
        self._since: int | None = None
        self._problem: OutriderError | None = None
        self._last_report: SyncState | None = SyncState()
        self._reported_at = -NOTIFY_INTERVAL_SECONDS
        self._files_due = True
        self._damaged: set[str] = set()
        self._bad_parts: dict[str, dict[int, str]] = {}
        """By file: the digests of its parts in the shared store, which do not make it."""
        self._settled: _Settled | None = None
        self._stored_state = _StoredState()
        self._round_lock, self._connect_lock = asks_in_turn(), asks_in_turn()
        self._state_lock = threading.Lock()
        self._urgent = True
        self._not_before = self._poll_at = 0.0
        self._sync_worker = self._workers.add("sync", self._work, last=self._push_last)
        self._lease_worker = self._workers.add("lease", self._keep, longest_pause=times.renew)
        self._closing = self._sync_worker.stopping
        self._unsubscribe: Callable[[], None] = lambda: None

    def open(self) -> None:
        """Begin; nothing is waited for. Raises `closing`."""
        self._sync_worker.start()
        self._lease_worker.start(after=None)
        self._unsubscribe = self._journal.subscribe(self._committed)

    def close(self, seconds: float) -> None:
        """Push what waits and give the lease back, but wait no longer than this: what is left waits for the next start."""
        unsubscribe, self._unsubscribe = self._unsubscribe, lambda: None
        unsubscribe()
        for worker in (self._lease_worker, self._sync_worker):
            worker.stop()
        self._sync_worker.join(seconds)
        for worker in (self._lease_worker, self._sync_worker):
            self._workers.remove(worker)

    def sync_now(self) -> None:
        """Come into step at once, whatever the pace is."""
        with self._state_lock:
            self._urgent = True
        self._sync_worker.wake()

    def try_again(self) -> None:
        """As the user wants it: also what the shared store refused is sent once more."""
        self._streams.retry_refused()
        self.sync_now()

    def fetch_again(self, sha256: str) -> None:
        """A file was found to be damaged or gone: the shared store's, if that is whole, is to take its place."""
        with self._state_lock:
            self._damaged.add(sha256)
            self._files_due = True
        self._sync_worker.wake()

    # --- what this device may do ---

    def describe(self) -> str:
        """`in_sync`, or why nothing may be begun; fits behind “The shared store is”."""
        if self._phase == "offline" and self._since is not None:
            return f"out of reach since {self._hour(self._since)}"
        if self._phase == "locked":
            return "not open to this device, whose keys are locked"
        if self._phase == "signed_out":
            return "not open to this device, which is not signed in"
        if self._phase == "refused":
            return f"not usable ({self._problem.sentence if self._problem else ''})"
        if self._acting_count and (refused := self._streams.refused_entry(self._asking_stream)):
            return f"not usable for this campaign ({refused.sentence})"
        if self.lease.other_holder:
            return f"used by “{self.lease.other_holder}”, which may send now"
        if self._acting_count and self.lease.seconds() <= self.lease.times.to_begin:
            return "not sure yet that this device may send"
        if self._acting_count and self._pulled_fence != self.lease.fence:
            return "being brought into step"
        return IN_SYNC

    def push_and_confirm(self, campaign_id: str) -> bool:
        """Whether an act may follow on what is on disk of this stream: one round trip, and no step without its answer."""
        self._confirmed_fence, self._asking_stream = None, campaign_id
        fence = self.lease.fence
        if not self._pushed(campaign_id):
            return False
        self._confirmed_fence = fence
        return True

    def may_still_act(self) -> bool:
        """Whether the lease under which the act was confirmed was never lost, and lasts until its bytes have arrived."""
        lease, confirmed = self.lease, self._confirmed_fence
        unbroken = confirmed is not None and confirmed == self._pulled_fence == lease.fence
        return unbroken and lease.seconds() > lease.times.arrive

    def _pushed(self, campaign_id: str) -> bool:
        for _ in range(TRIES):
            if not self._may_act():
                return False
            try:
                appended = self._streams.push(self._ask(), campaign_id)
            except SharedStoreUnreachableError as silent:
                self._offline(silent)
                continue
            except SharedStoreConflictError:
                self.sync_now()  # another device decided something: that comes first, when this turn is over
                return False
            except SharedStoreRefusedError as refused:
                if refused.code == "lease_lost":
                    self.lease.mark_lost()
                    self.sync_now()
                elif not self._streams.refused_entry(campaign_id):
                    self._refused(refused)
                return False
            except OutriderError as error:
                if error is not self._streams.unsigned(campaign_id):
                    self._fail("refused", error)
                return False
            self._reached()
            # A later entry of the workspace's own stream may forbid this very act.
            is_current = (
                appended is not None and appended.workspace_seq <= self._streams.acknowledged_position(WORKSPACE)[0]
            )
            if not is_current:
                self.sync_now()
            return is_current and self._may_act()
        return False

    def _may_act(self) -> bool:
        fence = self.lease.fence
        return fence is not None and fence == self._pulled_fence and self.lease.seconds() > self.lease.times.to_begin

    @contextmanager
    def hold_lease(self, stopped: Callable[[], bool] = lambda: False, campaign_id: str = "") -> Iterator[None]:
        """While something acts here. Before it begins this device has the lease and everything that others recorded.

        Raises `shared_store_unsigned` or `signing_key_refused` if not all of that campaign's entries are believed,
        `lease_held_elsewhere`, `shared_store_unreachable`, `signed_out` and the like; `proposer_stopped` if it was stopped
        while it waited for another device to hand over.
        """
        with self._state_lock:
            self._hold_count += 1
        self._lease_worker.wake(self.lease.times.renew)
        try:
            self._take(stopped)
            if unsigned := campaign_id and self._streams.unsigned(campaign_id):
                raise unsigned
            with self._state_lock:
                self._acting_count += 1
                self._handover_announced = False
            try:
                yield
            finally:
                with self._state_lock:
                    self._acting_count -= 1
        finally:
            with self._state_lock:
                self._hold_count -= 1
            self.sync_now()  # what waits is pushed, then the lease given back

    def take_over(self) -> None:
        """The device that acts is asked to hand over, again and again until it has; whatever begins here waits for that."""
        self.takeover_requested = True
        self.sync_now()

    def check_may_act(self) -> None:
        """Whether something may begin; raises what `acting` does."""
        with self._report_errors():
            self._acquire()

    def _take(self, stopped: Callable[[], bool]) -> None:
        with self._report_errors():
            while not self._acquire():
                self._clock.wait(LEASE_RETRY_SECONDS, self._closing)
                if self._closing.is_set() or stopped():
                    self.takeover_requested = False
                    raise OutriderError("proposer_stopped")
            self._catch_up(self._ask())

    def _acquire(self) -> bool:
        """False while its holder is asked to hand it over. Raises `lease_held_elsewhere` if nobody asks for that."""
        device, until = self._handover_target
        if not self.takeover_requested and self._seconds() < until:
            raise OutriderError("lease_held_elsewhere", device=device)
        if self._may_act() and not self._handover_announced:
            return True  # a new fence would stop what acts here already
        if self._ask_for_lease(self._ask(), take_over=self.takeover_requested):
            self.takeover_requested = False
            return True
        if not self.takeover_requested:
            raise OutriderError("lease_held_elsewhere", device=self.lease.other_holder)
        return False

    @contextmanager
    def _report_errors(self) -> Iterator[None]:
        """What goes wrong is told to whoever wants to begin, and shown."""
        try:
            yield
        except SharedStoreUnreachableError as silent:
            self._offline(silent)
            raise silent.as_error() from silent
        except SharedStoreConflictError as quicker:
            raise OutriderError("shared_store_unreachable", detail="other devices are quicker") from quicker
        except SharedStoreRefusedError as refused:
            raise self._refused(refused) from refused
        finally:
            self._say()

    def _catch_up(self, shared_store: SharedStore) -> None:
        """All that others recorded while they had the lease is here when this returns, and only then may anything act."""
        fence = self.lease.fence
        self._round(shared_store)
        self._pulled_fence = fence

    # --- one round ---

    def run_round(self, *, poll: bool = True) -> float:
        """One round; how many seconds to wait before the next. Raises only what nobody expected, after it is shown."""
        try:
            self._all(self._ask(), poll=poll)
        except SharedStoreUnreachableError as silent:
            self._offline(silent)
            return self._backoff.next_delay(silent.wait)
        except SharedStoreRefusedError as refused:
            self._refused(refused)
        except OutriderError as error:
            if not self._closing.is_set():
                self._fail("refused", error)
        except SharedStoreConflictError:
            return self._backoff.next_delay()  # others were quicker again and again
        except Exception as defect:
            self._not_before = self._seconds() + self._backoff.next_delay()
            self._fail("refused", as_told(defect))
            raise
        else:
            self._reached()
            self._say()
            self._backoff.reset()
            if self.takeover_requested:
                return LEASE_RETRY_SECONDS
            return self._polls.used if self._acting_count or self._is_watched() else self._polls.idle
        return self._backoff.next_delay()

    def _all(self, shared_store: SharedStore, *, poll: bool) -> None:
        if self._acting_count and not self._may_act():
            self._regain(shared_store)
        elif poll:
            self._round(shared_store)
        else:
            self._exchange(shared_store, {})
        if self.takeover_requested and not self._hold_count:
            self._acquire()
        self._release_if_idle(shared_store)
        if poll:
            self.lease.look(shared_store)
        self._fetch(shared_store)

    def _ask_for_lease(self, shared_store: SharedStore, *, take_over: bool = False) -> bool:
        """By the name that this device has by now: other devices tell their users by it who acts."""
        with self._journal.database.read() as connection:
            device = devices.device(connection, self.lease.device.id)
        if device is not None:
            self.lease.device = self.lease.device._replace(name=device.name)
        return self.lease.acquire(shared_store, take_over=take_over)

    def _regain(self, shared_store: SharedStore) -> None:
        """The lease ran out while something acts here: it goes on by itself, unless another device acts by now."""
        if self._ask_for_lease(shared_store):
            self._catch_up(shared_store)
        else:
            self._hand_over(self.lease.other_holder)
            self._round(shared_store)

    def _round(self, shared_store: SharedStore) -> None:
        self._exchange(shared_store, self._streams.heads(shared_store))

    def _exchange(self, shared_store: SharedStore, heads: Mapping[str, StreamHeads]) -> None:
        with self._round_lock:
            version = self._journal.database.version()
            if self._settled is not None and self._settled.holds(version, heads):
                self._download = None
                return
            try:
                if self._synchronise(shared_store, heads) and version is not None and heads:
                    self._settled = _Settled(version, heads)
            except SharedStoreUnreachableError:  # in the middle: what was rolled back need not wait until it is back
                conflicts.repeat_unasked(self._commands_for, self._journal.database)
                raise

    def _synchronise(self, shared_store: SharedStore, heads: Mapping[str, StreamHeads]) -> bool:
        """Bring every stream into step; whether there was nothing to do."""
        failed: SharedStoreRefusedError | SharedStoreTooSlowError | None = None
        nothing_to_do = True
        for _ in range(ROUNDS):
            missing = {id_: count for id_, head in heads.items() if (count := self._streams.missing(head))}
            self._download = Download(sum(missing.values()), self._seconds()) if missing else None
            was_overtaken, streams_behind = False, {*missing, *self._streams.streams_with_work()}
            nothing_to_do &= not streams_behind
            for campaign_id in sorted(streams_behind, key=lambda id_: (id_ != WORKSPACE, id_)):
                try:
                    self._streams.synchronise(shared_store, campaign_id, heads.get(campaign_id))
                except SharedStoreConflictError:
                    was_overtaken = True
                except SharedStoreRefusedError as error:
                    if error.code == "signed_out":
                        raise
                    if error.code == "lease_lost":  # it waits until this device may have it again
                        self.lease.mark_lost()
                    elif not self._streams.refused_entry(campaign_id):
                        failed = error  # one stream must not hold up the others
                except SharedStoreTooSlowError as error:
                    failed = error
            if not was_overtaken:
                break
            heads = self._streams.heads(shared_store)
        else:
            raise SharedStoreConflictError
        nothing_to_do &= not conflicts.repeat_unasked(self._commands_for, self._journal.database)
        nothing_to_do &= not conflicts.announce(self._commands_for, self._journal.database)
        if failed is not None:
            raise failed
        if unsigned := self._streams.unsigned(WORKSPACE):  # it has the do-not-contact list, and who may sign
            raise unsigned
        return nothing_to_do

    def _release_if_idle(self, shared_store: SharedStore) -> None:
        with self._state_lock:
            free = not self._hold_count and self.lease.held
        if free:
            self.lease.release(shared_store)

    def _fetch(self, shared_store: SharedStore) -> None:
        """Files that adopted events name; what is not there now comes with later news, when it is missed, or at the next start."""
        if not self._files_due:
            return
        self._files_due = False  # before one looks: a run that begins meanwhile may bring more
        try:
            with self._journal.database.read() as connection:
                stored_files = artifacts.stored_files(connection)
            for sha256, size in stored_files:
                if sha256 in self._damaged or not self._blobs.holds(sha256):
                    self._fetch_one(shared_store, file_transfer.BlobFile(sha256, size))
        except BaseException:
            self._files_due = True
            raise

    def _fetch_one(self, shared_store: SharedStore, file: file_transfer.BlobFile) -> None:
        """Not again as long as the shared store has the same useless parts of it."""
        sha256, known_bad_parts = file.sha256, self._bad_parts.get(file.sha256)
        if known_bad_parts is not None and shared_store.blob_digests(sha256) == known_bad_parts:
            return
        if file_transfer.download(shared_store, self._blobs, file):
            self._bad_parts.pop(sha256, None)
            with self._state_lock:
                self._damaged.discard(sha256)
        else:
            self._bad_parts[sha256] = shared_store.blob_digests(sha256)

    # --- keeping the lease ---

    def renew(self) -> None:
        """Once: keep what is held, and hear whether another device wants it."""
        if not self.lease.held or not self._hold_count:
            return
        try:
            renewed = self.lease.renew(self._ask())
        except SharedStoreUnreachableError as silent:
            self._offline(silent)
        except (SharedStoreRefusedError, OutriderError):
            self.sync_now()  # the engine's own thread will meet the same, and says so
        else:
            if not renewed:
                self.sync_now()
            elif self.lease.wanted_by and self._acting_count:
                self._hand_over(self.lease.wanted_by)

    def _hand_over(self, name: str) -> None:
        with self._state_lock:
            announced, self._handover_announced = self._handover_announced, True
            self._handover_target = name, self._seconds() + HANDOVER_PAUSE_SECONDS
        if not announced:
            self._on_wanted(name)

    # --- in the background ---

    def _work(self) -> float:
        """A round, unless a failure is to be waited out; others are asked for news when that is due or wanted at once."""
        now = self._seconds()
        with self._state_lock:
            urgent, self._urgent = self._urgent, False
        if not urgent and now < self._not_before:
            return self._not_before - now
        poll = urgent or now >= self._poll_at
        self._sync_worker.doing = "bringing both stores into step"
        pause = self.run_round(poll=poll)
        now = self._seconds()
        failing = self._phase in ("offline", "locked", "refused", "signed_out")
        self._not_before = now + pause if failing else now
        if poll:
            self._poll_at = now + pause
        return max(self._poll_at, self._not_before) - now

    def _push_last(self) -> None:
        self.run_round(poll=False)

    def _keep(self) -> float | None:
        self.renew()
        return self.lease.times.renew if self._hold_count else None

    def _committed(self, _: Committed) -> None:
        self._sync_worker.wake(PUSH_DELAY_SECONDS)

    def _ask(self) -> SharedStore:
        with self._connect_lock:
            if self._shared_store is None:
                self._shared_store = self._connect()
            return self._shared_store

    def _seconds(self) -> float:
        return self._clock.ticks() / 1e6

    # --- how it stands ---

    def state(self) -> SyncState:
        """At this moment."""
        state = self._state()
        if state != self._last_report:
            self._last_report = None  # whoever asked is to hear what follows, even if all the others heard it before
        return state

    def _state(self) -> SyncState:
        _, waiting, conflicts, _ = self._read_state()
        phase, problem = self._phase, self._problem
        if phase == "in_sync" and (refused := self._streams.refused_entry()):
            phase, problem = "refused", refused
        elif phase == "in_sync" and waiting:
            phase = "pushing"
        download = self._download if phase == "pulling" else None
        acts_here = self.lease.fence is not None
        other_holder = "" if acts_here else self.lease.other_holder
        return SyncState(
            phase=phase,
            waiting=waiting,
            since=self._since,
            conflicts=conflicts,
            acting="here" if acts_here else "elsewhere" if other_holder else "nobody",
            acting_name=self.lease.device.name if acts_here else other_holder,
            asked=self.takeover_requested,
            until=self.lease.until if acts_here else self.lease.other_holder_until,
            problem=ErrorShape.showing(problem) if problem else None,
            pulled=download.done if download else 0,
            to_pull=download.whole if download else 0,
            pull_seconds_left=download.seconds_left(self._seconds()) if download else None,
        )

    def _read_state(self) -> "_StoredState":
        """What this store says of it; read again only if anything was committed since."""
        version = self._journal.database.version()
        if version is None or version != self._stored_state.version:
            with self._journal.database.read() as connection:
                device = devices.device(connection, self.lease.device.id)
                is_revoked = device is not None and device.revoked_at is not None
                counts = replica.count_unacknowledged(connection), shared_conflicts.count(connection)
                self._stored_state = _StoredState(version, *counts, is_revoked)
        return self._stored_state

    def _moved(self, phase: SyncPhase, entries: int) -> None:
        self._reached(phase)
        if phase == "pulling" and self._download:
            self._download = self._download.went_on(entries)
        if phase == "pulling":
            self._files_due = True
        if self._seconds() - self._reported_at >= NOTIFY_INTERVAL_SECONDS:
            self._say()

    def _say(self) -> None:
        if self._closing.is_set():
            return
        self._reported_at, state = self._seconds(), self._state()
        if state != self._last_report:
            self._last_report = state
            self._on_change(state)

    def _reached(self, phase: SyncPhase = "in_sync") -> None:
        """Its token still reads for an hour: that its access was taken away, a device learns from the log before it writes."""
        revoked = phase == "in_sync" and self._read_state().is_revoked
        problem = OutriderError("device_revoked") if revoked else None
        self._phase, self._since, self._problem = "refused" if revoked else phase, None, problem

    def _offline(self, silent: SharedStoreUnreachableError) -> None:
        if silent.code == "sign_in_locked":  # it was not even asked
            self._fail("locked", silent.as_error())
            return
        if self._phase != "offline":
            self._since = self._clock.now()
        self._phase, self._problem = "offline", silent.as_error()
        self._say()

    def _refused(self, refused: SharedStoreRefusedError) -> OutriderError:
        problem = OutriderError(_PROBLEMS.get(refused.code, "shared_store_refused"), detail=refused.said)
        self._fail("signed_out" if refused.code == "signed_out" else "refused", problem)
        return problem

    def _fail(self, phase: SyncPhase, problem: OutriderError) -> None:
        self._phase, self._since, self._problem = phase, None, problem
        self._say()

    def _hour(self, at: int) -> str:
        local = datetime.fromtimestamp((at + self._clock.offset(at)) / 1_000, UTC)
        return f"{local:%H:%M}"


_PROBLEMS: dict[str, ErrorCode] = {
    "signed_out": "signed_out",
    "key_disabled": "project_key_disabled",
    "key_refused": "project_key_refused",
    "schema_mismatch": "shared_store_schema",
    "device_revoked": "device_revoked",
}
