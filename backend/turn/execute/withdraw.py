"""An old invitation is taken back: look, intent, act, look, outcome; as a send, but without a text."""

from dataclasses import replace

from backend.domain.message import Observation, SendOutcome
from backend.domain.observations import incident
from backend.domain.proposal_check import ProposalFacts
from backend.domain.site import Attempt, Relation, SiteAnswer
from backend.domain.task import ActionFamily
from backend.domain.tools import ToolParams
from backend.domain.withdrawals import WithdrawalContext, found_gone_events, intent_events, outcome_events
from backend.ports.site import ActCalledOff
from backend.store.log.journal import StaleStateError
from backend.turn.execute.act_check import ActCheck
from backend.turn.execute.execution import (
    Execution,
    TurnOutcome,
    outcome_for,
    present,
    read_gate_facts,
    refusal_now,
)
from backend.turn.execute.look import site_problem
from backend.turn.execute.send import UNACKNOWLEDGED
from backend.turn.gateway import WITHDRAW_INVITATION, ActResult, SiteProblem, act_started
from backend.turn.load import TurnContext
from backend.turn.unsettled_acts import load_withdrawal

FAMILY = ActionFamily.WITHDRAW


def withdraw(run: Execution, context: TurnContext, facts: ProposalFacts, _: ToolParams) -> TurnOutcome:
    """Raises `StaleStateError` if the state moved before the intent was on disk."""
    task, lead = present(facts.task), present(facts.lead)
    check = ActCheck(run, context.campaign, lead, FAMILY)
    seen = run.gateway.read_profile(lead)
    if isinstance(seen, SiteProblem):
        return site_problem(run, context, task, seen)
    withdrawal = _loaded(run, context, run.journal.ids.new(), facts)
    if seen.relation is not Relation.PENDING:
        events = found_gone_events(withdrawal, seen.relation, context.inputs.now, run.journal.ids.new)
        return outcome_for(task, "superseded", "no invitation waits there any more", events)
    _record_intent(run, context, facts, withdrawal)
    run.journal.keep_heads()
    run.boundary("intent")
    confirmed = run.sync_status.push_and_confirm(context.campaign.id)
    acted = _act(run, withdrawal, check, confirmed=confirmed)
    run.boundary("acted")
    return _record_outcome(run, context, facts, withdrawal, acted)


def _loaded(run: Execution, context: TurnContext, action_id: str, facts: ProposalFacts) -> WithdrawalContext:
    task, lead = present(facts.task), present(facts.lead)
    with run.journal.database.read() as connection:
        return load_withdrawal(connection, context.campaign.id, action_id=action_id, task_id=task.id, lead_id=lead.id)


def _record_intent(run: Execution, context: TurnContext, facts: ProposalFacts, withdrawal: WithdrawalContext) -> None:
    """The first of the two transactions; the state and the gates must still be those that were judged."""
    campaign_id, now, turn = context.campaign.id, run.clock.now(), context.position.last_turn + 1
    tool, real_time = WITHDRAW_INVITATION, run.clock.real_time()
    events = intent_events(withdrawal, turn=turn, tool=tool, now=now, real_time=real_time)
    with run.gateway.unrecorded_audits() as audits, run.journal.transaction() as transaction:
        transaction.expect(campaign_id, context.position.seq, context.position.event_hash)
        around, version = run.read_inputs(), run.journal.database.version()
        if not run.known.hold(version):
            read_gate_facts(run.known, transaction.connection, version, context.campaign, around, facts, FAMILY)
        if refusal_now(run.known, around, None) is not None:
            raise StaleStateError(campaign_id)
        entries = (*audits, act_started(tool, withdrawal.action_id, withdrawal.lead))
        transaction.audit(campaign_id, entries, actor="agent", cause=f"t{turn}", at=now)
        transaction.record(campaign_id, events, actor="controller", cause=f"t{turn}", at=now)
    run.known.version = version.after_commit() if version is not None else None


def _act(run: Execution, withdrawal: WithdrawalContext, check: ActCheck, *, confirmed: bool) -> ActResult | SiteProblem:
    """The act itself, unless something came between its intent and now; then nothing is clicked."""
    action_id, lead, why = withdrawal.action_id, withdrawal.lead, "" if confirmed else UNACKNOWLEDGED
    try:
        if confirmed:
            check()
            return run.gateway.withdraw(action_id, lead, check)
    except ActCalledOff as off:
        why = str(off)
    run.gateway.add_act_without_try(WITHDRAW_INVITATION, action_id, lead, why)
    return SiteProblem(None, why, called_off=True)


def _record_outcome(
    run: Execution,
    context: TurnContext,
    facts: ProposalFacts,
    withdrawal: WithdrawalContext,
    acted: ActResult | SiteProblem,
) -> TurnOutcome:
    """The outcome's events, from rows read after the act: the user may have decided something meanwhile."""
    trouble = acted if isinstance(acted, SiteProblem) else acted.problem
    tried = not isinstance(acted, SiteProblem)
    if isinstance(acted, SiteProblem):
        # By the port's promise nothing was clicked, so the invitation waits as before.
        acted = ActResult(Attempt(SiteAnswer.NO_ANSWER, acted.detail), Observation.ABSENT, SendOutcome.NOT_SENT)
    fresh, now, new_id = _loaded(run, context, withdrawal.action_id, facts), run.clock.now(), run.journal.ids.new
    events = outcome_events(fresh, acted.outcome, acted.attempt, acted.relation, now, new_id, tried=tried)
    kind, said = acted.attempt.incident, acted.attempt.said
    shown = next((seen.file for seen in acted.attempt.evidence if seen.file), "")
    if kind is None and trouble is not None:
        kind, said, shown = trouble.kind, trouble.detail, trouble.evidence
    verdict = "accepted" if acted.outcome is SendOutcome.SENT else acted.outcome.value
    if kind is not None:
        events.append(incident(context.campaign, kind, said, now, new_id, evidence=shown))
        verdict = f"incident:{kind}"
    return replace(outcome_for(fresh.task, verdict, acted.attempt.said, events), effect=True)
