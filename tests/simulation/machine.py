"""A device: a data folder, its clocks, and the launch of Outrider that runs on it, with the runner and both sync workers."""

import shutil
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Literal, cast

from backend.adapters.files.content_files import BlobStore
from backend.adapters.llm.scripted import ScriptedProposer
from backend.adapters.sites.user_hands import UserHands
from backend.commands.user_commands import Commands
from backend.domain.model.channel import ASSIST
from backend.domain.model.site import Attempt, Evidence, Profile, SelectorReport, SitePerson, Thread
from backend.domain.turn.snapshot import Snapshot
from backend.domain.values.errors import OutriderError
from backend.domain.values.real_time import RealTime
from backend.ports.clock import Wake
from backend.ports.proposer import ModelUsage, OnText, OnUsage, ignore_text, ignore_usage
from backend.ports.shared_store import SharedStore, SharedStoreRefusedError, SharedStoreUnreachableError
from backend.ports.site import ActCheck, NobodyThere, ShownByAct, SiteIncident, SiteUnavailable, unguarded
from backend.ports.sync_status import LocalOnly, SyncStatus
from backend.runtime.copies.record_loss import RecordLoss
from backend.runtime.copies.restoring import RestoreService, erase_again, restore_at_start
from backend.runtime.jobs.erased_files import ErasedFiles
from backend.runtime.jobs.scorer import Scorer
from backend.runtime.run.campaign_runner import LONGEST_SLICE, CampaignRunner, RunResult
from backend.runtime.sync.engine import PollTimes, SyncEngine
from backend.runtime.sync.lease import ThisDevice
from backend.runtime.worker import Backoff, Workers
from backend.store.database import Database, DatabaseVersion
from backend.store.log.heads_file import HeadsKeeper
from backend.store.log.journal import Journal
from backend.store.log.log_signer import LogSigner
from backend.store.log.replay import PROJECTIONS
from backend.store.log.transaction import Committed, Transaction
from backend.store.replication import replica
from backend.turn import reply_cost
from backend.turn.gateway import ToolGateway
from backend.turn.loop import NothingEligible, TurnCallbacks, TurnLoop
from backend.turn.turn_queue import TurnQueue as RealTurnQueue
from tests.fakes.hostile import HostileProposer
from tests.fakes.hostile import World as Known
from tests.fakes.ids import SeededIds
from tests.fakes.signers import MockSigner
from tests.fakes.site import direct_site
from tests.simulation.background import PAGE, Background
from tests.simulation.data_folders import FOLDERS, write_over
from tests.simulation.explanations import Explanations
from tests.simulation.hub import Hub, Task, TurnQueue
from tests.simulation.kept_files import remove_replaced
from tests.simulation.oracle import profile_of
from tests.simulation.pictures import Pictures
from tests.stored_rows import all_rows, first_row

if TYPE_CHECKING:
    from tests.simulation.world import World

LONG_PAUSE_MS = 10 * 60_000
"""A user who sees that nothing happens for longer than this stops the run and goes home."""
POLLS = PollTimes(used=90.0, idle=300.0)
"""Less often than in life: a question to which there is no news costs as much as one to which there is."""
WAITING_SECONDS = 120.0
"""How long a run that waits for the user rests, if nobody decides anything."""
VALIDATED = "step-4"
"""The boundary of a turn behind which what was proposed is carried out."""
FULL_SYNCHRONISATION = 2
"""What SQLite calls `FULL`."""
MOST_TOKENS, MOST_MICROS = 1_200, 10_000
"""What a reply of a model that is paid takes and costs at most: a cent."""
NOBODY = "nobody-there"
"""Where the page of somebody was who has none any more."""
MANY_CLOSED, ALL_CLOSED = 3, "three without a page"
"""So many people in a row without a page stop the account; how often that happened."""
NETWORK_TIMEOUT = 10.0
SITE_TIMEOUT = 10.0

_COST_ON_RECORD = (
    "SELECT coalesce(sum(json_extract(change_payload, '$.cost_micros')), 0) FROM event_log"
    " WHERE campaign_id=? AND entity_type IN ('turn', 'bill')"
)
_LAST_KIND = (
    "SELECT iif(family='invite', 'invitation', family) FROM actions WHERE campaign_id=?"
    " ORDER BY intended_at DESC, id DESC LIMIT 1"
)
_STATUS = "SELECT id, iif(deleted_at IS NULL, status, 'deleted') FROM campaigns"
_WITH_PEOPLE = "SELECT DISTINCT campaign_id FROM leads WHERE blocked NOT IN ('import_undone', 'moved')"
Moment = Literal["commit", "call", "answer", "page", "click", "bytes", "look", "intent"]


_TABLES = "SELECT name FROM sqlite_schema WHERE type='table' AND sql NOT LIKE 'CREATE VIRTUAL%'"


