"""The only file that names concrete adapters: from settings to a workspace, from a workspace to something that runs."""

import contextlib
import os
import random
import shutil
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from backend.adapters import processes
from backend.adapters.account_locks import FileAccountLocks
from backend.adapters.browser.chromium import BrowserChoice, browser_version
from backend.adapters.clocks import SystemClock
from backend.adapters.credentials.device_key import DeviceKey
from backend.adapters.credentials.environment import Environment
from backend.adapters.credentials.keychain import Keychain
from backend.adapters.credentials.sealed_files import SealedFolder
from backend.adapters.credentials.vault import SealedVault
from backend.adapters.egress_guard import EgressGuard
from backend.adapters.files.content_files import BlobStore, path_inside
from backend.adapters.files.evidence import EvidenceStore
from backend.adapters.files.file_search import FileSearcher
from backend.adapters.files.mcp_hosts import McpHostFiles
from backend.adapters.files.outside_checks import CampaignFolderChecks
from backend.adapters.files.pdf_summary import PdfSummarizer
from backend.adapters.ids import SystemIds
from backend.adapters.instance_lock import InstanceLock
from backend.adapters.leadfiles.profile_url import normalise_profile_url
from backend.adapters.line_process import OwnLineProcess
from backend.adapters.llm.campaign_proposer import CampaignProposer, find_secret
from backend.adapters.llm.connection_probe import probe_connection
from backend.adapters.llm.stream_reader import StreamControl
from backend.adapters.machine_identity import machine_identity
from backend.adapters.sandbox.question_process import OwnQuestionProcess
from backend.adapters.signing.ed25519 import Ed25519Signer
from backend.adapters.sites.practice_pages import PRACTICE_SETTLE_SECONDS
from backend.adapters.sites.user_hands import NoSite, UserHands
from backend.adapters.skills.readers import BuiltinSkillReader, skill_reader_for
from backend.adapters.supabase.account import SupabaseAccount
from backend.adapters.worker_status_file import WorkerStatusFile
from backend.agents.outreach_tools import PendingInvitationFinder
from backend.agents.supervisor import AgentPolicy, AgentRun, Supervisor
from backend.commands.keys import KeyCommands
from backend.commands.user_commands import Commands
from backend.domain.device.passive_agent import AnyAgent
from backend.domain.device.vault import KdfCost
from backend.domain.events.events import AuditEntry
from backend.domain.model.channel import DRIVE, LINKEDIN_ADDRESS
from backend.domain.model.connection import Connection, ConnectionTest, ModelNames, host_of
from backend.domain.people.contact_keys import mailbox_key
from backend.domain.turn.request import MOST_SECONDS
from backend.domain.turn.skill import SkillFolder
from backend.domain.values.errors import OutriderError
from backend.machine.durable_files import UNFINISHED
from backend.machine.settings import SETTINGS, AppSettings
from backend.machine.unfinished_files import remove_unfinished_files
from backend.ports.clock import Clock
from backend.ports.credentials import ModelKeys, Secret
from backend.ports.egress import LINKEDIN_DRIVE as LINKEDIN_PURPOSE
from backend.ports.egress import UPDATES, AllowedHost, CallTotals, EgressPolicy
from backend.ports.line_process import LineProcess
from backend.ports.proposer import Proposer
from backend.ports.question_process import QuestionProcess
from backend.ports.scheduler import Scheduler
from backend.ports.script_sandbox import ScriptChecks, ScriptSandbox
from backend.ports.shared_store import SharedStore
from backend.ports.site import Site
from backend.ports.sync_status import SyncStatus
from backend.runtime.copies import campaign_files
from backend.runtime.copies.record_loss import RecordLoss
from backend.runtime.copies.restoring import erase_again
from backend.runtime.copies.update_trial import detach_image
from backend.runtime.feed.feed_messages import SyncState
from backend.runtime.jobs.erased_files import ErasedFiles
from backend.runtime.jobs.retention import Retention
from backend.runtime.jobs.script_runs import ScriptRunner
from backend.runtime.run.continuation import ContinuationLoop
from backend.runtime.run.deadline_proposer import DeadlineProposer
from backend.runtime.run.rehearsal import clock_of
from backend.runtime.sync.engine import SyncEngine
from backend.runtime.sync.lease import ThisDevice
from backend.runtime.worker import Workers, published_worker_status
from backend.runtime.workspace import Workspace
from backend.store import backup
from backend.store.backup import EraseAgain
from backend.store.condition_process import ConditionProcesses
from backend.store.database import Database
from backend.store.last_known import remove_last_known
from backend.store.log import newer_entries
from backend.store.log.heads_file import HeadsKeeper
from backend.store.log.journal import Journal
from backend.store.log.log_signer import LogSigner
from backend.store.queries.device import egress_log, models
from backend.store.queries.turn import mcp_clients
from backend.store.replication.replica import AttachedProject
from backend.store.update_lists import remove_outdated
from backend.turn.gateway import ToolGateway
from backend.turn.loop import TurnCallbacks, TurnLoop
from backend.turn.presence import Presence
from backend.turn.reply_cost import budget_check, late_bills
from backend.turn.turn_queue import TurnQueue

