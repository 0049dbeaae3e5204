"""What follows from what a site's export shows of a person: replies, an acceptance, and questions where it contradicts the user."""

import json

from backend.domain.contact import replies
from backend.domain.contact.conversation_check import GO_ON, STOP
from backend.domain.contact.reconciliation import CONTRADICTED, EXPORT, WAS_NOT_SENT, WAS_SENT, Finding, Verdict
from backend.domain.contact.replies import Reply
from backend.domain.events.events import Event
from backend.domain.events.facts.lead import LeadAdvanced, LeadBlocked, LeadProgress
from backend.domain.events.facts.message import ActionConfirmed, ActionSettled, MessageCancelled
from backend.domain.events.facts.task import InputRequested, TaskBlocked
from backend.domain.model.campaign import DAY
from backend.domain.model.days import OffsetAt, iso_day, local_date
from backend.domain.model.lead import NOT_ON_RECORD, Lead
from backend.domain.model.message import MessageSource, SendOutcome, folded
from backend.domain.model.sequence import Sequence
from backend.domain.model.site import Attempt, Evidence, Relation, SiteAnswer
from backend.domain.model.task import Task, TaskStatus
from backend.domain.people.contact_archive import ArchivedMessage
from backend.domain.turn.task_progress import NewId
from backend.domain.values.canonical_json import Json

_QUOTED = 300
_BLOCKABLE = (TaskStatus.PENDING, TaskStatus.IN_PROGRESS, TaskStatus.VERIFYING, TaskStatus.BLOCKED)
_DECIDE = " Outrider sends nothing more to this person until you have decided."


def export_evidence(shown: ArchivedMessage | None) -> Evidence:
    """The line of the export that shows it; the file itself stays with the user."""
    return Evidence(EXPORT, sha256="", file="", quote=_cut(shown.text) if shown else "")


def shown_attempt(finding: Finding) -> Attempt:
    """What the export says of an act of which nobody knew the outcome."""
    sent = finding.verdict is Verdict.SENT
    explanation = "LinkedIn's export shows it" if sent else "LinkedIn's export goes further and does not show it"
    return Attempt(SiteAnswer.NO_ANSWER, explanation, evidence=(export_evidence(finding.shown),) if sent else ())


def confirmed(finding: Finding, evidence: str) -> Event:
    """It was sent, and now more than the user says so; `evidence` (JSON) is what there was."""
    piece = export_evidence(finding.shown)
    shown = {"kind": piece.kind, "sha256": "", "file": "", "quote": piece.quote}
    return ActionConfirmed(finding.act.id, evidence=[*json.loads(evidence), shown])


def contradiction(
    finding: Finding, lead: Lead, task: Task, step: str, message_id: str, now: int, new_id: NewId, offset_at: OffsetAt
) -> list[Event]:
    """The user's word and the export side by side; nothing more goes to this person until they have decided."""
    quoted_step = f"“{step.replace('_', ' ')}”"
    day = local_date(finding.act.intended_at, offset_at)
    payload: dict[str, Json] = {"action_id": finding.act.id, "lead_id": lead.id, "step": step, "missing": [message_id]}
    if finding.verdict is Verdict.SAID_BUT_MISSING:
        statement = (
            f"You said that {quoted_step} of {day} was sent to {lead.full_name}."
            " LinkedIn's export goes further than that day, and does not show it."
        )
        return _ask(lead, task, NOT_ON_RECORD, statement + _DECIDE, [GO_ON, STOP], payload, now, new_id)
    proof = f"LinkedIn's export lists it on {day}."
    if finding.shown is not None:
        payload["text"] = finding.shown.text
        payload["at"] = finding.shown.at
        proof = (
            f"LinkedIn's export shows it on {local_date(finding.shown.at, offset_at)}: “{_cut(finding.shown.text)}”."
        )
    statement = f"You said that {quoted_step} of {day} was not sent to {lead.full_name}. {proof}"
    return _ask(lead, task, CONTRADICTED, statement + _DECIDE, [WAS_SENT, WAS_NOT_SENT], payload, now, new_id)


