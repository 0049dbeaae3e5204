"""What follows from the user's answer to a question, by the question's kind."""

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from backend.commands import lead_scoring
from backend.commands.scripts import approval_events
from backend.domain.contact import conversation_check
from backend.domain.contact.conversation_check import step_counted
from backend.domain.contact.reconciliation import CONTRADICTED, EXPORT, WAS_NOT_SENT, WAS_SENT, rests_on_word
from backend.domain.contact.reconciliation_events import not_sent_after_all, said_otherwise
from backend.domain.contact.replies import progress, reply_kinds
from backend.domain.contact.unsettled import outcome_events
from backend.domain.erasure.erasure import is_erased
from backend.domain.events.events import Event
from backend.domain.events.facts.campaign import CampaignPaused
from backend.domain.events.facts.lead import LeadAdvanced, LeadUnblocked
from backend.domain.events.facts.message import ActionSettled, ApprovalUsed, MessageCancelled, MessageSent
from backend.domain.events.facts.statuses import ActionStatus
from backend.domain.events.facts.task import TaskCancelled, TaskUnblocked
from backend.domain.events.late_news import with_later_record
from backend.domain.gates.person import IN_DOUBT
from backend.domain.model.artifact import BY_CONTROLLER, BY_MODEL, refuse_protected, text_content
from backend.domain.model.campaign import STOPPED_BY_USER, Campaign, CampaignStatus
from backend.domain.model.lead import NOT_ON_RECORD, OUTCOME_UNKNOWN, Lead
from backend.domain.model.message import Message, MessageSource, MessageStatus, SendOutcome
from backend.domain.model.scoring import NewBlueprint, same_rules
from backend.domain.model.sequence import next_step, one_step_on
from backend.domain.model.site import Evidence, Relation, ThreadMessage
from backend.domain.model.task import SETTLED, ActionFamily, Task, TaskKind, TaskStatus
from backend.domain.turn import request
from backend.domain.turn.agent_questions import APPROVE_BLUEPRINT, APPROVE_SCRIPT, proposer_of
from backend.domain.turn.artifacts import artifact_persisted
from backend.domain.turn.assistant_results import ArtifactShown, AssistantResult, FoundArtifact, StatusLine
from backend.domain.turn.request import CONTINUE, GO_ON, PAUSE
from backend.domain.turn.task_progress import (
    advance,
    block,
    claim_done,
    end_request,
    next_step_events,
    wake_events,
    withdraw,
    withdraw_all,
)
from backend.domain.values.errors import OutriderError
from backend.ports.clock import Clock
from backend.situation import situations
from backend.situation.situations import LeadSituation, TurnInputs
from backend.situation.unsettled_acts import act_of, open_actions
from backend.situation.wait_reasons import explain_lead
from backend.store.database import DatabaseConnection
from backend.store.log.transaction import Transaction
from backend.store.queries.campaign import questions, tasks
from backend.store.queries.campaign.questions import withdrawn_questions
from backend.store.queries.contact import account_record, actions, messages
from backend.store.queries.contact.account_record import LeadAct
from backend.store.queries.leads import leads
from backend.store.queries.turn import artifacts, requests


@dataclass(frozen=True, slots=True)
class AnswerContext:
    """An answer with the question it is to: the task that waits for it and what the question was about."""

    campaign: Campaign
    task: Task | None
    payload: dict[str, Any]
    choices: tuple[str, ...]
    text: str
    inputs: TurnInputs

    @property
    def now(self) -> int:
        """ms UTC."""
        return self.inputs.now


def answer_events(transaction: Transaction, kind: str, answer: AnswerContext) -> list[Event]:
    """The events of an answer. Raises `answer_not_offered` for one that is not among the choices."""
    if answer.choices and answer.text not in answer.choices:
        raise OutriderError("answer_not_offered", answer=answer.text, choices=", ".join(answer.choices))
    return _CONSEQUENCES.get(kind, _go_on)(transaction, answer)


