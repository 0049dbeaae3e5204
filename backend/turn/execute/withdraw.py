"""An old invitation is taken back: look, intent, act, look, outcome; as a send, but without a text."""

from dataclasses import replace

from backend.domain.contact.withdrawals import WithdrawalContext, found_gone_events, intent_events, outcome_events
from backend.domain.events.events import Event
from backend.domain.model.site import Relation
from backend.domain.model.task import ActionFamily
from backend.domain.model.tools import ToolParams
from backend.domain.turn.proposal_check import ProposalFacts
from backend.domain.values.real_time import RealTime
from backend.situation.unsettled_acts import load_withdrawal
from backend.turn.execute.act import ActGuard, DecidedAct, act_once, result_of, verdict_of
from backend.turn.execute.execution import (
    Execution,
    TurnOutcome,
    outcome_for,
    present,
)
from backend.turn.execute.look import site_problem
from backend.turn.gateway import WITHDRAW_INVITATION, ActResult, SiteProblem
from backend.turn.load import TurnContext

FAMILY = ActionFamily.WITHDRAW


def withdraw(run: Execution, context: TurnContext, facts: ProposalFacts, _: ToolParams) -> TurnOutcome:
    """Raises `StaleStateError` if the state moved before the intent was on disk."""
    task, lead = present(facts.task), present(facts.lead)
    check = ActGuard(run, facts, FAMILY)
    seen = run.gateway.read_profile(lead)
    if isinstance(seen, SiteProblem):
        return site_problem(run, context, task, seen)
    withdrawal = _loaded(run, context, run.journal.ids.new(), facts)
    if seen.relation is not Relation.PENDING:
        events = found_gone_events(withdrawal, seen.relation, context.inputs.now, run.journal.ids.new)
        return outcome_for(task, "superseded", "no invitation waits there any more", events)

    def intent(turn: int, now: int, real_time: RealTime) -> list[Event]:
        return intent_events(withdrawal, turn=turn, tool=WITHDRAW_INVITATION, now=now, real_time=real_time)

    def do() -> ActResult | SiteProblem:
        return run.gateway.withdraw(withdrawal.action_id, lead, seen, check)

    act = DecidedAct(withdrawal.action_id, WITHDRAW_INVITATION, FAMILY, intent, do)
    return _record_outcome(run, context, facts, withdrawal, act_once(run, context, facts, act, check))


def _loaded(run: Execution, context: TurnContext, action_id: str, facts: ProposalFacts) -> WithdrawalContext:
    task, lead = present(facts.task), present(facts.lead)
    with run.journal.database.read() as connection:
        return load_withdrawal(connection, context.campaign.id, action_id=action_id, task_id=task.id, lead_id=lead.id)


def _record_outcome(
    run: Execution,
    context: TurnContext,
    facts: ProposalFacts,
    withdrawal: WithdrawalContext,
    acted: ActResult | SiteProblem,
) -> TurnOutcome:
    """The outcome's events, from rows read after the act: the user may have decided something meanwhile."""
    tried, result = isinstance(acted, ActResult), result_of(acted)
    current, now, new_id = _loaded(run, context, withdrawal.action_id, facts), run.clock.now(), run.journal.ids.new
    events = outcome_events(current, result.outcome, result.attempt, result.relation, now, new_id, tried=tried)
    verdict, incident_events = verdict_of(run, context, current.lead, result, now)
    return replace(outcome_for(current.task, verdict, result.attempt.detail, [*events, *incident_events]), effect=True)
