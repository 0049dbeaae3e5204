"""One launch of the app with its window or page: everything is put together here, begun, and ended in one order."""

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import cache, partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from backend.adapters.egress_guard import install_audit_hook
from backend.adapters.leadfiles import read_leads, unknown_table
from backend.adapters.leadfiles.contact_history import contact_archive
from backend.adapters.leadfiles.do_not_contact_file import read_do_not_contact_file
from backend.api.campaigns import last_known
from backend.api.server.file_tickets import FileTickets
from backend.api.server.launch_token import LaunchToken
from backend.api.server.page_files import PAGE
from backend.api.server.pairing import Pairing
from backend.api.server.program_keys import ProgramKeys
from backend.api.server.services import Services
from backend.api.server.window_activation import WindowActivation
from backend.app.wiring import (
    DriveSites,
    blob_store,
    browser_profiles,
    build_continuation_loop,
    build_supervisor,
    build_turn_loop,
    builtin_script,
    delete_campaign,
    erase_in_restored,
    evidence_store,
    fetch_signing_key,
    install_builtin_skills,
    machine_identity,
    mcp_host_files,
    member_key,
    note_mcp_client,
    offered_models,
    open_account,
    open_workspace,
    practice_site,
    probe_model,
    published_workers,
    read_chosen_skill,
    retention_of,
    script_runner,
    script_sandbox,
    sync_engine,
    try_browser,
    user_site,
    write_campaign_files,
)
from backend.domain.device.vault import KdfCost
from backend.domain.turn.request import plain_command
from backend.machine.settings import AppSettings
from backend.ports.clock import Clock
from backend.runtime.copies.proofs import LogProofs
from backend.runtime.copies.record_loss import RecordLoss
from backend.runtime.copies.restoring import RestoreService, restore_at_start
from backend.runtime.copies.time_travel import TimeTravel
from backend.runtime.feed.feed import LiveFeed
from backend.runtime.jobs.agent_runs import AgentRuns
from backend.runtime.jobs.agent_tasks import AgentTasks
from backend.runtime.jobs.importer import DoNotContactImporter, Importer
from backend.runtime.jobs.log_check import SEARCH_FIRST_SECONDS, LogCheck, mend_search
from backend.runtime.jobs.retention import FIRST_SECONDS
from backend.runtime.jobs.scorer import Scorer
from backend.runtime.jobs.script_service import ScriptService
from backend.runtime.machine_info import MachineInfo
from backend.runtime.run.assistant import AssistantService
from backend.runtime.run.dry_run import DryRuns
from backend.runtime.run.presence import PagePresence, Visits
from backend.runtime.run.run_service import RunService
from backend.runtime.run.send_session import SendSession
from backend.runtime.run.wake_timers import WakeTimers
from backend.runtime.sync.sync_service import SyncService, sync_announcer
from backend.runtime.workspace import Workspace
from backend.store import backup
from backend.store.last_known import save_last_known
from backend.store.queries.turn import artifacts
from backend.store.queries.turn.wake_requests import WakeRequest


class LeadFileReader:
    """What reads lead files."""

    read = staticmethod(read_leads)
    guess = staticmethod(unknown_table)
    contacts = staticmethod(contact_archive)


@dataclass
class RunningBackend:
    """A running app's backend; `authority` is set once the server listens."""

    workspace: Workspace
    services: Services
    run_service: RunService
    log_check: LogCheck
    assistant: AssistantService
    sync: SyncService
    scorer: Scorer
    authority: list[str]
    _closing: threading.Lock = field(default_factory=threading.Lock)
    _closed: bool = False

    def open(self) -> None:
        """Begin what works in the background; nothing is waited for."""
        self.sync.open()
        self.scorer.open()
        self.services.time_travel.open()
        self.services.scripts.open()
        self.assistant.open()
        self.services.wake_timers.open()
        self.services.agent_runs.open()
        self.services.agent_tasks.open()
        self.log_check.open()

    def _if_ours(self, step: Callable[[], None]) -> None:
        """What writes or removes files of the data folder; where ours was there may be somebody else's by now."""
        if self.workspace.database.is_in_place():
            step()

    def close(self) -> None:
        """End everything, in the one order that there is; from its beginning on nothing new starts. Twice is once."""
        services = self.services
        order: list[Callable[[], None]] = [
            self.workspace.workers.stop_accepting,
            services.feed.close,
            self.assistant.stop_accepting,
            services.wake_timers.close,
            self.run_service.close,  # first of all that is waited for: nothing more is to be sent
            self.assistant.close,
            self.sync.close,  # what they recorded is pushed, and the lease given back
            services.agent_runs.close,
            services.agent_tasks.close,
            services.importer.close,
            services.do_not_contact_importer.close,
            services.scripts.close,
            services.dry_runs.close,
            self.scorer.close,
            partial(self._if_ours, services.files.close),
            services.time_travel.close,
            services.proving.close,
            self.log_check.close,
            partial(self._if_ours, services.visits.close),
        ]
        with self._closing:  # whoever comes second waits for the first
            if self._closed:
                return
            self._closed = True
            with ExitStack() as steps:  # one that fails does not keep the others from being done
                for step in reversed(order):
                    steps.callback(step)


