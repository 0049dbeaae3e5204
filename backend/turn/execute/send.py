"""Sends: intent, act, observe, outcome."""

from dataclasses import replace

from backend.domain.answer import acting_family
from backend.domain.events import Event
from backend.domain.facts.lead import LeadAdvanced, LeadProgress
from backend.domain.facts.message import ActionSettled
from backend.domain.message import Observation, SendOutcome
from backend.domain.observations import incident
from backend.domain.proposal_check import ProposalFacts
from backend.domain.sends import SendContext, intent_events, outcome_events
from backend.domain.sequence import one_step_on
from backend.domain.site import Attempt, Profile, Relation, SiteAnswer, Thread
from backend.domain.task import Task, TaskKind
from backend.domain.task_progress import answer_stopped, block, next_step_events, withdraw
from backend.domain.tools import TOOLS, ToolParams, sending_tool
from backend.ports.site import ActCalledOff
from backend.store.log.journal import StaleStateError
from backend.store.queries import actions, messages
from backend.turn.execute.act_check import ActCheck
from backend.turn.execute.execution import (
    Execution,
    TurnOutcome,
    outcome_for,
    present,
    read_gate_facts,
    refusal_now,
)
from backend.turn.execute.look import already_delivered, replies_known, site_problem, thread_events
from backend.turn.execute.record_check import differs_from_record
from backend.turn.gateway import ActResult, PreActObservation, SiteProblem, act_started, count_marked
from backend.turn.load import TurnContext
from backend.turn.unsettled_acts import load_sending

UNACKNOWLEDGED = "the shared store did not confirm that this device may act; nothing was sent"


def send(run: Execution, context: TurnContext, facts: ProposalFacts, call: ToolParams) -> TurnOutcome:
    """Look, intend, act, and look again; raises `StaleStateError` if the state moved before the intent was on disk."""
    task, lead, message = present(facts.task), present(facts.lead), present(facts.message)
    check = ActCheck(run, context.campaign, lead, acting_family(TOOLS[call.tool].family, task))
    before = run.gateway.observe_before(lead, message)
    if isinstance(before, SiteProblem):
        return site_problem(run, context, task, before)
    with run.journal.database.read() as connection:  # what is on record, at one moment for all three
        instead = (
            already_delivered(run, context, facts, before.seen)
            or differs_from_record(run, context, facts, before.seen)
            or no_longer_due(run, context, facts, before)
        )
        attempts = messages.attempts(connection, message.id)
    if instead is not None:
        return instead
    approval = present(facts.approval)
    begun = context.inputs.now
    sending = SendContext(run.journal.ids.new(), context.campaign, task, lead, message, approval.id, attempts, begun)
    record_intent(run, context, facts, sending, call.tool, before)
    run.journal.keep_heads()
    run.boundary("intent")
    confirmed = run.sync_status.push_and_confirm(context.campaign.id)
    acted = act(run, sending, before.copies, check, confirmed=confirmed)
    run.boundary("acted")
    return record_outcome(run, context, sending, acted, tried=not (isinstance(acted, SiteProblem) and acted.called_off))


def act(
    run: Execution, sending: SendContext, seen_before: int, check: ActCheck, *, confirmed: bool
) -> ActResult | SiteProblem:
    """The act itself, unless something came between its intent and now; then nothing is clicked."""
    lead, message, action_id = sending.lead, sending.message, sending.action_id
    if not confirmed:  # another device may be acting
        return not_tried(run, sending, UNACKNOWLEDGED)
    try:
        check()
    except ActCalledOff as off:
        return not_tried(run, sending, str(off))
    return run.gateway.act(action_id, lead, message, seen_before, check)


def not_tried(run: Execution, sending: SendContext, why: str) -> SiteProblem:
    """The act is called off before the site is asked for anything."""
    run.gateway.add_act_without_try(sending_tool(sending.message.kind), sending.action_id, sending.lead, why)
    return SiteProblem(None, why, called_off=True)


def no_longer_due(
    run: Execution, context: TurnContext, facts: ProposalFacts, before: PreActObservation
) -> TurnOutcome | None:
    """The look before the act may show that it is not owed any more: they answered, or it is there already."""
    task, lead = present(facts.task), present(facts.lead)
    if isinstance(before.seen, Thread):
        theirs = sum(1 for written in before.seen.messages if written.author == "them")
        if theirs > replies_known(run, lead):
            return outcome_for(
                task, "superseded", "they wrote meanwhile", thread_events(run, context, facts, before.seen)
            )
        return (
            same_text_already_sent(run, context, facts)
            if before.copies
            else earlier_text_delivered(run, context, facts, before.seen)
        )
    if before.seen.relation is Relation.NONE:
        return None
    now, new_id = context.inputs.now, run.journal.ids.new
    changes: LeadProgress = {
        "relation": before.seen.relation,
        "visited_at": now,
        "invited_at": now,
        "sequence_step": one_step_on(context.campaign.settings.sequence, lead),
    }
    if before.seen.relation is Relation.CONNECTED:
        changes["accepted_at"] = now
    events = withdraw(facts.message, facts.approval, "invited or connected already")
    events.append(LeadAdvanced(lead.id, **changes))
    events += next_step_events(context.campaign, task, lead._replace(**changes), None, now, new_id)
    return outcome_for(task, "superseded", "invited or connected already", events)