def _text(value: str | bytes) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else value


class Gone(BaseException):
    """What is left of a launch that was killed touches something outside."""


class DeviceClock:
    """All clocks of one machine, made of true time: the wall's can be set, and counting stops while it sleeps."""

    skips_waiting = False

    def __init__(self, hub: Hub, start: int) -> None:
        self._hub = hub
        self._start = start
        self.set_by = 0
        self.asleep = self.told_asleep = 0
        self._boot = "boot 1"

    def now(self) -> int:
        return self._start + self._hub.now // 1_000 + self.set_by

    def ticks(self) -> int:
        return self._hub.now - self.asleep

    def offset(self, now: int) -> int:
        return 0

    def real_time(self) -> RealTime:
        return RealTime(self.now(), self.ticks() // 1_000, self._boot, self.told_asleep // 1_000)

    def wait_for_user(self, seconds: float, wake: Wake) -> None:
        self.wait(seconds, wake)

    def wait(self, seconds: float, wake: Wake) -> None:
        if seconds == LONGEST_SLICE:  # who waits for the user looks less often than in life
            seconds = WAITING_SECONDS
        self._hub.wait(wake, seconds)

    def sleep_until(self, at: int, wake: Wake) -> None:
        self._hub.wait(wake, max(0.0, (at - self.now()) / 1_000))


class SimulatedDatabase(Database):
    """Knows whether a transaction is open, in which nothing else may go on: there is one thread for all.

    That is why reads and writes share one connection, which has the file for itself: nothing is locked, and what was read
    stays in its cache. What is written to the files, and when, is as in life; only the disk is not waited for. The file is
    read whole once a launch, not once a run.
    """

    statements = 4_000  # those of all launches

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.depth = 0
        self.before_write: Callable[[], None] = lambda: None
        self._reading = _Reading(self)
        self._damage = ""

    def _connect(self, *, read_only: bool = False) -> sqlite3.Connection:
        connection = FOLDERS.connection(self.path)
        if connection is None:
            connection = super()._connect(read_only=read_only)
            connection.execute("PRAGMA synchronous=OFF")
        connection.execute("PRAGMA locking_mode=EXCLUSIVE")
        return connection

    def give_back(self) -> None:
        """Whoever had it is gone for good, unless it was closed; then another launch may have opened the same file."""
        if not self._closed:
            self._closed, connection = True, self._writer
            self._writer = _closed_connection()  # another launch has it next
            FOLDERS.give_back(self.path, connection)

    @contextmanager
    def write(self) -> Iterator[Any]:
        self.before_write()
        self.depth += 1
        try:
            with super().write() as connection:
                yield connection
                self.before_write()  # and at the commit
        finally:
            self.depth -= 1

    def read(self) -> Any:
        return self._reading

    def version(self) -> DatabaseVersion:
        return DatabaseVersion(self._commits, 0)  # there are no others

    def damage(self) -> str:
        self._damage = self._damage or super().damage()
        return self._damage

    def copy_to(self, path: Path) -> None:
        """As a user makes a copy of the database."""
        with closing(sqlite3.connect(path)) as to:
            self._writer.backup(to)


@cache
def _closed_connection() -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:")
    connection.close()
    return connection


class _Reading:
    """A read of one database; reads within reads are the same."""

    def __init__(self, database: SimulatedDatabase) -> None:
        self._database = database

    def __enter__(self) -> sqlite3.Connection:
        database = self._database
        assert not database._writer.in_transaction, "what is not committed yet would be read"
        database.depth += 1
        return database._writer

    def __exit__(self, *_: object) -> None:
        self._database.depth -= 1


@cache
def empty_database() -> bytes:
    """A file with the schema and nothing in it: migrating each new one would take most of a world's time."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "outrider.db"
        Database(path).close()
        return path.read_bytes()


def commits_wait_for_disk() -> bool:
    """Whether a commit of the product is on the disk before it is acknowledged; a simulated one does not wait."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "outrider.db"
        write_over(path, empty_database())
        with closing(Database(path)) as database, database.write() as connection:
            (level,) = connection.execute("PRAGMA synchronous").fetchone()
            return bool(level >= FULL_SYNCHRONISATION)


class SimulatedJournal(Journal):
    """After each commit anything may go on, or end."""

    after_commit: Callable[[], None] = staticmethod(lambda: None)

    @contextmanager
    def transaction(self) -> Iterator[Transaction]:
        with super().transaction() as transaction:
            yield transaction
        self.after_commit()


class SimulatedStore:
    """The shared store over a network that loses, delays and repeats."""

    def __init__(self, launch: "Launch") -> None:
        self._launch = launch
        self._store = launch.device.world.shared_store()

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._store, name)

        def call(*args: Any, **how: Any) -> Any:
            launch, world = self._launch, self._launch.device.world
            launch.must_live()
            fault = world.network_fault(launch.device)
            launch.moment("call", world.latency())
            if fault == "signed out":
                raise SharedStoreRefusedError("signed_out", "the token has expired")
            if fault == "before":
                raise SharedStoreUnreachableError("no route")
            answer = method(*args, **how)
            if fault == "twice":
                answer = method(*args, **how)
            if fault == "late":
                launch.moment("answer", NETWORK_TIMEOUT)
            launch.moment("answer", world.latency())
            if fault in ("after", "late"):
                raise SharedStoreUnreachableError("no answer")
            return answer

        return call


