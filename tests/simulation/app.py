"""A launch that is put together and closed as the app is: the real run service, sync service, workspace and turn queue.

Its campaign is on LinkedIn (Drive or Assist), as a real user's is. Only the adapters pretend: browser, account, mails.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from backend.adapters.sites.user_hands import UserHands
from backend.adapters.worker_status_file import WorkerStatusFile
from backend.app.launch import RunningBackend
from backend.app.launch import _wake as wake_app
from backend.domain.gates.consent import CONSENT_SENTENCE
from backend.domain.model.channel import ASSIST
from backend.domain.values.error_table import ErrorCode
from backend.domain.values.errors import OutriderError
from backend.domain.values.shapes import ErrorShape
from backend.machine.settings import AppSettings
from backend.ports.account_locks import ONLY_FOLDER
from backend.ports.site import ActCheck, ShownByAct, SiteUnavailable
from backend.runtime.copies.proofs import LogProofs
from backend.runtime.copies.time_travel import TimeTravel
from backend.runtime.feed.feed import LiveFeed
from backend.runtime.feed.feed_messages import RunChanged
from backend.runtime.jobs.importer import Importer
from backend.runtime.jobs.log_check import LogCheck
from backend.runtime.run.campaign_runner import RunEnd, RunResult
from backend.runtime.run.dry_run import DryRuns
from backend.runtime.run.presence import PagePresence, Visits
from backend.runtime.run.rehearsal import ledger_of, rehearsal_summary, what_was_proven
from backend.runtime.run.run_service import RunService, _Runner
from backend.runtime.run.send_session import SendSession
from backend.runtime.sync.engine import SyncEngine
from backend.runtime.sync.lease import ThisDevice
from backend.runtime.sync.project_views import AnswerMail, AskMail, SignIn
from backend.runtime.sync.sync_service import SyncService, sync_announcer
from backend.runtime.worker import published_worker_status
from backend.runtime.workspace import Workspace
from backend.store.queries.people import consents
from backend.store.queries.turn.wake_requests import WakeRequest
from backend.store.replication.replica import AttachedProject
from backend.turn.gateway import ToolGateway
from backend.turn.loop import TurnCallbacks, TurnLoop
from backend.turn.turn_queue import TurnQueue
from tests.simulation.background import PRESENCE_MINUTES, Background
from tests.simulation.machine import LONG_PAUSE_MS, Device, Launch, SimulatedSite, SimulatedStore
from tests.simulation.oracle import Violation
from tests.stored_rows import all_rows

if TYPE_CHECKING:
    from backend.adapters.supabase.account import SupabaseAccount
    from backend.domain.values.health_check import HealthCheck
    from tests.simulation.user import User
    from tests.simulation.world import World

URL, KEY, EMAIL, PASSWORD = "https://project.test", "public", "ada@example.test", "a long password"
FOLDED_AT_ONCE = 40
"""So few events of a past are folded while the page waits, so that the others are folded in the background."""
_DISK_FAULTS = frozenset({"busy", "full", "unread"})
_LAST_INTENT = "SELECT entity_id FROM event_log WHERE campaign_id=? AND kind='ActionIntended' ORDER BY seq DESC LIMIT 1"


class _Session(NamedTuple):
    """What the sealed file of a sign-in holds, as far as it matters here."""

    user_id: str = "ada"
    email: str = EMAIL


class SimulatedAccount:
    """One person's account of the one project. Who signs out stays signed out until they sign in again; a file says so."""

    def __init__(self, launch: "AppLaunch", url: str) -> None:
        self._launch = launch
        self.url = url
        self.project = self.sign_in = self
        self.shared_store = cast(Any, _SignedIn(self))

    @property
    def _out(self) -> Path:
        return self._launch.device.path.parent / "signed-out"

    @property
    def is_signed_in(self) -> bool:
        return not self._out.exists()

    def _call(self) -> None:
        """A call of the project, which may be out of reach."""
        launch, world = self._launch, self._launch.device.world
        launch.must_live()
        if world.hub.current is not None and world.network_fault(launch.device):
            raise OutriderError("project_unreachable", said="no route")
        launch.moment("call", world.latency())

    def with_password(self, email: str, password: str) -> _Session:
        self._call()
        if password != PASSWORD:
            raise OutriderError("sign_in_wrong")
        return self._enter(email)

    def sign_up(self, email: str, password: str, *, back_to: str, on_made: Callable[[], None]) -> None:
        self._mailed(back_to)
        on_made()

    def ask_mail(self, email: str, *, back_to: str) -> None:
        self._mailed(back_to)

    def answer_mail(self, email: str, code: str) -> _Session:
        self._call()
        return self._enter(email)

    def _mailed(self, back_to: str) -> None:
        self._call()
        self._launch.mailed = back_to

    def _enter(self, email: str) -> _Session:
        self._out.unlink(missing_ok=True)
        return _Session(email=email)

    def sign_out(self) -> None:
        self._out.touch()

    def sign_out_others(self) -> None:
        self._call()

    def examine(self) -> "list[HealthCheck]":
        self._call()
        return []

    def where(self) -> str:
        return "the device's memory"

    def restrict_to_user(self, user_id: str, email: str, on_new_email: Callable[[str], None]) -> None:
        """There is one user."""

    def allow(self) -> None:
        """Nothing is called here."""

    forbid = close = allow

    def use_key(self, key: str) -> None:
        """One is as good as the other."""


