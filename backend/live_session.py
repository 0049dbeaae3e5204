"""One launch of the app with its window or page: the workspace, the background runner, and the API's services."""

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from backend.api.auth import LaunchToken
from backend.api.feed import LiveFeed
from backend.api.file_desk import FileDesk
from backend.api.growing import GrowingReply
from backend.api.importer import Importer
from backend.api.knock import Knock
from backend.api.looking_back import LookingBack
from backend.api.pairing import Pairing
from backend.api.proving import Proving
from backend.api.scorer import Scorer
from backend.api.services import Services
from backend.api.wire.base import ErrorShape
from backend.api.wire.feed import RunChanged, StepTicker
from backend.api.wire.runs import Asleep as AsleepShape
from backend.api.wire.runs import RunState
from backend.clocks import SystemClock
from backend.controller.commands import Commands
from backend.controller.context import Surroundings
from backend.controller.loop import Asleep
from backend.controller.page_presence import PagePresence
from backend.controller.runner import Ended, Halt
from backend.domain.errors import OutriderError
from backend.domain.events import WORKSPACE
from backend.domain.lead_row import LeadRow, RejectedRow
from backend.live_assistant import LiveAssistant
from backend.live_sync import LiveSync, announcing
from backend.machine import Machine
from backend.outgoing import guard
from backend.ports.clock import Clock
from backend.ports.proposer import Proposer
from backend.rehearsal import begun_here, clock_of, opened, prepared
from backend.settings import AppSettings
from backend.store import artifacts
from backend.wiring import (
    LeadFile,
    Workspace,
    blob_store,
    evidence_store,
    guessed_columns,
    lead_file,
    member_key,
    open_workspace,
    practice_site,
    runner,
    ship_skills,
    skill_folder,
    supabase_account,
    try_model,
    write_papers,
)

PAGE = Path(__file__).parents[1] / "frontend" / "dist"
SHOWN_STEP = 200
SELECTED = 2
"""The step that selects the task."""
_OVER = frozenset({"completed", "error"})
CLOSE_SECONDS = 60.0
"""How long closing waits for the atomic action in flight; after a longer one, recovery settles it at the next start."""


@dataclass
class _Run:
    """One campaign in the background; its clock is known once its surroundings are set up."""

    campaign_id: str
    once: bool = False
    handed_to: str = ""
    stop: threading.Event = field(default_factory=threading.Event)
    wake: threading.Event = field(default_factory=threading.Event)
    clock: Clock | None = None


