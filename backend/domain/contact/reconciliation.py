"""Compares what the user said of their sends with a later export of the site's: confirmed, settled, or contradicted.

An export proves what it shows. What it does not show it proves only of messages, only up to its own last one, and not at all
where a row is damaged or cut off, or is dated in the future.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from backend.domain.events.facts.statuses import ActionStatus
from backend.domain.model.campaign import DAY, MINUTE
from backend.domain.model.days import iso_day
from backend.domain.model.message import text_mark
from backend.domain.model.site import ThreadMessage
from backend.domain.model.task import ActionFamily
from backend.domain.people.contact_archive import ArchivedMessage, ContactArchive, PersonInArchive
from backend.domain.values.shapes import Shape

EXPORT = "linkedin_export"
"""The kind of evidence that an export is."""

CONTRADICTED = "contradicted"
"""What blocks a lead of whose message the user said that it was not sent, while the export, or what they said on another device,
says that it was, or the other way round; the kind of the question."""

WAS_SENT, WAS_NOT_SENT = "it was sent", "it was not sent"
_BY_WORD = ("you reported: ", "the user says: ")

CLOCK_SLACK = 10 * MINUTE
"""How far (ms) this machine's clock may be from the site's."""
SURE = DAY
"""How much newer (ms) than an act an export has to be before it proves that the act did not happen."""


def rests_on_word(act: "ActOnRecord", report: str) -> bool:
    """Whether nothing but the user's word, as recorded in `report`, tells what became of the act."""
    return report.startswith(_BY_WORD) and not act.confirmed


class Verdict(StrEnum):
    """What an export says of an act."""

    CONFIRMED = "confirmed"
    """The user said that it was sent, and so does the export."""
    SENT = "sent"
    """Nobody knew; it was sent."""
    NOT_SENT = "not_sent"
    """Nobody knew; it was not sent."""
    DENIED_BUT_SHOWN = "denied_but_shown"
    """The user said that it was not sent, and the export shows it."""
    SAID_BUT_MISSING = "said_but_missing"
    """The user said that it was sent, and the export does not show it."""


@dataclass(frozen=True, slots=True)
class ActOnRecord:
    """An act as it is recorded; `mark` is that of its text, `confirmed` that an earlier export has shown it."""

    id: str
    family: ActionFamily
    status: ActionStatus
    mark: str
    intended_at: int
    confirmed: bool = False


@dataclass(frozen=True, slots=True)
class Finding:
    """A verdict on an act, and the message that shows it; None where a day, or nothing, does."""

    act: ActOnRecord
    verdict: Verdict
    shown: ArchivedMessage | None = None


@dataclass(frozen=True, slots=True)
class Compared:
    """What the export says of a person's acts, and our messages in it that are none of them."""

    findings: tuple[Finding, ...]
    unrecorded: tuple[ArchivedMessage, ...]


Change = Literal["contradictions", "replies", "accepted", "settled", "confirmed"]
CHANGES: tuple[Change, ...] = ("contradictions", "replies", "accepted", "settled", "confirmed")
"""What an export may change about a person, the most pressing first."""
MOST_NAMED = 50


class ReconciledPerson(Shape):
    """Somebody about whom the export changed something."""

    campaign_id: str
    lead_id: str
    name: str
    change: Change


class ReconciliationCounts(Shape):
    """What became of comparing an export: how many of each, and how many people it knows of those on record."""

    people: int = 0
    replies: int = 0
    confirmed: int = 0
    settled: int = 0
    accepted: int = 0
    contradictions: int = 0

    @property
    def sentence(self) -> str:
        """All of it, for a person."""
        named = ((self.replies, "reply", "replies"), (self.confirmed, "confirmed", "confirmed"),
                 (self.settled, "settled", "settled"), (self.accepted, "invitation accepted", "invitations accepted"),
                 (self.contradictions, "contradiction", "contradictions"))  # fmt: skip
        parts = [f"{count:,} {singular if count == 1 else plural}" for count, singular, plural in named if count]
        return ", ".join(parts) if parts else "Nothing new"


