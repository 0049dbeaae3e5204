"""An outgoing message: its lifecycle, the approval bound to its exact text, and what settles a send."""

import hashlib
import unicodedata
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from backend.domain.model.site import SiteAnswer
from backend.domain.model.task import ActionFamily


class MessageStatus(StrEnum):
    """A draft's way out; `received` is what the other side wrote, `found` what is ours and was not on record."""

    DRAFT = "draft"
    APPROVED = "approved"
    SENDING = "sending"
    SENT = "sent"
    OUTCOME_UNKNOWN = "outcome_unknown"
    FAILED = "failed"
    CANCELLED = "cancelled"
    RECEIVED = "received"
    FOUND = "found"


SENT_BY = {"invitation": ActionFamily.INVITE, "message": ActionFamily.MESSAGE}
"""The family of acts that sends each kind of message of a sequence."""


class MessageSource(StrEnum):
    """How a message came to be on record."""

    SEEN = "seen"
    """Outrider saw it in the conversation."""
    REPORTED = "reported"
    """The user said so."""
    EXPORT = "export"
    """It stands in the user's LinkedIn export."""
    CONFIRMED = "confirmed"
    """The user said so, and a later export shows it."""
    UNSETTLED = "unsettled"
    """It may have been sent: the user has its text, or its outcome is not known."""
    UNKNOWN = "unknown"
    """That was not recorded."""


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
    variant: str = ""
    """Of the step's text, by its key; empty if the step had none."""


MOST_REJECTION_REASON = 200


class RejectedText(NamedTuple):
    """A text that the user rejected, and why, if they said so."""

    text: str
    reason: str


def folded(text: str) -> str:
    """A text as it is compared: a site may trim and fold blanks, and compose letters and accents."""
    return " ".join(unicodedata.normalize("NFC", text).split())


def text_mark(text: str) -> str:
    """SHA-256 of a text as it is compared: two texts that differ in nothing else are one."""
    return hashlib.sha256(folded(text).encode("utf-8", "surrogatepass")).hexdigest()


class Observation(StrEnum):
    """What looking at the world after an act showed."""

    PRESENT = "present"
    ABSENT = "absent"
    UNREADABLE = "unreadable"


class SendOutcome(StrEnum):
    """How an intent ends."""

    SENT = "sent"
    NOT_SENT = "not_sent"
    OUTCOME_UNKNOWN = "outcome_unknown"


SEND_OUTCOMES: dict[tuple[SiteAnswer, Observation], SendOutcome] = {
    # Seen in the thread: it was sent, whatever the page said.
    (SiteAnswer.CONFIRMED, Observation.PRESENT): SendOutcome.SENT,
    (SiteAnswer.REFUSED, Observation.PRESENT): SendOutcome.SENT,
    (SiteAnswer.NO_ANSWER, Observation.PRESENT): SendOutcome.SENT,
    # The page said yes and the thread says no: only a person can tell.
    (SiteAnswer.CONFIRMED, Observation.ABSENT): SendOutcome.OUTCOME_UNKNOWN,
    # Observed absent when nothing can be under way any more: it did not happen, so it may be tried again.
    (SiteAnswer.REFUSED, Observation.ABSENT): SendOutcome.NOT_SENT,
    (SiteAnswer.NO_ANSWER, Observation.ABSENT): SendOutcome.NOT_SENT,
    # Nothing was seen: never assumed failed, never retried.
    (SiteAnswer.CONFIRMED, Observation.UNREADABLE): SendOutcome.OUTCOME_UNKNOWN,
    (SiteAnswer.REFUSED, Observation.UNREADABLE): SendOutcome.OUTCOME_UNKNOWN,
    (SiteAnswer.NO_ANSWER, Observation.UNREADABLE): SendOutcome.OUTCOME_UNKNOWN,
}


def send_outcome(claim: SiteAnswer, seen: Observation, *, settled: bool) -> SendOutcome:
    """What an act amounts to, from what the site said and what was then seen.

    `settled` says that the look began when its request could not be under way any more. Before that, whatever the site
    said, "not there" means "not there yet".
    """
    if seen is Observation.ABSENT and not settled:
        return SendOutcome.OUTCOME_UNKNOWN
    return SEND_OUTCOMES[(claim, seen)]