if TYPE_CHECKING:
    from backend.adapters.browser.session import BrowserSession

__all__ = ["Workspace", "machine_identity"]
"""What others take from here of what is not defined here."""


MOST_REPLY_BYTES = 64 << 20
SIGNING_KEY_RETRY_SECONDS = 15.0
PDF_MEGABYTES = 1_024


def open_existing_workspace(stack: ExitStack, settings: AppSettings) -> Workspace | None:
    """The workspace, closed with the stack; None if there is none yet, and none is made."""
    return stack.enter_context(open_workspace(settings)) if settings.has_database() else None


@contextmanager
def open_workspace(
    settings: AppSettings,
    *,
    despite_loss: bool = False,
    first_pause: float | None = None,
    kdf_cost: KdfCost | None = None,
) -> Iterator[Workspace]:
    """The data folder's database, opened and brought up to date; `database_*` errors.

    Raises `log_newer`; `records_lost` if committed log entries are missing, until the user has decided to go on without them,
    and `heads_unreadable`; `despite_loss` is for what looks, saves or decides about that. `first_pause` (s) is that of a worker
    after a failure, `kdf_cost` what a passphrase's check costs; None is what is usual.
    """
    SystemClock().now()  # a wrong one is told before anything is opened, and before any id is made of it
    remove_unfinished_files(settings.data_dir, detach_image)
    remove_outdated(settings.data_dir)
    if backup.is_unfinished(settings.database):
        # Whoever holds the folder finished it; without, a new database would be made.
        with instance_lock(settings):
            pass
    database = Database(settings.database)
    earlier = Keychain()
    device = DeviceKey(settings.data_dir / "sealed", earlier, kdf_cost)
    sealed = SealedFolder(device)
    journal = Journal(database, SystemIds(), HeadsKeeper(database), LogSigner(Ed25519Signer(sealed)))
    try:
        if not despite_loss:
            RecordLoss(journal).refuse()
        database.query(newer_entries.refuse)
        remove_last_known(settings.data_dir)
    except BaseException:
        database.close()
        raise
    vault, environment_keys = SealedVault(device, sealed, kdf_cost), Environment(processes.environment_with_keys())
    keys = KeyCommands(
        journal=journal, clock=SystemClock(), vault=vault, startup_credentials=environment_keys, earlier=earlier
    )
    clock = SystemClock()
    workers = Workers(clock, first_pause=first_pause)
    database.conditions = ConditionProcesses(database.path, partial(start_questions, workers.scheduler))
    outgoing, turn_queue = _outgoing(settings, database, workers), TurnQueue(workers.scheduler.wait)
    forget_campaign = partial(_remove_campaign_files, settings.data_dir)
    forget_copies = partial(_remove_copies, journal, clock, settings)
    erased = ErasedFiles(journal, evidence_store(settings).forget, forget_campaign, forget_copies, workers)
    accounts = FileAccountLocks(settings.accounts_dir, settings.data_dir)
    workspace = Workspace(
        settings, database, journal, outgoing, sealed, keys, workers, turn_queue, clock, erased, accounts
    )
    erased.open()
    try:
        yield workspace
    finally:
        workspace.close()
        accounts.close()


def erase_in_restored() -> EraseAgain:
    """Erases in a backup that is put back what this device knows to be erased."""
    return partial(erase_again, SystemIds(), SystemClock())


def _outgoing(settings: AppSettings, database: Database, workers: Workers) -> EgressGuard:
    releases = [AllowedHost(host_of(settings.updates.address), UPDATES)] if settings.updates else []

    def listed() -> list[AllowedHost]:
        with database.read() as connection:
            return [*egress_log.allowed_hosts(connection), *releases]

    def keep(rows: Sequence[CallTotals]) -> None:
        with database.write() as connection:
            egress_log.add(connection, rows)

    guard = EgressGuard(SystemClock(), listed, keep)
    writer = workers.add("register of calls", guard.write_pending)
    writer.start(None)
    guard.write_later = writer.wake
    return guard