def resume_events(
    transaction: Transaction, campaign: Campaign, task: Task | None, lead: Lead, message: Message, now: int
) -> list[Event]:
    """A lead's task goes on with this text; if it was blocked for want of one, what the user was asked is moot."""
    if task is None or task.status not in (TaskStatus.IN_PROGRESS, TaskStatus.BLOCKED):
        return []
    if task.status is TaskStatus.IN_PROGRESS:
        return wake_events(campaign, task, lead, message, now)
    return [
        *withdrawn_questions(transaction.connection, task.id, "a message was restored", "unblock"),
        TaskUnblocked(task.id),
        *wake_events(campaign, replace(task, strikes=0), lead, message, now),
    ]


def _go_on(transaction: Transaction, answer: AnswerContext) -> list[Event]:
    if answer.task is None or answer.task.needs is not ActionFamily.INPUT:
        return []
    task = replace(answer.task, strikes=0)  # as if it had none: an answer neither adds strikes nor forgives any
    situation = situations.task_situation(transaction.connection, answer.campaign, task, answer.now)
    if situation:
        return wake_events(answer.campaign, task, situation.lead, situation.message, answer.now)
    return advance(task, ActionFamily.ASSIST if task.kind is TaskKind.ASSIST else ActionFamily.THINK, 0)


def _save_artifact(transaction: Transaction, answer: AnswerContext) -> list[Event]:
    if answer.text != "yes":
        return [*_told(transaction, answer, StatusLine(sentence="Not saved.")), *_go_on(transaction, answer)]
    proposed = answer.payload
    task_id = answer.task.id if answer.task else None
    text, made_by = requests.proposed_text(transaction.connection, task_id, proposed)
    content = text_content(proposed["artifact_type"], proposed["artifact_key"], text)
    if proposed.get("sha256", content.sha256) != content.sha256:  # the yes was to what the question named
        raise OutriderError("approval_text_changed")
    refuse_protected(content.artifact_type)  # the question may have come from anywhere
    latest = artifacts.latest_version(transaction.connection, answer.campaign.id, content.artifact_type, content.key)
    persisted = artifact_persisted(content, transaction.new_id(), made_by, latest, answer.now)
    artifact = FoundArtifact(
        artifact_type=content.artifact_type,
        key=content.key,
        version=latest + 1,
        made_by=made_by,
        bytes=content.size,
        created_at=answer.now,
    )
    saved = ArtifactShown(artifact=artifact, sha256=content.sha256)
    return [persisted, *_told(transaction, answer, saved), *_go_on(transaction, answer)]


def text_to_approve(connection: DatabaseConnection, kind: str, answer: AnswerContext) -> str:
    """What a yes to this question would approve as it stands; empty for a question about no text."""
    if kind == "save_artifact":
        return requests.proposed_text(connection, answer.task.id if answer.task else None, answer.payload)[0]
    if kind == APPROVE_SCRIPT:
        return str(answer.payload["source"])
    return json.dumps(answer.payload["blueprint"], ensure_ascii=False) if kind == APPROVE_BLUEPRINT else ""


def _told(transaction: Transaction, answer: AnswerContext, finding: AssistantResult) -> list[Event]:
    """What came of an answer, as a line of the request's conversation; nothing for the campaign's own questions."""
    if answer.task is None or answer.task.kind is not TaskKind.ASSIST:
        return []
    line = requests.next_line(transaction.connection, answer.campaign.id)
    return [request.result(transaction.new_id(), answer.task.id, line, None, finding, answer.now)]


def _choose_artifact(transaction: Transaction, answer: AnswerContext) -> list[Event]:
    type_, key, version = answer.payload["choices"][answer.text]
    shown = artifacts.shown(transaction.connection, answer.campaign.id, type_, key, version)
    nothing_found = StatusLine(sentence="There is no such artifact.", code="nothing_found")
    return [*_told(transaction, answer, shown or nothing_found), *_go_on(transaction, answer)]


