"""A send: the intent before it, and everything that follows from its outcome."""

from dataclasses import asdict, dataclass, replace
from typing import Any

from backend.domain.campaign import MINUTE, Campaign
from backend.domain.events import Event
from backend.domain.lead import Lead, LeadStatus
from backend.domain.lead import move as move_lead
from backend.domain.message import ApprovalStatus, Message, MessageStatus, Settlement, move, text_mark
from backend.domain.progress import NewId, block, defer, follow
from backend.domain.site import Attempt, Relation
from backend.domain.task import Needs, Task, TaskStatus

MAX_ATTEMPTS = 3
"""How often the site may fail to send one message before the user is asked; each new attempt follows an observation that
nothing was sent. An attempt that our own end cut off is not the site's failure and does not count."""

UNKNOWN = "outcome_unknown"
"""What blocks a lead until the outcome of its send is known; what else blocks one outlasts the send."""


@dataclass(frozen=True, slots=True)
class Sending:
    """One send under way: what was loaded about it, and the intent's id."""

    action_id: str
    campaign: Campaign
    task: Task
    lead: Lead
    message: Message
    approval_id: str
    attempts: int
    """How many attempts the site has failed so far."""


def intend(sending: Sending, *, turn: int, tool: str, family: Needs, seen_before: int, now: int) -> list[Event]:
    """The intent, on disk before the act; it spends the approval."""
    lead, message = sending.lead, sending.message
    action = {
        "turn": turn,
        "task_id": sending.task.id,
        "lead_id": lead.id,
        "message_id": message.id,
        "approval_id": sending.approval_id,
        "account": sending.campaign.account,
        "family": family,
        "tool": tool,
        "params": {"profile_url": lead.profile_url, "name": lead.full_name, "text_mark": text_mark(message.text)},
        "seen_before": seen_before,
        "status": "intended",
        "intended_at": now,
    }
    return [
        Event("ActionIntended", sending.action_id, action),
        Event("ApprovalUsed", sending.approval_id, {"status": ApprovalStatus.USED}),
        Event("MessageSending", message.id, {"status": move(message.status, MessageStatus.SENDING)}),
    ]


def settled(
    sending: Sending,
    outcome: Settlement,
    attempt: Attempt,
    now: int,
    new_id: NewId,
    *,
    tried: bool = True,
    cut_off: bool = False,
) -> list[Event]:
    """The outcome of an intent, and everything that follows from it. Used right after the act and by recovery alike.

    `tried` is False if the site was never asked, `cut_off` True if our own process ended in between: neither is its failure.
    """
    message, task, lead = sending.message, sending.task, _freed(sending.lead)
    attempts = sending.attempts + (tried and not cut_off)
    shown = [asdict(replace(piece, quote=piece.quote[:500])) for piece in attempt.evidence]
    action = Event(
        "ActionSettled",
        sending.action_id,
        {"status": outcome, "claim": attempt.claim, "said": attempt.said[:500], "evidence": shown, "settled_at": now},
    )
    if outcome is Settlement.SENT:
        lead, advanced = _one_step_on(sending.campaign, lead, message, now)
        done = Event(
            "MessageSent",
            message.id,
            {"status": move(message.status, MessageStatus.SENT), "sent_at": now, "evidence": shown},
        )
        return [
            action,
            done,
            advanced,
            *_reopen_lead(sending.lead),
            *_go_on(sending, lead, None, now, new_id),
        ]
    if outcome is Settlement.OUTCOME_UNKNOWN:
        why = f"it is not known whether “{message.step}” was sent"
        return [
            action,
            Event(
                "MessageOutcomeUnknown",
                message.id,
                {"status": move(message.status, MessageStatus.OUTCOME_UNKNOWN), "reason": attempt.said[:500]},
            ),
            *([] if lead.blocked else [Event("LeadBlocked", lead.id, {"blocked": UNKNOWN})]),
            *block(now, task, why, new_id, sending.action_id),
        ]
    not_sent = {
        "status": move(message.status, MessageStatus.APPROVED),
        "reason": attempt.said[:500],
        "attempts": attempts,
    }
    if lead.blocked:
        # Whom the user said not to contact while it was being sent: their yes to this text does not come back with them.
        cancelled = {"status": MessageStatus.CANCELLED, "reason": "on the do-not-contact list"}
        return [action, Event("MessageNotSent", message.id, not_sent), Event("MessageCancelled", message.id, cancelled)]
    if attempts >= MAX_ATTEMPTS and message.status is MessageStatus.SENDING:
        failed = Event(
            "MessageFailed",
            message.id,
            {"status": move(message.status, MessageStatus.FAILED), "reason": attempt.said[:500]},
        )
        return [action, failed, *block(now, task, f"{MAX_ATTEMPTS} attempts failed: {attempt.said[:200]}", new_id)]
    again = replace(message, status=MessageStatus.APPROVED)
    return [
        action,
        Event("MessageNotSent", message.id, not_sent),
        Event("ApprovalReopened", sending.approval_id, {"status": ApprovalStatus.OPEN}),
        *_reopen_lead(sending.lead),
        *_go_on(sending, lead, again, now, new_id),
        *([] if cut_off else [defer(task, now + _pause(sending.campaign))]),
    ]


def _pause(campaign: Campaign) -> int:
    """How long (ms) to leave a site in peace that has just failed to send."""
    return max(campaign.settings.limits.spacing_seconds * 1_000, MINUTE // 2)


def _freed(lead: Lead) -> Lead:
    return replace(lead, blocked="") if lead.blocked == UNKNOWN else lead


def _reopen_lead(lead: Lead) -> list[Event]:
    return [Event("LeadUnblocked", lead.id, {"blocked": ""})] if lead.blocked == UNKNOWN else []


def _go_on(sending: Sending, lead: Lead, message: Message | None, now: int, new_id: NewId) -> list[Event]:
    """What becomes of the task; one that was blocked over this send is taken up again first, for a lead that is not."""
    task = sending.task
    if task.status is not TaskStatus.BLOCKED:
        return follow(sending.campaign, task, lead, message, now, new_id)
    if lead.blocked:
        return []
    resumed = Event("TaskUnblocked", task.id, {"status": TaskStatus.IN_PROGRESS, "reason": "", "strikes": 0})
    return [resumed, *follow(sending.campaign, replace(task, strikes=0), lead, message, now, new_id)]


def _one_step_on(campaign: Campaign, lead: Lead, message: Message, now: int) -> tuple[Lead, Event]:
    keys = [step.key for step in campaign.settings.sequence.steps]
    changes: dict[str, Any] = {"sequence_step": keys.index(message.step) + 1}
    if lead.status is LeadStatus.PENDING:
        changes["status"] = move_lead(lead.status, LeadStatus.CONTACTED)
    if message.kind == "invitation":
        changes["invited_at"] = now
        if lead.relation is Relation.NONE:
            changes["relation"] = Relation.PENDING
    else:
        changes["last_sent_at"] = now
    return replace(lead, **changes), Event("LeadAdvanced", lead.id, changes)