class _SignedIn:
    """The shared store, for as long as somebody is signed in."""

    def __init__(self, account: SimulatedAccount) -> None:
        self._account = account
        self._store = SimulatedStore(account._launch)

    def __getattr__(self, name: str) -> Any:
        if not self._account.is_signed_in:
            return _refused
        return getattr(self._store, name)


def _refused(*_: Any, **__: Any) -> Any:
    from backend.ports.shared_store import SharedStoreRefusedError  # noqa: PLC0415

    raise SharedStoreRefusedError("signed_out", "nobody is signed in")


class DriveSite(SimulatedSite):
    """LinkedIn in a browser: it asks before each look and each act whether it may."""

    def __init__(self, launch: "AppLaunch", refusal: Callable[[], str]) -> None:
        super().__init__(launch)
        self._app, self._refusal = launch, refusal

    def _call(self, *arguments: Any) -> Any:
        self._refuse()
        return super()._call(*arguments)

    def _refuse(self) -> None:
        if why := self._refusal():
            raise SiteUnavailable(why)

    def _guarded(self, *arguments: Any) -> ActCheck:
        asked = super()._guarded(*arguments)

        def with_consent(shown: ShownByAct | None = None) -> None:
            asked(shown)
            self._app.judge_consent()

        return with_consent


class _HeardFeed(LiveFeed):
    """Tells the launch, too."""

    def __init__(self, launch: "AppLaunch") -> None:
        super().__init__(launch.journal)
        self._launch = launch

    def announce(self, key: str, message: Any) -> None:
        super().announce(key, message)
        if isinstance(message, RunChanged):
            self._launch.heard_of_run(message)