@contextmanager
def open_backend(
    settings: AppSettings,
    *,
    show_code: Callable[[str], None],
    window_activation: WindowActivation | None = None,
    hidden_browser: bool = False,
    page: Path = PAGE,
    first_pause: float | None = None,
    kdf_cost: KdfCost | None = None,
) -> Iterator[RunningBackend]:
    """Open the data folder, which the caller holds, as `open_workspace` does; on leaving, the campaign stops cleanly first."""
    install_audit_hook()
    restored = restore_at_start(settings.database, erase_in_restored())
    activation = window_activation or WindowActivation()
    opened = open_workspace(settings, despite_loss=True, first_pause=first_pause, kdf_cost=kdf_cost)
    with opened as workspace:  # the page shows a loss and asks
        install_builtin_skills(workspace)
        feed = LiveFeed(workspace.journal)
        machine = MachineInfo(settings, _version(), workspace.workers, browser_profiles(settings), try_browser)
        importer = Importer(workspace.journal, feed, workspace.workers)
        sync = SyncService(
            workspace,
            partial(open_account, workspace),
            sync_engine,
            install_builtin_skills,
            announce=sync_announcer(feed),
            is_watched=lambda: presence.is_present(workspace.clock.now()),
            machine=machine_identity(),
        )
        presence = PagePresence(
            workspace.clock,
            minutes=settings.presence_minutes,
            runs=lambda: not run_service.is_idle,
            on_change=lambda away_since: run_service.presence_changed(away_since),  # noqa: PLW0108 - it is made below
        )
        visits = Visits(workspace)
        record_loss = RecordLoss(workspace.journal)
        restoring = RestoreService(settings.database, restored, workspace.database.refuse_another_file)
        log_check = LogCheck(
            workspace.journal,
            workspace.workers,
            lambda damage: run_service.stop_for_damage(damage),  # noqa: PLW0108 - it is made below
        )

        def refuse_to_act() -> None:
            for service in (record_loss, log_check, restoring):
                service.refuse()

        send_session = SendSession(
            workspace.journal, sync, workspace.turn_queue.turn, refuse_to_act, workspace.accounts
        )
        run_service = RunService(
            workspace,
            feed,
            sync,
            presence,
            send_session,
            refuse_to_act=refuse_to_act,
            hidden_browser=hidden_browser,
            open_site=lambda url, password: practice_site(
                settings, url, password, headless=hidden_browser, beside=activation.make_room
            ),
            show_window=activation.show_window_now,
            user_site=user_site,
            drive_site=DriveSites(workspace),
            build_turn_loop=build_turn_loop,
        )
        assistant = AssistantService(workspace, feed, run_service, presence, sync, build_continuation_loop)
        files = FileTickets(settings.data_dir / "uploads")
        wake_timers = WakeTimers(
            workspace.journal,
            workspace.clock,
            workspace.workers,
            present=lambda: presence.is_present(workspace.clock.now()),
            wake=partial(_wake, run_service, assistant),
        )
        agent_runs = AgentRuns(
            workspace.journal,
            workspace.clock,
            workspace.workers,
            lambda stopped, on_step: build_supervisor(workspace, stopped, on_step=on_step),
        )
        time_travel = TimeTravel(workspace.journal, workspace.workers)
        signing = workspace.journal.signing
        proving = LogProofs(workspace.database, workspace.workers, signing.signer if signing else None)
        blobs = blob_store(settings)
        if not backup.set_aside(settings.database):  # what only a database names that a restore replaced stays with it
            with workspace.database.read() as connection:
                # What a crash left; nobody keeps anything yet.
                blobs.remove_unreferenced(artifacts.stored_digests(connection))
        sandbox = cache(lambda: script_sandbox(workspace))  # its runtime is large, and few need it
        scripts = ScriptService(
            workspace.journal,
            feed,
            workspace.workers,
            lambda campaign_id: script_runner(workspace, sandbox(), run_service.clock(campaign_id)),
        )
        retention = retention_of(workspace)
        keys, authority = replace(workspace.keys, end_other_sessions=sync.sign_out_other_devices), [""]
        services = Services(
            workspace=workspace,
            run_service=run_service,
            presence=presence,
            visits=visits,
            record_loss=record_loss,
            restoring=restoring,
            send_session=send_session,
            assistant=assistant,
            sync=sync,
            feed=feed,
            token=LaunchToken(),
            program_keys=ProgramKeys(),
            mcp_hosts=mcp_host_files(settings),
            answer_mcp=partial(
                _answer_mcp,
                workspace,
                note_mcp_client(workspace.database),
                run_service.clock,
            ),
            pairing=Pairing(show_code),
            window_activation=window_activation or WindowActivation(),
            files=files,
            time_travel=time_travel,
            wake_timers=wake_timers,
            agent_runs=agent_runs,
            agent_tasks=AgentTasks(
                workspace.journal, run_service.clock, workspace.workers, partial(build_supervisor, workspace)
            ),
            proving=proving,
            machine=machine,
            retention=retention,
            member_key=member_key,
            evidence=evidence_store(settings).read,
            remove_erased_files=workspace.erased_files.remove,
            blobs=blobs,
            write_campaign_files=partial(write_campaign_files, workspace),
            delete_campaign=lambda campaign_id: delete_campaign(workspace, services.commands(campaign_id), campaign_id),
            lead_files=LeadFileReader(),
            credentials=keys,
            keys=keys,
            try_model=lambda connection: probe_model(connection, keys, workspace.outgoing),
            list_models=lambda server, typed: offered_models(server, typed, keys, workspace.outgoing),
            outgoing=workspace.outgoing,
            skill_folder=read_chosen_skill,
            importer=importer,
            do_not_contact_importer=DoNotContactImporter(workspace.journal, workspace.clock, feed, workspace.workers),
            do_not_contact_file=read_do_not_contact_file,
            scripts=scripts,
            builtin_script=builtin_script,
            dry_runs=DryRuns(workspace.database, workspace.workers),
            page=page,
            authority=lambda: authority[0],
        )
        scorer = Scorer(workspace.journal, run_service.clock, workspace.workers)
        backend = RunningBackend(workspace, services, run_service, log_check, assistant, sync, scorer, authority)
        with published_workers(workspace):
            try:
                backend.open()
                workspace.workers.add("old files", retention.daily).start(FIRST_SECONDS)
                mending = partial(mend_search, workspace.journal, workspace.clock)
                workspace.workers.add("search", mending).start(SEARCH_FIRST_SECONDS)
                fetch_signing_key(workspace)
                yield backend
            finally:
                backend.close()
                _keep_last_known(backend, settings.data_dir)


