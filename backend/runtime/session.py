"""The background runner: starts, stops and steps one campaign at a time, and knows whether the user is here."""

import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from backend.commands.reconciliation import Read, compare_export
from backend.commands.user_commands import Commands
from backend.domain.channel import DRIVE, PRACTICE, find_channel
from backend.domain.consent import NO_CONSENT
from backend.domain.errors import OutriderError
from backend.domain.gates import AWAY
from backend.domain.health_check import HealthCheck
from backend.domain.lead_row import LeadRow, ReadAs, RejectedRow
from backend.domain.proposals import ExecuteTool, GenerateMessage, Rejection, parse
from backend.domain.reconciliation import Reconciliation
from backend.domain.shapes import ErrorShape
from backend.domain.step_words import step_words
from backend.domain.tools import SendParams
from backend.ports.clock import Clock
from backend.ports.proposer import Proposer
from backend.ports.site import Site
from backend.runtime.campaign_runner import CampaignRunner, RunEnd, RunResult
from backend.runtime.feed import LiveFeed
from backend.runtime.importer import Importer
from backend.runtime.log_check import LogCheck
from backend.runtime.machine_info import MachineInfo
from backend.runtime.messages import RunChanged, RunState, StepTicker
from backend.runtime.presence import PagePresence
from backend.runtime.record_loss import RecordLoss
from backend.runtime.rehearsal import clock_of, find_or_create_rehearsal, open_rehearsal
from backend.runtime.reply_tail import ReplyTail
from backend.runtime.restoring import RestoreService
from backend.runtime.send_session import SendSession
from backend.runtime.sync.session import SyncService
from backend.runtime.visits import Visits
from backend.runtime.workspace import Workspace
from backend.store.queries import campaign_overview, consents, leads, messages
from backend.turn.load import TurnInputs
from backend.turn.loop import NothingEligible, TurnCallbacks, TurnLoop, TurnReport

SHOWN_STEP = 200
MOST_TOLD = 5
"""So many of the latest steps of a rehearsal are told."""
SECONDS_TO_READ = 1.2
SELECTED = 2
"""The step that selects the task."""
_FINISHED = frozenset({"completed", "error"})


@dataclass
class _Run:
    """One campaign in the background; its clock is known once its workspace is set up."""

    campaign_id: str
    once: bool = False
    handed_to: str = ""
    damage: OutriderError | None = None
    closing: bool = False
    called: bool = False  # the user was shown the window, because texts wait
    stop: threading.Event = field(default_factory=threading.Event)
    wake: threading.Event = field(default_factory=threading.Event)
    clock: Clock | None = None


