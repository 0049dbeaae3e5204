"""The background runner: starts, stops and steps campaigns beside each other, and knows whether the user is here."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial

from backend.domain.gates.consent import NO_CONSENT
from backend.domain.gates.gates import AWAY
from backend.domain.model.campaign import not_active_error
from backend.domain.model.channel import DRIVE, PRACTICE, clicks, find_channel
from backend.domain.model.tools import SendParams
from backend.domain.turn.proposals import ExecuteTool, GenerateMessage, Rejection, parse, step_words
from backend.domain.values.errors import OutriderError, as_told
from backend.domain.values.shapes import ErrorShape
from backend.ports.clock import Clock
from backend.ports.proposer import Proposer
from backend.ports.site import Site
from backend.ports.sync_status import SyncStatus
from backend.runtime.feed.feed import LiveFeed
from backend.runtime.feed.feed_messages import PausedCampaign, ReplyTail, RunChanged, RunState, StepTicker
from backend.runtime.run.campaign_runner import CampaignRunner, RunEnd, RunResult
from backend.runtime.run.pause_all import pause_all
from backend.runtime.run.presence import PagePresence
from backend.runtime.run.rehearsal import clock_of, find_or_create_rehearsal, open_rehearsal
from backend.runtime.run.send_session import SendSession
from backend.runtime.sync.sync_service import SyncService
from backend.runtime.worker import Workers
from backend.runtime.workspace import Workspace
from backend.situation.situations import TurnInputs
from backend.situation.state_of_campaign import is_any_approvable
from backend.store.queries.campaign import campaigns
from backend.store.queries.contact import messages
from backend.store.queries.leads import leads
from backend.store.queries.people import consents
from backend.store.queries.reports import campaign_overview, today
from backend.turn.loop import NothingEligible, TurnCallbacks, TurnLoop, TurnReport
from backend.turn.presence import Presence

SHOWN_STEP = 200
MOST_TOLD = 5
"""So many of the latest steps of a rehearsal are told."""
SECONDS_TO_READ = 1.2
SELECTED = 2
"""The step that selects the task."""
_FINISHED = frozenset({"completed", "error"})


def turn_inputs(clock: Clock, presence: Presence, sync_status: SyncStatus) -> TurnInputs:
    """What a decision at this moment goes by: the time on that clock, whether the user is here, and whether this device may act."""
    now = clock.now()
    return TurnInputs.at(clock, now, presence.is_present(now), sync_status.describe())


@dataclass
class _Run:
    """One campaign in the background; its clock is known once its workspace is set up."""

    campaign_id: str
    site: str
    once: bool = False
    handed_to: str = ""
    damage: OutriderError | None = None
    closing: bool = False
    called: bool = False  # the user was shown the window, because texts wait
    replies_read_until: int = 0  # the user said to go on: later replies are waited for again
    task: str = ""
    stop: threading.Event = field(default_factory=threading.Event)
    wake: threading.Event = field(default_factory=threading.Event)
    clock: Clock | None = None
    reply: ReplyTail = field(default_factory=ReplyTail)


class _Runner:
    """A worker that carries out one run at a time."""

    def __init__(self, workers: Workers, number: int, lock: threading.Lock, carry_out: Callable[[_Run], None]) -> None:
        """`lock` is held while it is given a run and started."""
        self.worker = workers.add("runner" if number == 1 else f"runner {number}", self._work)
        self.run: _Run | None = None
        self._lock = lock
        self._carry_out = carry_out

    def _work(self) -> None:
        with self._lock:
            run = self.run
        if run is not None:
            self.worker.doing = f"running campaign {run.campaign_id}"
            self._carry_out(run)


class RunService:
    """The background runner: campaigns beside each other; those that Outrider sends on LinkedIn share one browser.

    Their turns are taken one by one, in the order of `TurnQueue`. `proposer` None: what each campaign names.
    """

    def __init__(
        self,
        workspace: Workspace,
        feed: LiveFeed,
        sync: SyncService,
        presence: PagePresence,
        send_session: SendSession,
        *,
        refuse_to_act: Callable[[], None],
        hidden_browser: bool,
        open_site: Callable[[str, str], Site],
        user_site: Callable[[str], Site],
        drive_site: Callable[[Callable[[], str], Callable[[], bool]], Site],
        build_turn_loop: Callable[..., TurnLoop],
        show_window: Callable[[], None] = lambda: None,
    ) -> None:
        """`open_site` gives the practice network at an address, by a password; `user_site` a channel where the user acts.

        `drive_site` gives LinkedIn in the one browser, by what refuses a look or click and what ends the wait for a log-in;
        `build_turn_loop` makes what takes turns on a site; `show_window` brings Outrider's own window to the front.
        `refuse_to_act` raises what forbids every act and is known without a look, such as damaged entries.
        """
        self._open_site, self._user_site, self._drive_site = open_site, user_site, drive_site
        self._build_turn_loop = build_turn_loop
        self._show_window = show_window
        self._workspace = workspace
        self._sync = sync
        self._presence = presence
        self._send_session = send_session
        self._refuse_to_act = refuse_to_act
        self._feed = feed
        self.hidden_browser = hidden_browser
        self.proposer: Proposer | None = None
        self._lock = threading.Lock()
        self._starting = workspace.workers.scheduler.lock()  # held while the shared store is asked
        self._runs: dict[str, _Run] = {}
        self._runners = [_Runner(workspace.workers, 1, self._lock, self._carry_out)]
        self._states: dict[str, RunState] = {}
        # What is to begin, or could not because another device acts, and whether it is one turn.
        self._pending_starts: dict[str, bool] = {}
        sync.on_handover_requested.append(self.stop_for_handover)
        sync.on_change.append(self._woken)

    # --- what the API asks ---

    def run_state(self, campaign_id: str) -> RunState:
        """What the background runner does for this campaign, or how its last run ended."""
        return self._states.get(campaign_id) or RunState(phase="idle", campaign_id=campaign_id)

    def run_states(self) -> list[RunState]:
        """The same for every campaign that ran since the start."""
        return list(self._states.values())

    @property
    def is_idle(self) -> bool:
        """Whether nothing runs."""
        return not self._runs

    def start_rehearsal(self) -> str:
        """Go on with the last rehearsal of the bundled leads, or begin a new one when that is over; its campaign id."""
        with self._starting:
            campaign_id = find_or_create_rehearsal(self._workspace, None, None)
            if not self.is_running(campaign_id):
                self._refuse_second_browser(PRACTICE)
                if self._campaign(campaign_id)[0] in _FINISHED:
                    campaign_id = find_or_create_rehearsal(self._workspace, None, None, fresh=True)
                self._begin(campaign_id)
            return campaign_id

    def start(self, campaign_id: str) -> None:
        """Start or continue a campaign; nothing if it runs already."""
        with self._starting:
            if self._may_begin(campaign_id):
                self._begin(campaign_id)

    def retry_start(self) -> None:
        """What could not begin because another device acts begins now; nothing if there is nothing."""
        pending_starts, self._pending_starts = self._pending_starts, {}
        for campaign_id, once in pending_starts.items():
            (self.step if once else self.start)(campaign_id)

    def stop_for_handover(self, device: str) -> None:
        """Stop after the current atomic action, because that device acts then; nothing if nothing runs."""
        with self._lock:
            for run in self._runs.values():
                run.handed_to = device
                self._stop(run)

    def stop_for_damage(self, damage: OutriderError) -> None:
        """Stop after the current atomic action, because the logs are damaged; nothing if nothing runs."""
        with self._lock:
            for run in self._runs.values():
                run.damage = damage
                self._stop(run)

    def _stop(self, run: _Run) -> None:
        self._show(self.run_state(run.campaign_id).model_copy(update={"phase": "stopping"}))
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
        run = self._runs.get(campaign_id)
        if run is None:
            self.step(campaign_id)
        else:
            run.wake.set()

    def go_on(self, campaign_id: str) -> None:
        """The replies so far are read: a rehearsal that waits for that skips on; nothing for any other, or if it does not run."""
        run = self._runs.get(campaign_id)
        if run is not None and run.clock is not None:
            run.replies_read_until = run.clock.now()
            run.wake.set()

    def stop(self, campaign_id: str) -> None:
        """Stop after the current atomic action; nothing if this campaign does not run."""
        with self._lock:
            run = self._runs.get(campaign_id)
            if run is not None:
                self._stop(run)

    def pause_all(self) -> list[PausedCampaign]:
        """Pause every campaign, wherever it runs, and call off what is about to begin; what is under way is finished first."""
        running = [state for state in self.run_states() if state.phase != "idle"]
        with self._lock:
            self._pending_starts.clear()
            for run in self._runs.values():
                self._stop(run)
        paused = pause_all(self._workspace.database, lambda id_: self._workspace.commands(self.clock(id_)))
        names = {state.campaign_id: state.name for state in running} | {state.id: state.name for state in paused}
        running_ids = {state.campaign_id for state in running}
        return [PausedCampaign(id=id_, name=name, ran_here=id_ in running_ids) for id_, name in names.items()]

    def is_running(self, campaign_id: str) -> bool:
        """Whether this campaign runs now."""
        return campaign_id in self._runs

    def _woken(self) -> None:
        for run in tuple(self._runs.values()):
            run.wake.set()

    @contextmanager
    def without_browser(self) -> Iterator[None]:
        """While no campaign has the browser, and none begins; raises `profile_in_use`."""
        with self._starting:
            if self._browser_run() is not None:
                raise OutriderError("profile_in_use")
            yield

    @contextmanager
    def at_rest(self) -> Iterator[None]:
        """While nothing runs, and nothing begins; raises `restore_while_running`."""
        with self._starting:
            if self._runs:
                raise OutriderError("restore_while_running")
            yield

    def close(self) -> None:
        """Stop after the current atomic action and wait for it, however long it takes: nothing acts on a folder let go."""
        with self._lock:  # a start that came before holds it until its run is there to be stopped
            for runner in self._runners:
                runner.worker.stop()
            for run in self._runs.values():
                run.closing = not run.stop.is_set()  # the user may have pressed Stop before
                run.stop.set()
                run.wake.set()
        for runner in self._runners:
            runner.worker.join()
        with self._lock:
            for run in tuple(self._runs.values()):  # it had not begun
                self._ended(run, RunState(phase="idle", campaign_id=run.campaign_id, halt=RunEnd.STOPPED))

    # --- in the background ---

    def _may_begin(self, campaign_id: str) -> bool:
        """False if it runs already; raises what keeps it from running at all."""
        status, site = self._campaign(campaign_id)
        if self.is_running(campaign_id):
            return False
        self._refuse_second_browser(site)
        state = self._workspace.database.query(campaign_overview.state, campaign_id)
        if state is not None and state.archived:
            raise OutriderError("campaign_archived", campaign=state.name)
        if status in _FINISHED:
            raise not_active_error(campaign_id, status)
        channel = find_channel(site)
        if channel.needs_consent and self._drive_refusal() == NO_CONSENT:
            raise OutriderError("channel_needs_consent", channel=channel.title)
        return True

    def _browser_run(self) -> _Run | None:
        return next((run for run in tuple(self._runs.values()) if clicks(run.site)), None)

    def _refuse_second_browser(self, site: str) -> None:
        """A rehearsal has a network, a clock and a browser of its own: it runs beside nothing that clicks."""
        running = self._browser_run() if clicks(site) else None
        if running is not None and PRACTICE in (site, running.site):
            raise OutriderError("run_elsewhere", campaign=self._name(running.campaign_id))

    def _begin(self, campaign_id: str, *, once: bool = False) -> None:
        self._refuse_to_act()  # before anybody is asked for the right to act
        self._pending_starts[campaign_id] = once
        self._sync.check_may_act()
        run, name = _Run(campaign_id, self._campaign(campaign_id)[1], once), self._name(campaign_id)
        with self._lock:  # or a stop that comes at the same moment would be forgotten
            if self._pending_starts.pop(campaign_id, None) is None:
                return  # it was called off, or is begun anew by whoever tried again meanwhile
            self._refuse_to_act()
            runner = self._free_runner()
            runner.worker.start()
            runner.run = self._runs[campaign_id] = run
            self._show(RunState(phase="starting", campaign_id=campaign_id, name=name, once=once))

    def _free_runner(self) -> _Runner:
        free = next((runner for runner in self._runners if runner.run is None), None)
        if free is None:
            free = _Runner(self._workspace.workers, len(self._runners) + 1, self._lock, self._carry_out)
            self._runners.append(free)
        return free

    def _ended(self, run: _Run, state: RunState) -> None:
        del self._runs[run.campaign_id]
        for runner in self._runners:
            if runner.run is run:
                runner.run = None
        self._show(state)

    def _carry_out(self, run: _Run) -> None:
        """Until the run ends; what ended it is told to the page, and a failure to the worker, too."""
        state = RunState(phase="idle", campaign_id=run.campaign_id)
        try:
            with self._sync.hold_lease(run.stop.is_set, run.campaign_id):
                conduct = {PRACTICE: self._rehearse, DRIVE: self._drive}.get(run.site, self._assist)
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
        except Exception as defect:
            state = self._failed(run, as_told(defect))
            raise
        finally:
            with self._lock:
                self._ended(run, state)

    def _failed(self, run: _Run, error: OutriderError) -> RunState:
        shape, checks = ErrorShape.showing(error), self.run_state(run.campaign_id).checks
        return RunState(phase="idle", campaign_id=run.campaign_id, once=run.once, error=shape, checks=checks)

    def _rehearse(self, run: _Run) -> RunResult:
        with open_rehearsal(self._workspace, run.campaign_id) as ready:
            site = self._open_site(ready.url, ready.password)
            return self._run_on(run, site, ready.clock, lambda turn: self._tell_step(run, turn))

    def _assist(self, run: _Run) -> RunResult:
        """What takes no hand: scoring, planning and writing; all else waits for the user's send session."""
        self._send_session.settle(run.campaign_id, self._workspace.clock)
        return self._run_on(run, self._user_site(run.site), self._workspace.clock)

    def _drive(self, run: _Run) -> RunResult:
        """In real time; the site itself asks before each look and each act whether it may."""
        return self._run_on(run, self._drive_site(self._drive_refusal, run.stop.is_set), self._workspace.clock)

    def _drive_refusal(self) -> str:
        with self._workspace.database.read() as connection:
            if consents.consent(connection, find_channel(DRIVE).account) is None:
                return NO_CONSENT
        return "" if self._presence.is_present(self._workspace.clock.now()) else AWAY

    def _tell_step(self, run: _Run, turn: TurnReport) -> None:
        """Say in a sentence what the step of a rehearsal did; where it can be watched, leave time to read that."""
        proposal = parse(turn.raw)
        if isinstance(proposal, Rejection) or turn.verdict != "accepted":
            return
        with self._workspace.database.read() as connection:
            name = leads.full_name(connection, turn.lead_id) if turn.lead_id else ""
            text = None
            if isinstance(proposal, ExecuteTool) and isinstance(proposal.params, SendParams):
                text = messages.message(connection, run.campaign_id, proposal.params.message_id)
        sentence = step_words(proposal, name or "", text.status if text else None)
        if sentence:
            self._change(run.campaign_id, told=(*self.run_state(run.campaign_id).told, sentence)[-MOST_TOLD:])
            if not self.hidden_browser and not isinstance(proposal, GenerateMessage) and run.clock is not None:
                run.clock.wait(SECONDS_TO_READ, run.stop)

    def _run_on(
        self, run: _Run, site: Site, clock: Clock, on_turn: Callable[[TurnReport], None] = lambda _: None
    ) -> RunResult:
        run.clock = clock
        run.replies_read_until = clock.now()
        loop = self._build_turn_loop(
            self._workspace,
            site,
            clock,
            self._presence,
            proposer=self.proposer,
            callbacks=TurnCallbacks(partial(self._stepped, run), partial(self._heard, run), run.stop.is_set),
            sync_status=self._sync,
        )
        worker = CampaignRunner(
            loop,
            stop=run.stop,
            wake=run.wake,
            on_turn=on_turn,
            on_sleep=partial(self._nothing_eligible, run),
            on_checked=lambda checks: self._change(run.campaign_id, checks=checks),
            stay=True,
            new_replies=partial(self._new_replies, run),
            once=run.once,
            handed_over_to=lambda: run.handed_to,
            damage=lambda: run.damage.sentence if run.damage else "",
            stopped_by_user=lambda: not run.closing,
        )
        try:
            with self._lock:
                if not run.stop.is_set():
                    self._show(self.run_state(run.campaign_id).model_copy(update={"phase": "running"}))
            return worker.run(run.campaign_id)
        finally:
            worker.close_site(run.campaign_id)

    def _stepped(self, run: _Run, campaign_id: str, step: int, what: str) -> None:
        if step > 1 and self.run_state(campaign_id).nothing_eligible is not None:
            self._change(campaign_id, nothing_eligible=None)
        description = what[:SHOWN_STEP].encode("utf-8", "backslashreplace").decode()
        if step <= SELECTED:
            run.task = description if step == SELECTED else ""
        ticker = StepTicker(campaign_id=campaign_id, step=step, what=description, task=run.task)
        self._feed.announce(f"step:{campaign_id}", ticker)

    def _heard(self, run: _Run, campaign_id: str, turn: int, text: str, whole: bool) -> None:
        self._feed.announce(f"reply:{campaign_id}", run.reply.append(campaign_id, turn, text, whole=whole))

    def _nothing_eligible(self, run: _Run, nothing_eligible: NothingEligible) -> None:
        if self.run_state(run.campaign_id).nothing_eligible == nothing_eligible:
            return
        self._change(run.campaign_id, nothing_eligible=nothing_eligible)
        if run.called or run.site != PRACTICE:
            return
        with self._workspace.database.read() as connection:
            campaign = campaigns.campaign(connection, run.campaign_id)
            inputs = turn_inputs(self.clock(run.campaign_id), self._presence, self._sync)
            run.called = campaign is not None and is_any_approvable(connection, campaign, inputs)
        if run.called:  # the browser is in front, and from here on nothing goes on without the user
            self._show_window()

    def _new_replies(self, run: _Run, campaign_id: str) -> int:
        return self._workspace.database.query(today.count_open_replies, campaign_id, run.replies_read_until)

    def presence_changed(self, away_since: int | None) -> None:
        """The user went away at that time (ms UTC), or is back (None), so that what runs may go on."""
        if away_since is None:
            self._woken()
        for campaign_id in tuple(self._runs):
            self._change(campaign_id, away_since=away_since)

    def _change(self, campaign_id: str, **what: object) -> None:
        with self._lock:  # for the same reason
            self._show(self.run_state(campaign_id).model_copy(update=what))

    def _show(self, state: RunState) -> None:
        self._states[state.campaign_id] = state
        self._feed.announce(f"run:{state.campaign_id}", RunChanged(run=state))

    # --- campaigns ---

    def _campaign(self, campaign_id: str) -> tuple[str, str]:
        """(status, site)."""
        state = self._workspace.database.query(campaign_overview.state, campaign_id)
        if state is None:
            raise OutriderError("campaign_unknown", campaign=campaign_id)
        return state.status, state.site

    def _name(self, campaign_id: str) -> str:
        with self._workspace.database.read() as connection:
            state = campaign_overview.state(connection, campaign_id)
        return state.name if state else ""

    def clock(self, campaign_id: str) -> Clock:
        """The clock that the campaign lives by at this moment; raises `campaign_unknown`."""
        run = self._runs.get(campaign_id)
        if run is not None and run.clock is not None:
            return run.clock
        return clock_of(self._workspace, campaign_id)