def _keep_last_known(backend: RunningBackend, folder: Path) -> None:
    """The last that is done with the open database; a first paint is no reason not to close."""
    with suppress(Exception), backend.workspace.database.read() as connection:
        backend.workspace.database.refuse_another_file()
        save_last_known(folder, last_known(backend.services, connection))


def _answer_mcp(
    workspace: Workspace,
    seen: Callable[[str, str, str], None],
    clock: Callable[[str], Clock],
    program: str,
    method: str,
    headers: Mapping[str, str],
    body: bytes,
) -> tuple[int, dict[str, str], bytes]:
    from backend.mcp.http import answer  # noqa: PLC0415 - its library is large, and few need it
    from backend.mcp.tools import McpContext  # noqa: PLC0415

    context = McpContext(workspace.journal, clock, program=program, on_client=seen)
    return answer(context, method, headers, body)


def _wake(run_service: RunService, assistant: AssistantService, request: WakeRequest) -> None:
    """Words are for the assistant; a timer starts the campaign, a wake by hand takes one turn."""
    if request.input:
        key, shown = f"wake-{request.id}-{request.asked_at}", plain_command(request.input)
        assistant.submit(request.campaign_id, request.input, (), key=key, shown=shown)
    elif request.reason == "timer":
        run_service.start(request.campaign_id)
    else:
        run_service.wake(request.campaign_id)


@cache
def _version() -> str:
    try:
        return version("outrider")
    except PackageNotFoundError:  # run from a folder that was never installed
        return "unknown"