def _choose_lead(transaction: Transaction, answer: AnswerContext) -> list[Event]:
    lead_id = answer.payload["choices"][answer.text]
    explanation = explain_lead(transaction.connection, answer.campaign, answer.inputs, lead_id)
    return [*_told(transaction, answer, explanation), *_go_on(transaction, answer)]


def _approve_blueprint(transaction: Transaction, answer: AnswerContext) -> list[Event]:
    """What was shown is what takes effect: the very rules of the question."""
    blueprint = NewBlueprint.model_validate_json(json.dumps(answer.payload["blueprint"]))
    if answer.text != "yes" or same_rules(blueprint, answer.campaign.settings.blueprint):
        return _go_on(transaction, answer)
    adopted = lead_scoring.adoption_events(
        transaction, answer.campaign, blueprint, proposer_of(answer.payload), answer.now
    )
    lines = _told(transaction, answer, StatusLine(sentence="In force: every lead is scored anew by it."))
    return [*adopted, *lines, *_go_on(transaction, answer)]


def _approve_script(transaction: Transaction, answer: AnswerContext) -> list[Event]:
    """Yes is the approval of the text that was shown, and of no other; the task waits on, until the script has answered."""
    if answer.text != "yes":
        return [
            *_told(transaction, answer, StatusLine(sentence="The script does not run.")),
            *_go_on(transaction, answer),
        ]
    proposed = answer.payload
    by = BY_CONTROLLER if proposed["builtin"] else BY_MODEL
    return approval_events(
        transaction,
        answer.campaign.id,
        proposed["artifact_key"],
        proposed["source"],
        proposed["script_sha256"],
        by,
        answer.now,
    )


TRY_AGAIN, LEAVE_IT = "try again", "leave it"
_ASKED_BY_ITSELF = frozenset({OUTCOME_UNKNOWN, NOT_ON_RECORD, CONTRADICTED, IN_DOUBT})
"""What a lead is blocked by until the user answers another question than what becomes of its task."""


def _unblock(transaction: Transaction, answer: AnswerContext) -> list[Event]:
    task = answer.task
    if task is None or task.status is not TaskStatus.BLOCKED:
        return []
    return drop_or_mend(transaction, answer, task)


def drop_or_mend(transaction: Transaction, answer: AnswerContext, task: Task) -> list[Event]:
    """What becomes of a task that does not go on: tried again, or cancelled."""
    if answer.text != TRY_AGAIN:
        return _left(transaction, answer, task)
    resumed = TaskUnblocked(task.id)
    situation = situations.task_situation(transaction.connection, answer.campaign, task, answer.now)
    if situation is None:
        if "agent" in tasks.metadata(transaction.connection, task.id):
            return [resumed]  # its supervisor runs it again; no proposer is asked about it
        return [resumed, *advance(replace(task, strikes=0), ActionFamily.THINK, 0)]
    events: list[Event] = [resumed]
    lead, message = situation.lead, situation.message
    if lead.blocked == "do_not_contact":  # the gate asks the list again, and blocks again if they are still on it
        events.append(LeadUnblocked(lead.id))
        lead = lead._replace(blocked="")
    if lead.blocked and lead.blocked not in _ASKED_BY_ITSELF:
        return _left(transaction, answer, task)  # left out since it was asked: their plan ends, and goes on with them
    if message is not None and message.status is MessageStatus.FAILED:
        # A text whose sending failed is withdrawn, so that a new one is due.
        events.append(MessageCancelled(message.id, reason="tried again"))
        message = None
    return [*events, *wake_events(answer.campaign, replace(task, strikes=0), lead, message, answer.now)]