def signing_key_refusal(settings: AppSettings) -> OutriderError | None:
    """Why there is no key that the logs could be signed by, and what to do; None if there is one. Makes none."""
    return DeviceKey(settings.data_dir / "sealed", Keychain()).locked()


def fetch_signing_key(workspace: Workspace) -> None:
    """Fetch the key that the logs are signed by, in the background: a keychain may take its time, or ask.

    It is asked once; later, the key comes when something else has opened the keychain or the vault.
    """
    asked = False

    def fetch() -> float | None:
        nonlocal asked
        if asked and not workspace.sealed.is_open:
            return SIGNING_KEY_RETRY_SECONDS
        asked = True
        try:
            workspace.open_signer()
        except OutriderError:  # told by `outrider doctor`; what happens meanwhile is signed later
            return SIGNING_KEY_RETRY_SECONDS
        return None

    workspace.workers.add("signing key", fetch).start()


def published_workers(workspace: Workspace) -> AbstractContextManager[None]:
    """What the workers do is on disk, for `outrider doctor`; for whoever holds the data folder."""
    file = WorkerStatusFile(workspace.settings.data_dir)
    return published_worker_status(workspace.workers, file, workspace.database.is_in_place)


def open_account(workspace: Workspace, url: str, public_key: str) -> SupabaseAccount:
    """A project, and who is signed in to it here. Raises `project_address_refused` and `project_key_secret`."""
    return SupabaseAccount(url, public_key, workspace.outgoing, workspace.sealed)


def sync_engine(
    workspace: Workspace,
    project: AttachedProject,
    shared_store: SharedStore,
    *,
    on_change: Callable[[SyncState], None],
    on_wanted: Callable[[str], None],
    is_watched: Callable[[], bool],
) -> SyncEngine:
    """What brings both stores into step, not begun yet."""
    return SyncEngine(
        workspace.journal,
        blob_store(workspace.settings),
        ThisDevice(project.device_id, project.device_name, workspace.journal.ids.new()),
        workspace.clock,
        shared_store=shared_store,
        turn=workspace.turn_queue.turn,
        chance=random.random,
        on_change=on_change,
        on_wanted=on_wanted,
        is_watched=is_watched,
        commands_for=lambda campaign_id: workspace.commands(clock_of(workspace, campaign_id)),
        workers=workspace.workers,
    )


@contextmanager
def instance_lock(settings: AppSettings) -> Iterator[backup.RestoreReport | None]:
    """The lock under which turns may run; a restore that was killed is finished first, and what came of it is the value."""
    with InstanceLock(settings.data_dir):
        yield backup.finish(settings.database)


def read_chosen_skill(path: Path) -> SkillFolder:
    """The skill that the user chose: a folder, a zip or the document alone; `skill_source_*` errors."""
    return next(skill_reader_for(path).folders())


def install_builtin_skills(workspace: Workspace) -> None:
    """Bring the built-in skills of an open workspace up to date; for whoever holds the data folder."""
    workspace.commands(actor="controller").skills.update_builtin(BuiltinSkillReader().folders())


def browser_profiles(settings: AppSettings) -> Path:
    """Where the browsers that Outrider drives keep their profiles, one a site."""
    return settings.data_dir / "browser"


def practice_profile(settings: AppSettings) -> Path:
    """Where the practice network's browser keeps its profile."""
    return browser_profiles(settings) / "practice"


def member_key(person: str) -> str | None:
    """Who is meant by the address of a profile or an e-mail address, spelled as imported leads are; None: nobody."""
    address = person.strip()
    return mailbox_key(address) or normalise_profile_url(address)


def evidence_store(settings: AppSettings) -> EvidenceStore:
    """Where what was seen is kept."""
    return EvidenceStore(settings.data_dir / "evidence")


def retention_of(workspace: Workspace) -> Retention:
    """Removes the files that the user wants no longer kept."""
    return _retention(workspace.journal, workspace.clock, workspace.settings)


def _retention(journal: Journal, clock: Clock, settings: AppSettings) -> Retention:
    evidence = evidence_store(settings)
    return Retention(journal, clock, evidence.folder, evidence.forget, settings.data_dir / "practice")


