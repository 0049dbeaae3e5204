"""An outgoing message: its lifecycle, the approval bound to its exact text, and what settles a send."""

import hashlib
from dataclasses import dataclass
from enum import StrEnum

from backend.domain import lifecycle
from backend.domain.site import Claim


class MessageStatus(StrEnum):
    """A draft's way out; `received` is for what the other side wrote."""

    DRAFT = "draft"
    APPROVED = "approved"
    SENDING = "sending"
    SENT = "sent"
    OUTCOME_UNKNOWN = "outcome_unknown"
    FAILED = "failed"
    CANCELLED = "cancelled"
    RECEIVED = "received"


_M = MessageStatus

MESSAGE_MOVES: dict[MessageStatus, frozenset[MessageStatus]] = {
    _M.DRAFT: frozenset({_M.APPROVED, _M.CANCELLED}),
    _M.APPROVED: frozenset({_M.SENDING, _M.SENT, _M.DRAFT, _M.CANCELLED}),
    # Back to `approved` only when it was observed, after the settling time, that nothing had been sent.
    _M.SENDING: frozenset({_M.SENT, _M.OUTCOME_UNKNOWN, _M.FAILED, _M.APPROVED}),
    _M.OUTCOME_UNKNOWN: frozenset({_M.SENT, _M.APPROVED, _M.CANCELLED}),
    _M.SENT: frozenset(),
    _M.FAILED: frozenset({_M.CANCELLED}),
    # Only a text that the user rejected comes back, and only while nothing was written in its place.
    _M.CANCELLED: frozenset({_M.DRAFT}),
    _M.RECEIVED: frozenset(),
}


def move(state: MessageStatus, target: MessageStatus) -> MessageStatus:
    """Raises `OutriderError("illegal_status")` for anything the table does not list."""
    return lifecycle.move("message", MESSAGE_MOVES, state, target)


class ApprovalStatus(StrEnum):
    """An approval is spent by exactly one send."""

    OPEN = "open"
    USED = "used"
    EXPIRED = "expired"
    REVOKED = "revoked"


_A = ApprovalStatus

APPROVAL_MOVES: dict[ApprovalStatus, frozenset[ApprovalStatus]] = {
    _A.OPEN: frozenset({_A.USED, _A.EXPIRED, _A.REVOKED}),
    # Reopened only together with `sending` → `approved`: the one send it was for did not happen.
    _A.USED: frozenset({_A.OPEN}),
    _A.EXPIRED: frozenset(),
    _A.REVOKED: frozenset(),
}


def move_approval(state: ApprovalStatus, target: ApprovalStatus) -> ApprovalStatus:
    """Raises `OutriderError("illegal_status")` for anything the table does not list."""
    return lifecycle.move("approval", APPROVAL_MOVES, state, target)


@dataclass(frozen=True, slots=True)
class Message:
    """A message as loaded; `kind` is "invitation" or "message" ("reply" for received ones), `step` its sequence step."""

    id: str
    lead_id: str
    task_id: str
    step: str
    kind: str
    text: str
    status: MessageStatus


@dataclass(frozen=True, slots=True)
class Approval:
    """The user's yes to one exact text for one recipient in one version of the campaign; times are ms UTC."""

    id: str
    message_id: str
    digest: str
    status: ApprovalStatus
    expires_at: int


def approval_state(approval: Approval | None, digest: str, now: int) -> str:
    """How the approval stands for the text with that digest: "open", or why it does not serve."""
    if approval is None:
        return "missing"
    if approval.status is not ApprovalStatus.OPEN:
        return approval.status.value
    if not digest or approval.digest != digest:
        return "for another text"
    return "expired" if now >= approval.expires_at else "open"


def approval_digest(*, profile_url: str, kind: str, text: str, campaign_id: str, version: int) -> str:
    """SHA-256 over recipient, exact text and campaign version; NUL-separated parts cannot run into each other."""
    parts = (campaign_id, str(version), kind, profile_url, text)
    if any("\0" in part for part in parts):
        return ""  # such a text is refused long before; an empty digest never equals one that was approved
    # surrogatepass: an odd text must be refused by name elsewhere, not break the hash
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()


def text_mark(text: str) -> str:
    """SHA-256 of a text's words: a site may trim and fold blanks, and two texts that differ in nothing else are one."""
    return hashlib.sha256(" ".join(text.split()).encode("utf-8", "surrogatepass")).hexdigest()


class Seen(StrEnum):
    """What looking at the world after an act showed."""

    PRESENT = "present"
    ABSENT = "absent"
    UNREADABLE = "unreadable"


class Settlement(StrEnum):
    """How an intent ends."""

    SENT = "sent"
    NOT_SENT = "not_sent"
    OUTCOME_UNKNOWN = "outcome_unknown"


SETTLEMENTS: dict[tuple[Claim, Seen], Settlement] = {
    # Seen in the thread: it was sent, whatever the page said.
    (Claim.CONFIRMED, Seen.PRESENT): Settlement.SENT,
    (Claim.REFUSED, Seen.PRESENT): Settlement.SENT,
    (Claim.NO_ANSWER, Seen.PRESENT): Settlement.SENT,
    # The page said yes and the thread says no: only a person can tell.
    (Claim.CONFIRMED, Seen.ABSENT): Settlement.OUTCOME_UNKNOWN,
    # Observed absent after the settling time: it did not happen, so it may be tried again.
    (Claim.REFUSED, Seen.ABSENT): Settlement.NOT_SENT,
    (Claim.NO_ANSWER, Seen.ABSENT): Settlement.NOT_SENT,
    # Nothing was seen: never assumed failed, never retried.
    (Claim.CONFIRMED, Seen.UNREADABLE): Settlement.OUTCOME_UNKNOWN,
    (Claim.REFUSED, Seen.UNREADABLE): Settlement.OUTCOME_UNKNOWN,
    (Claim.NO_ANSWER, Seen.UNREADABLE): Settlement.OUTCOME_UNKNOWN,
}


def settle(claim: Claim, seen: Seen) -> Settlement:
    """What an act amounts to, from what the site said and what was then seen."""
    return SETTLEMENTS[(claim, seen)]