class AppBackground(Background):
    """The services of the app in the place of those that stand for them elsewhere."""

    app: "AppLaunch"

    def _connect(self) -> None:
        launch = cast(AppLaunch, self._launch)
        device, kinds = launch.device, launch.device.world.kinds
        self.feed = _HeardFeed(launch)
        self.importer = Importer(launch.journal, self.feed, launch.workers)
        outgoing = SimpleNamespace(write=lambda: None)
        self.workspace = Workspace(
            AppSettings(device.path.parent, "", PRESENCE_MINUTES),
            launch.database,
            launch.journal,
            cast(Any, outgoing),
            cast(Any, None),
            cast(Any, None),
            launch.workers,
            launch.turn_queue,
            device.clock,
            launch.erased_files,
            ONLY_FOLDER,
        )
        self.sync = SyncService(
            self.workspace,
            lambda url, _: cast("SupabaseAccount", SimulatedAccount(launch, url)),
            launch.build_engine,
            lambda _: None,
            announce=sync_announcer(self.feed),
            is_watched=lambda: launch.running,
            machine=f"machine of {device.name}",
        )
        launch.sync_status = self.sync
        self.presence = PagePresence(
            device.clock,
            minutes=PRESENCE_MINUTES,
            runs=lambda: not self.run_service.is_idle,
            on_change=lambda away_since: self.run_service.presence_changed(away_since),  # noqa: PLW0108 - it is made below
        )
        self.log_check = LogCheck(
            launch.journal,
            launch.workers,
            lambda damage: self.run_service.stop_for_damage(damage),  # noqa: PLW0108 - it is made below
        )
        self.visits = Visits(self.workspace)

        def refuse_to_act() -> None:
            launch.loss.refuse()
            if "log check" in kinds:
                self.log_check.refuse()

        self.send_session = SendSession(launch.journal, self.sync, launch.turn_queue.turn, refuse_to_act)
        self.run_service = RunService(
            self.workspace,
            self.feed,
            self.sync,
            self.presence,
            self.send_session,
            refuse_to_act=refuse_to_act,
            hidden_browser=True,
            open_site=cast(Any, None),
            user_site=lambda _: UserHands(ASSIST),
            drive_site=lambda refusal, _: DriveSite(launch, refusal),
            build_turn_loop=launch.build_turn_loop,
        )
        self.past = TimeTravel(launch.journal, launch.workers, FOLDED_AT_ONCE)
        self.proofs = LogProofs(launch.database, launch.workers, launch.signer)
        self.dry_runs = DryRuns(launch.database, launch.workers)
        self.status = published_worker_status(
            launch.workers, WorkerStatusFile(device.path.parent), launch.database.is_in_place
        )

    def _wake(self, request: WakeRequest) -> None:
        wake_app(self.run_service, self.assistant, request)


