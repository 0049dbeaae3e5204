"""The engine between the local store and the authority: both come into step by themselves, and one device at a time acts.

One thread pushes what waits and pulls what others recorded; a second one only keeps the lease, so that no slow request loses it.
Neither ends by an error: whatever goes wrong is the state that the page shows, and is tried again.
"""

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from datetime import UTC, datetime

from backend.domain.errors import OutriderError
from backend.domain.events import WORKSPACE
from backend.ports.authority import (
    Authority,
    AuthorityConflictError,
    AuthorityRefusedError,
    AuthorityUnreachableError,
    Heads,
)
from backend.ports.blobs import Blobs
from backend.ports.clock import Clock
from backend.ports.standing import IN_STEP
from backend.store import replica
from backend.store.journal import Committed, Journal
from backend.sync import parts
from backend.sync.pace import Pace
from backend.sync.state import Phase, State
from backend.sync.streams import Streams
from backend.sync.tenure import ACT_SECONDS, RENEW_SECONDS, Device, Tenure

GATHER_SECONDS = 0.2
"""What is committed within so long goes in one push."""
SHOWN_SECONDS = 0.25
USED_SECONDS, IDLE_SECONDS = 4.0, 60.0
"""How often others are asked for news, while somebody is at the page or something acts, and otherwise."""
ASK_AGAIN_SECONDS = 2.0
YIELD_SECONDS = 10.0
"""How long nothing begins here by itself after it was handed over: the other device must have time to ask again."""
TRIES = 3
"""How often an act's intent is pushed if the answer is lost; then the act does not happen."""
ROUNDS = 10
"""How often in a row others may be quicker before it is called a failure."""


