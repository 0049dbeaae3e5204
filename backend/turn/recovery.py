"""Acts whose outcome is not known, sends and withdrawals: looked at again, before anything else at start and then during the run.

A request may still be under way after its act is over. Until the time that its site declares has passed, in real time,
"not there" means "not there yet".
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from backend.domain.contact.observations import incident
from backend.domain.contact.unsettled import ActUnderWay, ask_what_became_of, outcome_events
from backend.domain.contact.withdrawals import WithdrawalContext
from backend.domain.events.events import AuditEntry, Event
from backend.domain.events.facts.campaign import RuntimeChanged
from backend.domain.events.facts.statuses import ActionStatus, QuestionStatus
from backend.domain.events.facts.task import InputAnswered
from backend.domain.model.campaign import HOUR
from backend.domain.model.channel import is_settled_by_user
from backend.domain.model.message import Observation, SendOutcome
from backend.domain.model.task import ActionFamily
from backend.domain.model.tools import sending_tool
from backend.domain.model.turn import IN_FLIGHT, TurnEventKind, TurnMachine, TurnState
from backend.domain.values.real_time import certainly_elapsed, possibly_elapsed
from backend.ports.clock import Clock
from backend.situation.unsettled_acts import OpenAction, act_of, open_actions, questions_about
from backend.store.log.journal import Journal
from backend.store.log.transaction import Transaction
from backend.store.queries.campaign import campaigns
from backend.turn.gateway import WITHDRAW_INVITATION, ActResult, ToolGateway, act_cut_off

LONGEST_ACT_SECONDS = 120.0
"""Longer than an act can take: after its intent is on disk, its request leaves within this time or never."""

FIRST_PAUSE_MS = 1_000


@dataclass(frozen=True, slots=True)
class RecoveredAction:
    """What a look found out: the action and what came of it."""

    action_id: str
    outcome: SendOutcome


@dataclass(slots=True)
class _Watch:
    """When to look at an action again, by the monotonic clock (ms).

    `since` is when this process first knew of it, its act being over; at `settles_at` nothing can be under way any more.
    """

    since: int
    settles_at: int
    next_look: int


@dataclass
class UnknownOutcomes:
    """The sends of one campaign whose outcome is unknown, and when to look at each again."""

    journal: Journal
    gateway: ToolGateway
    clock: Clock
    campaign_id: str
    _watched: dict[str, _Watch] = field(default_factory=dict)

    def recover(self) -> list[RecoveredAction]:
        """Look at all of them, and bring the turn machine back to rest. Idempotent."""
        results = self._look_at(self.find())
        self.to_rest()
        return results

    def to_rest(self) -> None:
        """Only bring the turn machine back to rest."""
        _to_rest(self.journal, self.clock, self.campaign_id)

    def find(self) -> list[OpenAction]:
        """All that there are now; to be asked after each act."""
        with self.journal.database.read() as connection:
            campaign = campaigns.campaign(connection, self.campaign_id)
            # Of what the user's own hand does nothing can be seen from here: it waits for their word.
            settled_by_user = campaign is not None and is_settled_by_user(campaign.site)
            actions = [] if settled_by_user else open_actions(connection, self.campaign_id)
        watched, self._watched = self._watched, {}
        for action in actions:
            self._watched[action.id] = watched.get(action.id) or self._begin(action)
        return actions

    def are_due(self) -> bool:
        """Whether one should be looked at now; asked before every turn, so it reads nothing."""
        return bool(self._watched) and min(watch.next_look for watch in self._watched.values()) <= self._now()

    def look_again(self) -> list[RecoveredAction]:
        """Look at those that are due."""
        now = self._now()
        return self._look_at([action for action in self.find() if self._watched[action.id].next_look <= now])

    def seconds_to_wait(self) -> float | None:
        """How long until the next look at one that may settle by itself; None if there is none."""
        now = self._now()
        waits = [watch.next_look - now for watch in self._watched.values() if watch.next_look <= watch.settles_at]
        return max(0, min(waits)) / 1_000 if waits else None

    def _now(self) -> int:
        return self.clock.real_time().monotonic

    def _begin(self, action: OpenAction) -> _Watch:
        """Its act is over: it was this process's own and has ended, or that of one that has.

        Its request may have left a moment ago, unless its intent is certainly older than an act can take.
        """
        now, settle_ms = self.clock.real_time(), round(self.gateway.site.settle_seconds * 1_000)
        remaining_ms = settle_ms
        passed = certainly_elapsed(action.intended_at, now)
        if passed is not None:
            remaining_ms = min(remaining_ms, max(0, settle_ms + round(LONGEST_ACT_SECONDS * 1_000) - passed))
        settles_at = now.monotonic + remaining_ms
        return _Watch(now.monotonic, settles_at, min(now.monotonic + FIRST_PAUSE_MS, settles_at))

    def _look_at(self, actions: Sequence[OpenAction]) -> list[RecoveredAction]:
        results = []
        for action in actions:
            watch, began = self._watched[action.id], self._now()
            settled = began >= watch.settles_at
            # Each pause is as long as all the time before it; the look at the end of the time is never missed.
            next_look = began + max(FIRST_PAUSE_MS, began - watch.since)
            watch.next_look = next_look if settled else min(next_look, watch.settles_at)
            outcome = self._look_and_record(action, settled=settled)
            if outcome is not SendOutcome.OUTCOME_UNKNOWN:
                del self._watched[action.id]
            if outcome is not None and action.status != outcome:  # looked at again and still unknown is no news
                results.append(RecoveredAction(action.id, outcome))
        return results

    def _look_and_record(self, action: OpenAction, *, settled: bool) -> SendOutcome | None:
        """What it amounts to; None if the user said meanwhile what became of it."""
        act = self.journal.database.query(act_of, self.campaign_id, action)
        if isinstance(act, WithdrawalContext):
            acted = self.gateway.observe_withdrawal(act.lead, action.attempt, settled=settled)
        else:
            acted = self.gateway.observe(act.lead, act.message, action.seen_before, action.attempt, settled=settled)
        if acted.seen is Observation.ABSENT and action.family == ActionFamily.INVITE and self._stale(action):
            # After a while "not there" can also mean delivered and declined: only the user can tell.
            acted = replace(acted, outcome=SendOutcome.OUTCOME_UNKNOWN)
        with self.gateway.unrecorded_audits() as audits, self.journal.transaction() as transaction:
            if action not in open_actions(transaction.connection, self.campaign_id):
                transaction.audit(self.campaign_id, audits, actor="recovery", cause=_cause(action), at=self.clock.now())
                return None
            self._record(transaction, audits, action, acted, settled=settled)
        return acted.outcome

    def _record(
        self,
        transaction: Transaction,
        audits: Sequence[AuditEntry],
        action: OpenAction,
        acted: ActResult,
        *,
        settled: bool,
    ) -> None:
        act = act_of(transaction.connection, self.campaign_id, action)
        now, new_id, entries = self.clock.now(), transaction.new_id, list(audits)
        question_ids = questions_about(transaction.connection, action.task_id)
        events: list[Event] = []
        if action.status != acted.outcome:
            outcome, relation = acted.outcome, acted.relation
            events += outcome_events(act, outcome, acted.attempt, relation, now, new_id, cut_off=action.cut_off)
        if action.status == ActionStatus.INTENDED:
            entries.append(act_cut_off(_tool(act), action.id, act.lead, acted.outcome))
        if acted.outcome is not SendOutcome.OUTCOME_UNKNOWN:
            events += [
                InputAnswered(question, status=QuestionStatus.WITHDRAWN, answer=acted.outcome)
                for question in question_ids
            ]
        elif settled and not question_ids:
            events += ask_what_became_of(act, now, new_id)
        problem = acted.problem
        if problem is not None and problem.kind is not None:
            events.append(
                incident(
                    act.campaign,
                    problem.kind,
                    problem.detail,
                    now,
                    new_id,
                    evidence=problem.evidence,
                    lead_id=act.lead.id,
                )
            )
        transaction.audit(self.campaign_id, entries, actor="recovery", cause=_cause(action), at=now)
        transaction.record(self.campaign_id, events, actor="recovery", cause=_cause(action), at=now)

    def _stale(self, action: OpenAction) -> bool:
        passed = possibly_elapsed(action.intended_at, self.clock.real_time())
        return passed is None or passed > HOUR


def recover(journal: Journal, gateway: ToolGateway, clock: Clock, campaign_id: str) -> list[RecoveredAction]:
    """Look once at every send whose outcome is not known, and bring the turn machine back to rest."""
    return UnknownOutcomes(journal, gateway, clock, campaign_id).recover()


def ask_about_all(journal: Journal, clock: Clock, campaign_id: str) -> bool:
    """Ask about every send whose outcome nobody here can look for, and bring the turn machine to rest; whether there was one."""
    with journal.transaction() as transaction:
        actions = open_actions(transaction.connection, campaign_id)
        for action in actions:
            act = act_of(transaction.connection, campaign_id, action)
            now, new_id, unknown = clock.now(), transaction.new_id, SendOutcome.OUTCOME_UNKNOWN
            events: list[Event] = []
            if action.status == ActionStatus.INTENDED:
                cut_off = act_cut_off(_tool(act), action.id, act.lead, unknown)
                transaction.audit(campaign_id, [cut_off], actor="recovery", cause=_cause(action), at=now)
                events += outcome_events(act, unknown, action.attempt, None, now, new_id, cut_off=action.cut_off)
            if not questions_about(transaction.connection, action.task_id):
                events += ask_what_became_of(act, now, new_id)
            transaction.record(campaign_id, events, actor="recovery", cause=_cause(action), at=now)
    _to_rest(journal, clock, campaign_id)
    return bool(actions)


def _tool(act: ActUnderWay) -> str:
    return WITHDRAW_INVITATION if isinstance(act, WithdrawalContext) else sending_tool(act.message.kind)


def _cause(action: OpenAction) -> str:
    return f"recovery {action.id}"


_REST: dict[TurnState, tuple[TurnEventKind, ...]] = {
    TurnState.BOOTSTRAPPING: (TurnEventKind.INIT_COMPLETED,),
    TurnState.FAULTED: (TurnEventKind.RESET_FAULT,),
    # A turn that was cut off by a crash: it failed, what came of its intent is looked into, and the fault is reset.
    **dict.fromkeys(IN_FLIGHT, (TurnEventKind.TURN_FAILED, TurnEventKind.RESET_FAULT)),
}


def _to_rest(journal: Journal, clock: Clock, campaign_id: str) -> None:
    position = journal.database.query(campaigns.position, campaign_id)
    if position is None or position.state not in _REST:
        return  # as nearly always: no write transaction for that
    with journal.transaction() as transaction:
        position = campaigns.position(transaction.connection, campaign_id)
        if position is None or position.state not in _REST:
            return
        if position.state in IN_FLIGHT:
            cut_off = {"code": "cut_off", "said": f"the process ended while the step was in {position.state}"}
            entry = AuditEntry("turn_failed", {**cut_off, "turn": position.last_turn + 1})
            transaction.audit(campaign_id, [entry], actor="recovery", cause="recovery", at=clock.now())
        machine = TurnMachine(position.state)
        for kind in _REST[position.state]:
            machine.dispatch(kind, "recovery")
        event = RuntimeChanged(campaign_id, state=machine.state, turn_lock=0)
        transaction.record(campaign_id, [event], actor="recovery", cause=f"recovery {machine.history}", at=clock.now())