def _left(transaction: Transaction, answer: AnswerContext, task: Task) -> list[Event]:
    """Dropped: nothing approved stays behind, and who waits for this task asks for itself."""
    connection, campaign = transaction.connection, answer.campaign
    events: list[Event] = [TaskCancelled(task.id, reason=task.reason or "cancelled by the user")]
    if task.kind is TaskKind.ANSWER:
        situation = situations.task_situation(connection, campaign, task, answer.now)
        events += withdraw(situation.message, situation.approval, "left by the user") if situation else []
    elif task.kind is TaskKind.REACH_LEAD and task.lead_id is not None:
        events += withdraw_all(messages.waiting_texts(connection, task.lead_id), "left by the user")
    for waiting in tasks.dependent_tasks(connection, campaign.id, task.id):
        events += block(answer.now, waiting, f"“{task.description}” was left", transaction.new_id)
    return events


def _not_on_record(transaction: Transaction, answer: AnswerContext) -> list[Event]:
    """The user says what a message or an invitation is that nobody recorded; only then anything more goes out."""
    task = answer.task
    if task is None or task.lead_id is None:
        return []
    if answer.text == conversation_check.STOP:  # who stays blocked; their sequence may have ended by itself
        return [] if task.status in SETTLED else _left(transaction, answer, task)
    situation = situations.lead_situation(transaction.connection, answer.campaign, task.lead_id, answer.now)
    if situation is None or situation.lead.blocked not in ("", NOT_ON_RECORD):
        return []  # blocked for another reason by now
    lead, message = situation.lead._replace(blocked=""), situation.message
    events: list[Event] = [LeadUnblocked(lead.id)] if situation.lead.blocked else []
    if answer.text == conversation_check.COUNTS_AS_STEP:
        events += withdraw(message, situation.approval, "already sent, by the user's word")
        lead, counted = step_counted(lead, one_step_on(answer.campaign.settings.sequence, lead), answer.now)
        events.append(counted)
        # What they wrote after it was taken for an old conversation: nothing of ours was on record before it.
        answered = messages.replies_after_found(transaction.connection, lead.id)
        if answered and (changes := progress(lead, reply_kinds(answered), answered[-1].at, answer.now)):
            lead = lead._replace(**changes)
            events.append(LeadAdvanced(lead.id, **changes))
        message = None
    if task.status is not TaskStatus.BLOCKED:
        return events
    events.append(TaskUnblocked(task.id))
    if lead.replied_at != situation.lead.replied_at:  # which may end the sequence
        next_events = next_step_events(
            answer.campaign, replace(task, strikes=0), lead, message, answer.now, transaction.new_id
        )
        return [*events, *next_events]
    return [*events, *wake_events(answer.campaign, replace(task, strikes=0), lead, message, answer.now)]


def contradicting_events(
    transaction: Transaction, campaign_id: str, lead_id: str, action_id: str, said_at: int, clock: Clock, *, sent: bool
) -> list[Event] | None:
    """What asks the user, on every device, which of their two words holds: `sent` or not, at `said_at`, or what is on record.
    None unless the opposite is on record, and that it was sent by their word alone: what was seen is not theirs to deny.
    """
    connection = transaction.connection
    acts = account_record.acts_to(connection, lead_id)
    lead_act = next((lead_act for lead_act in acts if lead_act.act.id == action_id), None)
    lead = leads.lead(connection, campaign_id, lead_id)
    task = tasks.task(connection, campaign_id, lead_act.task_id) if lead_act is not None else None
    if lead_act is None or lead is None or task is None:
        return None
    recorded_sent = lead_act.act.status is ActionStatus.SENT and rests_on_word(lead_act.act, lead_act.said)
    if not (lead_act.act.status is ActionStatus.NOT_SENT if sent else recorded_sent):
        return None
    if lead.blocked == CONTRADICTED:
        return []
    act = (lead_act.act.id, lead_act.step, lead_act.message_id, lead_act.act.intended_at)
    return said_otherwise(act, lead, task, said_at, clock.now(), transaction.new_id, clock.offset, sent=sent)


