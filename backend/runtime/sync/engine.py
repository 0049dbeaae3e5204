"""The engine between the local store and the shared store: both come into step by themselves, and one device at a time acts.

One worker pushes what waits and pulls what others recorded; a second one only keeps the lease, so that no slow request loses
it. Whatever goes wrong is the state that the page shows, and is tried again.
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import NamedTuple

from backend.commands.user_commands import Commands
from backend.domain.events.events import WORKSPACE
from backend.domain.values.errors import OutriderError
from backend.ports.blobs import Blobs
from backend.ports.clock import Clock
from backend.ports.shared_store import (
    SharedStore,
    SharedStoreConflictError,
    SharedStoreRefusedError,
    SharedStoreUnreachableError,
)
from backend.ports.sync_status import IN_SYNC
from backend.runtime.feed.feed_messages import OUT_OF_REACH, SyncPhase, SyncState
from backend.runtime.sync.exchange import Exchange
from backend.runtime.sync.file_transfer import MissingFiles
from backend.runtime.sync.handover import Handover
from backend.runtime.sync.lease import LeaseKeeper, LeaseTimes, ThisDevice
from backend.runtime.sync.pages import PageLimits
from backend.runtime.sync.stream_sync import StreamSync
from backend.runtime.sync.sync_report import SyncReport
from backend.runtime.worker import Workers
from backend.store.log.journal import Journal

PUSH_DELAY_SECONDS = 0.2
"""What is committed within so long goes in one push."""
LEASE_RETRY_SECONDS = 2.0
TRIES = 3
"""How often an act's intent is pushed if the answer is lost; then the act does not happen."""


class PollTimes(NamedTuple):
    """How often others are asked for news, while somebody is at the page or something acts, and otherwise. Seconds."""

    used: float = 4.0
    idle: float = 60.0


@dataclass
class Pace:
    """`urgent` has the next round begin at once and ask for news, whatever failed."""

    clock: Clock
    urgent: bool = True
    _not_before: float = 0.0
    _poll_at: float = 0.0

    def begin(self) -> tuple[float, bool]:
        """How many seconds of a failure are still to be waited out, and whether the round after that asks for news."""
        now, urgent = self.clock.ticks() / 1e6, self.urgent
        if urgent:  # what becomes urgent from now on is met by the round after this one
            self.urgent = False
        return 0.0 if urgent else self._not_before - now, urgent or now >= self._poll_at

    def end(self, pause: float, *, polled: bool, failed: bool) -> float:
        """In how many seconds the next round is due."""
        now = self.clock.ticks() / 1e6
        self._not_before = now + pause if failed else now
        if polled:
            self._poll_at = now + pause
        return max(self._poll_at, self._not_before) - now