class SimulatedSite:
    """The one account on the one practice network, as a browser of this launch sees it."""

    name = "practice"
    address = "https://practice.test"
    settle_seconds = 60.0

    def __init__(self, launch: "Launch") -> None:
        self._launch = launch
        self._world = launch.device.world
        self._site = direct_site(self._world.exchange, timeout=SITE_TIMEOUT)
        self._closed_in_a_row: set[str] = set()
        self._incidents_before: int | None = None
        """When the last three people in a row had no page: so many incidents were on record."""

    def _at_their_page(self, person: SitePerson) -> SitePerson:
        """All addresses of somebody lead to one page, until they close it."""
        slug = self._world.who.slug(person.profile_url)
        return replace(person, profile_url=profile_of(NOBODY if slug in self._world.oracle.closed else slug))

    @contextmanager
    def _call(self, person: SitePerson | None = None) -> Iterator[None]:
        launch, world = self._launch, self._world
        launch.must_live()
        if self._incidents_before == launch.incidents():
            world.judge_broken(f"{launch.name} goes on after three people in a row had no page")
        closed, self._closed_in_a_row, self._incidents_before = self._closed_in_a_row, set(), None
        if launch.decided_although:
            world.judge_broken(f"{launch.name} looks at the site, and when that was decided {launch.decided_although}")
        launch.moment("look", world.latency())
        world.network_time()
        if person is not None:
            world.mark_replies(world.who.slug(person.profile_url))
        if world.browser_is_gone():
            raise SiteUnavailable("the browser is gone")
        try:
            yield
        except NobodyThere as met:
            world.struck["nobody there"] += 1
            closed |= {person.profile_url} if person is not None else set()
            if len(closed) < MANY_CLOSED:
                self._closed_in_a_row = closed
            else:
                world.struck[ALL_CLOSED] += 1
                world.halted.add(launch.name)
                self._incidents_before = launch.incidents()
            raise NobodyThere(met.said, launch.device.pictures.take(person, world.hub.now)) from met
        except SiteIncident as met:
            world.halted.add(launch.name)
            raise SiteIncident(met.kind, met.said, launch.device.pictures.take(person, world.hub.now)) from met
        launch.moment("look", world.latency())

    def open(self) -> None:
        self._launch.must_live()
        self._site.open()

    def close(self) -> None:
        self._launch.must_live()
        self._site.close()

    def check_selectors(self) -> SelectorReport:
        with self._call():
            return self._site.check_selectors()

    def open_profile(self, person: SitePerson) -> None:
        with self._call(person):
            self._site.open_profile(self._at_their_page(person))

    def read_profile(self, person: SitePerson) -> Profile:
        with self._call(person):
            return self._site.read_profile(self._at_their_page(person))

    def read_thread(self, person: SitePerson) -> Thread:
        with self._call(person):
            slug = self._world.who.slug(person.profile_url)
            self._world.write_meanwhile(self._launch, slug)
            thread = self._site.read_thread(self._at_their_page(person))
            self._world.oracle.looked(slug, self._world.now())
            file = self._launch.device.pictures.take(person, self._world.hub.now)
            shown = (Evidence("thread", file[3:67], file),) if file else ()
            return replace(thread, evidence=(*thread.evidence, *shown))

    def send_invitation(self, person: SitePerson, note: str, check: ActCheck = unguarded) -> Attempt:
        with self._call(person):
            guarded = self._guarded("invitation", person, note, check)
            return self._site.send_invitation(self._at_their_page(person), note, guarded)

    def send_message(self, person: SitePerson, text: str, check: ActCheck = unguarded) -> Attempt:
        with self._call(person):
            self._world.write_meanwhile(self._launch, self._world.who.slug(person.profile_url), text)
            guarded = self._guarded("message", person, text, check)
            return self._site.send_message(self._at_their_page(person), text, guarded)

    def withdraw_invitation(self, person: SitePerson, check: ActCheck = unguarded) -> Attempt:
        with self._call(person):
            guarded = self._guarded("withdraw", person, "", check)
            return self._site.withdraw_invitation(self._at_their_page(person), guarded)

    def _guarded(self, kind: str, person: SitePerson, text: str, check: ActCheck) -> ActCheck:
        """Anything may happen before each question; the second yes is followed by the request itself."""
        self._world.oracle.acts(self._launch.device.name, self._world.now())
        moments: Iterator[Moment] = iter(("page", "click", "bytes"))
        pages: list[ShownByAct] = []

        def asked(shown: ShownByAct | None = None) -> None:
            moment = next(moments)
            self._launch.moment(moment, self._world.latency())
            self._launch.must_live()
            pages.extend(() if shown is None else (shown,))
            check(shown)
            if moment == "bytes":
                self._world.network_time()
                slug = self._world.who.slug(person.profile_url)
                self._world.sent(self._launch, kind, slug, text, shown=pages[-1] if pages else None)

        return asked


