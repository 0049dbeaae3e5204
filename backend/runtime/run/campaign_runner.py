"""Starts and stops a campaign, and keeps it going turn after turn until it is finished or somebody is needed."""

import random
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from enum import StrEnum

from backend.commands import lead_scoring
from backend.commands.user_commands import Commands
from backend.domain.contact.observations import incident
from backend.domain.contact.plain_failure import unavailable
from backend.domain.device.retry_after import LONGEST_WAIT, wait_of
from backend.domain.events.events import AuditEntry
from backend.domain.events.facts.campaign import (
    CampaignCompleted,
    CampaignContinued,
    CampaignFailed,
    CampaignHeld,
    RuntimeChanged,
)
from backend.domain.gates import gates
from backend.domain.gates.consent import NO_CONSENT
from backend.domain.model.campaign import (
    STOPPED_BY_USER,
    CampaignStatus,
    is_finished,
    not_active_error,
    refuse_archived,
)
from backend.domain.model.message import Message, MessageStatus
from backend.domain.model.site import SelectorReport
from backend.domain.model.task import SETTLED
from backend.domain.model.turn import TurnEventKind, TurnMachine, TurnState
from backend.domain.values.errors import OutriderError
from backend.domain.values.health_check import HealthCheck
from backend.ports.account_locks import SenderAccount, seconds_to_wait
from backend.ports.sync_status import MAY_ACT
from backend.runtime.run.activation import Activation
from backend.runtime.worker import Backoff
from backend.situation.state_of_campaign import is_any_approvable
from backend.store.database import DatabaseConnection
from backend.store.log.transaction import StaleStateError
from backend.store.queries.campaign import campaigns, questions, tasks
from backend.store.queries.contact import actions, incidents, messages
from backend.store.queries.device import erased_things
from backend.store.queries.leads import leads
from backend.store.queries.people import consents, people
from backend.turn import planner
from backend.turn.clock_check import ClockCheck
from backend.turn.gateway import SiteProblem
from backend.turn.known_elsewhere import KnownElsewhere
from backend.turn.last_days import LastDays
from backend.turn.loop import NothingEligible, TurnLoop, TurnReport
from backend.turn.model_failures import (
    MOST_COSTLY_IN_A_ROW,
    defect_error,
    is_defect,
    is_passing,
    is_unusable,
    may_have_cost,
    raised_at,
)
from backend.turn.recovery import RecoveredAction, UnknownOutcomes
from backend.turn.verifier import verify_waiting

MAX_SILENCES = 5
"""Looks in a row that the site did not answer, after which the run ends with an error."""


MAX_REASONS = 20
"""Sends whose outcome is not known that a run names at its end."""

_NOTHING_TO_STEP = "there was nothing to do in a step"
MODEL_PATIENCE_SECONDS = 2 * LONGEST_WAIT
"""Longer than any server may ask for, so that one that keeps its word is asked once more."""

AWAITS_OTHER_FOLDER = "Another data folder acted by this account; what it sent last may still be under way."
AWAITS_OUTCOME = "It is not known yet whether a message arrived; Outrider looks again."


class RunEnd(StrEnum):
    """Why a run ended."""

    COMPLETED = "completed"
    STOPPED = "stopped"
    NEEDS_APPROVAL = "needs_approval"
    NEEDS_YOU = "needs_you"
    HELD = "held"
    STEPPED = "stepped"
    NOT_YET = "not_yet"
    HANDED_OVER = "handed_over"


@dataclass(frozen=True, slots=True)
class RunResult:
    """How a run ended, the sentences that say why it is held, if it is, and until when (ms UTC) there is nothing to do."""

    halt: RunEnd
    reasons: tuple[str, ...] = ()
    until: int | None = None


DELETED_ELSEWHERE = "The campaign was deleted."

OnDrafts = Callable[[str, list[Message]], bool]
"""Shows drafts to the user; True if any was decided."""


