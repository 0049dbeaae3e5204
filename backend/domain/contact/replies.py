"""What follows from replies: each is recorded with its kind; a person's ends the sequence, an automatic one pauses it."""

from collections.abc import Sequence
from typing import NamedTuple

from backend.domain.events.events import Event
from backend.domain.events.facts.fact import OMITTED
from backend.domain.events.facts.lead import LeadProgress
from backend.domain.events.facts.message import ReplyReceived
from backend.domain.model.lead import Lead, LeadStatus
from backend.domain.model.message import MessageSource
from backend.domain.model.reply_kind import PAUSE, ReplyKind, classify, ends_sequence, kind_of
from backend.domain.turn.task_progress import NewId


class Reply(NamedTuple):
    """What they wrote, and when (ms UTC)."""

    text: str
    at: int


def reply_kinds(replies: Sequence[Reply]) -> list[ReplyKind]:
    """What each of them is."""
    return [kind_of(classify(reply.text)) for reply in replies]


def received_events(
    lead: Lead, replies: Sequence[Reply], now: int, new_id: NewId, source: MessageSource
) -> list[Event]:
    """Each reply with its source, and the rule that gives its kind; if none applies, a person wrote it."""
    events: list[Event] = []
    for reply in replies:
        rule = classify(reply.text)
        events.append(
            ReplyReceived(
                new_id(),
                lead_id=lead.id,
                kind="reply",
                text=reply.text,
                sent_at=reply.at,
                created_at=now,
                source=source,
                reply_kind=rule.kind if rule else OMITTED,
                reply_rule=rule.id if rule else OMITTED,
            )
        )
    return events


def progress(lead: Lead, kinds: Sequence[ReplyKind], replied_at: int, now: int) -> LeadProgress:
    """How far the lead is after replies of these kinds; nothing for none."""
    if not kinds:
        return {}
    if not ends_sequence(kinds):
        return {"paused_until": max(lead.paused_until or 0, now + PAUSE)}
    changes: LeadProgress = {"replied_at": replied_at}
    if lead.status in (LeadStatus.PENDING, LeadStatus.CONTACTED):
        changes["status"] = LeadStatus.RESPONDED
    return changes


def no_reply_after_all(lead: Lead, now: int) -> LeadProgress:
    """How far the lead is if all that was taken for a reply was automatic; what has ended does not go on by it."""
    changes: LeadProgress = {"replied_at": None}
    return changes if lead.finished else changes | progress(lead, [ReplyKind.AUTOMATIC], now, now)