class LiveSession:
    """The background runner: one campaign at a time, in a thread of its own. `proposer` None: what each campaign names."""

    def __init__(
        self,
        workspace: Workspace,
        feed: LiveFeed,
        machine: Machine,
        importer: Importer,
        sync: LiveSync,
        *,
        hidden_browser: bool,
    ) -> None:
        self.workspace = workspace
        self.sync = sync
        self.machine = machine
        self.importer = importer
        self.feed = feed
        self.hidden_browser = hidden_browser
        self.proposer: Proposer | None = None
        self.presence_minutes = workspace.settings.presence_minutes
        self.presence = PagePresence(
            SystemClock(),
            minutes=self.presence_minutes,
            runs=lambda: self._run is not None,
            on_change=lambda since: self._change(away_since=since),
        )
        self._lock = threading.Lock()
        self._starting = threading.Lock()
        self._run: _Run | None = None
        self._thread: threading.Thread | None = None
        self._state = RunState(phase="idle")
        self._reply = GrowingReply()
        self._task = ""
        self._wanted: tuple[str, bool] | None = None  # what could not begin because another device acts
        sync.on_wanted.append(self.hand_over)
        sync.on_change.append(self._woken)

    # --- what the API asks ---

    def run_state(self) -> RunState:
        """What the background runner does now."""
        return self._state

    def start_rehearsal(self) -> str:
        """Go on with the last rehearsal of the bundled leads, or begin a new one when that is over; its campaign id."""
        with self._starting:
            if self._run is not None:
                return self._already(prepared(self.workspace, None, None))
            campaign_id = prepared(self.workspace, None, None)
            if self._campaign(campaign_id)[0] in _OVER:
                campaign_id = prepared(self.workspace, None, None, fresh=True)
            self._begin(campaign_id)
            return campaign_id

    def start(self, campaign_id: str) -> None:
        """Start or continue a campaign; nothing if it runs already."""
        with self._starting:
            if self._may_begin(campaign_id):
                self._begin(campaign_id)

    def start_again(self) -> None:
        """What could not begin because another device acts begins now; nothing if there is nothing."""
        wanted, self._wanted = self._wanted, None
        if wanted is not None:
            campaign_id, once = wanted
            (self.step if once else self.start)(campaign_id)

    def hand_over(self, device: str) -> None:
        """Stop after the current atomic action, because that device acts then; nothing if nothing runs."""
        with self._lock:
            run = self._run
            if run is not None:
                run.handed_to = device
                self._show(self._state.model_copy(update={"phase": "stopping"}))
                run.stop.set()
                run.wake.set()

    def step(self, campaign_id: str) -> None:
        """One turn of a campaign that does not run, then it is paused."""
        with self._starting:
            if not self._may_begin(campaign_id):
                raise OutriderError("turn_in_flight")
            self._begin(campaign_id, once=True)

    def stop(self, campaign_id: str) -> None:
        """Stop after the current atomic action; nothing if this campaign does not run."""
        with self._lock:
            run = self._run
            if run is None or run.campaign_id != campaign_id:
                return
            self._show(self._state.model_copy(update={"phase": "stopping"}))
            run.stop.set()
            run.wake.set()

    def runs(self, campaign_id: str) -> bool:
        """Whether this campaign runs now."""
        run = self._run
        return run is not None and run.campaign_id == campaign_id

    def seen(self, page: str, idle_ms: int) -> None:
        """The page is visible and was used this long ago."""
        self.presence.seen(page, idle_ms)

    def hidden(self, page: str) -> None:
        """The page is not visible any more."""
        self.presence.hidden(page)

    def leave(self) -> None:
        """No page is connected any more."""
        self.presence.leave()

    def returned(self) -> None:
        """The user is here and says that what runs may go on."""
        self.presence.returned()
        self._woken()

    def _woken(self) -> None:
        run = self._run
        if run is not None:
            run.wake.set()

    def bring_in(self, campaign_id: str, rows: Iterable[LeadRow | RejectedRow], *, file: str, file_format: str) -> None:
        """Import in the background; a running rehearsal hears of whom it brings (`backend.rehearsal`)."""
        self.importer.start(campaign_id, rows, self.clock(campaign_id), file=file, file_format=file_format)

    def surroundings(self, campaign_id: str) -> Surroundings:
        """The time on the campaign's clock, and whether the user is here."""
        clock = self.clock(campaign_id)
        now = clock.now()
        return Surroundings(now, clock.offset(now), self.presence.is_present(now), self.sync.word())

    def commands(self, campaign_id: str) -> Commands:
        """What the user may decide, at the campaign's time."""
        return self.workspace.commands(self.clock(campaign_id))

    def clear_profile(self) -> None:
        """Remove the browser's profile; never under a running campaign."""
        with self._starting:
            if self._run is not None:
                raise OutriderError("profile_in_use")
            self.machine.clear_profile()

    def close(self) -> None:
        """Stop after the current atomic action and wait for it."""
        with self._lock:
            run, thread = self._run, self._thread
            if run is not None:
                run.stop.set()
                run.wake.set()
        if thread is not None:
            thread.join(CLOSE_SECONDS)

    # --- the background thread ---

    def _may_begin(self, campaign_id: str) -> bool:
        """False if it runs already; raises what keeps it from running at all."""
        status, site = self._campaign(campaign_id)
        if self._run is not None:
            self._already(campaign_id)
            return False
        if status in _OVER:
            raise OutriderError("campaign_not_active", status=status, campaign=campaign_id)
        if site != "practice":
            raise OutriderError("run_not_possible", why=f"this page cannot drive {site} yet")
        if not begun_here(self.workspace, campaign_id):  # before another device is asked to hand over for nothing
            raise OutriderError("rehearsal_elsewhere")
        return True

    def _already(self, campaign_id: str) -> str:
        run = self._run
        if run is not None and run.campaign_id != campaign_id:
            raise OutriderError("run_elsewhere", campaign=run.campaign_id)
        return campaign_id

    def _begin(self, campaign_id: str, *, once: bool = False) -> None:
        self._wanted = (campaign_id, once)
        self.sync.ask()
        self._wanted = None
        run, name = _Run(campaign_id, once), self._name(campaign_id)
        with self._lock:  # or a stop that comes at the same moment would be forgotten
            self._run = run
            self._show(RunState(phase="starting", campaign_id=campaign_id, name=name, once=once))
        self._thread = threading.Thread(target=self._work, args=(run,), name="runner")
        self._thread.start()

    def _work(self, run: _Run) -> None:
        state = RunState(phase="idle", campaign_id=run.campaign_id)
        try:
            with self.sync.acting(run.stop.is_set):
                ended = self._rehearse(run)
            state = RunState(
                phase="idle", campaign_id=run.campaign_id, halt=ended.halt, because=ended.because, until=ended.until
            )
        except OutriderError as error:
            # Stopped while it waited for another device to hand over: nothing had begun.
            stopped = error.code == "proposer_stopped" and run.stop.is_set()
            state = state.model_copy(update={"halt": Halt.STOPPED}) if stopped else self._failed(run, error)
        except Exception as error:  # noqa: BLE001 - the thread's last resort, told to the terminal and the page
            state = self._failed(run, OutriderError("internal_error"))
            # Not swallowed: the interpreter's hook prints it, and the page has the coded error.
            threading.excepthook(threading.ExceptHookArgs((type(error), error, error.__traceback__, None)))
        finally:
            with self._lock:
                self._run = None
                self._show(state)

    @staticmethod
    def _failed(run: _Run, error: OutriderError) -> RunState:
        shape = ErrorShape(code=error.code, sentence=error.sentence, remedy=error.remedy)
        return RunState(phase="idle", campaign_id=run.campaign_id, once=run.once, error=shape)

    def _rehearse(self, run: _Run) -> Ended:
        workspace = self.workspace
        with opened(workspace, run.campaign_id) as ready:
            run.clock = ready.clock
            site = practice_site(workspace.settings, ready.url, headless=self.hidden_browser)
            try:
                worker = runner(workspace, site, ready.clock, self.presence, proposer=self.proposer, standing=self.sync)
                worker.stay, worker.once = True, run.once
                worker.handed_to = lambda: run.handed_to
                worker.stop, worker.wake = run.stop, run.wake
                worker.on_sleep = self._asleep
                worker.loop.on_step, worker.loop.on_text = self._stepped, self._heard
                with self._lock:
                    if not run.stop.is_set():
                        self._show(self._state.model_copy(update={"phase": "running"}))
                return worker.run(run.campaign_id)
            finally:
                site.close()

    def _stepped(self, campaign_id: str, step: int, what: str) -> None:
        if step > 1 and self._state.asleep is not None:
            self._change(asleep=None)
        said = what[:SHOWN_STEP].encode("utf-8", "backslashreplace").decode()
        if step <= SELECTED:
            self._task = said if step == SELECTED else ""
        self.feed.announce("step", StepTicker(campaign_id=campaign_id, step=step, what=said, task=self._task))

    def _heard(self, campaign_id: str, turn: int, text: str, whole: bool) -> None:
        self.feed.announce("reply", self._reply.hear(campaign_id, turn, text, whole=whole))

    def _asleep(self, asleep: Asleep) -> None:
        shape = AsleepShape(until=asleep.until, held=list(asleep.held))
        if self._state.asleep != shape:
            self._change(asleep=shape)

    def _change(self, **what: object) -> None:
        with self._lock:  # for the same reason
            self._show(self._state.model_copy(update=what))

    def _show(self, state: RunState) -> None:
        self._state = state
        self.feed.announce("run", RunChanged(run=state))

    # --- campaigns ---

    def _campaign(self, campaign_id: str) -> tuple[str, str]:
        """(status, site)."""
        with self.workspace.database.read() as connection:
            row: tuple[str, str] | None = connection.execute(
                "SELECT status, site FROM campaigns WHERE id=?", (campaign_id,)
            ).fetchone()
        if row is None:
            raise OutriderError("campaign_unknown", campaign=campaign_id)
        return row

    def _name(self, campaign_id: str) -> str:
        with self.workspace.database.read() as connection:
            (name,) = connection.execute("SELECT name FROM campaigns WHERE id=?", (campaign_id,)).fetchone()
        return str(name)

    def clock(self, campaign_id: str) -> Clock:
        """The clock that the campaign lives by at this moment."""
        run = self._run
        if run is not None and run.campaign_id == campaign_id and run.clock is not None:
            return run.clock
        if campaign_id == WORKSPACE:
            return SystemClock()
        return clock_of(self.workspace, campaign_id) if self._campaign(campaign_id)[1] == "practice" else SystemClock()