@dataclass(frozen=True)
class CampaignRunner:
    """One campaign at a time. `stop` may be set from any thread: the run ends after the current atomic action.

    The loop's `stopped` must ask the same `stop`, so that a model is not waited for.
    """

    loop: TurnLoop
    stop: threading.Event = field(default_factory=threading.Event)
    wake: threading.Event = field(default_factory=threading.Event)
    on_turn: Callable[[TurnReport], None] = lambda _: None
    on_drafts: OnDrafts | None = None
    drafts_at_once: Callable[[str], int] = lambda _: 200  # how many of them it is shown
    on_recovered: Callable[[list[RecoveredAction]], None] = lambda _: None
    on_sleep: Callable[[NothingEligible], None] = lambda _: None
    on_checked: Callable[[tuple[HealthCheck, ...]], None] = lambda _: None
    stay: bool = False  # wait for the user's decisions instead of ending the run (the window's way)
    new_replies: Callable[[str], int] = lambda _: 0  # to be read before a clock that skips waiting goes on
    once: bool = False  # one turn, however it goes, and then the campaign is paused
    model_patience: float = MODEL_PATIENCE_SECONDS  # in which a silent model is asked again
    backoff: Callable[[], Backoff] = lambda: Backoff(random.random)
    handed_over_to: Callable[[], str] = lambda: ""  # the device that acts from now on, when that is why `stop` is set
    damage: Callable[[], str] = lambda: ""  # of the logs, when that is why `stop` is set
    stopped_by_user: Callable[[], bool] = lambda: True  # or Outrider ends, when that is why `stop` is set

    def run(self, campaign_id: str) -> RunResult:
        """Recover, check the environment, then turn after turn. Raises `OutriderError` when it cannot go on."""
        journal = self.loop.journal
        runs = threading.get_ident()
        # Only what others decide ends a sleep: woken by its own commits, the runner would never sleep at all.
        unsubscribe = journal.subscribe(lambda _: None if threading.get_ident() == runs else self.wake.set())
        try:
            status = self._intact(campaign_id)
            if reasons := self._held(campaign_id):
                return RunResult(RunEnd.HELD, reasons)
            with self._account_taken(campaign_id):
                activation = self._check_surroundings(campaign_id)
                unknown = UnknownOutcomes(journal, self.loop.gateway, self.loop.clock, campaign_id)
                self._recover(unknown)  # it looks, too, and must be signed in for it
                self._activate(campaign_id, status, activation)
                return self._turns_recorded(campaign_id, unknown)
        except Exception as error:
            if isinstance(error, OutriderError) and error.code == "campaign_unknown" and self._is_deleted(campaign_id):
                return RunResult(RunEnd.STOPPED, (DELETED_ELSEWHERE,))
            if not is_defect(error):
                raise
            raise self._broken(campaign_id, error) from error
        finally:
            unsubscribe()

    def close_site(self, campaign_id: str) -> None:
        """Close the browser, which a run leaves open, and have that on record. Never raises."""
        gateway, clock = self.loop.gateway, self.loop.clock
        gateway.close_site()
        with suppress(Exception), gateway.unrecorded_audits() as audits:  # what ended the run is told, not this
            self.loop.journal.record(
                campaign_id, events=(), audits=audits, actor="controller", cause="end", at=clock.now()
            )

    # --- before the first turn ---

    def _intact(self, campaign_id: str) -> CampaignStatus:
        with self.loop.journal.database.read() as connection:
            position = campaigns.existing_position(connection, campaign_id)
            # What is under way to somebody who was erased is settled all the same.
            anybody = leads.lead_counts(connection, campaign_id) or erased_things.erased_in(connection, campaign_id)
        refuse_archived(position.campaign)
        if position.campaign.status in (CampaignStatus.ERROR, CampaignStatus.COMPLETED):
            raise not_active_error(campaign_id, position.campaign.status)
        if not anybody:
            raise OutriderError("campaign_empty", campaign=campaign_id)
        return position.campaign.status

    def _held(self, campaign_id: str) -> tuple[str, ...]:
        """Not even a look at the site while an incident is open, consent is missing or nobody is here."""
        inputs = self.loop.read_inputs()
        with self.loop.journal.database.read() as connection:
            campaign = campaigns.campaign(connection, campaign_id)
            incident_text = incidents.open_incident(connection, campaign.account) if campaign else ""
            consented = campaign is None or consents.may_act(connection, campaign)
        reasons = (
            gates.incident_open(incident_text) if incident_text else "",
            "" if consented else NO_CONSENT,
            "" if inputs.present else gates.AWAY,
        )
        return tuple(reason for reason in reasons if reason)

    @contextmanager
    def _account_taken(self, campaign_id: str) -> Iterator[None]:
        """No other data folder of this user acts by the account meanwhile. Raises `account_in_use` and `account_lock_failed`."""
        site, accounts = self.loop.gateway.site, self.loop.accounts
        campaign = self.loop.journal.database.query(campaigns.existing_campaign, campaign_id)
        account = SenderAccount(site.address, campaign.account)
        since_taken_over = accounts.take(account, campaign_id)
        try:
            self._wait_for_other_folder(seconds_to_wait(site.settle_seconds, since_taken_over))
            yield
        finally:
            accounts.release(account, campaign_id, is_settled=self._is_settled(campaign_id))

    def _is_settled(self, campaign_id: str) -> bool:
        """Whether it is known what became of each act; False if that cannot be read."""
        with suppress(OutriderError), self.loop.journal.database.read() as connection:
            return not actions.open_actions(connection, campaign_id)
        return False

    def _wait_for_other_folder(self, seconds: float) -> None:
        """What another data folder sent last can be seen only once it has arrived, and is not on record here."""
        if seconds:
            self.on_sleep(NothingEligible(None, (AWAITS_OTHER_FOLDER,)))
        while seconds > 0 and not self.stop.is_set():
            self.loop.clock.wait(min(seconds, LONGEST_SLICE), self.stop)
            seconds -= LONGEST_SLICE

    def _check_surroundings(self, campaign_id: str) -> Activation:
        """The checklist before every run (spec 001 FR-055), up to an open browser; on record also where it fails."""
        campaign = self.loop.journal.database.query(campaigns.existing_campaign, campaign_id)
        activation = Activation(self.loop.journal, campaign, self.on_checked)
        try:
            activation.check_surroundings(self.loop.proposer, self.loop.gateway)
        except OutriderError:
            activation.record_failure(self.loop.gateway, self.loop.clock.now())
            raise
        return activation

    def _activate(self, campaign_id: str, status: CampaignStatus, activation: Activation) -> None:
        """The last check: a page that changed means that nothing is done (fails closed)."""
        gateway, journal, clock = self.loop.gateway, self.loop.journal, self.loop.clock
        report = gateway.check_selectors()
        now = clock.now()
        events = []
        if isinstance(report, SiteProblem) and report.kind is not None:
            position = journal.database.query(campaigns.position, campaign_id)
            if position is not None:
                events.append(
                    incident(
                        position.campaign, report.kind, report.detail, now, journal.ids.new, evidence=report.evidence
                    )
                )
        try:
            activation.check("selectors", lambda: _as_known(gateway.site.name, report))
        finally:
            with gateway.unrecorded_audits() as audits:
                entries = (*audits, activation.audit())
                journal.record(campaign_id, events=events, audits=entries, actor="controller", cause="start", at=now)
        if status is CampaignStatus.ACTIVE:  # if it is not any more, it was stopped during the start
            self._while_active(CampaignContinued(campaign_id, status_reason=""), actor="user", cause="start")
        else:
            self._user_commands().campaigns.change_status(campaign_id, CampaignStatus.ACTIVE)
        self._runtime_changed(RuntimeChanged(campaign_id, loop_enabled=1))

    # --- turns ---

    def _turns_recorded(self, campaign_id: str, unknown: UnknownOutcomes) -> RunResult:
        try:
            return self._turns(campaign_id, unknown)
        except Exception:
            with suppress(Exception):  # what went wrong is told by the first error, not by a second one
                self._runtime_changed(RuntimeChanged(campaign_id, loop_enabled=0))
            raise

    def _end_sequences(self, campaign_id: str, endings: Iterable[ClockCheck | LastDays | KnownElsewhere]) -> None:
        for ending in endings:
            if ending.is_due() and ending.end_sequences():
                verify_waiting(
                    self.loop.journal, self.loop.clock, campaign_id, self.loop.outside, stopped=self.stop.is_set
                )

    def _turns(self, campaign_id: str, unknown: UnknownOutcomes) -> RunResult:
        silences = 0
        model = _ModelSilence(self.backoff(), self.model_patience)
        endings = [
            looks(self.loop.journal, self.loop.clock, campaign_id) for looks in (ClockCheck, LastDays, KnownElsewhere)
        ]
        while True:
            if self.stop.is_set():
                return self._stopped(campaign_id)
            self.wake.clear()
            if self._must_wait_for_sync():
                continue
            if unknown.are_due() and not self._held(campaign_id):
                self._looked(campaign_id, unknown.look_again())
            self._end_sequences(campaign_id, endings)
            turn = self._turn(campaign_id, unknown, model)
            if isinstance(turn, NothingEligible):
                turn = self._rest(campaign_id, turn, unknown)
            if turn is None:
                continue
            if isinstance(turn, RunResult):
                return turn
            model.ended()
            self.on_turn(turn)
            if turn.effect:
                unknown.find()
            verify_waiting(self.loop.journal, self.loop.clock, campaign_id, self.loop.outside, stopped=self.stop.is_set)
            if turn.proposal == "generate_message" and turn.verdict == "accepted":
                self._review(campaign_id)
            if self.once:
                return self._end(campaign_id, RunResult(RunEnd.STEPPED), hold="one step was made")
            silences = silences + 1 if turn.verdict == "unavailable" else 0
            if silences >= MAX_SILENCES:
                raise unavailable(self.loop.gateway.site.name, turn.detail)

    def _turn(
        self, campaign_id: str, unknown: UnknownOutcomes, model: "_ModelSilence"
    ) -> TurnReport | NothingEligible | RunResult | None:
        """The next turn, or how the run ends; None if an outcome had to be found out first.

        That is an intent whose outcome is not in the log: another device's entries came before ours, or it was cut off there.
        """
        try:
            return self.loop.run_turn(campaign_id)
        except StaleStateError:
            self._recover(unknown)
            return None
        except OutriderError as error:
            if error.code == "campaign_not_active":  # paused from somewhere else
                return self._end(campaign_id, RunResult(RunEnd.STOPPED))
            if error.code == "proposer_stopped":
                return self._stopped(campaign_id)
            if error.code == "model_budget_spent":
                result = RunResult(RunEnd.HELD, (error.sentence,))
                return self._end(campaign_id, result, hold=error.sentence)
            if self.once or not (is_unusable(error) or self._wait_for_model(model, error)):
                raise
            unknown.to_rest()  # the fault is reset, and the same turn is begun again
            return None

    def _is_deleted(self, campaign_id: str) -> bool:
        return campaign_id in self.loop.journal.database.query(erased_things.deleted_campaigns)

    def _wait_for_model(self, model: "_ModelSilence", error: OutriderError) -> bool:
        """Wait in real time before a model that fails for a while is asked again; False if it is not to be asked again.

        What was asked and failed is on record and counts for the budget, which ends the run when it is spent.
        """
        clock = self.loop.clock
        delay = model.next_delay(clock.now(), error) if is_passing(error) else None
        if delay is None:
            return False
        until = clock.now() + round(delay * 1_000)
        self.on_sleep(NothingEligible(until, (error.sentence,), model.since))
        while delay > 0 and not self.stop.is_set():
            clock.wait(min(delay, LONGEST_SLICE), self.wake)
            delay -= LONGEST_SLICE
            if not self.stop.is_set():
                self.wake.clear()  # somebody decided something, which makes no model speak
        return True

    def _stopped(self, campaign_id: str) -> RunResult:
        if name := self.handed_over_to():  # whatever was recorded now could come before what that device records
            return RunResult(RunEnd.HANDED_OVER, (f"Handed over to “{name}”.",))
        ended = RunResult(RunEnd.STOPPED)
        if damage := self.damage():
            return self._end(campaign_id, ended, hold=damage)
        if self.stopped_by_user():
            self._user_commands().campaigns.change_status(campaign_id, CampaignStatus.PAUSED, STOPPED_BY_USER)
            return self._end(campaign_id, ended)
        return self._end(campaign_id, ended, hold="Outrider was closed")

    def _must_wait_for_sync(self) -> bool:
        """Whether nothing may be begun now: it rests, records nothing, and goes on by itself."""
        sync_status = self.loop.sync_status.describe()
        if sync_status in MAY_ACT:
            return False
        self.on_sleep(NothingEligible(None, (gates.not_in_sync(sync_status),)))
        self.loop.clock.wait(LONGEST_SLICE, self.wake)
        return True

    def _recover(self, unknown: UnknownOutcomes) -> None:
        self._looked(unknown.campaign_id, unknown.recover())

    def _looked(self, campaign_id: str, recovered: list[RecoveredAction]) -> None:
        self.on_recovered(recovered)
        verify_waiting(self.loop.journal, self.loop.clock, campaign_id, self.loop.outside, stopped=self.stop.is_set)

    def _rest(self, campaign_id: str, nothing_eligible: NothingEligible, unknown: UnknownOutcomes) -> RunResult | None:
        """Nothing is eligible now: plan, review, finish, sleep, or end the run because somebody is needed."""
        journal, clock = self.loop.journal, self.loop.clock
        if lead_scoring.finish_scoring(journal, clock, campaign_id, self.stop.is_set):
            return None
        if self._plan(campaign_id) or self._review(campaign_id):
            return None
        # Of what the user changed meanwhile.
        if verify_waiting(journal, clock, campaign_id, self.loop.outside, stopped=self.stop.is_set):
            return None
        with journal.database.read() as connection:
            finished = _finished(connection, campaign_id, clock.now())
            campaign = campaigns.campaign(connection, campaign_id)
            drafts = campaign is not None and is_any_approvable(connection, campaign, self.loop.read_inputs())
            blocking_reasons = () if nothing_eligible.held_reasons else _left(connection, campaign_id)
        if finished:
            return self._complete(campaign_id)
        if self.wake.is_set() and not (
            drafts or blocking_reasons
        ):  # what was waited for was decided while this was looked through
            self.wake.clear()
            return None
        # Only the user can bring it on now: a rehearsal's clock must not jump past what waits in Review. It does jump for
        # what was approved and is held back.
        needs_user = nothing_eligible.until is None or (drafts and not nothing_eligible.held_reasons)
        halt = RunEnd.HELD if nothing_eligible.held_reasons else RunEnd.NEEDS_APPROVAL if drafts else RunEnd.NEEDS_YOU
        pause = unknown.seconds_to_wait() if needs_user else None
        if pause is not None and not nothing_eligible.held_reasons:
            if reasons := self._held(campaign_id):
                halt, nothing_eligible = RunEnd.HELD, NothingEligible(None, reasons)
            elif self.once:
                return self._end(campaign_id, RunResult(RunEnd.NOT_YET), hold=_NOTHING_TO_STEP)
            else:
                self.on_sleep(NothingEligible(None, (AWAITS_OUTCOME,)))
                self._to_sleep(campaign_id)
                clock.wait(pause, self.wake)
                return None
        if self.once and (needs_user or not clock.skips_waiting):
            halt = halt if needs_user or nothing_eligible.held_reasons else RunEnd.NOT_YET
            ended = RunResult(
                halt, nothing_eligible.held_reasons or (blocking_reasons if needs_user else ()), nothing_eligible.until
            )
            return self._end(campaign_id, ended, hold=_NOTHING_TO_STEP)
        # A rehearsal waits for its reader: it never skips the days in which they would have answered.
        unread = self.new_replies(campaign_id) if self.stay and clock.skips_waiting else 0
        self.on_sleep(replace(nothing_eligible, new_replies=unread))
        if self.stay and (needs_user or unread):
            self._to_sleep(campaign_id)
            clock.wait_for_user(LONGEST_SLICE, self.wake)
            return None
        if nothing_eligible.until is not None:
            self._to_sleep(campaign_id)
            clock.sleep_until(nothing_eligible.until, self.wake)
            return None
        return self._end(campaign_id, RunResult(halt, nothing_eligible.held_reasons or blocking_reasons))

    def _plan(self, campaign_id: str) -> bool:
        """Whether anybody was planned for; a run that rests asks again and again and must not hold up who writes."""
        journal = self.loop.journal
        now = self.loop.clock.now()
        with journal.database.read() as connection:
            campaign = campaigns.campaign(connection, campaign_id)
            withdrawal = planner.next_withdrawal(connection, campaign, now) if campaign is not None else None
            is_old = withdrawal is not None and withdrawal <= now
            unplanned = leads.unplanned_leads(connection, campaign_id, 1)
            drafted = planner.drafted_in_vain(connection, campaign_id, now)
            if not (is_old or unplanned or drafted or planner.held_otherwise(connection, campaign_id, now)):
                return False
        with journal.transaction() as transaction:
            planned = planner.plan(transaction, campaign_id, cause="plan", at=now)
            if is_old:
                planned += planner.plan_withdrawals(transaction, campaign_id, cause="plan", at=now)
            drafted = planner.drafted_in_vain(transaction.connection, campaign_id, now)
            planned += planner.hold(transaction, campaign_id, drafted, cause="plan", at=now)
            return planned > 0

    def _complete(self, campaign_id: str) -> RunResult | None:
        """Completed if that is still so in the very transaction that says it: leads may be imported at any moment."""
        with self.loop.journal.transaction() as transaction:
            campaign = campaigns.campaign(transaction.connection, campaign_id)
            active = campaign is not None and campaign.status is CampaignStatus.ACTIVE
            if not active or not _finished(transaction.connection, campaign_id, self.loop.clock.now()):
                return None
            completed = CampaignCompleted(campaign_id)
            transaction.record(campaign_id, [completed], actor="controller", cause="finished", at=self.loop.clock.now())
        return self._end(campaign_id, RunResult(RunEnd.COMPLETED))

    def _review(self, campaign_id: str) -> bool:
        most = 0 if self.on_drafts is None else self.drafts_at_once(campaign_id)
        if self.on_drafts is None or most == 0:
            return False
        drafts = self.loop.journal.database.query(messages.drafts, campaign_id, most)
        return bool(drafts) and self.on_drafts(campaign_id, drafts)

    # --- the runtime snapshot ---

    def _to_sleep(self, campaign_id: str) -> None:
        position = self.loop.journal.database.query(campaigns.position, campaign_id)
        if position is not None and position.state is TurnState.IDLE:
            machine = TurnMachine(position.state)
            machine.dispatch(TurnEventKind.SLEEP_REQUESTED)
            self._runtime_changed(RuntimeChanged(campaign_id, state=machine.state))

    def _end(self, campaign_id: str, ended: RunResult, *, hold: str = "") -> RunResult:
        """`hold`: why the campaign, which stays on, does not go on before the user continues it."""
        if hold:
            self._while_active(CampaignHeld(campaign_id, status_reason=hold[:500]), actor="controller", cause="hold")
        self._runtime_changed(RuntimeChanged(campaign_id, loop_enabled=0))
        with self.loop.journal.database.read() as connection:
            unknown = messages.addressed(connection, campaign_id, MessageStatus.OUTCOME_UNKNOWN, MAX_REASONS)
        sentences = (
            f"It is not known whether the {message.kind} to {message.recipient} was sent." for message in unknown
        )
        return replace(ended, reasons=(*ended.reasons, *sentences))

    def _while_active(self, changed: CampaignHeld | CampaignContinued, actor: str, cause: str) -> None:
        """Another reason to stand still, or none; nothing if it is so already or somebody ended the campaign meanwhile."""
        with self.loop.journal.transaction() as transaction:
            campaign = campaigns.campaign(transaction.connection, changed.entity_id)
            active = campaign is not None and campaign.status is CampaignStatus.ACTIVE
            if campaign is not None and active and campaign.status_reason != changed.changes["status_reason"]:
                transaction.record(campaign.id, [changed], actor=actor, cause=cause, at=self.loop.clock.now())

    def _runtime_changed(self, event: RuntimeChanged) -> None:
        now = self.loop.clock.now()
        self.loop.journal.record(event.entity_id, events=[event], actor="controller", cause="runtime", at=now)

    def _user_commands(self) -> Commands:
        return Commands(self.loop.journal, self.loop.clock, "user")

    def _broken(self, campaign_id: str, error: Exception) -> OutriderError:
        """A defect outside of a turn, which records its own: the campaign goes to `error` and says why, in both logs."""
        defect, now = defect_error(error), self.loop.clock.now()
        what = str(defect.facts["what"])
        payload = {"what": what, "raised_at": raised_at(error)}
        self.loop.journal.record(
            campaign_id,
            events=[CampaignFailed(campaign_id, status_reason=what)],
            audits=[AuditEntry(defect.code, payload)],
            actor="controller",
            cause="defect",
            at=now,
        )
        return defect