def _contradicted(transaction: Transaction, answer: AnswerContext) -> list[Event]:
    """The user decides between their word and the export, or their other word; a text that was sent after all is not sent again."""
    task, connection = answer.task, transaction.connection
    action_id = str(answer.payload["action_id"])
    was_sent = ActionSettled(
        action_id, status=SendOutcome.SENT, said=f"the user says: {WAS_SENT}", settled_at=answer.now
    )
    if "lead_id" not in answer.payload:  # erased with the person: what is left is that it counts for the account
        not_sent = actions.outcome(connection, action_id)[0] == ActionStatus.NOT_SENT
        return [was_sent] if answer.text == WAS_SENT and not_sent else []
    lead_id = str(answer.payload["lead_id"])
    situation = situations.lead_situation(connection, answer.campaign, lead_id, answer.now)
    act = next(
        (lead_act for lead_act in account_record.acts_to(connection, lead_id) if lead_act.act.id == action_id), None
    )
    if task is None or situation is None or act is None:
        return []
    freed = situation.lead.blocked == CONTRADICTED
    lead = situation.lead._replace(blocked="") if freed else situation.lead
    events: list[Event] = [LeadUnblocked(lead_id)] if freed else []
    message = situation.message
    if answer.text == WAS_NOT_SENT and act.act.status is ActionStatus.SENT and rests_on_word(act.act, act.said):
        lead, message, denied = _denied(answer, act, lead, situation)
        events += denied
    if answer.text == WAS_SENT and act.act.status is ActionStatus.NOT_SENT:
        at = int(answer.payload.get("at", act.act.intended_at))
        current = message is not None and message.id == act.message_id
        if message is not None and current and message.status is MessageStatus.APPROVED:
            used = (
                [ApprovalUsed(situation.approval.id)]
                if situation.approval and situation.approval.status == "open"
                else []
            )
            kind = EXPORT if "text" in answer.payload else "user_word"
            quote = str(answer.payload.get("text", WAS_SENT))[:500]
            evidence = [{"kind": kind, "sha256": "", "file": "", "quote": quote}]
            events += [was_sent, *used, MessageSent(message.id, sent_at=at, evidence=evidence)]
        else:
            text = str(answer.payload.get("text", act.text))
            thread_messages = [ThreadMessage("you", text, at)]
            source = MessageSource.EXPORT if "text" in answer.payload else MessageSource.REPORTED
            found_messages = conversation_check.found_events(
                lead, thread_messages, answer.now, transaction.new_id, source
            )
            events += [was_sent, *found_messages]
            events += withdraw(message, situation.approval, "already sent, by the user's word")
        sequence, step = answer.campaign.settings.sequence, situation.due_step.step
        step = step or next_step(sequence, lead)
        if step is not None and step.key == act.step:
            lead, counted = step_counted(lead, one_step_on(sequence, lead), at)
            events.append(counted)
            if act.act.family is ActionFamily.INVITE:
                invited = with_later_record({"invited_at": at, "relation": Relation.PENDING}, lead, answer.now)
                lead = lead._replace(**invited)
                events.append(LeadAdvanced(lead_id, **invited))
        message = None
    if task.status is not TaskStatus.BLOCKED or lead.blocked:
        return events
    return [
        *events,
        TaskUnblocked(task.id),
        *next_step_events(answer.campaign, replace(task, strikes=0), lead, message, answer.now, transaction.new_id),
    ]


def _denied(
    answer: AnswerContext, act: LeadAct, lead: Lead, situation: LeadSituation
) -> tuple[Lead, Message | None, list[Event]]:
    """What they said was sent was not: the lead and the text that waits by then, and the events."""
    not_sent = (act.act.id, act.step, act.message_id)
    after, events = not_sent_after_all(not_sent, lead, answer.campaign.settings.sequence, answer.now)
    waiting = situation.message
    if waiting is not None and waiting.id == act.message_id:
        return after, None, events
    if after.sequence_step == lead.sequence_step:
        return after, waiting, events
    return after, None, [*events, *withdraw(waiting, situation.approval, "the step before it was not sent")]


