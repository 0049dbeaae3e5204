"""An approval: the user's yes to one message, what it rests on, and when it ends."""

import hashlib
from dataclasses import dataclass
from enum import StrEnum

from backend.domain.gates.gates import working_days_later
from backend.domain.model.campaign import Limits
from backend.domain.model.days import OffsetAt


class ApprovalStatus(StrEnum):
    """An approval is spent by exactly one send."""

    OPEN = "open"
    USED = "used"
    EXPIRED = "expired"
    REVOKED = "revoked"


@dataclass(frozen=True, slots=True)
class Approval:
    """The user's yes to one exact message to one recipient; times are ms UTC."""

    id: str
    message_id: str
    digest: str
    status: ApprovalStatus
    expires_at: int


def approval_state(approval: Approval | None, digest: str, now: int) -> str:
    """How the approval stands for the message with that digest: "open", or why it does not serve."""
    if approval is None:
        return "missing"
    if approval.status is not ApprovalStatus.OPEN:
        return approval.status.value
    if not digest or approval.digest != digest:
        return "for another text"
    return "expired" if now >= approval.expires_at else "open"


def approval_digest(*, campaign_id: str, channel: str, step: str, kind: str, profile_url: str, text: str) -> str:
    """What an approval rests on, and nothing else: SHA-256 over recipient, exact words, channel and the step's stable id.

    Parts are separated by NUL and cannot run into each other. Limits, hours, budgets and other steps are no part of it: they
    are gates of the act.
    """
    parts = (campaign_id, channel, step, kind, profile_url, text)
    if any("\0" in part for part in parts):
        return ""  # such a text is refused long before; an empty digest never equals one that was approved
    # surrogatepass: an odd text must be refused by name elsewhere, not break the hash
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()


def approval_ends(limits: Limits, planned_at: int, offset_at: OffsetAt) -> int:
    """When an approval of a message ends that is planned for then: so many working days later, at the day's end (ms UTC)."""
    return working_days_later(limits, planned_at, offset_at, limits.approval_working_days)