class Engine:
    """For as long as a project is attached. Its `Standing` may be asked from any thread.

    `connect` gives the authority, when first needed, in the thread that needs it. `on_change` hears the state, a few times a
    second at most; `on_wanted` that this device is to stop acting, and the name of the one that acts next; `used` says
    whether somebody is here to see news.
    """

    def __init__(
        self,
        journal: Journal,
        blobs: Blobs,
        device: Device,
        clock: Clock,
        *,
        connect: Callable[[], Authority],
        turn: Callable[[Callable[[], bool]], AbstractContextManager[None]],
        chance: Callable[[], float],
        on_change: Callable[[State], None] = lambda _: None,
        on_wanted: Callable[[str], None] = lambda _: None,
        used: Callable[[], bool] = lambda: True,
    ) -> None:
        self._journal = journal
        self._blobs = blobs
        self._clock = clock
        self._connect = connect
        self._on_change, self._on_wanted, self._used = on_change, on_wanted, used
        self.tenure = Tenure(device, clock)
        self._streams = Streams(journal, blobs, self.tenure, clock, lambda: turn(self._closing.is_set), self._moved)
        self._pace = Pace(chance)
        self._authority: Authority | None = None
        self._level: int | None = None  # the fence under which everything was pulled
        self._acting = self._begun = 0
        self._handed = False
        self._yielding: tuple[str, float] = ("", 0.0)
        self.asking = False
        self._phase: Phase = "pulling"
        self._since: int | None = None
        self._problem: OutriderError | None = None
        self._said: State | None = State()
        self._said_at = -SHOWN_SECONDS
        self._files_due = True
        self._rounds, self._connecting = threading.Lock(), threading.Lock()
        self._changed = threading.Condition()
        self._closing = threading.Event()
        self._dirty = self._urgent = True
        self._not_before = self._poll_at = 0.0
        self._threads = [
            threading.Thread(target=self._work, name="sync", daemon=True),
            threading.Thread(target=self._keep, name="lease", daemon=True),
        ]
        self._unsubscribe: Callable[[], None] = lambda: None

    def open(self) -> None:
        """Begin; nothing is waited for."""
        self._unsubscribe = self._journal.subscribe(self._committed)
        for thread in self._threads:
            thread.start()

    def close(self, seconds: float) -> None:
        """Push what waits and give the lease back, but wait no longer than this: what is left waits for the next start."""
        unsubscribe, self._unsubscribe = self._unsubscribe, lambda: None
        unsubscribe()
        self._closing.set()
        self._wake()
        if self._threads[0].ident is not None:
            self._threads[0].join(seconds)

    def now(self) -> None:
        """Come into step at once, whatever the pace is."""
        with self._changed:
            self._urgent = True
            self._changed.notify_all()

    # --- what this device may do ---

    def word(self) -> str:
        """`in_step`, or why nothing may be begun; fits behind “The shared store is”."""
        if self._phase == "offline" and self._since is not None:
            return f"out of reach since {self._hour(self._since)}"
        if self._phase == "signed_out":
            return "not open to this device, which is not signed in"
        if self._phase == "refused":
            return f"not usable ({self._problem.sentence if self._problem else ''})"
        if self.tenure.elsewhere:
            return f"used by “{self.tenure.elsewhere}”, which may act now"
        if self._acting and self.tenure.seconds() <= ACT_SECONDS:
            return "not sure yet that this device may act"
        if self._acting and self._level != self.tenure.fence:
            return "being brought into step"
        return IN_STEP

    def acknowledged(self, campaign_id: str) -> bool:
        """Whether an act may follow on what is on disk of this stream: one round trip, and no step without its answer."""
        for _ in range(TRIES):
            if not self._may_act():
                return False
            try:
                told = self._streams.push(self._ask(), campaign_id)
            except AuthorityUnreachableError as silent:
                self._offline(silent)
                continue
            except AuthorityConflictError:
                self.now()  # another device decided something: that comes first, when this turn is over
                return False
            except AuthorityRefusedError as refused:
                if refused.code == "lease_lost":
                    self.tenure.lose()
                    self.now()
                else:
                    self._refused(refused)
                return False
            except OutriderError as error:
                self._fail("refused", error)
                return False
            self._reached()
            # A later entry of the workspace's own stream may forbid this very act.
            known = told is not None and told.workspace_seq <= self._streams.known(WORKSPACE)[0]
            if not known:
                self.now()
            return known and self._may_act()
        return False

    def _may_act(self) -> bool:
        fence = self.tenure.fence
        return fence is not None and fence == self._level and self.tenure.seconds() > ACT_SECONDS

    @contextmanager
    def acting(self, stopped: Callable[[], bool] = lambda: False) -> Iterator[None]:
        """While something acts here. Before it begins this device has the lease and everything that others recorded.

        Raises `acting_elsewhere`, `authority_unreachable`, `signed_out` and the like; `proposer_stopped` if it was stopped while
        it waited for another device to hand over.
        """
        with self._changed:
            self._begun += 1
        try:
            self._take(stopped)
            with self._changed:
                self._acting += 1
                self._handed = False
            try:
                yield
            finally:
                with self._changed:
                    self._acting -= 1
        finally:
            with self._changed:
                self._begun -= 1
            self.now()  # what waits is pushed, then the lease given back

    def take_over(self) -> None:
        """The device that acts is asked to hand over, again and again until it has; whatever begins here waits for that."""
        self.asking = True
        self.now()

    def ask(self) -> None:
        """Whether something may begin; raises what `acting` does."""
        with self._told():
            self._acquire()

    def _take(self, stopped: Callable[[], bool]) -> None:
        with self._told():
            while not self._acquire():
                if self._closing.wait(ASK_AGAIN_SECONDS) or stopped():
                    self.asking = False
                    raise OutriderError("proposer_stopped")
            self._bring_into_step(self._ask())

    def _acquire(self) -> bool:
        """False while its holder is asked to hand it over. Raises `acting_elsewhere` if nobody asks for that."""
        device, until = self._yielding
        if not self.asking and self._seconds() < until:
            raise OutriderError("acting_elsewhere", device=device)
        if self._may_act() and not self._handed:
            return True  # a new fence would stop what acts here already
        if self.tenure.acquire(self._ask(), take_over=self.asking):
            self.asking = False
            return True
        if not self.asking:
            raise OutriderError("acting_elsewhere", device=self.tenure.elsewhere)
        return False

    @contextmanager
    def _told(self) -> Iterator[None]:
        """What goes wrong is told to whoever wants to begin, and shown."""
        try:
            yield
        except AuthorityUnreachableError as silent:
            self._offline(silent)
            raise OutriderError("authority_unreachable", detail=silent.said) from silent
        except AuthorityConflictError as quicker:
            raise OutriderError("authority_unreachable", detail="other devices are quicker") from quicker
        except AuthorityRefusedError as refused:
            raise self._refused(refused) from refused
        finally:
            self._say()

    def _bring_into_step(self, authority: Authority) -> None:
        """All that others recorded while they had the lease is here when this returns, and only then may anything act."""
        fence = self.tenure.fence
        self._round(authority)
        self._level = fence

    # --- one round ---

    def step(self, *, poll: bool = True) -> float:
        """One round, whatever comes of it; how many seconds to wait before the next."""
        try:
            self._all(self._ask(), poll=poll)
        except AuthorityUnreachableError as silent:
            self._offline(silent)
            return self._pace.failed(silent.wait)
        except AuthorityRefusedError as refused:
            self._refused(refused)
        except OutriderError as error:
            if not self._closing.is_set():
                self._fail("refused", error)
        except AuthorityConflictError:
            return self._pace.failed()  # others were quicker again and again
        except Exception as error:  # noqa: BLE001 - the thread's last resort: told to the terminal and the page, and tried again
            if self._closing.is_set():
                return 0.0  # nobody waited for this, and the database may be closed by now
            self._fail("refused", OutriderError("internal_error"))
            threading.excepthook(threading.ExceptHookArgs((type(error), error, error.__traceback__, None)))
        else:
            self._reached()
            self._say()
            self._pace.well()
            if self.asking:
                return ASK_AGAIN_SECONDS
            return USED_SECONDS if self._acting or self._used() else IDLE_SECONDS
        return self._pace.failed()

    def _all(self, authority: Authority, *, poll: bool) -> None:
        if self._acting and not self._may_act():
            self._regain(authority)
        elif poll:
            self._round(authority)
        else:
            self._exchange(authority, {})
        if self.asking and not self._begun:
            self._acquire()
        self._let_go(authority)
        self._fetch(authority)

    def _regain(self, authority: Authority) -> None:
        """The lease ran out while something acts here: it goes on by itself, unless another device acts by now."""
        if self.tenure.acquire(authority):
            self._bring_into_step(authority)
        else:
            self._hand_over(self.tenure.elsewhere)
            self._round(authority)

    def _round(self, authority: Authority) -> None:
        self._exchange(authority, self._streams.heads(authority))

    def _exchange(self, authority: Authority, heads: Mapping[str, Heads]) -> None:
        with self._rounds:
            refused: AuthorityRefusedError | None = None
            for _ in range(ROUNDS):
                lacking = [head.campaign_id for head in heads.values() if self._streams.lacks(head)]
                again = False
                for campaign_id in sorted(
                    {*lacking, *self._streams.unsettled()}, key=lambda id_: (id_ != WORKSPACE, id_)
                ):
                    try:
                        self._streams.into_step(authority, campaign_id, heads.get(campaign_id))
                    except AuthorityConflictError:
                        again = True
                    except AuthorityRefusedError as error:
                        if error.code == "signed_out":
                            raise
                        if error.code == "lease_lost":  # it waits until this device may have it again
                            self.tenure.lose()
                        else:
                            refused = error  # one stream must not hold up the others
                if not again:
                    break
                heads = self._streams.heads(authority)
            else:
                raise AuthorityConflictError
            if refused is not None:
                raise refused

    def _let_go(self, authority: Authority) -> None:
        with self._changed:
            free = not self._begun and self.tenure.held
        if free:
            self.tenure.release(authority)

    def _fetch(self, authority: Authority) -> None:
        """Files that adopted events name; what is not there now comes with later news, or at the next start."""
        if not self._files_due:
            return
        with self._journal.database.read() as connection:
            wanted = connection.execute("SELECT DISTINCT sha256, bytes FROM artifacts WHERE in_file").fetchall()
        for sha256, size in wanted:
            if not self._blobs.holds(sha256):
                parts.fetch(authority, self._blobs, parts.File(sha256, size))
        self._files_due = False

    # --- keeping the lease ---

    def renew(self) -> None:
        """Once: keep what is held, and hear whether another device wants it."""
        if not self.tenure.held or not self._begun:
            return
        try:
            kept = self.tenure.renew(self._ask())
        except AuthorityUnreachableError as silent:
            self._offline(silent)
        except (AuthorityRefusedError, OutriderError):
            self.now()  # the engine's own thread will meet the same, and says so
        else:
            if not kept:
                self.now()
            elif self.tenure.wanted_by and self._acting:
                self._hand_over(self.tenure.wanted_by)

    def _hand_over(self, name: str) -> None:
        with self._changed:
            told, self._handed = self._handed, True
            self._yielding = name, self._seconds() + YIELD_SECONDS
        if not told:
            self._on_wanted(name)

    # --- the threads ---

    def _work(self) -> None:
        while not self._closing.is_set():
            poll = self._await()
            if not self._closing.is_set():
                pause = self.step(poll=poll)
                now = self._seconds()
                failing = self._phase in ("offline", "refused", "signed_out")
                self._not_before = now + pause if failing else now
                if poll:
                    self._poll_at = now + pause
        self.step(poll=False)

    def _await(self) -> bool:
        """Until there is something to do; True if others are to be asked for news, too."""
        with self._changed:
            while not self._closing.is_set():
                now = self._seconds()
                due = self._not_before if self._dirty else self._poll_at
                if self._urgent or now >= max(due, self._not_before):
                    break
                self._changed.wait(max(due, self._not_before) - now)
            poll = self._urgent or self._seconds() >= self._poll_at
            gather = self._dirty and not self._urgent
            self._dirty = self._urgent = False
        if gather:
            self._closing.wait(GATHER_SECONDS)
        return poll

    def _keep(self) -> None:
        while not self._closing.wait(RENEW_SECONDS):
            try:
                self.renew()
            except Exception as error:  # noqa: BLE001 - the thread's last resort; the lease runs out if this goes on
                threading.excepthook(threading.ExceptHookArgs((type(error), error, error.__traceback__, None)))

    def _committed(self, _: Committed) -> None:
        self._wake()

    def _wake(self) -> None:
        with self._changed:
            self._dirty = True
            self._changed.notify_all()

    def _ask(self) -> Authority:
        with self._connecting:
            if self._authority is None:
                self._authority = self._connect()
            return self._authority

    def _seconds(self) -> float:
        return self._clock.ticks() / 1e6

    # --- how it stands ---

    def state(self) -> State:
        """At this moment."""
        state = self._state()
        if state != self._said:
            self._said = None  # whoever asked is to hear what follows, even if all the others heard it before
        return state

    def _state(self) -> State:
        with self._journal.database.read() as connection:
            waiting = replica.waiting(connection)
            (overtaken,) = connection.execute("SELECT count(*) FROM set_aside WHERE status='open'").fetchone()
        phase = "pushing" if self._phase == "in_step" and waiting else self._phase
        here = self.tenure.fence is not None
        elsewhere = "" if here else self.tenure.elsewhere
        return State(
            phase=phase,
            waiting=waiting,
            since=self._since,
            set_aside=overtaken,
            acting="here" if here else "elsewhere" if elsewhere else "nobody",
            acting_name=self.tenure.device.name if here else elsewhere,
            asked=self.asking,
            until=self.tenure.until if here else self.tenure.elsewhere_until,
            problem=self._problem,
        )

    def _moved(self, phase: Phase) -> None:
        self._reached(phase)
        self._files_due |= phase == "pulling"
        if self._seconds() - self._said_at >= SHOWN_SECONDS:
            self._say()

    def _say(self) -> None:
        if self._closing.is_set():
            return
        self._said_at, state = self._seconds(), self._state()
        if state != self._said:
            self._said = state
            self._on_change(state)

    def _reached(self, phase: Phase = "in_step") -> None:
        self._phase, self._since, self._problem = phase, None, None

    def _offline(self, silent: AuthorityUnreachableError) -> None:
        if self._phase != "offline":
            self._since = self._clock.now()
        self._phase, self._problem = "offline", None
        self._say()

    def _refused(self, refused: AuthorityRefusedError) -> OutriderError:
        problem = OutriderError(_PROBLEMS.get(refused.code, "authority_refused"), detail=refused.said)
        self._fail("signed_out" if refused.code == "signed_out" else "refused", problem)
        return problem

    def _fail(self, phase: Phase, problem: OutriderError) -> None:
        self._phase, self._since, self._problem = phase, None, problem
        self._say()

    def _hour(self, at: int) -> str:
        local = datetime.fromtimestamp((at + self._clock.offset(at)) / 1_000, UTC)
        return f"{local:%H:%M}"


# Only a device that was revoked is told that it lost the lease when it asks for it.
_PROBLEMS = {"signed_out": "signed_out", "schema_mismatch": "authority_schema", "lease_lost": "device_revoked"}
