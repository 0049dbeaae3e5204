"""Sends: intent, act, observe, outcome."""

from dataclasses import replace

from backend.domain.contact.conversation_check import new_replies
from backend.domain.contact.sends import SendContext, intent_events, outcome_events
from backend.domain.events.events import Event
from backend.domain.events.facts.lead import LeadAdvanced, LeadProgress
from backend.domain.events.facts.message import ActionSettled
from backend.domain.model.answer import acting_family
from backend.domain.model.message import Message, SendOutcome
from backend.domain.model.sequence import one_step_on
from backend.domain.model.site import Profile, Relation, Thread
from backend.domain.model.task import Task, TaskKind
from backend.domain.model.tools import TOOLS, ToolParams
from backend.domain.turn.proposal_check import ProposalFacts
from backend.domain.turn.task_progress import answer_stopped, block, next_step_events, withdraw
from backend.domain.values.real_time import RealTime
from backend.ports.site import ShownByAct
from backend.situation.unsettled_acts import load_sending
from backend.store.queries.contact import actions, messages
from backend.turn.execute.act import ActGuard, DecidedAct, act_once, result_of, verdict_of
from backend.turn.execute.execution import (
    Execution,
    TurnOutcome,
    outcome_for,
    present,
)
from backend.turn.execute.look import already_delivered, site_problem, thread_events
from backend.turn.execute.record_check import differs_from_record
from backend.turn.gateway import ActResult, PreActObservation, SiteProblem, count_copies, count_marked
from backend.turn.load import TurnContext


def send(run: Execution, context: TurnContext, facts: ProposalFacts, call: ToolParams) -> TurnOutcome:
    """Look, intend, act, and look again; raises `StaleStateError` if the state moved before the intent was on disk."""
    task, lead, message = present(facts.task), present(facts.lead), present(facts.message)
    family = acting_family(TOOLS[call.tool].family, task)
    check = ActGuard(run, facts, family)
    before = run.gateway.observe_before(lead, message)
    if isinstance(before, SiteProblem):
        return site_problem(run, context, task, before)
    attempts = run.journal.database.query(messages.attempts, message.id)
    if (instead := instead_of_sending(run, context, facts, before)) is not None:
        return instead
    approval = present(facts.approval)
    begun = context.inputs.now
    sending = SendContext(run.journal.ids.new(), context.campaign, task, lead, message, approval.id, attempts, begun)

    def intent(turn: int, now: int, real_time: RealTime) -> list[Event]:
        looked: LeadProgress = {"visited_at": now} if isinstance(before.seen, Profile) else {"thread_read_at": now}
        intended = intent_events(
            sending,
            turn=turn,
            tool=call.tool,
            family=family,
            seen_before=before.copies,
            now=now,
            real_time=real_time,
        )
        return [*intended, LeadAdvanced(lead.id, **looked)]

    def do() -> ActResult | SiteProblem:
        return run.gateway.act(sending.action_id, lead, message, before, check)

    act = DecidedAct(sending.action_id, call.tool, family, intent, do, message.id, facts.approval)
    acted = act_once(run, context, facts, act, check)
    shown = acted.shown if isinstance(acted, SiteProblem) else None
    instead = None if shown is None else instead_of_sending(run, context, facts, _seen_at_act(before, message, shown))
    return record_outcome(run, context, sending, acted, instead)


def instead_of_sending(
    run: Execution, context: TurnContext, facts: ProposalFacts, before: PreActObservation
) -> TurnOutcome | None:
    """What a look shows to be due in the place of the message; None if nothing stands against sending it."""
    with run.journal.database.read():  # what is on record, at one moment for all three
        return (
            already_delivered(run, context, facts, before.seen)
            or differs_from_record(run, context, facts, before.seen)
            or no_longer_due(run, context, facts, before)
        )


def _seen_at_act(before: PreActObservation, message: Message, shown: ShownByAct) -> PreActObservation:
    seen = shown if isinstance(shown, Thread) else replace(before.seen, relation=shown)
    return PreActObservation(count_copies(seen, message.text), seen)


def no_longer_due(
    run: Execution, context: TurnContext, facts: ProposalFacts, before: PreActObservation
) -> TurnOutcome | None:
    """The look before the act may show that it is not due any more: they answered, or it is there already."""
    task, lead = present(facts.task), present(facts.lead)
    if isinstance(before.seen, Thread):
        recorded_replies = run.journal.database.query(messages.replies, lead.id)
        if new_replies(before.seen, recorded_replies):
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
    task, why = present(facts.task), "this exact message is already in the conversation"
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
    lost = run.journal.database.query(actions.lost_texts, present(facts.lead).id)
    arrived = [action for action, before, mark in lost if mark and count_marked(thread, mark) > before]
    if not arrived:
        return None
    why = "an earlier version of this message, which seemed lost, has arrived after all"
    events: list[Event] = [
        ActionSettled(action, status=SendOutcome.SENT, said=why, settled_at=now) for action in arrived
    ]
    return outcome_for(task, "superseded", why, [*events, *_not_sent(run, context, facts, task, why)])


def record_outcome(
    run: Execution,
    context: TurnContext,
    sending: SendContext,
    acted: ActResult | SiteProblem,
    instead: TurnOutcome | None = None,
) -> TurnOutcome:
    """The outcome's events, from rows read after the act; `instead` is what is due by the page of an act called off."""
    trouble, result = acted if isinstance(acted, SiteProblem) else None, result_of(acted)
    # A page that shows something new each time, of which nothing follows, must not be opened for ever.
    tried = trouble is None or not trouble.called_off or (trouble.shown is not None and instead is None)
    sending = run.journal.database.query(
        load_sending,
        context.campaign.id,
        action_id=sending.action_id,
        task_id=sending.task.id,
        lead_id=sending.lead.id,
        message_id=sending.message.id,
        approval_id=sending.approval_id,
    )
    now = run.clock.now()
    events = outcome_events(
        sending,
        result.outcome,
        result.attempt,
        now,
        run.journal.ids.new,
        tried=tried,
        instead=None if instead is None else instead.events,
    )
    verdict, incident_events = verdict_of(run, context, sending.lead, result, now)
    if trouble is not None and tried and not incident_events:
        verdict = "unavailable"
    detail = result.attempt.detail
    if instead is not None:
        verdict, detail = instead.verdict, instead.detail
    return replace(outcome_for(sending.task, verdict, detail, [*events, *incident_events]), effect=True)