class Launch:
    """One start of Outrider on a device's folder, until it is closed or killed."""

    device: "Device"

    def __init__(self, device: "Device") -> None:
        world = device.world
        device.launches += 1
        self.device, self.hub = device, world.hub
        self.name = f"{device.name} {device.launches}"
        self.frozen = self.dead = False
        self.database = SimulatedDatabase(device.path)
        # As often as the seed says, not as often as two seconds of ours go by.
        often = world.chance.random() < 0.2 and not world.kinds.isdisjoint(("kill", "torn", "older"))
        self.heads = HeadsKeeper(self.database, every_seconds=0.0 if often else 1e9)
        self.signer = device.signer
        signing = LogSigner(self.signer) if self.signer is not None else None
        self.journal = SimulatedJournal(self.database, SeededIds(self.name), self.heads, signing=signing)
        self.turn_queue = self._turn_queue()
        self.workers = Workers(device.clock, scheduler=self, chance=world.chance.random)
        self.stop, self.wake = threading.Event(), threading.Event()
        self.wanted: str = ""
        self.acts_for = ""
        """The campaign that runs here, or ran last."""
        self.handed_to = ""
        self.running = False
        self.ended: RunResult | OutriderError | None = None
        self.proposer = SimulatedProposer(self)
        self._hostile: HostileProposer | None = None
        self.engine: SyncEngine | None = None
        self.sync_status: SyncStatus = LocalOnly()
        self.loss = RecordLoss(self.journal)
        self._attach()
        self.journal.after_commit = self._committed
        self.journal.subscribe(self._heard)
        self.database.before_write = self._may_fail
        self._runner: Task | None = None
        self._had_lease = False
        self.decided_although = ""
        """What forbade what this turn does, in words; "" for nothing."""
        self.scorer = Scorer(self.journal, lambda _: device.clock, self.workers)
        self.erased_files = ErasedFiles(
            self.journal, device.pictures.forget, lambda _: None, partial(remove_replaced, self), self.workers
        )
        self.background = self._background()

    def _turn_queue(self) -> RealTurnQueue:
        return cast(RealTurnQueue, TurnQueue(self.hub))

    def _background(self) -> Background:
        return Background(self)

    def _attach(self) -> None:
        device = self.device
        if not device.world.shared:
            return
        with self.database.read() as connection:
            attached = replica.project(connection)
        if attached is None:
            project = device.attached(device.id)
            with self.journal.transaction() as transaction:
                replica.attach(transaction, project)
        else:
            device.id = attached.device_id  # also of an older database
        self.engine = self.new_engine(
            ThisDevice(device.id, device.name, self.name),
            cast(Any, SimulatedStore(self)),
            on_wanted=self.hand_over,
            is_watched=lambda: self.running,
        )
        self.sync_status = self.engine

    def new_engine(self, device: ThisDevice, shared_store: SharedStore, **options: Any) -> SyncEngine:
        """As `backend.app.wiring` makes it, by this device's clock."""
        return SyncEngine(
            self.journal,
            BlobStore(self.device.path.parent / "artifacts"),
            device,
            self.device.clock,
            shared_store=shared_store,
            turn=self.turn_queue.turn,
            chance=self.device.world.chance.random,
            workers=self.workers,
            polls=POLLS,
            **options,
        )

    # --- a scheduler of its own: what it starts ends with it ---

    def start(self, name: str, work: Callable[[], None]) -> Task:
        task = self.hub.start(f"{self.name}: {name}", work, self)
        if self.dead:  # started by what is left of a killed process
            self.hub.abandon(self)
        return task

    def wait(self, wake: Wake, seconds: float | None) -> bool:
        return self.hub.wait(wake, seconds)

    def lock(self) -> Any:
        return self.hub.lock()

    # --- its life ---

    def open(self) -> None:
        """What works in the background begins."""
        if self.engine is not None:
            self.engine.open()
        self.scorer.open()
        self.background.open()

    def until_done(self, work: Callable[[], None]) -> None:
        """Whoever cannot start Outrider, because the disk is busy, say, starts it again."""
        done = False
        while not done:
            with suppress(OutriderError):
                work()
                done = True

    def page_used(self) -> None:
        """The user sees the page and does something there."""
        self.background.presence.report_active(PAGE, 0)
        self.background.timers.look()

    def user_returned(self) -> None:
        """The user says that what runs may go on."""
        self.page_used()
        self.background.presence.resume()

    def page_hidden(self) -> None:
        """The user looks at something else."""
        self.background.presence.hidden(PAGE)

    def must_live(self) -> None:
        """What is left of a killed process does nothing outside."""
        if self.dead:
            raise Gone

    def moment(self, kind: Moment, seconds: float = 0.0) -> None:
        """Time passes; others go on; or this launch is interrupted here."""
        if self.dead or self.database.depth or self.hub.current is None or self.hub.current.owner is not self:
            return
        self.device.world.moment(self, kind)
        self.hub.pause(seconds)

    def _heard(self, _: Committed) -> None:
        """What others record ends the runner's sleep; by its thread it cannot tell them apart here."""
        if not self._is_run_going_on():
            self.wake.set()

    def _is_run_going_on(self) -> bool:
        """Whether it is a run that records just now."""
        return self.hub.current is self._runner

    def _committed(self) -> None:
        if self._is_run_going_on():  # before others go on: by then it may have another holder
            self._had_lease = self.device.world.has_lease(self)
        self.moment("commit", self.device.world.chance.random() * 0.02)

    def _may_fail(self) -> None:
        if fault := self.device.world.disk_fault():
            name = self.database.path.name  # without its folder: it is logged, and must be the same in every run
            raise OutriderError(fault, path=name, detail="simulated")

    def commands(self) -> Commands:
        """What the user may decide here."""
        return Commands(self.journal, self.device.clock)

    @property
    def hostile(self) -> HostileProposer:
        """A model that somebody else speaks through."""
        if self._hostile is None:
            self._hostile = HostileProposer(self.device.world.chance.randrange(1_000), self._what_it_knows, sane=0.1)
        return self._hostile

    def _what_it_knows(self) -> Known:
        with self.database.read() as connection:

            def ids(sql: str) -> tuple[str, ...]:
                return tuple(row[0] for row in connection.execute(sql))

            return Known(
                closed_tasks=ids("SELECT id FROM tasks WHERE status IN ('done', 'blocked', 'verifying') ORDER BY id"),
                leads=ids("SELECT id FROM leads ORDER BY id"),
                drafts=tuple(
                    connection.execute(
                        "SELECT task_id, lead_id, id, 'browser.send_' || kind FROM messages WHERE status='draft' ORDER BY id"
                    )
                ),
                open_descriptions=ids(
                    "SELECT description FROM tasks WHERE kind='custom' AND status='pending' ORDER BY id"
                ),
                foreign_tasks=("somebody-elses-task",),
                foreign_leads=("somebody-elses-lead",),
                foreign_messages=("somebody-elses-message",),
            )

    # --- running ---

    def run(self, campaign_id: str) -> None:
        """The user presses Start."""
        if not self.running:
            self.running, self.acts_for, self.handed_to, self.ended = True, campaign_id, "", None
            self.device.world.begins_run(campaign_id)
            self.device.explanations.run_began(campaign_id, self.device.clock.ticks())
            self.stop.clear()
            self._runner = self.start("runner", lambda: self._run(campaign_id))

    def attach_again(self) -> None:
        """As Outrider says when the shared store is not what it was."""
        self.device.attach_again()

    def press_stop(self) -> None:
        """The user presses Stop."""
        self.stop.set()
        self.wake.set()

    def hand_over(self, name: str) -> None:
        """Another device acts from now on."""
        self.handed_to = name
        self.press_stop()
        for tell in self.background.sync.on_handover_requested:
            tell(name)

    def _run(self, campaign_id: str) -> None:
        try:
            self.loss.refuse()
            if self.engine is None:
                self.ended = self._carry_out(campaign_id)
            else:
                with self.engine.hold_lease(self.stop.is_set):
                    self.ended = self._carry_out(campaign_id)
        except OutriderError as error:
            self.ended = error
            self.judge_refusal(error)
        finally:
            self.running = False

    def may_start(self, _campaign_id: str) -> bool:
        """Whether the user can press Start: no further run than one."""
        return not self.running

    def judge_refusal(self, error: OutriderError) -> None:
        """The user reads why they are refused something."""
        self.device.world.judge(lambda: self.device.explanations.refused(error))

    def judge_run(self) -> None:
        """The user sees whether a run still goes on."""
        if self.running:
            self.device.world.judge(lambda: self.device.explanations.run_goes_on(self.device.clock.ticks()))

    def judge_end(self, ended: RunResult) -> None:
        """The user reads how a run ended."""
        self._judge(lambda seen: self.device.explanations.run_ended(*seen, ended))

    def judge_rest(self, nothing: NothingEligible) -> None:
        """The user reads until when a run has nothing to do, or why."""
        clock = self.device.clock
        self._judge(lambda seen: self.device.explanations.run_rests(*seen, nothing, clock.now(), clock.ticks()))

    def _judge(self, rule: Callable[[tuple[sqlite3.Connection, str]], None]) -> None:
        """Of what the user is told, beside what stands in the tables."""
        with self.database.read() as connection:
            self.device.world.judge(lambda: rule((connection, self.acts_for)))

    def _carry_out(self, campaign_id: str) -> RunResult:
        if self.device.world.assist:
            self.background.send_session.settle(campaign_id, self.device.clock)
        ended = self._runner_of(campaign_id).run(campaign_id)
        self.judge_end(ended)  # at once: while the lease is given back, the user may decide what it waits for
        return ended

    def _runner_of(self, campaign_id: str) -> CampaignRunner:
        world = self.device.world
        loop = TurnLoop(
            self.journal,
            self.proposer,
            ToolGateway(UserHands(ASSIST) if world.assist else SimulatedSite(self), self.device.clock.ticks),
            self.device.clock,
            self.background.presence,
            callbacks=TurnCallbacks(stopped=self.stop.is_set, boundary=self._at_boundary),
            turn_queue=self.turn_queue,
            sync_status=self.sync_status,
            scripts=self.background.sandbox,
        )
        return CampaignRunner(
            loop,
            stop=self.stop,
            wake=self.wake,
            on_sleep=self._sleeps,
            backoff=lambda: Backoff(world.chance.random),
            stay=world.assist,
            handed_over_to=lambda: self.handed_to,
        )

    def _at_boundary(self, name: str) -> None:
        world = self.device.world
        self.decided_although = ""
        if name == VALIDATED:
            forbids = "an incident was open" if self.name in world.halted and self._is_halted() else ""
            self.decided_although = forbids if world.has_lease(self) else "it had no lease"
        if name == "intent":
            if not self._had_lease:
                self.device.world.judge_broken(f"{self.name} begins to send, and has no lease")
            (kind,) = self.database.query(first_row, _LAST_KIND, self.acts_for)
            world.judge(lambda: world.oracle.begins(self.device.name, kind, world.now()))
            self.moment("intent")

    def incidents(self) -> int:
        """How many are on record, also of those that were cleared."""
        return int(self.database.query(first_row, "SELECT count(*) FROM incidents")[0])

    def _is_halted(self) -> bool:
        """Whether the incident that it met is on record: a disk that is full may keep it from that."""
        return self.database.query(first_row, "SELECT 1 FROM incidents WHERE status='open'") is not None

    def _sleeps(self, nothing: NothingEligible) -> None:
        self.judge_rest(nothing)
        if nothing.until is not None and nothing.until - self.device.clock.now() > LONG_PAUSE_MS:
            self.device.world.quiet_until[self.acts_for] = nothing.until
            self.press_stop()