class Reconciliation(Shape):
    """What became of comparing an export, and whom it is about, the most pressing first."""

    counts: ReconciliationCounts
    people: list[ReconciledPerson]
    left_out: str = ""
    """What of it proves nothing, in words; empty if all of it was read."""


_ORDER = {ActionStatus.SENT: 0, ActionStatus.INTENDED: 1, ActionStatus.OUTCOME_UNKNOWN: 1, ActionStatus.NOT_SENT: 2}


def compare_acts(
    acts: Sequence[ActOnRecord],
    person: PersonInArchive,
    archive: ContactArchive,
    *,
    since: int,
    now: int,
    other_marks: set[str],
) -> Compared:
    """What the export says of these acts to one person, each message in it standing for one of them.

    `since` (ms UTC): older messages are none of ours. `other_marks` are those of further texts on record.
    """
    free = [message for message in person.messages if not message.by_them and message.at >= since - CLOCK_SLACK]
    shown: dict[str, ArchivedMessage] = {}
    ordered = sorted(acts, key=lambda act: (_ORDER[act.status], act.intended_at))
    for act in ordered:
        match = next(
            (message for message in free if _may_be(act, message) and text_mark(message.text) == act.mark), None
        )
        if match is not None:
            shown[act.id] = match
            free.remove(match)
    free = [message for message in free if text_mark(message.text) not in other_marks]
    for act in ordered:  # only now, so that what was changed while pasting never takes the place of what was not
        if act.family is ActionFamily.MESSAGE and act.id not in shown and act.status is not ActionStatus.NOT_SENT:
            match = next(
                (message for message in free if _may_be(act, message) and message.at < act.intended_at + SURE), None
            )
            if match is not None:
                shown[act.id] = match
                free.remove(match)
    invited = next((act.id for act in ordered if act.family is ActionFamily.INVITE and _is_invited(act, person)), "")
    is_whole = not person.has_undated_messages and not archive.left_out.damaged
    findings = [
        _finding(
            act, shown.get(act.id), invited=act.id == invited, proves_absence=is_whole and _is_newer(archive, act, now)
        )
        for act in ordered
    ]
    return Compared(tuple(finding for finding in findings if finding is not None), tuple(free))


def _may_be(act: ActOnRecord, message: ArchivedMessage) -> bool:
    return message.at >= act.intended_at - CLOCK_SLACK


def _finding(act: ActOnRecord, shown: ArchivedMessage | None, *, invited: bool, proves_absence: bool) -> Finding | None:
    if shown is not None or invited:
        if act.status is ActionStatus.SENT:
            return None if act.confirmed else Finding(act, Verdict.CONFIRMED, shown)
        denied = act.status is ActionStatus.NOT_SENT
        return Finding(act, Verdict.DENIED_BUT_SHOWN if denied else Verdict.SENT, shown)
    if act.family is not ActionFamily.MESSAGE or not proves_absence:
        return None  # an invitation leaves the export when it was accepted, withdrawn or ignored: that proves nothing
    if act.status is ActionStatus.SENT:
        return Finding(act, Verdict.SAID_BUT_MISSING)
    return None if act.status is ActionStatus.NOT_SENT else Finding(act, Verdict.NOT_SENT)


def _is_newer(archive: ContactArchive, act: ActOnRecord, now: int) -> bool:
    """Whether its last message is a day younger than the act; one that is still to come makes no export young."""
    newest = archive.newest_message
    return newest is not None and act.intended_at + SURE <= newest <= now + CLOCK_SLACK


def _is_invited(act: ActOnRecord, person: PersonInArchive) -> bool:
    """Its day has no time zone, so that the day before counts, too. Who is connected since was invited, if the user says so."""
    since = iso_day(act.intended_at - DAY)
    return person.invited_on >= since or (act.status is ActionStatus.SENT and person.connected_on >= since)


def has_accepted(invited_at: int | None, person: PersonInArchive) -> bool:
    """Whether they are connected since an invitation of ours."""
    return invited_at is not None and person.connected_on >= iso_day(invited_at - DAY)


def as_thread_message(message: ArchivedMessage) -> ThreadMessage:
    """As if it had been read in the conversation."""
    return ThreadMessage("them" if message.by_them else "you", message.text, message.at)
