"""What follows when the user labels or snoozes a conversation, and what is suggested next."""

from collections.abc import Iterable
from enum import StrEnum

from backend.domain.events.events import Event
from backend.domain.events.facts.lead import LeadAdvanced, LeadBlocked, LeadLabelled, LeadSnoozed, LeadUnblocked
from backend.domain.gates.person import REFUSALS
from backend.domain.model.lead import LABEL_ENDS, Label, Lead, LeadStatus
from backend.domain.model.reply_kind import ReplyKind
from backend.domain.model.task import Task, TaskStatus
from backend.domain.turn.task_progress import WaitingText, sequence_ended

LABELLED = "labelled"
"""What blocks a lead that was labelled before anything was planned for it."""


class Suggestion(StrEnum):
    """What is suggested next for a conversation."""

    DO_NOT_CONTACT = "do_not_contact"
    ANSWER = "answer"
    LABEL = "label"
    WAIT_TO_BE_SENT = "wait_to_be_sent"
    WAIT_FOR_THEM = "wait_for_them"
    WAIT_UNTIL = "wait_until"
    NOTHING = "nothing"


def is_begun(lead: Lead, task: Task | None) -> bool:
    """Whether its sequence goes on by itself: it has neither ended nor waits for the user, or for another campaign."""
    is_open = not lead.finished and lead.blocked in ("", LABELLED)
    return is_open and task is not None and task.status in (TaskStatus.PENDING, TaskStatus.IN_PROGRESS)


def label_events(
    lead: Lead,
    label: Label | None,
    until: int | None,
    now: int,
    *,
    task: Task | None,
    texts: Iterable[WaitingText],
    under_way: bool = False,
) -> list[Event]:
    """The label, and what it means for the lead: "later" makes its sequence wait until then, or until it is taken back, every
    other one ends it.

    Who is not planned yet is left out for good by such a label, and comes back when it is taken away. `task` and `texts`
    are those of the sequence; a blocked task stays the user's to retry or to cancel, and then it ends as well (`due_step`), and so
    does one whose message is `under_way`, once it is known what became of that. What becomes of a sequence that an earlier label
    had ended is decided by what is due then (`resumed`).
    """
    events: list[Event] = (
        [] if lead.label == (label or "") else [LeadLabelled(lead.id, label=label or "", labelled_at=now)]
    )
    if lead.blocked == LABELLED and label not in LABEL_ENDS:
        events.append(LeadUnblocked(lead.id))
    status = LeadStatus.REJECTED if label in REFUSALS else lead.progress
    if lead.status is not status and LeadStatus.REJECTED in (status, lead.status):
        events.append(LeadAdvanced(lead.id, status=status))
    if lead.label == Label.LATER and label is not Label.LATER and (lead.paused_until or 0) > now:
        events.append(LeadAdvanced(lead.id, paused_until=now))
    if label is Label.LATER and until is not None:
        events.append(LeadSnoozed(lead.id, snoozed_until=until, snoozed_at=now))
        # However their sequence stands here: they may be written to by another lead of theirs, which asks when.
        events.append(LeadAdvanced(lead.id, paused_until=until))
    elif label in LABEL_ENDS and task is not None and is_begun(lead, task) and not under_way:
        events += sequence_ended(task, lead, texts, LABEL_ENDS[label])
    elif label in LABEL_ENDS and task is None and not (lead.finished or lead.blocked):
        events.append(LeadBlocked(lead.id, blocked=LABELLED))
    return events


def suggestion(
    label: str,
    last_reply: ReplyKind | None,
    *,
    snoozed: bool,
    they_wrote_last: bool,
    waiting: bool,
    do_not_contact: bool,
) -> Suggestion:
    """The one next step; `waiting`: an answer of the user waits to be sent."""
    if do_not_contact:
        return Suggestion.NOTHING
    if waiting:
        return Suggestion.WAIT_TO_BE_SENT
    if last_reply is ReplyKind.NO or label == Label.NO:
        return Suggestion.DO_NOT_CONTACT
    if snoozed:
        return Suggestion.WAIT_UNTIL
    if last_reply is None or last_reply is ReplyKind.AUTOMATIC:
        return Suggestion.WAIT_FOR_THEM
    if label == Label.WRONG_PERSON or last_reply is ReplyKind.GONE:
        return Suggestion.NOTHING if label else Suggestion.LABEL
    if they_wrote_last:
        return Suggestion.ANSWER
    return Suggestion.WAIT_FOR_THEM if label else Suggestion.LABEL