class AppLaunch(Launch):
    """As the app."""

    def __init__(self, device: Device) -> None:
        self.mailed = ""
        self._ended: RunResult | OutriderError | None = None
        self._begins = False
        self._runs: set[str] = set()
        self._begun: set[str] = set()
        """The acts that this launch began; others may be under way on another device."""
        super().__init__(device)

    # --- what the parts of a launch are, here ---

    def _turn_queue(self) -> Any:
        return TurnQueue(self.wait)

    def _background(self) -> Background:
        return AppBackground(self)

    @property
    def app(self) -> AppBackground:
        """Its services."""
        return cast(AppBackground, self.background)

    @property
    def engine(self) -> SyncEngine | None:
        """While a project is attached."""
        return self.app.sync._engine if "background" in vars(self) else None

    @engine.setter
    def engine(self, _: SyncEngine | None) -> None:
        """It is the sync service's."""

    @property
    def running(self) -> bool:
        """Also while it begins."""
        return self._begins or ("background" in vars(self) and not self.app.run_service.is_idle)

    @running.setter
    def running(self, _: bool) -> None:
        """The run service says so."""

    @property
    def _runners(self) -> list[_Runner]:
        return self.app.run_service._runners if "background" in vars(self) else []

    def _is_run_going_on(self) -> bool:
        return any(runner.worker._started is self.hub.current for runner in self._runners)

    def _attach(self) -> None:
        """Once the services are there."""

    def build_engine(
        self,
        workspace: Workspace,
        project: AttachedProject,
        shared_store: Any,
        *,
        on_change: Any,
        on_wanted: Any,
        is_watched: Any,
    ) -> SyncEngine:
        """As `backend.app.wiring.sync_engine`."""
        self.device.id = project.device_id
        return self.new_engine(
            ThisDevice(project.device_id, project.device_name, self.name),
            shared_store,
            on_change=on_change,
            on_wanted=on_wanted,
            is_watched=is_watched,
        )

    def build_turn_loop(
        self,
        workspace: Workspace,
        site: Any,
        clock: Any,
        presence: Any,
        *,
        proposer: Any,
        callbacks: TurnCallbacks,
        sync_status: Any,
    ) -> TurnLoop:
        """As `backend.app.wiring.build_turn_loop`."""
        return TurnLoop(
            workspace.journal,
            self.proposer,
            ToolGateway(site, clock.ticks),
            clock,
            presence,
            callbacks=replace(callbacks, boundary=self._at_boundary),
            turn_queue=workspace.turn_queue,
            sync_status=sync_status,
            scripts=self.background.sandbox,
        )

    def _at_boundary(self, name: str) -> None:
        if name == "intent":
            self._begun.update(*self.database.query(all_rows, _LAST_INTENT, self.acts_for))
        super()._at_boundary(name)

    # --- its life ---

    def open(self) -> None:
        """In the order of `backend.app.launch`."""
        app = self.app
        app.status.__enter__()
        self.until_done(app.sync.open)
        self.scorer.open()
        app.past.open()
        self.background.open()
        if self.device.world.shared and not app.sync.attached and self.hub.current is None:
            self.sign_in()

    def close(self) -> None:
        """The user closes Outrider: in the app's own order, with whatever is in flight."""
        world, app = self.device.world, self.app
        world.tell(f"{self.name}: the user closes Outrider{' while it runs' if self.running else ''}")
        nothing = SimpleNamespace(close=lambda: None)
        background = self.background
        services = SimpleNamespace(
            feed=app.feed,
            wake_timers=background.timers,
            agent_runs=background.agents.runs if "agents" in world.kinds else nothing,
            agent_tasks=background.agents.tasks if "agents" in world.kinds else nothing,
            importer=app.importer,
            do_not_contact_importer=nothing,
            scripts=background.scripts if "scripts" in world.kinds else nothing,
            dry_runs=app.dry_runs,
            files=nothing,
            time_travel=app.past,
            proving=app.proofs,
            visits=app.visits,
        )
        backend = RunningBackend(
            app.workspace,
            cast(Any, services),
            app.run_service,
            app.log_check,
            background.assistant,
            app.sync,
            self.scorer,
            [""],
        )
        backend.close()
        if not self.dead:
            app.status.__exit__(None, None, None)
            self._judge_closed()
            app.workspace.close()

    def _judge_closed(self) -> None:
        """Nothing was broken off in the middle, and nothing goes on."""
        world = self.device.world
        open_acts = {row[0] for row in self.database.query(all_rows, "SELECT id FROM actions WHERE status='intended'")}
        if open_acts & self._begun and world.kinds.isdisjoint(_DISK_FAULTS | {"assist"}):
            world.judge_broken(f"{self.name} was closed, and an act has no outcome")
        if self.running:
            world.judge_broken(f"{self.name} was closed, and its campaign still runs")
        if (self.device.path.parent / "workers.json").exists():
            world.judge_broken(f"{self.name} was closed, and still tells what its workers do")

    # --- running ---

    def may_start(self, campaign_id: str) -> bool:
        """Campaigns of the user's hand run beside each other."""
        return not self.running or (self.device.world.assist and not self.app.run_service.is_running(campaign_id))

    @property
    def is_left(self) -> bool:
        """Whether the user detached it while another device goes on: they have nothing done there until it is attached again."""
        return self.device.world.shared and self.engine is None

    def run(self, campaign_id: str) -> None:
        """The user presses Start, or has one step done."""
        if not self.may_start(campaign_id) or self.is_left:
            return
        self._begins, self._ended = True, None
        self.device.world.begins_run(campaign_id)
        self.device.explanations.run_began(campaign_id, self.device.clock.ticks())
        run_service, chance = self.app.run_service, self.device.world.chance
        begin = run_service.step if chance.random() < 0.05 else run_service.start
        self.start("user starts", lambda: self._begin(lambda: begin(campaign_id)))

    def _begin(self, begin: Callable[[], object]) -> None:
        try:
            begin()
        except OutriderError as error:
            self._ended = error
            self.judge_refusal(error)
        finally:
            self._begins = False

    @property
    def ended(self) -> RunResult | OutriderError | None:
        """How the last run ended, as the page was told."""
        return self._ended

    @ended.setter
    def ended(self, value: RunResult | OutriderError | None) -> None:
        self._ended = value

    def press_stop(self) -> None:
        """The user presses Stop, for whatever runs, or pauses everything."""
        run_service = self.app.run_service
        running = [state.campaign_id for state in run_service.run_states() if state.phase != "idle"]
        if len(running) > 1 and self.device.world.chance.random() < 0.5:
            self._begin(run_service.pause_all)
        else:
            for campaign_id in running:
                run_service.stop(campaign_id)

    def user_returned(self) -> None:
        """The user says that what runs may go on."""
        self.page_used()
        self.app.presence.resume()

    def _heard(self, _: Any) -> None:
        """What others record ends a run's sleep."""
        for runner in self._runners:
            if runner.run is not None and runner.worker._started is not self.hub.current:
                runner.run.wake.set()

    def heard_of_run(self, message: RunChanged) -> None:
        """What the page is told of the run."""
        run, world = message.run, self.device.world
        self.acts_for, ended = run.campaign_id, run.campaign_id in self._runs and run.phase == "idle"
        if run.phase != "idle":
            self._runs.add(run.campaign_id)
        if ended:
            self._runs.remove(run.campaign_id)
            if run.error is not None:
                self._ended = error = ToldError(run.error)
                self.judge_refusal(error)
            elif run.halt is not None:
                self._ended = result = RunResult(RunEnd(run.halt), run.because, run.until)
                self.judge_end(result)
            if run.until is not None and run.halt == RunEnd.NOT_YET:
                world.quiet_until[self.acts_for] = run.until
        nothing = run.nothing_eligible if run.phase == "running" else None
        if nothing is not None:
            self.judge_rest(nothing)
        until = nothing.until if nothing is not None else None
        if until is not None and until - self.device.clock.now() > LONG_PAUSE_MS:
            world.quiet_until[self.acts_for] = until
            self.start("user goes home", self.press_stop)  # not at once: the run service is telling it just now

    # --- the project ---

    def attach_again(self) -> None:
        """The project is detached and attached, as Outrider says when the shared store is not what it was."""
        self.app.sync.detach()
        self.sign_in()

    def sign_in(self) -> None:
        """With the password, with a new account, or by a mail."""
        sync, how = self.app.sync, self.device.world.chance.random()
        password = SignIn(url=URL, public_key=KEY, email=EMAIL, password=PASSWORD)
        if how < 0.6:
            sync.sign_in(password, "")
            return
        if how < 0.8:
            sync.sign_in(password.model_copy(update={"fresh": True}), "http://here")
        else:
            sync.ask_mail(AskMail(url=URL, public_key=KEY, email=EMAIL), "http://here")
        if how < 0.9:
            sync.follow_link(self.mailed.rsplit("/", 1)[1], f"{self.mailed}#token")
        else:
            sync.answer_mail(AnswerMail(url=URL, public_key=KEY, email=EMAIL, code="123456"))

    # --- consent ---

    def consent(self) -> None:
        """The user gives it in writing; nothing on Assist."""
        world = self.device.world
        if not world.assist:
            world.consent_withdrawn = ""  # also if the launch ends under it: it may be on record
            self.commands().consents.give(CONSENT_SENTENCE)

    def withdraw_consent(self) -> None:
        """From then on nothing leaves here."""
        self.commands().consents.withdraw()
        self.device.world.consent_withdrawn = self.device.name

    def has_consent(self) -> bool:
        """As it is on record here."""
        return self.database.query(consents.consent, "linkedin") is not None

    def judge_consent(self) -> None:
        """Right before the request leaves."""
        world = self.device.world
        if world.consent_withdrawn == self.device.name:
            world.judge_broken(f"{self.name} acts, and consent was withdrawn there")