def same_text_already_sent(run: Execution, context: TurnContext, facts: ProposalFacts) -> TurnOutcome:
    """Another campaign or the user's own hand sent this very text: nobody gets it twice."""
    task, why = present(facts.task), "this exact text is already in the conversation"
    return outcome_for(task, "superseded", why, _not_sent(run, context, facts, task, why))


def _not_sent(run: Execution, context: TurnContext, facts: ProposalFacts, task: Task, why: str) -> list[Event]:
    """The text is withdrawn, and the user asked what to do; an answer is simply theirs again."""
    if task.kind is TaskKind.ANSWER:
        return answer_stopped(task, facts.message, facts.approval, why)
    withdrawn = withdraw(facts.message, facts.approval, why)
    return [*withdrawn, *block(context.inputs.now, task, why, run.journal.ids.new)]


def earlier_text_delivered(
    run: Execution, context: TurnContext, facts: ProposalFacts, thread: Thread
) -> TurnOutcome | None:
    """A text that seemed lost, and was changed since, is there after all: they do not get the new one beside it."""
    task, now = present(facts.task), context.inputs.now
    with run.journal.database.read() as connection:
        lost = actions.lost_texts(connection, present(facts.lead).id)
    arrived = [action for action, before, mark in lost if mark and count_marked(thread, mark) > before]
    if not arrived:
        return None
    why = "an earlier version of this text, which seemed lost, has arrived after all"
    events: list[Event] = [
        ActionSettled(action, status=SendOutcome.SENT, said=why, settled_at=now) for action in arrived
    ]
    return outcome_for(task, "superseded", why, [*events, *_not_sent(run, context, facts, task, why)])


def record_intent(
    run: Execution,
    context: TurnContext,
    facts: ProposalFacts,
    sending: SendContext,
    tool: str,
    before: PreActObservation,
) -> None:
    """The first of the two transactions; the state must still be the one that was judged."""
    campaign_id, now, turn = context.campaign.id, run.clock.now(), context.position.last_turn + 1
    family = acting_family(TOOLS[tool].family, sending.task)
    events = intent_events(
        sending,
        turn=turn,
        tool=tool,
        family=family,
        seen_before=before.copies,
        now=now,
        real_time=run.clock.real_time(),
    )
    looked: LeadProgress = {"visited_at": now} if isinstance(before.seen, Profile) else {"thread_read_at": now}
    events.append(LeadAdvanced(sending.lead.id, **looked))
    with run.gateway.unrecorded_audits() as audits, run.journal.transaction() as transaction:
        transaction.expect(campaign_id, context.position.seq, context.position.event_hash)
        # The look took time, and not all that can stop a send is in this stream: a gate that has shut meanwhile
        # means that the proposal is judged again, and then refused by its name.
        around, version = run.read_inputs(), run.journal.database.version()
        if not run.known.hold(version):
            read_gate_facts(run.known, transaction.connection, version, context.campaign, around, facts, family)
        if refusal_now(run.known, around, facts.approval) is not None:
            raise StaleStateError(campaign_id)
        started = act_started(tool, sending.action_id, sending.lead, message_id=sending.message.id)
        entries = (*audits, started)
        transaction.audit(campaign_id, entries, actor="agent", cause=f"t{turn}", at=now)
        transaction.record(campaign_id, events, actor="controller", cause=f"t{turn}", at=now)
    # The intent changes nothing that the gates of the last moment ask.
    run.known.version = version.after_commit() if version is not None else None


def record_outcome(
    run: Execution, context: TurnContext, sending: SendContext, acted: ActResult | SiteProblem, *, tried: bool
) -> TurnOutcome:
    """The outcome's events, from rows read after the act: the user may have decided something meanwhile."""
    trouble = acted if isinstance(acted, SiteProblem) else None
    if isinstance(acted, SiteProblem):
        # By the port's promise nothing was clicked, so nothing was sent.
        acted = ActResult(Attempt(SiteAnswer.NO_ANSWER, acted.detail), Observation.ABSENT, SendOutcome.NOT_SENT)
    with run.journal.database.read() as connection:
        sending = load_sending(
            connection,
            context.campaign.id,
            action_id=sending.action_id,
            task_id=sending.task.id,
            lead_id=sending.lead.id,
            message_id=sending.message.id,
            approval_id=sending.approval_id,
        )
    now = run.clock.now()
    events = outcome_events(sending, acted.outcome, acted.attempt, now, run.journal.ids.new, tried=tried)
    kind, said = (trouble.kind if trouble else acted.attempt.incident), acted.attempt.said
    shown = trouble.evidence if trouble else next((seen.file for seen in acted.attempt.evidence if seen.file), "")
    if kind is None and acted.problem is not None:
        kind, said, shown = acted.problem.kind, acted.problem.detail, acted.problem.evidence
    if kind is not None:
        events.append(incident(context.campaign, kind, said, now, run.journal.ids.new, evidence=shown))
    verdict = "accepted" if acted.outcome is SendOutcome.SENT else acted.outcome.value
    if kind is not None:
        verdict = f"incident:{kind}"
    elif trouble is not None and tried:
        verdict = "unavailable"
    return replace(outcome_for(sending.task, verdict, acted.attempt.said, events), effect=True)
