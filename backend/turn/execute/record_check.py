"""A page that was read is compared with what is on record; where they differ, this person is blocked and the user asked."""

from dataclasses import replace

from backend.domain.contact import conversation_check
from backend.domain.contact.conversation_check import Differences, RecordedText
from backend.domain.contact.observations import profile_progress, thread_read_events
from backend.domain.events.events import Event
from backend.domain.events.facts.lead import LeadAdvanced
from backend.domain.events.record_loss import RECORDS_LOST
from backend.domain.model.campaign import MINUTE
from backend.domain.model.lead import NOT_ON_RECORD, Lead
from backend.domain.model.message import MessageSource, MessageStatus, text_mark
from backend.domain.model.sequence import DueAction, due_step, next_step
from backend.domain.model.site import RELATION_WORDS, Profile, Relation, Thread
from backend.domain.model.task import TaskKind
from backend.domain.turn.proposal_check import ProposalFacts
from backend.domain.turn.task_progress import answer_stopped, withdraw
from backend.store.database import DatabaseConnection
from backend.store.queries.campaign import questions
from backend.store.queries.contact import account_record, messages
from backend.store.queries.device import configuration
from backend.turn.execute.execution import Execution, TurnOutcome, outcome_for, present
from backend.turn.load import TurnContext


def differs_from_record(
    run: Execution, context: TurnContext, facts: ProposalFacts, seen: Profile | Thread
) -> TurnOutcome | None:
    """The user is asked about what nobody recorded; None if the page shows what is on record."""
    task, lead, now, new_id = present(facts.task), present(facts.lead), context.inputs.now, run.journal.ids.new
    if isinstance(seen, Profile):
        if seen.relation is Relation.NONE:
            return None  # there is nothing that could be unrecorded
        with run.journal.database.read() as connection:
            invited = account_record.is_invitation_recorded(connection, lead.id)
            lost = configuration.campaign_value(connection, context.campaign.id, RECORDS_LOST) is not None
        relation = seen.relation
        if not conversation_check.is_unrecorded_relation(lead, relation, invited_before=invited, records_lost=lost):
            return None
        events = withdraw(facts.message, facts.approval, "invited or connected already")
        events.append(LeadAdvanced(lead.id, **profile_progress(context.campaign, lead, seen, now)))
        events += conversation_check.ask_about_relation(lead, task, relation, now, new_id)
        return outcome_for(task, NOT_ON_RECORD, f"{RELATION_WORDS[relation]}, and no invitation is on record", events)
    differing = run.journal.database.query(differences, lead, task.id, seen)
    if not differing:
        return None
    read, events = replies_in(run, lead, seen, now)
    events += conversation_check.found_events(lead, differing.unrecorded, now, new_id, MessageSource.SEEN)
    if task.kind is TaskKind.ANSWER:
        sent = facts.message is not None and facts.message.status is MessageStatus.SENT
        if sent or not differing.unrecorded:
            return None  # what is missing is asked about by the sequence's own task
        events += answer_stopped(task, facts.message, facts.approval, "you wrote to them yourself meanwhile")
        return outcome_for(task, "superseded", "the conversation is not what is on record", events)
    sequence = context.campaign.settings.sequence
    fresh_ms = context.campaign.settings.limits.thread_fresh_minutes * MINUTE
    if due_step(sequence, read, facts.message, now, fresh_ms).due is DueAction.FINISH:
        return None  # they answered, or it was the last look: nothing more goes to them anyway
    following = next_step(sequence, read)
    step = following.key if following is not None and following.kind == "message" else ""
    events += conversation_check.ask_about_messages(lead, task, differing, step, now, new_id)
    return outcome_for(task, NOT_ON_RECORD, "the conversation is not what is on record", events)


def replies_in(run: Execution, lead: Lead, thread: Thread, now: int) -> tuple[Lead, list[Event]]:
    """What they wrote in this thread that is not on record yet, and the lead as it then stands."""
    with run.journal.database.read() as connection:
        recorded_replies = messages.replies(connection, lead.id)
        since = account_record.in_touch_since(connection, lead.id)
    return thread_read_events(lead, thread, recorded_replies, since, now, run.journal.ids.new)


def differences(connection: DatabaseConnection, lead: Lead, task_id: str, thread: Thread) -> Differences:
    """What the user has explained already is none."""
    recorded = []
    for row in account_record.texts_to(connection, lead.id):
        mark = text_mark(row.text)
        if row.may_be_there:
            recorded.append(RecordedText(row.message_id, mark, row.text, row.was_seen))
        recorded += [
            RecordedText(row.message_id, tried) for tried in row.marks if tried != mark or not row.may_be_there
        ]
    comparison = conversation_check.compare(thread, recorded)
    if not comparison.missing:
        return comparison
    explained = questions.answered_payloads(connection, task_id, NOT_ON_RECORD)
    gone = {message_id for payload in explained for message_id in payload.get("missing", ())}
    return replace(comparison, missing=tuple(text for text in comparison.missing if text.message_id not in gone))
