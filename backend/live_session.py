"""One launch of the app with its window or page: the lock, the workspace, the background runner, and the API's services."""

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from backend.api.auth import LaunchToken
from backend.api.feed import LiveFeed
from backend.api.file_desk import FileDesk
from backend.api.importer import Importer, admitted
from backend.api.knock import Knock
from backend.api.pairing import Pairing
from backend.api.services import Services
from backend.api.wire.base import ErrorShape
from backend.api.wire.feed import RunChanged, StepTicker
from backend.api.wire.runs import Asleep as AsleepShape
from backend.api.wire.runs import RunState
from backend.clocks import SystemClock
from backend.controller.commands import Commands
from backend.controller.context import Surroundings
from backend.controller.loop import Asleep
from backend.controller.presence import Presence
from backend.controller.runner import Ended
from backend.domain.errors import OutriderError
from backend.domain.lead_row import LeadRow, RejectedRow
from backend.ports.clock import Clock
from backend.rehearsal import clock_of, opened, prepared
from backend.settings import AppSettings
from backend.wiring import (
    LeadFile,
    Workspace,
    guessed_columns,
    lead_file,
    open_workspace,
    practice_site,
    runner,
    sole_instance,
)

PAGE = Path(__file__).parents[1] / "frontend" / "dist"
SHOWN_STEP = 200
_OVER = frozenset({"completed", "error"})
CLOSE_SECONDS = 60.0
"""How long closing waits for the atomic action in flight; after a longer one, recovery settles it at the next start."""


class PagePresence(Presence):
    """Presence in the user's time: a rehearsal's clock may jump over a week while the user sits there."""

    def __init__(self, minutes: int) -> None:
        super().__init__(minutes=minutes)
        self._clock = SystemClock()

    def is_present(self, now: int) -> bool:
        """Whether the user is here now."""
        return super().is_present(self._clock.now())

    def used(self, idle_ms: int) -> None:
        """The page was used this long ago."""
        self.heartbeat(self._clock.now() - idle_ms)


@dataclass
class _Run:
    """One campaign in the background; its clock is known once its surroundings are set up."""

    campaign_id: str
    stop: threading.Event = field(default_factory=threading.Event)
    wake: threading.Event = field(default_factory=threading.Event)
    clock: Clock | None = None
    admit: Callable[[Iterable[LeadRow]], None] | None = None
    settled: threading.Event = field(default_factory=threading.Event)
    """Set when the run can admit people, or is over."""


