"""What works beside the runner in a launch: assistant, importer, wake timers, presence, send session, scripts and agents."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, cast

from backend.adapters.sites.user_hands import NoSite
from backend.commands.user_commands import Commands
from backend.domain.turn.request import MOST_SECONDS, plain_command
from backend.domain.values.errors import OutriderError
from backend.ports.clock import Clock
from backend.runtime.feed.feed import LiveFeed
from backend.runtime.jobs.importer import Importer
from backend.runtime.jobs.log_check import LogCheck
from backend.runtime.jobs.script_service import ScriptService
from backend.runtime.run.assistant import AssistantService
from backend.runtime.run.continuation import ContinuationLoop
from backend.runtime.run.deadline_proposer import DeadlineProposer
from backend.runtime.run.presence import PagePresence
from backend.runtime.run.send_session import SendSession
from backend.runtime.run.wake_timers import WakeTimers
from backend.store.queries.turn.wake_requests import WakeRequest
from backend.turn.gateway import ToolGateway
from backend.turn.loop import TurnLoop
from backend.turn.reply_cost import late_bills
from tests.simulation.agents import Agents
from tests.simulation.analysis import SimulatedSandbox, script_service
from tests.simulation.connected import Program
from tests.simulation.kept_files import remove_unreferenced
from tests.simulation.live_page import LivePage

if TYPE_CHECKING:
    from tests.simulation.machine import Launch

PRESENCE_MINUTES = 10
PAGE = "page"


class Background:
    """The real services of one launch, on its clock and its scheduler."""

    presence: PagePresence
    feed: LiveFeed
    importer: Importer
    send_session: SendSession
    assistant: AssistantService
    scripts: ScriptService
    agents: Agents
    timers: WakeTimers
    workspace: Any
    run_service: Any
    sync: Any

    def __init__(self, launch: "Launch") -> None:
        clock = launch.device.clock
        self._launch = launch
        self._connect()
        self.assistant = AssistantService(
            self.workspace, self.feed, self.run_service, self.presence, self.sync, self._build_loop
        )
        kinds = launch.device.world.kinds
        self.sandbox = SimulatedSandbox(launch) if "scripts" in kinds else None
        if self.sandbox is not None:
            self.scripts = script_service(launch, self.feed, self.sandbox)
        if "agents" in kinds:
            self.agents = Agents(launch)
        self.program, self.live_page = Program(launch), LivePage(launch)
        self.timers = WakeTimers(
            launch.journal,
            clock,
            launch.workers,
            present=lambda: self.presence.is_present(clock.now()),
            wake=self._wake,
        )

    def _connect(self) -> None:
        """What the others ask; a launch that is put together as the app has the real ones."""
        launch, clock = self._launch, self._launch.device.clock
        self.presence = PagePresence(
            clock,
            minutes=PRESENCE_MINUTES,
            runs=lambda: launch.running,
            on_change=lambda away_since: launch.wake.set() if away_since is None else None,
        )
        self.feed = LiveFeed(launch.journal)
        self.importer = Importer(launch.journal, self.feed, launch.workers)
        self.workspace, self.sync = cast(Any, _Workspace(launch)), cast(Any, _Sync(launch))
        self.send_session = SendSession(launch.journal, launch.sync_status, launch.turn_queue.turn)
        self.run_service = cast(Any, _RunService(launch))
        self.log_check = LogCheck(launch.journal, launch.workers, self._is_broken)

    def open(self) -> None:
        """In the order of `backend.app.launch`."""
        launch = self._launch
        kinds = launch.device.world.kinds
        if "erase" in kinds:
            launch.journal.subscribe(launch.device.pictures.hear)
        if {"erase", "delete"} & kinds:
            launch.erased_files.open()
        if "files" in kinds:
            remove_unreferenced(launch)
        if "scripts" in kinds:
            launch.until_done(self.scripts.open)
        self.assistant.open()
        self.timers.open()
        if "agents" in kinds:
            self.agents.open()
        if "log check" in kinds:
            self.log_check.open()
        if "live page" in kinds:
            self.live_page.open()

    def _is_broken(self, error: OutriderError) -> None:
        self._launch.device.world.judge_broken(f"{self._launch.name}: {error.sentence}")

    def _build_loop(self, _: object, clock: Callable[[], Clock], presence: Any, **how: Any) -> ContinuationLoop:
        """As `backend.app.wiring` makes it, by the device's clocks."""
        launch = self._launch
        bounded = DeadlineProposer(
            launch.proposer,
            MOST_SECONDS,
            lambda: clock().ticks() / 1e6,
            scheduler=launch.workers.scheduler,
            late=late_bills(launch.journal, lambda: clock().now()),
        )

        def turns() -> TurnLoop:
            gateway = ToolGateway(NoSite(), clock().ticks)
            queue = launch.turn_queue
            return TurnLoop(
                launch.journal,
                bounded,
                gateway,
                clock(),
                presence,
                callbacks=how["callbacks"],
                turn_queue=queue,
                scripts=self.sandbox,
            )

        return ContinuationLoop(turns, bounded, lambda: launch.commands().requests)

    def _wake(self, request: WakeRequest) -> None:
        if request.input:
            key = f"wake-{request.id}-{request.asked_at}"
            self.assistant.submit(request.campaign_id, request.input, (), key=key, shown=plain_command(request.input))
        else:
            self.run_service.start(request.campaign_id)


class _Workspace:
    """What the assistant asks of the open data folder."""

    def __init__(self, launch: "Launch") -> None:
        self.journal, self.database, self.workers = launch.journal, launch.database, launch.workers

    def commands(self, clock: Clock) -> Commands:
        return Commands(self.journal, clock)


class _RunService:
    """What the assistant and the timers ask of the runner; the runner itself is the launch's."""

    def __init__(self, launch: "Launch") -> None:
        self._launch = launch
        self.proposer = launch.proposer

    def clock(self, _: str) -> Clock:
        return self._launch.device.clock

    def is_running(self, _: str) -> bool:
        return self._launch.running

    def start(self, campaign_id: str) -> None:
        status = self._launch.device.status(campaign_id)
        if not self._launch.running and status in ("completed", "error"):
            raise OutriderError("campaign_not_active", status=status, campaign=campaign_id)
        self._launch.loss.refuse()
        if self._launch.engine is not None:
            self._launch.engine.check_may_act()
        self._launch.run(campaign_id)

    def stop(self, _: str) -> None:
        self._launch.press_stop()


class _Sync:
    """What the assistant asks of the project that is attached, or not."""

    def __init__(self, launch: "Launch") -> None:
        self._launch = launch
        self.on_handover_requested: list[Callable[[str], None]] = []

    @property
    def attached(self) -> bool:
        return self._launch.engine is not None

    def describe(self) -> str:
        return self._launch.sync_status.describe()

    def fetch_again(self, sha256: str) -> None:
        if self._launch.engine is not None:
            self._launch.engine.fetch_again(sha256)

    @contextmanager
    def hold_lease(self, stopped: Callable[[], bool]) -> Iterator[None]:
        engine = self._launch.engine
        if engine is None:
            yield
            return
        with engine.hold_lease(stopped):
            yield