def _remove_copies(journal: Journal, clock: Clock, settings: AppSettings, every: bool) -> None:
    """Databases that restores replaced or left unfinished, and the files for people that can be written again. Raises OSError.

    Without `every` only those of the replaced databases that had not heard of all that is erased.
    """
    retention = _retention(journal, clock, settings)
    remove_replaced = retention.remove_replaced if every else retention.remove_replaced_before_erasure
    remove_replaced()
    backup.remove_unfinished(settings.database)
    remove_unfinished_files(settings.data_dir, detach_image)
    for name in (*campaign_files.WRITTEN, f"{UNFINISHED}*"):  # what a kill left of one
        for file in (settings.data_dir / "campaigns").glob(f"*/{name}"):
            file.unlink(missing_ok=True)


def blob_store(settings: AppSettings) -> BlobStore:
    """Where artifacts are kept that are no small text."""
    return BlobStore(settings.data_dir / "artifacts")


def campaign_folder(workspace: Workspace, campaign_id: str) -> Path:
    """Where a campaign's files for people are, and where its commitments look for files and start programs."""
    return path_inside(workspace.settings.data_dir / "campaigns", campaign_id)


def delete_campaign(workspace: Workspace, commands: Commands, campaign_id: str) -> int:
    """Delete the campaign, then its files: evidence, files for people, the practice network's ledger; erased log entries.

    Raises what `campaigns.delete` raises. Files of artifacts go at the next start.
    """
    erased = commands.campaigns.delete(campaign_id)
    with contextlib.suppress(OSError):  # one that cannot go now goes later, in the background
        workspace.erased_files.remove()
    return erased


def _remove_campaign_files(data_dir: Path, campaign_id: str) -> None:
    """Its files for people and what the practice network keeps of it, as far as they are there. Raises OSError."""
    folder = path_inside(data_dir / "campaigns", campaign_id)
    if folder.exists():
        shutil.rmtree(folder)
    for ledger in path_inside(data_dir / "practice", campaign_id).parent.glob(f"{campaign_id}.*"):
        ledger.unlink(missing_ok=True)


def write_campaign_files(workspace: Workspace, campaign_id: str) -> Path:
    """Write the campaign's files for people again; the folder that they are in. Raises `campaign_unknown`, `export_failed`."""
    with workspace.database.read() as connection:
        files = campaign_files.render_files(connection, campaign_id, [setting.variable for setting in SETTINGS])
    folder = campaign_folder(workspace, campaign_id)
    campaign_files.write_files(folder, files)
    written = {"files": sorted(files), "bytes": sum(len(text.encode("utf-8", "replace")) for text in files.values())}
    entry = AuditEntry("file.write", {"parameters": written, "outcome": "ok"})
    now = SystemClock().now()
    workspace.journal.record(campaign_id, events=(), audits=(entry,), actor="user", cause="campaign files", at=now)
    return folder


def practice_site(
    settings: AppSettings,
    base_url: str,
    password: str,
    *,
    headless: bool,
    settle_seconds: float = PRACTICE_SETTLE_SECONDS,
    beside: Callable[[], tuple[int, int, int, int] | None] = lambda: None,
) -> Site:
    """The practice network in a real browser, in a profile of its own; `password` is that of the network's launch.

    `beside` gives the place of the browser's window (x, y, width, height); None: where it was.
    """
    # Only a run needs a browser; importing its driver takes longer than everything else together.
    from backend.adapters.browser.session import BrowserSession  # noqa: PLC0415
    from backend.adapters.sites.practice import PracticeSite  # noqa: PLC0415

    find = BrowserChoice(settings.data_dir).program
    session = BrowserSession(
        "practice", practice_profile(settings), base_url, headless=headless, find=find, beside=beside
    )
    evidence = evidence_store(settings)
    return PracticeSite(session, base_url, evidence, password=password, settle_seconds=settle_seconds)


