"""What follows from the user's answer to a question, by the question's kind."""

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from backend.controller import context as loading
from backend.controller import rescoring
from backend.controller.context import Surroundings
from backend.controller.lookups import explained
from backend.controller.open_actions import open_actions, sending_of
from backend.domain import request
from backend.domain.artifact import Source, content
from backend.domain.campaign import MINUTE, Campaign
from backend.domain.decisions import APPROVE_BLUEPRINT
from backend.domain.errors import OutriderError
from backend.domain.events import Event
from backend.domain.findings import ArtifactShown, Finding, FoundArtifact, Told
from backend.domain.lead import Lead
from backend.domain.message import Message, MessageStatus, Settlement, move
from backend.domain.progress import advance, block, claim, end_request, withdraw
from backend.domain.request import CONTINUE, GO_ON
from backend.domain.scoring import NewBlueprint, same_rules
from backend.domain.sends import settled
from backend.domain.sequence import need
from backend.domain.task import Needs, Task, TaskKind, TaskStatus
from backend.domain.task import move as move_task
from backend.store import artifact_search, reading, requests
from backend.store.journal import Transaction


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer with the question it is to: the task that waits for it and what the question was about."""

    campaign: Campaign
    task: Task | None
    payload: dict[str, Any]
    choices: tuple[str, ...]
    text: str
    around: Surroundings

    @property
    def now(self) -> int:
        """ms UTC."""
        return self.around.now


def consequences(transaction: Transaction, kind: str, answer: Answer) -> list[Event]:
    """The events of an answer. Raises `answer_not_offered` for one that is not among the choices."""
    if answer.choices and answer.text not in answer.choices:
        raise OutriderError("answer_not_offered", answer=answer.text, choices=", ".join(answer.choices))
    return _CONSEQUENCES.get(kind, _go_on)(transaction, answer)


def wake(campaign: Campaign, task: Task, lead: Lead, message: Message | None, now: int) -> list[Event]:
    """A lead's task is eligible again, for what is owed now."""
    settings = campaign.settings
    owed = need(settings.sequence, lead, message, now, settings.limits.thread_fresh_minutes * MINUTE)
    return advance(task, owed.family, owed.at)


def resumed(
    transaction: Transaction, campaign: Campaign, task: Task | None, lead: Lead, message: Message, now: int
) -> list[Event]:
    """A lead's task goes on with this text; if it was blocked for want of one, what the user was asked is moot."""
    if task is None or task.status not in (TaskStatus.IN_PROGRESS, TaskStatus.BLOCKED):
        return []
    if task.status is TaskStatus.IN_PROGRESS:
        return wake(campaign, task, lead, message, now)
    asked = transaction.connection.execute(
        "SELECT id FROM input_requests WHERE task_id=? AND kind='unblock' AND status='open'", (task.id,)
    )
    moot = [Event("InputAnswered", row[0], {"status": "withdrawn", "answer": "a text was restored"}) for row in asked]
    unblocked = {"status": move_task(task.status, TaskStatus.IN_PROGRESS), "reason": "", "strikes": 0}
    return [
        *moot,
        Event("TaskUnblocked", task.id, unblocked),
        *wake(campaign, replace(task, strikes=0), lead, message, now),
    ]


def _go_on(transaction: Transaction, answer: Answer) -> list[Event]:
    if answer.task is None or answer.task.needs is not Needs.INPUT:
        return []
    task = replace(answer.task, strikes=0)  # as if it had none: an answer neither adds strikes nor forgives any
    about = loading.subject(transaction.connection, answer.campaign, task.lead_id, answer.now) if task.lead_id else None
    if about:
        return wake(answer.campaign, task, about.lead, about.message, answer.now)
    return advance(task, Needs.ASSIST if task.kind is TaskKind.ASSIST else Needs.THINK, 0)


def _save_artifact(transaction: Transaction, answer: Answer) -> list[Event]:
    if answer.text != "yes":
        return [*_told(transaction, answer, Told(sentence="Not saved.")), *_go_on(transaction, answer)]
    proposed, source = answer.payload, Source.AGENT
    text = proposed.get("content")
    if text is None:  # what the user gave, character for character
        given = requests.attachment(
            transaction.connection, answer.task.id if answer.task else "", proposed["attachment"]
        )
        text, source = given[1] if given else "", Source.USER
    wanted = content(proposed["artifact_type"], proposed["artifact_key"], text)
    if proposed.get("sha256", wanted.sha256) != wanted.sha256:  # the yes was to what the question named
        raise OutriderError("approval_text_changed")
    latest = reading.latest_version(transaction.connection, answer.campaign.id, wanted.artifact_type, wanted.key)
    kept = wanted.persisted(transaction.new_id(), source, latest, answer.now)
    what = FoundArtifact(
        artifact_type=wanted.artifact_type,
        key=wanted.key,
        version=latest + 1,
        source=source,
        bytes=wanted.size,
        created_at=answer.now,
    )
    saved = ArtifactShown(artifact=what, sha256=wanted.sha256)
    return [kept, *_told(transaction, answer, saved), *_go_on(transaction, answer)]


def _told(transaction: Transaction, answer: Answer, finding: Finding) -> list[Event]:
    """What came of an answer, as a line of the request's conversation; nothing for the campaign's own questions."""
    if answer.task is None or answer.task.kind is not TaskKind.ASSIST:
        return []
    line = requests.next_line(transaction.connection, answer.campaign.id)
    return [request.result(transaction.new_id(), answer.task.id, line, None, finding, answer.now)]