MOST_NAMED = 5


def _as_known(site: str, report: SelectorReport | SiteProblem) -> str:
    """Raises `site_unreachable` and `selectors_changed`."""
    if isinstance(report, SiteProblem):
        raise unavailable(site, report.detail)
    if not report.ok:
        raise OutriderError("selectors_changed", site=site, missing=", ".join(report.missing))
    return "the site's pages are as Outrider knows them"


def _left(connection: DatabaseConnection, campaign_id: str) -> tuple[str, ...]:
    """What the campaign cannot be completed without and no turn works on, for people."""
    blocked = tasks.blocked_tasks(connection, campaign_id, MOST_NAMED + 1)
    others = tasks.tasks_of_others(connection, campaign_id, MOST_NAMED + 1)
    in_doubt = people.is_anybody_in_doubt(connection, campaign_id)
    reasons = (
        *(("Some people may be the same person: say first whether they are.",) if in_doubt else ()),
        *(f"“{task.description}” is blocked: {task.reason}" for task in blocked),
        *(f"“{task.description}” is still in progress." for task in others),
    )
    return (*reasons[:MOST_NAMED], "More tasks are not done.") if len(reasons) > MOST_NAMED else reasons


LONGEST_SLICE = 1.0
"""Seconds; what others decide may shorten a wait for the model by at most so much each time."""