def said_otherwise(
    act: tuple[str, str, str, int],
    lead: Lead,
    task: Task,
    said_at: int,
    now: int,
    new_id: NewId,
    offset_at: OffsetAt,
    *,
    sent: bool,
) -> list[Event]:
    """The user's two words about one act (its id, step, message and when it was begun); the later one, at `said_at`, is `sent`."""
    action_id, step, message_id, intended_at = act
    quoted_step = f"“{step.replace('_', ' ')}” of {local_date(intended_at, offset_at)}"
    first, second = ("was not sent", "was") if sent else ("was sent", "was not")
    statement = f"You said that {quoted_step} {first} to {lead.full_name}, and in another place that it {second}."
    payload: dict[str, Json] = {"action_id": action_id, "lead_id": lead.id, "step": step, "missing": [message_id]}
    payload["at"] = said_at
    why = "you said two things about whether it was sent"
    return _ask(lead, task, CONTRADICTED, statement + _DECIDE, [WAS_SENT, WAS_NOT_SENT], payload, now, new_id, why)


def not_sent_after_all(act: tuple[str, str, str], lead: Lead, sequence: Sequence, now: int) -> tuple[Lead, list[Event]]:
    """What the user said was sent (an act's id, step and message) was not, by their later word.

    Its text is not sent any more. The step is due again, with a new text to approve, unless something came of it or after it.
    """
    action_id, step, message_id = act
    why = f"the user says: {WAS_NOT_SENT}"
    events: list[Event] = [
        ActionSettled(action_id, status=SendOutcome.NOT_SENT, said=why, settled_at=now),
        MessageCancelled(message_id, reason=why),
    ]
    place = next((at for at, planned in enumerate(sequence.steps) if planned.key == step), None)
    is_invitation = place is not None and sequence.steps[place].kind == "invitation"
    if place is None or lead.replied_at is not None or sequence.place_after(lead.sequence_step) != place + 1:
        return lead, events
    if is_invitation and lead.relation is not Relation.PENDING:
        return lead, events
    changes: LeadProgress = {"sequence_step": sequence.past(place - 1)}
    if is_invitation:
        changes["relation"] = Relation.NONE
    return lead._replace(**changes), [*events, LeadAdvanced(lead.id, **changes)]


def _ask(
    lead: Lead,
    task: Task,
    kind: str,
    question: str,
    choices: list[str],
    payload: dict[str, Json],
    now: int,
    new_id: NewId,
    why: str = "LinkedIn's export contradicts what was said",
) -> list[Event]:
    asked = InputRequested(
        new_id(), task_id=task.id, kind=kind, question=question, choices=choices, payload=payload, created_at=now
    )
    blocked = [] if lead.blocked else [LeadBlocked(lead.id, blocked=kind)]
    return [*blocked, *([TaskBlocked(task.id, reason=why)] if task.status in _BLOCKABLE else []), asked]


def accepted(lead: Lead, connected_on: str, now: int) -> Event:
    """They are connected since; the invitation was accepted, at the earliest when it was sent."""
    first = lead.invited_at or 0
    days = 0
    while iso_day(first + days * DAY) < connected_on and first + days * DAY < now:
        days += 1
    changes: LeadProgress = {
        "relation": Relation.CONNECTED,
        "accepted_at": min(now, first + days * DAY),
        "visited_at": now,
    }
    return LeadAdvanced(lead.id, **changes)


def replied(lead: Lead, reply: Reply, now: int, new_id: NewId, *, answers: bool) -> list[Event]:
    """They wrote: kept word by word. Unless it answers us, it is an old conversation."""
    reply_events = replies.received_events(lead, [reply], now, new_id, MessageSource.EXPORT)
    if not answers:
        return reply_events
    first = min(now, reply.at) if lead.replied_at is None else lead.replied_at
    changes = replies.progress(lead, replies.reply_kinds([reply]), first, now)
    return [LeadAdvanced(lead.id, **changes), *reply_events]


def _cut(text: str) -> str:
    words = folded(text)
    return words if len(words) <= _QUOTED else words[:_QUOTED] + "…"