class LeadFiles:
    """The lead files that the wiring knows how to read."""

    def read(self, path: Path, mapping: Mapping[str, str] | None) -> LeadFile:
        """Recognise the file, or read it by a mapping."""
        return lead_file(path, mapping)

    def guess(self, path: Path) -> tuple[tuple[str, ...], dict[str, str]]:
        """The header of a file that is not recognised, with a guess."""
        return guessed_columns(path)


@dataclass
class Launch:
    """A running app's backend; `authority` is set once the server listens."""

    services: Services
    session: LiveSession
    assistant: LiveAssistant
    authority: list[str]


@contextmanager
def launched(
    settings: AppSettings,
    *,
    show_code: Callable[[str], None],
    knock: Knock | None = None,
    hidden_browser: bool = False,
    page: Path = PAGE,
) -> Iterator[Launch]:
    """Open the data folder, which the caller holds; on leaving, the campaign stops cleanly first."""
    guard()
    with open_workspace(settings) as workspace:
        ship_skills(workspace)
        feed = LiveFeed(workspace.journal)
        machine = Machine(settings, _version())
        importer = Importer(workspace.journal, feed)
        sync = LiveSync(
            workspace,
            partial(supabase_account, workspace),
            announce=announcing(feed),
            used=lambda: session.presence.is_present(SystemClock().now()),
        )
        session = LiveSession(workspace, feed, machine, importer, sync, hidden_browser=hidden_browser)
        assistant = LiveAssistant(workspace, feed, session, sync)
        files = FileDesk(settings.data_dir / "uploads")
        looking_back, proving = LookingBack(workspace.journal), Proving(workspace.database)
        blobs = blob_store(settings)
        with workspace.database.read() as connection:
            blobs.sweep(artifacts.in_files(connection))  # what a crash left; nobody keeps anything yet
        keys, authority = replace(workspace.keys, end_other_sessions=sync.end_others), [""]
        services = Services(
            database=workspace.database,
            session=session,
            assistant=assistant,
            sync=sync,
            feed=feed,
            token=LaunchToken(),
            pairing=Pairing(show_code),
            knock=knock or Knock(),
            files=files,
            looking_back=looking_back,
            proving=proving,
            machine=machine,
            member_key=member_key,
            evidence=evidence_store(settings).read,
            blobs=blobs,
            papers=partial(write_papers, workspace),
            lead_files=LeadFiles(),
            credentials=keys,
            keys=keys,
            try_model=lambda connection: try_model(connection, keys, workspace.outgoing),
            outgoing=workspace.outgoing,
            skill_folder=skill_folder,
            importer=importer,
            page=page,
            version=_version(),
            authority=lambda: authority[0],
        )
        scorer = Scorer(workspace.journal, lambda campaign_id: session.commands(campaign_id).clock)
        try:
            sync.open()
            assistant.open()
            yield Launch(services, session, assistant, authority)
        finally:
            feed.close()
            assistant.halt()
            session.close()  # first of all that is waited for: nothing more is to be sent
            assistant.close()
            sync.close()  # what they recorded is pushed, and the lease given back
            importer.close()
            scorer.close()
            files.close()
            looking_back.close()
            proving.close()


def _version() -> str:
    try:
        return version("outrider")
    except PackageNotFoundError:  # run from a folder that was never installed
        return "unknown"