@dataclass
class _ModelSilence:
    """Since when the model has failed in a row (ms UTC), and how long to wait before the next try."""

    backoff: Backoff
    patience: float
    since: int | None = None
    costly: int = 0

    def next_delay(self, now: int, error: OutriderError) -> float | None:
        """Seconds; None when patience is at its end: what fails so often does not pass by itself."""
        if self.since is None:
            self.since = now
        self.costly = self.costly + 1 if may_have_cost(error) else 0
        if now - self.since >= self.patience * 1_000 or self.costly >= MOST_COSTLY_IN_A_ROW:
            return None
        return self.backoff.next_delay(wait_of(error))

    def ended(self) -> None:
        """It answered."""
        self.since, self.costly = None, 0
        self.backoff.reset()


def _finished(connection: DatabaseConnection, campaign_id: str, now: int) -> bool:
    campaign = campaigns.campaign(connection, campaign_id)
    begins = campaign is None or not campaign.settings.limits.begin_nobody(now)
    counts = tasks.task_counts(connection, campaign_id)
    return is_finished(
        open_tasks=sum(n for (_, status), n in counts.items() if status not in SETTLED),
        open_questions=questions.open_questions(connection, campaign_id),
        unplanned_leads=len(leads.unplanned_leads(connection, campaign_id, 1)) if begins else 0,
        leads_in_doubt=people.is_anybody_in_doubt(connection, campaign_id),
        unknown_outcomes=len(actions.open_actions(connection, campaign_id)),
        withdrawals=campaign is not None and planner.next_withdrawal(connection, campaign, now) is not None,
    )