class SimulatedProposer:
    """The script, which may take its time, fail, or say something else."""

    name = "scripted"

    def __init__(self, launch: Launch) -> None:
        self._launch = launch
        self._script = ScriptedProposer()

    def is_slow(self, _: Snapshot) -> bool:
        """Whoever is paid takes their time."""
        return self._launch.device.world.is_paid

    def reads_overview(self, snapshot: Snapshot) -> bool:
        """Whoever is paid or hostile reads everything, the script only what it needs."""
        world = self._launch.device.world
        return world.is_paid or "hostile model" in world.kinds or self._script.reads_overview(snapshot)

    def propose(self, snapshot: Snapshot, on_text: OnText = ignore_text, on_usage: OnUsage = ignore_usage) -> str:
        world = self._launch.device.world
        if snapshot.focus.task.description.startswith("Run the agent"):
            world.judge_broken(f"{self._launch.name}: a proposer is asked about {snapshot.focus.task.description!r}")
        if world.is_paid:
            self._be_paid(snapshot.campaign.id, on_usage)
        if world.is_hostile():
            return self._launch.hostile.propose(snapshot, on_text, on_usage)
        reply = self._script.propose(snapshot, on_text, on_usage)
        return world.model_says(self._launch, reply)

    def _be_paid(self, campaign_id: str, on_usage: OnUsage) -> None:
        """As a real model is: at most so much, which is asked for before."""
        world = self._launch.device.world
        reply_cost.budget_check(self._launch.database, campaign_id)(MOST_TOKENS, MOST_MICROS)
        cost = world.chance.randrange(1_000, MOST_MICROS)
        (on_record,) = self._launch.database.query(first_row, _COST_ON_RECORD, campaign_id)
        world.judge(lambda: world.oracle.paid(campaign_id, cost, on_record))
        on_usage(ModelUsage("dear", MOST_TOKENS // 2, 100, cost))


class Device:
    """A machine with a data folder; several may have the same id, if a folder was copied."""

    id: str
    path: Path
    clock: DeviceClock
    signer: MockSigner | None
    """What signs its logs, in worlds in which they are signed."""
    launches: int
    launch: Launch
    pictures: Pictures

    def __init__(self, world: "World", name: str, *, copy_of: "Device | None" = None) -> None:
        self.world, self.name = world, name
        self.id = copy_of.id if copy_of is not None else f"dev-{name}"
        self.clock = DeviceClock(world.hub, world.start)
        original = copy_of.signer if copy_of is not None else None
        signs = "signed" in world.kinds
        self.signer = original.copied(name) if original is not None else MockSigner(name) if signs else None
        self.explanations = Explanations(world.campaigns, clocks_are_right="clock" not in world.kinds)
        self.on_screen = ""
        self.pictures = Pictures(
            keeps_pictures="erase" in world.kinds, of=copy_of.pictures if copy_of is not None else None
        )
        self.launches = 0
        self.path = FOLDERS.take() / "outrider.db"
        self._asleep_since = 0
        self.kept: Path | None = None  # an older copy of the database, for whoever puts it back
        self.backups: list[Path] = []  # made by Outrider itself
        if self.signer is not None:
            self.signer.open()
        if copy_of is not None:
            self.clock.set_by = copy_of.clock.set_by
            copy_of.copy_to(self.path.parent)
        else:
            write_over(self.path, empty_database())
        self.relaunch()

    def copy_to(self, folder: Path, *, torn: bool = False) -> None:
        """The data folder as it is on the disk at this moment; `torn` loses the end of what was written last."""
        for file in sorted(self.path.parent.iterdir()):
            if file.is_file() and not file.name.endswith("-shm"):
                write_over(folder / file.name, file.read_bytes())
        if "files" in self.world.kinds and (self.path.parent / "artifacts").is_dir():
            shutil.copytree(self.path.parent / "artifacts", folder / "artifacts", dirs_exist_ok=True)
        wal = folder / "outrider.db-wal"
        if torn and wal.exists():  # a commit that had not been acknowledged: its last frame is not whole
            with wal.open("ab") as end:
                end.write(b"\x00" * 700)

    def kill(self, *, torn: bool = False, power_cut: bool = False) -> None:
        """The process ends here and now; what is on the disk is what the next launch finds.

        After a power cut that is what the product had the disk confirm: with less than FULL synchronisation SQLite waits for
        the disk at checkpoints only.
        """
        folder = FOLDERS.take()
        self.copy_to(folder, torn=torn)
        if power_cut and not commits_wait_for_disk():
            (folder / "outrider.db-wal").unlink(missing_ok=True)
        self._leave()
        self.path = folder / "outrider.db"
        self.relaunch()

    def put_back(self, older: Path) -> None:
        """The user closes Outrider and puts an older database in the place of this one."""
        folder = FOLDERS.take()
        self.copy_to(folder)
        (folder / "outrider.db-wal").unlink(missing_ok=True)
        write_over(folder / "outrider.db", older.read_bytes())
        self._leave()
        self.path = folder / "outrider.db"
        self.relaunch()

    def restore(self, backup_file: Path) -> str:
        """A backup of Outrider's own is put back with the next start; what kept it from that, if anything did."""
        folder = FOLDERS.take()
        self.copy_to(folder)
        self._leave()
        self.path = folder / "outrider.db"
        ids, service = SeededIds(f"{self.name} {self.launches} restores"), RestoreService(self.path, None)
        try:
            service.check("ticket", backup_file, backup_file.name)
            service.schedule("ticket")
            done = restore_at_start(self.path, partial(erase_again, ids, self.clock))
            problem = "nothing was scheduled" if done is None else done.problem.sentence if done.problem else ""
        except OutriderError as error:
            problem = error.sentence
        self.relaunch()
        return problem

    def attach_again(self) -> None:
        """The project is detached and attached, as Outrider says when the shared store is not what it was."""
        anew = f"dev-{self.name}-{self.world.hub.now}"
        with self.launch.journal.transaction() as transaction:
            replica.detach(transaction, self.clock.now())
            replica.attach(transaction, self.attached(anew))
        self.kill()

    def attached(self, device_id: str) -> replica.AttachedProject:
        """The project, with this machine as that device."""
        return replica.AttachedProject("http://x", "key", "ada", "a@b.c", device_id, self.name, 1, self.name)

    def keep_copy(self) -> None:
        """A copy of the database, as a user makes one."""
        self.kept = self.world.folder / f"kept-{self.name.replace(' ', '-')}-{self.launches}-{self.world.hub.now}.db"
        self.launch.database.copy_to(self.kept)

    def fall_asleep(self) -> None:
        """Nothing of it goes on any more."""
        self.launch.frozen = True
        self._asleep_since = self.world.hub.now

    def wake_up(self, *, announced: bool | None) -> None:
        """It goes on; `announced` says whether the system tells of the sleep, None that only the process had been stopped."""
        launch, passed = self.launch, self.world.hub.now - self._asleep_since
        launch.frozen = False
        if announced is not None:
            self.clock.asleep += passed
            self.clock.told_asleep += passed if announced else 0
            self.world.hub.slept(launch, passed)

    def _leave(self) -> None:
        launch = self.launch
        launch.dead = True
        self.world.hub.abandon(launch)
        self.world.left.append(launch)

    def restart(self) -> None:
        """Outrider was closed, and is started again on the same folder."""
        self._leave()
        self.relaunch()

    def relaunch(self) -> None:
        """Outrider is started again."""
        self.launch = self.world.new_launch(self)
        self.launch.open()

    # --- seen from outside ---

    @property
    def frozen(self) -> bool:
        """Whether it sleeps or is stopped."""
        return self.launch.frozen

    @property
    def campaign_id(self) -> str:
        """The campaign that its user works on."""
        return self.on_screen or self.world.campaign_id

    def is_set_up(self) -> bool:
        """Whether the first campaign is here."""
        return self.status(self.world.campaign_id) != ""

    def status(self, campaign_id: str) -> str:
        """A campaign's; "" where it is not known here."""
        row = self.launch.database.query(first_row, f"{_STATUS} WHERE id=?", campaign_id)
        return str(row[1]) if row else ""

    def statuses(self) -> dict[str, str]:
        """Of all campaigns that are known here; of one without people "empty"."""
        with self.launch.database.read() as connection:
            statuses = dict(connection.execute(_STATUS))
            peopled = {id_ for (id_,) in connection.execute(_WITH_PEOPLE)}
        return {
            id_: "empty" if id_ not in peopled and status != "deleted" else status for id_, status in statuses.items()
        }

    def heads(self) -> set[tuple[str, bytes, bytes]]:
        """Each stream, with the hashes of its last event and of its last audit entry; empty where there is none."""
        heads = (
            "SELECT campaign_id, iif(event_seq, event_hash, x''), iif(audit_seq, audit_hash, x'') FROM log_heads"
            " WHERE event_seq > 0 OR audit_seq > 0"
        )
        return set(self.launch.database.query(all_rows, heads))

    def chain(self) -> list[tuple[Any, ...]]:
        """Where all chains end."""
        return list(self.launch.database.query(all_rows, "SELECT * FROM log_heads ORDER BY 1"))

    def rows(self) -> dict[str, list[tuple[Any, ...]]]:
        """All that is made from the logs, by table, in any order."""
        with self.launch.database.read() as connection:
            return {table: connection.execute(f"SELECT * FROM {table}").fetchall() for table in PROJECTIONS}

    def finds(self, name: str) -> bool:
        """Whether a search by all words of the name finds anybody."""
        words = " AND ".join(f'"{word}"' for word in name.split())
        with self.launch.database.read() as connection:
            rows = connection.execute("SELECT 1 FROM leads_text WHERE leads_text MATCH ?", (words,))
            return rows.fetchone() is not None

    def erasures(self) -> frozenset[str]:
        """The erasures in its log."""
        with self.launch.database.read() as connection:
            made = connection.execute("SELECT entity_id FROM event_log WHERE kind='EntriesErased'")
            return frozenset(id_ for (id_,) in made)

    def words(self) -> list[tuple[str, str]]:
        """Every text in its database, with its table, and in each file beside it that is not the user's own."""
        with self.launch.database.read() as connection:
            tables = [name for (name,) in connection.execute(_TABLES)]
            rows = ((table, row) for table in tables for row in connection.execute(f"SELECT * FROM {table}"))
            texts = [(table, _text(value)) for table, row in rows for value in row if isinstance(value, (str, bytes))]
        files = (file for file in self.path.parent.rglob("*") if file.is_file())
        beside = (file for file in files if file.suffix != ".csv" and not file.name.startswith(self.path.name))
        return texts + [(file.name, _text(file.read_bytes())) for file in beside]

    def describe(self) -> str:
        """How it stands, for people."""
        ended = self.launch.ended
        with self.launch.database.read() as connection:
            asked = connection.execute("SELECT kind FROM input_requests WHERE status='open'").fetchall()
            tasks = connection.execute("SELECT status, count(*) FROM tasks GROUP BY 1").fetchall()
            drafts = connection.execute("SELECT status, count(*) FROM messages GROUP BY 1").fetchall()
        how = f"{ended.code}: {ended.sentence}" if isinstance(ended, OutriderError) else ended
        sync = self.launch.engine.report.state() if self.launch.engine is not None else ""
        return f"{self.statuses()}, last run {how}, asked {asked}, tasks {tasks}, texts {drafts}, {sync}"