class DriveSites:
    """LinkedIn in one visible browser, in a profile of its own, for all campaigns that Outrider sends itself.

    Only tests give another address; a hidden browser is refused for anything that this machine does not serve itself.
    """

    def __init__(self, workspace: Workspace, *, base_url: str = LINKEDIN_ADDRESS, headless: bool = False) -> None:
        self._workspace = workspace
        self._base_url, self._headless = base_url, headless
        self._lock = threading.Lock()
        self._session: BrowserSession | None = None

    def __call__(self, refusal: Callable[[], str], stopped: Callable[[], bool]) -> Site:
        """For one run; `refusal` says why nothing may be looked at or done now, `stopped` ends the wait for a log-in."""
        from backend.adapters.sites.linkedin import DriveSite  # noqa: PLC0415 - as above

        evidence = evidence_store(self._workspace.settings)
        return DriveSite(self._browser(), evidence, refusal=refusal, stopped=stopped)

    def _browser(self) -> "BrowserSession":
        from backend.adapters.browser.session import BrowserSession  # noqa: PLC0415 - as above

        settings = self._workspace.settings
        with self._lock:
            if self._session is None:
                self._session = BrowserSession(
                    DRIVE,
                    browser_profiles(settings) / "linkedin",
                    self._base_url,
                    headless=self._headless,
                    find=BrowserChoice(settings.data_dir).program,
                    announce=lambda host: self._workspace.outgoing.call(host, LINKEDIN_PURPOSE.code),
                )
            return self._session


def try_browser(settings: AppSettings) -> str:
    """Start the browser in use out of sight, on a profile of its own, and say what started; raises `browser_*`."""
    from backend.adapters.browser.session import BrowserSession  # noqa: PLC0415 - as above

    program = BrowserChoice(settings.data_dir).program()
    with tempfile.TemporaryDirectory(prefix="outrider-browser-", ignore_cleanup_errors=True) as profile:
        session = BrowserSession("trial", Path(profile), "http://127.0.0.1:1", headless=True, find=lambda: program)
        try:
            session.start()
        finally:
            session.close()
    return browser_version(program)


def user_site(channel_id: str) -> Site:
    """What a run is given where all looking and acting is the user's."""
    return UserHands(channel_id)


def build_turn_loop(
    workspace: Workspace,
    site: Site,
    clock: Clock,
    presence: Presence,
    *,
    proposer: Proposer | None = None,
    callbacks: TurnCallbacks | None = None,
    sync_status: SyncStatus | None = None,
) -> TurnLoop:
    """Everything that a campaign's turns need; what the campaign names proposes, unless another is given."""
    callbacks = callbacks or TurnCallbacks()
    return TurnLoop(
        workspace.journal,
        proposer or build_proposer(workspace, callbacks.stopped),
        ToolGateway(site, clock.ticks),
        clock,
        presence,
        callbacks=callbacks,
        turn_queue=workspace.turn_queue,
        sync_status=sync_status,
        accounts=workspace.accounts,
        outside=CampaignFolderChecks(partial(campaign_folder, workspace), processes.command(processes.COMMAND)),
        scripts=script_checks(workspace),
    )


def build_continuation_loop(
    workspace: Workspace,
    clock: Callable[[], Clock],
    presence: Presence,
    *,
    proposer: Proposer | None = None,
    callbacks: TurnCallbacks | None = None,
) -> ContinuationLoop:
    """What works on one request of the user; it reaches no site. `clock` is asked anew for each turn."""
    over = threading.Event()
    proposes = proposer or build_proposer(workspace, over.is_set)
    late = late_bills(workspace.journal, lambda: clock().now())
    bounded = DeadlineProposer(proposes, MOST_SECONDS, over=over, scheduler=workspace.workers.scheduler, late=late)

    def turns() -> TurnLoop:
        now = clock()
        gateway = ToolGateway(NoSite(), now.ticks)
        queue = workspace.turn_queue
        checks = script_checks(workspace)
        return TurnLoop(
            workspace.journal, bounded, gateway, now, presence, callbacks=callbacks, turn_queue=queue, scripts=checks
        )

    return ContinuationLoop(turns, bounded, lambda: workspace.commands(clock()).requests)


def build_proposer(workspace: Workspace, stopped: Callable[[], bool] = lambda: False) -> CampaignProposer:
    """Whatever each campaign names; `stopped` ends a reply that is under way."""
    database = workspace.database

    def find(connection_id: str) -> Connection:
        model_connection = database.query(models.model_connection, connection_id)
        if model_connection is None:
            raise OutriderError("model_unknown", connection=connection_id)
        return model_connection

    stream_control = StreamControl(jitter=random.random, cancelled=stopped)
    budget = partial(budget_check, database)
    return CampaignProposer(find, workspace.keys, workspace.outgoing, budget, stream_control)


def start_stepper(agent: AnyAgent, policy: AgentPolicy) -> LineProcess:
    """The process in which an agent decides."""
    bounds = (str(policy.megabytes), str(int(policy.run_seconds) + 1))
    return OwnLineProcess(
        processes.command(processes.STEPPER, agent.__module__, agent.__qualname__, *bounds), most=MOST_REPLY_BYTES
    )