class ToldError(OutriderError):
    """An error as the page was told of it."""

    def __init__(self, error: ErrorShape) -> None:
        Exception.__init__(self, error.sentence)
        self.code, self.facts = cast(ErrorCode, error.code), {}
        self.sentence, self.remedy = error.sentence, error.remedy


class AppDesk:
    """What the user does with the app as a whole at one device."""

    def __init__(self, user: "User") -> None:
        self._user = user

    def mend(self, launch: AppLaunch) -> bool:
        """What Outrider says is needed before anything goes on; whether there was anything."""
        user, world = self._user, self._user.world
        engine = launch.engine
        signed_out = engine is not None and engine.report.state().phase == "signed_out"
        if world.shared and (engine is None or (signed_out and not SimulatedAccount(launch, URL).is_signed_in)):
            world.tell(f"{launch.name}: the user signs in")
            return user.do(launch, launch.sign_in)
        wants = user.eager or world.chance.random() < 0.5
        if not world.assist and wants and launch.device.is_set_up() and not launch.has_consent():
            world.tell(f"{launch.name}: the user consents")
            return user.do(launch, launch.consent)
        return False

    def whim(self, launch: AppLaunch) -> None:
        """Something that nobody asked for."""
        user, world = self._user, self._user.world
        run_service, sync, campaign_id = launch.app.run_service, launch.app.sync, launch.device.campaign_id
        how = world.chance.choice(("close", "close", "project", "sign out", "others out", "consent", "wake", "detach"))
        if how == "close":
            user.do(launch, launch.close)  # by its own process: a kill ends that, too
            if not launch.dead:
                launch.device.restart()
            return
        world.tell(f"{launch.name}: the user, in Settings: {how}")
        if how == "project":
            user.do(
                launch, lambda: (sync.check(URL, KEY), sync.view(), sync.request_handover(), run_service.retry_start())
            )
        elif how == "sign out":
            user.do(launch, sync.sign_out)
        elif how == "others out":
            user.do(launch, sync.sign_out_other_devices)
        elif how == "consent" and not world.assist:
            user.do(launch, launch.withdraw_consent)
        elif how == "wake" and launch.device.is_set_up() and not launch.is_left:
            user.do(launch, lambda: launch.background.timers.wake_now(campaign_id, ""))
        elif how == "detach" and world.shared:
            user.do(launch, launch.attach_again)


def check_ledgers(world: "World") -> None:
    """What Outrider itself counts by the network's ledger and by its logs, once the world is over.

    A rehearsal is one campaign on a network of its own, where everybody has one address.
    """
    if world.has_several:
        return
    whole = world.kinds.isdisjoint(("assist", "older", "backup", "copy", "older store"))
    for device in world.devices:
        workspace = cast(AppLaunch, device.launch).app.workspace
        ledger = ledger_of(workspace, world.campaign_id)
        ledger.parent.mkdir(exist_ok=True)
        ledger.write_text("".join(entry.to_line() for entry in world.exchange.entries()), "utf-8")
        proven = what_was_proven(workspace, world.campaign_id)
        received = Counter(entry for entry in world.received() if entry[0] != "withdraw")
        counted = (proven.delivered, proven.duplicates, proven.broken)
        if counted != (received.total(), received.total() - len(received), ""):
            raise Violation(f"{device.name} proves {proven}, and {received} were received")
        if whole and (proven.missing > len(world.oracle.invited_outside) or proven.unapproved):
            raise Violation(f"{device.name} proves {proven}")
        if rehearsal_summary(workspace, world.campaign_id, ledger)["status"] != "completed":
            raise Violation(f"{device.name} sums up another campaign")