def _choose_artifact(transaction: Transaction, answer: Answer) -> list[Event]:
    type_, key, version = answer.payload["choices"][answer.text]
    found = artifact_search.shown(transaction.connection, answer.campaign.id, type_, key, version)
    gone = Told(sentence="There is no such artifact.", code="nothing_found")
    return [*_told(transaction, answer, found or gone), *_go_on(transaction, answer)]


def _choose_lead(transaction: Transaction, answer: Answer) -> list[Event]:
    lead_id = answer.payload["choices"][answer.text]
    found = explained(transaction.connection, answer.campaign, answer.around, lead_id)
    return [*_told(transaction, answer, found), *_go_on(transaction, answer)]


def _approve_blueprint(transaction: Transaction, answer: Answer) -> list[Event]:
    """What was shown is what takes effect: the very rules of the question."""
    wanted = NewBlueprint.model_validate_json(json.dumps(answer.payload["blueprint"]))
    if answer.text != "yes" or same_rules(wanted, answer.campaign.settings.blueprint):
        return _go_on(transaction, answer)
    taken = rescoring.adopted(transaction, answer.campaign, wanted, Source.AGENT, answer.now)
    told = _told(transaction, answer, Told(sentence="In force: every lead is scored anew by it."))
    return [*taken, *told, *_go_on(transaction, answer)]


def _unblock(transaction: Transaction, answer: Answer) -> list[Event]:
    task = answer.task
    if task is None or task.status is not TaskStatus.BLOCKED:
        return []
    if answer.text != "try again":
        return _left(transaction, answer, task)
    resumed = Event(
        "TaskUnblocked", task.id, {"status": move_task(task.status, TaskStatus.IN_PROGRESS), "reason": "", "strikes": 0}
    )
    about = loading.subject(transaction.connection, answer.campaign, task.lead_id, answer.now) if task.lead_id else None
    if about is None:
        return [resumed, *advance(replace(task, strikes=0), Needs.THINK, 0)]
    events, lead, message = [resumed], about.lead, about.message
    if lead.blocked == "do_not_contact":  # the gate asks the list again, and blocks again if they are still on it
        events.append(Event("LeadUnblocked", lead.id, {"blocked": ""}))
        lead = replace(lead, blocked="")
    if message is not None and message.status is MessageStatus.FAILED:
        # A text whose sending failed is withdrawn, so that a new one is owed.
        cancelled = {"status": move(message.status, MessageStatus.CANCELLED), "reason": "tried again"}
        events.append(Event("MessageCancelled", message.id, cancelled))
        message = None
    return [*events, *wake(answer.campaign, replace(task, strikes=0), lead, message, answer.now)]


def _left(transaction: Transaction, answer: Answer, task: Task) -> list[Event]:
    """Nothing approved stays behind, and who waits for this task asks for itself."""
    connection, campaign = transaction.connection, answer.campaign
    about = loading.subject(connection, campaign, task.lead_id, answer.now) if task.lead_id else None
    events = withdraw(about.message, about.approval, "left by the user") if about else []
    for waiting in reading.followers(connection, campaign.id, task.id):
        events += block(answer.now, waiting, f"“{task.description}” was left", transaction.new_id)
    return events


def _outcome_unknown(transaction: Transaction, answer: Answer) -> list[Event]:
    """The user looked at the site and says whether it was sent; nothing else may decide that."""
    connection, campaign_id = transaction.connection, answer.campaign.id
    action = next((a for a in open_actions(connection, campaign_id) if a.id == answer.payload["action_id"]), None)
    if action is None:
        return []
    sending = sending_of(connection, campaign_id, action)
    outcome = Settlement.SENT if answer.text == "it was sent" else Settlement.NOT_SENT
    said = replace(action.attempt, said=f"the user says: {answer.text}")
    return settled(sending, outcome, said, answer.now, transaction.new_id, cut_off=True)


def _resume_request(transaction: Transaction, answer: Answer) -> list[Event]:
    if answer.text == GO_ON or answer.task is None:
        return _go_on(transaction, answer)
    return [end_request(answer.task, "left by the user")]


def _continue_campaign(transaction: Transaction, answer: Answer) -> list[Event]:
    """Yes wakes the request, and whoever runs campaigns starts this one (`backend.live_assistant`)."""
    if answer.text == CONTINUE or answer.task is None:
        return _go_on(transaction, answer)
    return [claim(answer.task)]


_CONSEQUENCES: dict[str, Callable[[Transaction, Answer], list[Event]]] = {
    "save_artifact": _save_artifact,
    APPROVE_BLUEPRINT: _approve_blueprint,
    "unblock": _unblock,
    "outcome_unknown": _outcome_unknown,
    "choose_artifact": _choose_artifact,
    "choose_lead": _choose_lead,
    "resume_request": _resume_request,
    "continue_campaign": _continue_campaign,
}


def load_answer(
    transaction: Transaction, campaign: Campaign, request_id: str, text: str, around: Surroundings
) -> tuple[str, Answer]:
    """The open question's kind and the answer to it; raises `question_unknown`."""
    row = transaction.connection.execute(
        "SELECT task_id, kind, payload, choices FROM input_requests WHERE id=? AND campaign_id=? AND status='open'",
        (request_id, campaign.id),
    ).fetchone()
    if row is None:
        raise OutriderError("question_unknown", question=request_id)
    task_id, kind, payload, choices = row
    task = reading.task(transaction.connection, campaign.id, task_id) if task_id else None
    return kind, Answer(campaign, task, json.loads(payload), tuple(json.loads(choices)), text, around)