def start_pdf_reader() -> LineProcess:
    """The process that reads PDF files."""
    return OwnLineProcess(processes.command(processes.PDF_TEXT, str(PDF_MEGABYTES)), most=1 << 16)


def build_supervisor(
    workspace: Workspace,
    cancelled: Callable[[], bool] = lambda: False,
    policy: AgentPolicy | None = None,
    on_step: Callable[[AgentRun], None] = lambda _: None,
) -> Supervisor:
    """What runs passive agents, with the tools there are; `cancelled` ends a run."""
    clock = SystemClock()
    return Supervisor(
        start_stepper,
        {
            "FileSearchTool": FileSearcher().search,
            "TextSummaryTool": PdfSummarizer(start_pdf_reader).summarize,
            "PendingInvitationsTool": PendingInvitationFinder(workspace.database, clock).find,
        },
        ToolGateway(NoSite(), clock.ticks),
        workspace.journal,
        clock,
        policy or AgentPolicy(),
        cancelled,
        on_step,
    )


def probe_model(connection: Connection, keys: ModelKeys, outgoing: EgressPolicy) -> ConnectionTest:
    """One tiny real call."""
    return probe_connection(connection, keys, outgoing, StreamControl(jitter=random.random))


def offered_models(server: Connection, typed: Secret | None, keys: ModelKeys, outgoing: EgressPolicy) -> ModelNames:
    """What a server says that it offers, asked at the user's word with the key that was just typed, or the one that is kept."""
    from backend.adapters.llm.model_list import list_models  # noqa: PLC0415 - its library is large, and few need it

    return list_models(server, typed or find_secret(server, keys), outgoing, StreamControl())


def script_sandbox(workspace: Workspace) -> ScriptSandbox:
    """Where scripts run."""
    from backend.adapters.sandbox.runtime import usual_folder  # noqa: PLC0415 - its runtime is large, and few need it
    from backend.adapters.sandbox.sandbox import WasiSandbox  # noqa: PLC0415

    command, environment = processes.command(processes.SANDBOX), processes.bare_environment()
    scheduler = workspace.workers.scheduler
    questions = partial(start_questions, scheduler)
    return WasiSandbox(usual_folder(), scheduler, command, environment, questions)


def start_questions(scheduler: Scheduler) -> QuestionProcess:
    """The process in which somebody else's SQL is asked. Of our environment it is told the time zone."""
    environment = processes.bare_environment() | {name: os.environ[name] for name in ("TZ",) if name in os.environ}
    return OwnQuestionProcess(processes.command(processes.QUESTIONS), environment, scheduler)


def script_checks(workspace: Workspace) -> ScriptChecks:
    """What turns ask about a script that is proposed."""
    from backend.adapters.sandbox.builtin_scripts import SandboxChecks  # noqa: PLC0415 - few turns need it

    return SandboxChecks(partial(script_sandbox, workspace))


def script_runner(
    workspace: Workspace, sandbox: ScriptSandbox | None = None, clock: Clock | None = None
) -> ScriptRunner:
    """What runs scripts in an open workspace."""
    clock = clock or SystemClock()
    artifacts = workspace.commands(clock).artifacts
    return ScriptRunner(workspace.journal, sandbox or script_sandbox(workspace), clock, artifacts, builtin_script)


def builtin_script(key: str) -> str | None:
    """The text of a script that comes with Outrider."""
    from backend.adapters.sandbox.builtin_scripts import builtin_source  # noqa: PLC0415 - few need it

    return builtin_source(key)


def mcp_host_files(settings: AppSettings) -> McpHostFiles:
    """The configuration of programs that can be connected, with the command that serves them from this data folder."""
    return McpHostFiles(
        (str(processes.own_program()), "mcp", "--data-dir", str(settings.data_dir)),
        Path.home(),
        roaming=os.environ.get("APPDATA", ""),
    )


def note_mcp_client(database: Database) -> Callable[[str, str, str], None]:
    """Keeps which programs were connected; each at most once a minute, so that a busy one costs no commits."""
    latest: dict[tuple[str, str], int] = {}

    def seen(name: str, version: str, transport: str) -> None:
        now = SystemClock().now()
        if now - latest.get((name, transport), -mcp_clients.MINUTE) < mcp_clients.MINUTE:
            return
        latest[name, transport] = now
        with database.write() as connection:
            mcp_clients.seen(connection, name, version, transport, now)

    return seen