class RunService:
    """The background runner: one campaign at a time. `proposer` None: what each campaign names."""

    def __init__(
        self,
        workspace: Workspace,
        feed: LiveFeed,
        machine: MachineInfo,
        importer: Importer,
        sync: SyncService,
        *,
        hidden_browser: bool,
        open_site: Callable[[str, str], Site],
        user_site: Callable[[str], Site],
        drive_site: Callable[[Callable[[], str], Callable[[], bool]], Site],
        build_turn_loop: Callable[..., TurnLoop],
        show_window: Callable[[], None] = lambda: None,
    ) -> None:
        """`open_site` gives the practice network at an address, by a password; `user_site` a channel where the user acts.

        `drive_site` gives LinkedIn in a browser, by what refuses a look or click and what ends the wait for a log-in;
        `build_turn_loop` makes what takes turns on a site; `show_window` brings Outrider's own window to the front.
        """
        self._open_site, self._user_site, self._drive_site = open_site, user_site, drive_site
        self._build_turn_loop = build_turn_loop
        self._show_window = show_window
        self.workspace = workspace
        self.sync = sync
        self.record_loss = RecordLoss(workspace.journal)
        self.log_check = LogCheck(workspace.journal, workspace.workers, self.stop_for_damage)
        self.restoring = RestoreService(workspace.settings.database)
        self.send_session = SendSession(workspace.journal, sync, workspace.turn_queue.turn, self._refuse_to_act)
        self.machine = machine
        self.importer = importer
        self.feed = feed
        self.hidden_browser = hidden_browser
        self.proposer: Proposer | None = None
        self.presence_minutes = workspace.settings.presence_minutes
        self.presence = PagePresence(
            workspace.clock,
            minutes=self.presence_minutes,
            runs=lambda: self._run is not None,
            on_change=lambda since: self._change(away_since=since),
        )
        self.visits = Visits(workspace)
        self._lock = threading.Lock()
        self._starting = workspace.workers.scheduler.lock()  # held while the shared store is asked
        self._run: _Run | None = None
        self._worker = workspace.workers.add("runner", self._work)
        self._state = RunState(phase="idle")
        self._reply = ReplyTail()
        self._task = ""
        self._wanted: tuple[str, bool] | None = None  # what could not begin because another device acts
        sync.on_handover_requested.append(self.stop_for_handover)
        sync.on_change.append(self._woken)

    # --- what the API asks ---

    def run_state(self) -> RunState:
        """What the background runner does now."""
        return self._state

    def start_rehearsal(self) -> str:
        """Go on with the last rehearsal of the bundled leads, or begin a new one when that is over; its campaign id."""
        with self._starting:
            if self._run is not None:
                return self._already(find_or_create_rehearsal(self.workspace, None, None))
            campaign_id = find_or_create_rehearsal(self.workspace, None, None)
            if self._campaign(campaign_id)[0] in _FINISHED:
                campaign_id = find_or_create_rehearsal(self.workspace, None, None, fresh=True)
            self._begin(campaign_id)
            return campaign_id

    def start(self, campaign_id: str) -> None:
        """Start or continue a campaign; nothing if it runs already."""
        with self._starting:
            if self._may_begin(campaign_id):
                self._begin(campaign_id)

    def retry_start(self) -> None:
        """What could not begin because another device acts begins now; nothing if there is nothing."""
        wanted, self._wanted = self._wanted, None
        if wanted is not None:
            campaign_id, once = wanted
            (self.step if once else self.start)(campaign_id)

    def stop_for_handover(self, device: str) -> None:
        """Stop after the current atomic action, because that device acts then; nothing if nothing runs."""
        with self._lock:
            if self._run is not None:
                self._run.handed_to = device
                self._stop(self._run)

    def stop_for_damage(self, found: OutriderError) -> None:
        """Stop after the current atomic action, because the logs are damaged; nothing if nothing runs."""
        with self._lock:
            if self._run is not None:
                self._run.damage = found
                self._stop(self._run)

    def _stop(self, run: _Run) -> None:
        self._show(self._state.model_copy(update={"phase": "stopping"}))
        run.stop.set()
        run.wake.set()

    def step(self, campaign_id: str) -> None:
        """One turn of a campaign that does not run, then it is paused."""
        with self._starting:
            if not self._may_begin(campaign_id):
                raise OutriderError("turn_in_flight")
            self._begin(campaign_id, once=True)

    def wake(self, campaign_id: str) -> None:
        """A campaign that runs and sleeps looks again; one that does not run takes one turn."""
        if self.runs(campaign_id):
            self._woken()
        else:
            self.step(campaign_id)

    def stop(self, campaign_id: str) -> None:
        """Stop after the current atomic action; nothing if this campaign does not run."""
        with self._lock:
            run = self._run
            if run is not None and run.campaign_id == campaign_id:
                self._stop(run)

    def runs(self, campaign_id: str) -> bool:
        """Whether this campaign runs now."""
        run = self._run
        return run is not None and run.campaign_id == campaign_id

    def page_seen(self, page: str, idle_ms: int) -> None:
        """The page is visible and was used this long ago."""
        self.presence.report_active(page, idle_ms)
        self.visits.note(idle_ms)

    def page_hidden(self, page: str) -> None:
        """The page is not visible any more."""
        self.presence.hidden(page)

    def pages_disconnected(self) -> None:
        """No page is connected any more."""
        self.presence.leave()

    def user_returned(self) -> None:
        """The user is here and says that what runs may go on."""
        self.presence.resume()
        self._woken()

    def _woken(self) -> None:
        run = self._run
        if run is not None:
            run.wake.set()

    def start_import(
        self,
        campaign_id: str,
        rows: Iterable[LeadRow | RejectedRow],
        *,
        file: str,
        file_format: str,
        total: int = 0,
        read_as: ReadAs | None = None,
        export: Read | None = None,
    ) -> None:
        """Import in the background; a running rehearsal hears of whom it brings (`backend.runtime.rehearsal`).

        `export` reads the same file as an export of what passed with people, to be compared with what is on record.
        """
        compare = None if export is None else lambda: self.compare_export(export, file)
        clock = self.clock(campaign_id)
        self.importer.start(
            campaign_id, rows, clock,
            file=file, file_format=file_format, total=total, read_as=read_as, compare=compare,
        )  # fmt: skip

    def compare_export(self, read: Read, file: str) -> Reconciliation:
        """Compare LinkedIn's export with what is on record of its people; real people's time is real time."""
        return compare_export(self.workspace.journal, self.workspace.clock, read, file=file)

    def conditions(self, campaign_id: str) -> TurnInputs:
        """The time on the campaign's clock, and whether the user is here."""
        clock = self.clock(campaign_id)
        now = clock.now()
        return TurnInputs.at(clock, now, self.presence.is_present(now), self.sync.describe())

    def commands(self, campaign_id: str) -> Commands:
        """What the user may decide, at the campaign's time."""
        return self.workspace.commands(self.clock(campaign_id))

    def clear_profile(self) -> None:
        """Remove the browser's profile; never under a running campaign."""
        with self._starting:
            if self._run is not None:
                raise OutriderError("profile_in_use")
            self.machine.clear_profile()

    def schedule_restore(self, ticket: str) -> None:
        """Have the checked backup put back at the next start; nothing runs until then."""
        with self._starting:
            if self._run is not None:
                raise OutriderError("restore_while_running")
            self.restoring.schedule(ticket)

    def close(self) -> None:
        """Stop after the current atomic action and wait for it, however long it takes: nothing acts on a folder let go."""
        self._worker.stop()
        with self._lock:  # a start that came before holds it until its run is there to be stopped
            run = self._run
            if run is not None:
                run.closing = not run.stop.is_set()  # the user may have pressed Stop before
                run.stop.set()
                run.wake.set()
        self._worker.join()
        with self._lock:
            if self._run is not None:  # it had not begun
                ended = RunState(phase="idle", campaign_id=self._run.campaign_id, halt=RunEnd.STOPPED)
                self._run = None
                self._show(ended)
        self.visits.close()

    # --- in the background ---

    def _may_begin(self, campaign_id: str) -> bool:
        """False if it runs already; raises what keeps it from running at all."""
        status, site = self._campaign(campaign_id)
        if self._run is not None:
            self._already(campaign_id)
            return False
        with self.workspace.database.read() as connection:
            state = campaign_overview.state(connection, campaign_id)
        if state is not None and state.archived:
            raise OutriderError("campaign_archived", campaign=state.name)
        if status in _FINISHED:
            raise OutriderError("campaign_not_active", status=status, campaign=campaign_id)
        channel = find_channel(site)
        if channel.needs_consent and self._drive_refusal() == NO_CONSENT:
            raise OutriderError("channel_needs_consent", channel=channel.title)
        return True

    def _already(self, campaign_id: str) -> str:
        run = self._run
        if run is not None and run.campaign_id != campaign_id:
            raise OutriderError("run_elsewhere", campaign=self._name(run.campaign_id))
        return campaign_id

    def _refuse_to_act(self) -> None:
        """Raises what forbids every act and is known without a look: damaged entries, a backup that is being put back."""
        self.log_check.refuse()
        self.restoring.refuse()

    def _begin(self, campaign_id: str, *, once: bool = False) -> None:
        self.record_loss.refuse()
        self._refuse_to_act()  # before anybody is asked for the right to act
        self._wanted = (campaign_id, once)
        self.sync.check_may_act()
        self._wanted = None
        run, name = _Run(campaign_id, once), self._name(campaign_id)
        with self._lock:  # or a stop that comes at the same moment would be forgotten
            self.log_check.refuse()
            self._worker.start()
            self._run = run
            self._show(RunState(phase="starting", campaign_id=campaign_id, name=name, once=once))

    def _work(self) -> None:
        with self._lock:
            run = self._run
        if run is not None:
            self._worker.doing = f"running campaign {run.campaign_id}"
            self._carry_out(run)

    def _carry_out(self, run: _Run) -> None:
        """Until the run ends; what ended it is told to the page, and a failure to the worker, too."""
        state = RunState(phase="idle", campaign_id=run.campaign_id)
        try:
            with self.sync.hold_lease(run.stop.is_set, run.campaign_id):
                site = self._campaign(run.campaign_id)[1]
                conduct = {PRACTICE: self._rehearse, DRIVE: self._drive}.get(site, self._assist)
                ended = conduct(run)
            state = RunState(
                phase="idle", campaign_id=run.campaign_id, halt=ended.halt, because=ended.reasons, until=ended.until
            )
            if run.damage is not None:  # its worker says so, too
                state = self._failed(run, run.damage)
        except OutriderError as error:
            # Stopped while it waited for another device to hand over: nothing had begun.
            if error.code == "proposer_stopped" and run.stop.is_set():
                state = state.model_copy(update={"halt": RunEnd.STOPPED})
            else:
                state = self._failed(run, error)
                raise
        except Exception:
            state = self._failed(run, OutriderError("internal_error"))
            raise
        finally:
            with self._lock:
                self._run = None
                self._show(state)

    def _failed(self, run: _Run, error: OutriderError) -> RunState:
        shape = ErrorShape(code=error.code, sentence=error.sentence, remedy=error.remedy)
        checks = self._state.checks
        return RunState(phase="idle", campaign_id=run.campaign_id, once=run.once, error=shape, checks=checks)

    def _rehearse(self, run: _Run) -> RunResult:
        with open_rehearsal(self.workspace, run.campaign_id) as ready:
            site = self._open_site(ready.url, ready.password)
            return self._run_on(run, site, ready.clock, lambda turn: self._tell_step(run, turn))

    def _assist(self, run: _Run) -> RunResult:
        """What takes no hand: scoring, planning and writing; all else waits for the user's send session."""
        self.send_session.settle(run.campaign_id, self.workspace.clock)
        return self._run_on(run, self._user_site(self._campaign(run.campaign_id)[1]), self.workspace.clock)

    def _drive(self, run: _Run) -> RunResult:
        """In real time; the site itself asks before each look and each act whether it may."""
        return self._run_on(run, self._drive_site(self._drive_refusal, run.stop.is_set), self.workspace.clock)

    def _drive_refusal(self) -> str:
        with self.workspace.database.read() as connection:
            if consents.consent(connection, find_channel(DRIVE).account) is None:
                return NO_CONSENT
        return "" if self.presence.is_present(self.workspace.clock.now()) else AWAY

    def _tell_step(self, run: _Run, turn: TurnReport) -> None:
        """Say in a sentence what the step of a rehearsal did; where it can be watched, leave time to read that."""
        proposal = parse(turn.raw)
        if isinstance(proposal, Rejection) or turn.verdict != "accepted":
            return
        with self.workspace.database.read() as connection:
            name = leads.full_name(connection, turn.lead_id) if turn.lead_id else ""
            text = None
            if isinstance(proposal, ExecuteTool) and isinstance(proposal.params, SendParams):
                text = messages.message(connection, run.campaign_id, proposal.params.message_id)
        told = step_words(proposal, name or "", text.status if text else None)
        if told:
            self._change(told=(*self._state.told, told)[-MOST_TOLD:])
            if not self.hidden_browser and not isinstance(proposal, GenerateMessage) and run.clock is not None:
                run.clock.wait(SECONDS_TO_READ, run.stop)

    def _run_on(
        self, run: _Run, site: Site, clock: Clock, on_turn: Callable[[TurnReport], None] = lambda _: None
    ) -> RunResult:
        run.clock = clock
        loop = self._build_turn_loop(
            self.workspace,
            site,
            clock,
            self.presence,
            proposer=self.proposer,
            callbacks=TurnCallbacks(self._stepped, self._heard, run.stop.is_set),
            sync_status=self.sync,
        )
        worker = CampaignRunner(
            loop,
            stop=run.stop,
            wake=run.wake,
            on_turn=on_turn,
            on_sleep=self._nothing_eligible,
            on_checked=self._checked,
            stay=True,
            once=run.once,
            handed_over_to=lambda: run.handed_to,
            damage=lambda: run.damage.sentence if run.damage else "",
            stopped_by_user=lambda: not run.closing,
        )
        try:
            with self._lock:
                if not run.stop.is_set():
                    self._show(self._state.model_copy(update={"phase": "running"}))
            return worker.run(run.campaign_id)
        finally:
            worker.close_site(run.campaign_id)

    def _stepped(self, campaign_id: str, step: int, what: str) -> None:
        if step > 1 and self._state.nothing_eligible is not None:
            self._change(nothing_eligible=None)
        said = what[:SHOWN_STEP].encode("utf-8", "backslashreplace").decode()
        if step <= SELECTED:
            self._task = said if step == SELECTED else ""
        self.feed.announce("step", StepTicker(campaign_id=campaign_id, step=step, what=said, task=self._task))

    def _heard(self, campaign_id: str, turn: int, text: str, whole: bool) -> None:
        self.feed.announce("reply", self._reply.append(campaign_id, turn, text, whole=whole))

    def _nothing_eligible(self, found: NothingEligible) -> None:
        if self._state.nothing_eligible == found:
            return
        self._change(nothing_eligible=found)
        run = self._run
        if run is None or run.called or self._campaign(run.campaign_id)[1] != PRACTICE:
            return
        with self.workspace.database.read() as connection:
            run.called = messages.open_drafts(connection, run.campaign_id, 1) > 0
        if run.called:  # the browser is in front, and from here on nothing goes on without the user
            self._show_window()

    def _checked(self, checks: tuple[HealthCheck, ...]) -> None:
        self._change(checks=checks)

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
            state = campaign_overview.state(connection, campaign_id)
        if state is None:
            raise OutriderError("campaign_unknown", campaign=campaign_id)
        return state.status, state.site

    def _name(self, campaign_id: str) -> str:
        with self.workspace.database.read() as connection:
            state = campaign_overview.state(connection, campaign_id)
        return state.name if state else ""

    def clock(self, campaign_id: str) -> Clock:
        """The clock that the campaign lives by at this moment; raises `campaign_unknown`."""
        run = self._run
        if run is not None and run.campaign_id == campaign_id and run.clock is not None:
            return run.clock
        return clock_of(self.workspace, campaign_id)