def _outcome_unknown(transaction: Transaction, answer: AnswerContext) -> list[Event]:
    """The user looked at the site and says whether it was sent, or withdrawn; nothing else may decide that."""
    connection, campaign_id = transaction.connection, answer.campaign.id
    action = next((a for a in open_actions(connection, campaign_id) if a.id == answer.payload["action_id"]), None)
    if action is None:
        return []
    act = act_of(connection, campaign_id, action)
    outcome = SendOutcome.SENT if answer.text == answer.choices[0] else SendOutcome.NOT_SENT
    evidence = Evidence("user_word", sha256="", file="", quote=answer.text[:500])
    attempt = replace(action.attempt, detail=f"the user says: {answer.text}", evidence=(evidence,))
    return outcome_events(act, outcome, attempt, None, answer.now, transaction.new_id, cut_off=True)


def _resume_request(transaction: Transaction, answer: AnswerContext) -> list[Event]:
    if answer.text == GO_ON or answer.task is None:
        return _go_on(transaction, answer)
    return [end_request(answer.task, "left by the user")]


def _continue_campaign(transaction: Transaction, answer: AnswerContext) -> list[Event]:
    """Yes wakes the request, and whoever runs campaigns starts this one (`backend.runtime.run.assistant`)."""
    if answer.text == CONTINUE or answer.task is None:
        return _go_on(transaction, answer)
    return [claim_done(answer.task)]


def _pause_campaign(transaction: Transaction, answer: AnswerContext) -> list[Event]:
    """The click pauses it, as Stop would; a run that is under way ends after its current action."""
    claim_events = [claim_done(answer.task)] if answer.task is not None else []
    if answer.text != PAUSE or answer.campaign.status is not CampaignStatus.ACTIVE:
        return [*_told(transaction, answer, StatusLine(sentence="Nothing was paused.")), *claim_events]
    paused = CampaignPaused(answer.campaign.id, status_reason=STOPPED_BY_USER)
    sentence = "The campaign is paused; an action that is under way ends first."
    return [paused, *_told(transaction, answer, StatusLine(sentence=sentence)), *claim_events]


ERASED_QUESTION = "erased_question"
"""What was asked about is erased, the user's request or a person: nothing is left to say yes to, and whatever is said ends it."""


def _end_erased(transaction: Transaction, answer: AnswerContext) -> list[Event]:
    if answer.task is None or answer.task.status in SETTLED:
        return []
    if answer.task.kind is TaskKind.ASSIST:
        return [TaskCancelled(answer.task.id, reason="its words were erased")]
    return _left(transaction, answer, answer.task)


_CONSEQUENCES: dict[str, Callable[[Transaction, AnswerContext], list[Event]]] = {
    "save_artifact": _save_artifact,
    APPROVE_BLUEPRINT: _approve_blueprint,
    APPROVE_SCRIPT: _approve_script,
    "unblock": _unblock,
    "outcome_unknown": _outcome_unknown,
    CONTRADICTED: _contradicted,
    NOT_ON_RECORD: _not_on_record,
    "choose_artifact": _choose_artifact,
    "choose_lead": _choose_lead,
    "resume_request": _resume_request,
    "continue_campaign": _continue_campaign,
    "pause_campaign": _pause_campaign,
    ERASED_QUESTION: _end_erased,
}


def load_answer(
    transaction: Transaction, campaign: Campaign, request_id: str, text: str, inputs: TurnInputs
) -> tuple[str, AnswerContext]:
    """The open question's kind, or what is left of one without its words, and the answer to it; raises `question_unknown`."""
    question = questions.find_open(transaction.connection, campaign.id, request_id)
    if question is None:
        raise OutriderError("question_unknown", question=request_id)
    task = tasks.task(transaction.connection, campaign.id, question.task_id) if question.task_id else None
    kind = question.kind
    if is_erased(question.text) and "action_id" not in question.payload:  # what became of an act is still to be said
        kind = ERASED_QUESTION
    return kind, AnswerContext(campaign, task, question.payload, question.choices, text, inputs)