class LiveSession:
    """The background runner: one campaign at a time, in a thread of its own."""

    def __init__(self, workspace: Workspace, feed: LiveFeed, importer: Importer, *, hidden_browser: bool) -> None:
        self.workspace = workspace
        self.importer = importer
        self.feed = feed
        self.hidden_browser = hidden_browser
        self.presence_minutes = workspace.settings.presence_minutes
        self._presence = PagePresence(self.presence_minutes)
        self._lock = threading.Lock()
        self._starting = threading.Lock()
        self._run: _Run | None = None
        self._thread: threading.Thread | None = None
        self._state = RunState(phase="idle")

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
            status, site = self._campaign(campaign_id)
            if self._run is not None:
                self._already(campaign_id)
                return
            if self.importer.running(campaign_id):  # who is imported meanwhile would be missing on its network
                raise OutriderError("import_running")
            if status in _OVER:
                raise OutriderError("campaign_not_active", status=status, campaign=campaign_id)
            if site != "practice":
                raise OutriderError("run_not_possible", why=f"this page cannot drive {site} yet")
            self._begin(campaign_id)

    def stop(self, campaign_id: str) -> None:
        """Stop after the current atomic action; nothing if this campaign does not run."""
        with self._lock:
            run = self._run
            if run is None or run.campaign_id != campaign_id:
                return
            self._show(self._state.model_copy(update={"phase": "stopping"}))
            run.stop.set()
            run.wake.set()

    def heartbeat(self, idle_ms: int) -> None:
        """Somebody used the visible page this long ago."""
        self._presence.used(idle_ms)

    def leave(self) -> None:
        """The last page was closed."""
        self._presence.leave()

    def bring_in(self, campaign_id: str, rows: Iterable[LeadRow | RejectedRow], *, file: str, file_format: str) -> None:
        """Import in the background. People who join a running rehearsal are on its network before they are leads."""
        clock = self._clock(campaign_id)

        def admit(people: list[LeadRow]) -> None:
            run = self._run
            if run is not None and run.campaign_id == campaign_id:
                run.settled.wait()
                if run.admit is not None:
                    run.admit(people)

        with self._starting:
            self.importer.start(campaign_id, admitted(rows, admit), clock, file=file, file_format=file_format)

    def surroundings(self, campaign_id: str) -> Surroundings:
        """The time on the campaign's clock, and whether the user is here."""
        clock = self._clock(campaign_id)
        now = clock.now()
        return Surroundings(now, clock.offset(now), self._presence.is_present(now))

    def commands(self, campaign_id: str) -> Commands:
        """What the user may decide, at the campaign's time."""
        return self.workspace.commands(self._clock(campaign_id))

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

    def _already(self, campaign_id: str) -> str:
        run = self._run
        if run is not None and run.campaign_id != campaign_id:
            raise OutriderError("run_elsewhere", campaign=run.campaign_id)
        return campaign_id

    def _begin(self, campaign_id: str) -> None:
        run = self._run = _Run(campaign_id)
        self._show(RunState(phase="starting", campaign_id=campaign_id))
        self._thread = threading.Thread(target=self._work, args=(run,), name="runner")
        self._thread.start()

    def _work(self, run: _Run) -> None:
        state = RunState(phase="idle", campaign_id=run.campaign_id)
        try:
            ended = self._rehearse(run)
            state = RunState(phase="idle", campaign_id=run.campaign_id, halt=ended.halt, because=tuple(ended.because))
        except OutriderError as error:
            state = self._failed(run, error)
        except Exception as error:  # noqa: BLE001 - the thread's last resort, told to the terminal and the page
            state = self._failed(run, OutriderError("internal_error"))
            # Not swallowed: the interpreter's hook prints it, and the page has the coded error.
            threading.excepthook(threading.ExceptHookArgs((type(error), error, error.__traceback__, None)))
        finally:
            run.settled.set()
            with self._lock:
                self._run = None
                self._show(state)

    @staticmethod
    def _failed(run: _Run, error: OutriderError) -> RunState:
        shape = ErrorShape(code=error.code, sentence=error.sentence, remedy=error.remedy)
        return RunState(phase="idle", campaign_id=run.campaign_id, error=shape)

    def _rehearse(self, run: _Run) -> Ended:
        workspace = self.workspace
        with opened(workspace, run.campaign_id) as ready:
            run.clock, run.admit = ready.clock, ready.admit
            run.settled.set()
            site = practice_site(workspace.settings, ready.url, headless=self.hidden_browser)
            try:
                worker = runner(workspace, site, ready.clock, self._presence)
                worker.stay = True
                worker.stop, worker.wake = run.stop, run.wake
                worker.on_sleep = self._asleep
                worker.loop.on_step = self._stepped
                with self._lock:
                    if not run.stop.is_set():
                        self._show(RunState(phase="running", campaign_id=run.campaign_id))
                return worker.run(run.campaign_id)
            finally:
                site.close()

    def _stepped(self, campaign_id: str, step: int, what: str) -> None:
        if step > 1 and self._state.asleep is not None:
            self._show(self._state.model_copy(update={"asleep": None}))
        said = what[:SHOWN_STEP].encode("utf-8", "backslashreplace").decode()
        self.feed.announce("step", StepTicker(campaign_id=campaign_id, step=step, what=said))

    def _asleep(self, asleep: Asleep) -> None:
        shape = AsleepShape(until=asleep.until, held=list(asleep.held))
        if self._state.asleep != shape:
            self._show(self._state.model_copy(update={"asleep": shape}))

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

    def _clock(self, campaign_id: str) -> Clock:
        run = self._run
        if run is not None and run.campaign_id == campaign_id and run.clock is not None:
            return run.clock
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
    authority: list[str]


@contextmanager
def launched(
    settings: AppSettings, *, show_code: Callable[[str], None], hidden_browser: bool = False, page: Path = PAGE
) -> Iterator[Launch]:
    """Hold the data folder, open it, and hand out what the API needs; on leaving, the campaign stops cleanly first."""
    with sole_instance(settings), open_workspace(settings) as workspace:
        feed = LiveFeed(workspace.journal)
        importer = Importer(workspace.journal, feed)
        session = LiveSession(workspace, feed, importer, hidden_browser=hidden_browser)
        files = FileDesk(settings.data_dir / "uploads")
        authority = [""]
        services = Services(
            database=workspace.database,
            session=session,
            feed=feed,
            token=LaunchToken(),
            pairing=Pairing(show_code),
            knock=Knock(),
            files=files,
            lead_files=LeadFiles(),
            importer=importer,
            page=page,
            version=_version(),
            authority=lambda: authority[0],
        )
        try:
            yield Launch(services, session, authority)
        finally:
            feed.close()
            importer.close()
            session.close()
            files.close()


def _version() -> str:
    try:
        return version("outrider")
    except PackageNotFoundError:  # run from a folder that was never installed
        return "unknown"