class SyncEngine:
    """For as long as a project is attached. Its `SyncStatus` may be asked from any thread.

    `is_watched` says whether somebody is here to see news; `commands_for` gives a campaign's commands, by its own clock.
    """

    def __init__(
        self,
        journal: Journal,
        blobs: Blobs,
        device: ThisDevice,
        clock: Clock,
        *,
        shared_store: SharedStore,
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
        self._clock = clock
        self._shared_store = shared_store
        self._workers = workers or Workers(clock)
        self._sync_worker = self._workers.add("sync", self._work, last=lambda: self.run_round(poll=False))
        self._lease_worker = self._workers.add("lease", self._keep, longest_pause=times.renew)
        self._closing = self._sync_worker.stopping
        self._unsubscribe: Callable[[], None] = lambda: None
        scheduler, database = self._workers.scheduler, journal.database
        self.lease = LeaseKeeper(device, clock, times, scheduler.lock())
        self._handover = Handover(self.lease, database, clock, on_wanted)
        self._streams = StreamSync(
            journal, blobs, self.lease, clock, lambda: turn(self._closing.is_set), self._moved, scheduler, limits
        )
        self.report = SyncReport(database, clock, self.lease, self._handover, self._streams, self._closing, on_change)
        commands_for = commands_for or (lambda _: Commands(journal, clock))
        self._exchange = Exchange(self._streams, self.lease, self.report, database, commands_for, scheduler.lock())
        self._files = MissingFiles(database, blobs)
        self._pace, self._polls, self._is_watched = Pace(clock), polls, is_watched
        self._backoff = self._workers.backoff(chance)
        self._asking_stream = WORKSPACE  # the stream whose act asked last

    def open(self) -> None:
        """Begin; nothing is waited for. Raises `closing`."""
        self._sync_worker.start()
        self._lease_worker.start(after=None)
        self._unsubscribe = self._journal.subscribe(lambda _: self._sync_worker.wake(PUSH_DELAY_SECONDS))

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
        self._pace.urgent = True
        self._sync_worker.wake()

    def try_again(self) -> None:
        """As the user wants it: also what the shared store refused is sent once more."""
        self._streams.outgoing.refused.clear()
        self.sync_now()

    def fetch_again(self, sha256: str) -> None:
        """A file was found to be damaged or gone: the shared store's, if that is whole, is to take its place."""
        self._files.look_again(damaged=sha256)
        self._sync_worker.wake()

    # --- what this device may do ---

    def describe(self) -> str:
        """`in_sync`, or why nothing may be begun; fits behind “The shared store is”."""
        acts = self._handover.acts
        if failure := self.report.describe_failure():
            return failure
        if acts and (refused := self._streams.refused_entry(self._asking_stream)):
            return f"not usable for this campaign ({refused.sentence})"
        if self.lease.other_holder:
            return f"in use by “{self.lease.other_holder}”"
        if acts and self.lease.seconds() <= self.lease.times.to_begin:
            return "not sure yet that this device may send"
        if acts and self.lease.pulled_fence != self.lease.fence:
            return "being brought into step"
        return IN_SYNC

    def push_and_confirm(self, campaign_id: str) -> bool:
        """Whether an act may follow on what is on disk of this stream: one round trip, and no step without its answer."""
        self.lease.confirmed_fence, self._asking_stream = None, campaign_id
        fence = self.lease.fence
        if self._pushed(campaign_id):
            self.lease.confirmed_fence = fence
        return self.lease.confirmed_fence is not None

    def may_still_act(self) -> bool:
        """Whether the lease under which the act was confirmed was never lost, and lasts until its bytes have arrived."""
        return self.lease.may_go_on()

    def _pushed(self, campaign_id: str) -> bool:
        for _ in range(TRIES):
            if not self.lease.may_begin_act():
                return False
            try:
                appended = self._streams.push(self._shared_store, campaign_id)
            except SharedStoreUnreachableError as silent:
                self.report.fail(silent)
                continue
            except SharedStoreConflictError:
                self.sync_now()  # another device decided something: that comes first, when this turn is over
                return False
            except SharedStoreRefusedError as refused:
                if refused.code == "lease_lost":
                    self.lease.mark_lost()
                    self.sync_now()
                elif not self._streams.refused_entry(campaign_id):
                    self.report.fail(refused)
                return False
            except OutriderError as error:
                if error is not self._streams.unsigned(campaign_id):
                    self.report.fail(error)
                return False
            self.report.reach()
            # A later entry of the workspace's own stream may forbid this very act.
            here = self._streams.ends.acknowledged(WORKSPACE)
            is_current = appended is not None and appended.workspace_seq <= here.event_seq
            if not is_current:
                self.sync_now()
            return is_current and self.lease.may_begin_act()
        return False

    @contextmanager
    def hold_lease(self, stopped: Callable[[], bool] = lambda: False, campaign_id: str = "") -> Iterator[None]:
        """While something acts here. Before it begins this device has the lease and everything that others recorded.

        Raises `shared_store_unsigned` or `signing_key_refused` if not all of that campaign's entries are believed,
        `lease_held_elsewhere`, `shared_store_unreachable`, `signed_out` and the like; `proposer_stopped` if it was stopped
        while it waited for another device to hand over.
        """
        try:
            with self._handover.using():
                self._lease_worker.wake(self.lease.times.renew)
                self._take(stopped)
                if unsigned := campaign_id and self._streams.unsigned(campaign_id):
                    raise unsigned
                with self._handover.acting():
                    yield
        finally:
            self.sync_now()  # what waits is pushed, then the lease given back

    def take_over(self) -> None:
        """The device that acts is asked to hand over, again and again until it has; whatever begins here waits for that."""
        self._handover.requested = True
        self.sync_now()

    def check_may_act(self) -> None:
        """Whether something may begin; raises what `hold_lease` does."""
        with self._report_errors():
            self._handover.acquire(self._shared_store)

    def _take(self, stopped: Callable[[], bool]) -> None:
        with self._report_errors():
            while not self._handover.acquire(self._shared_store):
                self._clock.wait(LEASE_RETRY_SECONDS, self._closing)
                if self._closing.is_set() or stopped():
                    self._handover.requested = False
                    raise OutriderError("proposer_stopped")
            self._catch_up()

    @contextmanager
    def _report_errors(self) -> Iterator[None]:
        """What goes wrong is told to whoever wants to begin, and shown."""
        try:
            yield
        except SharedStoreConflictError as quicker:
            raise OutriderError("shared_store_unreachable", detail="other devices are quicker") from quicker
        except (SharedStoreUnreachableError, SharedStoreRefusedError) as error:
            raise self.report.fail(error) from error
        finally:
            self.report.say()

    def _catch_up(self) -> None:
        """All that others recorded while they had the lease is here when this returns, and only then may anything act."""
        fence = self.lease.fence
        self._exchange.run(self._shared_store)
        self.lease.pulled_fence = fence

    # --- one round ---

    def run_round(self, *, poll: bool = True) -> float:
        """One round; how many seconds to wait before the next. Raises only what nobody expected, after it is shown."""
        try:
            self._all(poll=poll)
        except SharedStoreConflictError:
            return self._backoff.next_delay()  # others were quicker again and again
        except SharedStoreUnreachableError as silent:
            self.report.fail(silent)
            return self._backoff.next_delay(silent.wait)
        except (SharedStoreRefusedError, OutriderError) as error:
            if not self._closing.is_set():
                self.report.fail(error)
            return self._backoff.next_delay()
        except Exception as defect:
            self._pace.end(self._backoff.next_delay(), polled=False, failed=True)
            self.report.fail(defect)
            raise
        self.report.reach()
        self.report.say()
        self._backoff.reset()
        if self._handover.requested:
            return LEASE_RETRY_SECONDS
        return self._polls.used if self._handover.acts or self._is_watched() else self._polls.idle

    def _all(self, *, poll: bool) -> None:
        if self._handover.acts and not self.lease.may_begin_act():
            self._regain()
        else:
            self._exchange.run(self._shared_store, poll=poll)
        if self._handover.requested and not self._handover.users:
            self._handover.acquire(self._shared_store)
        self._handover.release_if_idle(self._shared_store)
        if poll:
            self.lease.look(self._shared_store)
        self._files.fetch(self._shared_store)

    def _regain(self) -> None:
        """The lease ran out while something acts here: it goes on by itself, unless another device acts by now."""
        if self._handover.ask_for_lease(self._shared_store):
            self._catch_up()
        else:
            self._handover.announce(self.lease.other_holder)
            self._exchange.run(self._shared_store)

    def _moved(self, phase: SyncPhase, entries: int) -> None:
        if phase == "pulling":
            self._files.look_again()
        self.report.move(phase, entries)

    # --- keeping the lease ---

    def renew(self) -> None:
        """Once: keep what is held, and hear whether another device wants it."""
        if not self.lease.held or not self._handover.users:
            return
        try:
            renewed = self.lease.renew(self._shared_store)
        except SharedStoreUnreachableError as silent:
            self.report.fail(silent)
        except (SharedStoreRefusedError, OutriderError):
            self.sync_now()  # the engine's own thread will meet the same, and says so
        else:
            if not renewed:
                self.sync_now()
            elif self.lease.wanted_by and self._handover.acts:
                self._handover.announce(self.lease.wanted_by)

    # --- in the background ---

    def _work(self) -> float:
        """A round, unless a failure is to be waited out; others are asked for news when that is due or wanted at once."""
        wait, poll = self._pace.begin()
        if wait > 0:
            return wait
        self._sync_worker.doing = "bringing both stores into step"
        pause = self.run_round(poll=poll)
        return self._pace.end(pause, polled=poll, failed=self.report.phase in OUT_OF_REACH)

    def _keep(self) -> float | None:
        self.renew()
        return self.lease.times.renew if self._handover.users else None
