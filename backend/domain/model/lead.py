"""A lead: its status, and what is known about how the account stands to it."""

from enum import StrEnum
from typing import NamedTuple

from backend.domain.model.site import Relation, SitePerson


class LeadStatus(StrEnum):
    """Spec 001 Key Entities."""

    PENDING = "pending"
    CONTACTED = "contacted"
    RESPONDED = "responded"
    REJECTED = "rejected"


STATUS_WORDS: dict[LeadStatus, str] = {
    LeadStatus.PENDING: "not contacted",
    LeadStatus.CONTACTED: "contacted",
    LeadStatus.RESPONDED: "replied",
    LeadStatus.REJECTED: "declined",
}
"""How people call them, on the page (which has it generated) and in the terminal."""


class Label(StrEnum):
    """What came of a conversation, in the user's words."""

    INTERESTED = "interested"
    LATER = "later"
    NO = "no"
    WRONG_PERSON = "wrong_person"


OUTCOME_UNKNOWN = "outcome_unknown"
"""What blocks a lead until the outcome of its send is known; what else blocks one outlasts the send."""

NOT_ON_RECORD = "not_on_record"
"""What blocks a lead whose conversation differs from what is on record until the user says why, and the kind of that question."""

BELOW_LEAST_SCORE = "below_least_score"
"""Why nobody begins with a lead whose priority the campaign's least score leaves out; no event says so, as it follows from both."""

ANSWERED_ELSEWHERE = "answered in another campaign"
"""How a sequence ends for somebody who has answered in another campaign."""


class LabelMeaning(NamedTuple):
    """What a label is called, how a sequence that was going on ends by it (not at all: ""), and what is said of them then."""

    title: str
    ends: str
    they: str = ""
    refuses: bool = False
    """Whether they want to hear nothing more."""


LABELS: dict[Label, LabelMeaning] = {
    Label.INTERESTED: LabelMeaning("Interested", "interested", "are interested"),
    Label.LATER: LabelMeaning("Later", ""),
    Label.NO: LabelMeaning("No", "said no", "said no", refuses=True),
    Label.WRONG_PERSON: LabelMeaning("Wrong person", "wrong person", "are the wrong person", refuses=True),
}
"""In the order of the keys that give them; the page has it generated."""

LABEL_ENDS: dict[str, str] = {label: meaning.ends for label, meaning in LABELS.items() if meaning.ends}

ENDS_BY_WORD = frozenset({*LABEL_ENDS.values(), ANSWERED_ELSEWHERE})
"""Ends that rest on what is said of a conversation: when that is taken back, it is asked again what is due."""


class Lead(NamedTuple):
    """A lead as loaded; times in ms UTC, `sequence_step` one more than its last step's number, None before planning."""

    id: str
    campaign_id: str
    full_name: str
    profile_url: str
    member_key: str
    job_title: str
    company: str
    status: LeadStatus
    weight_score: int | None = None
    sequence_step: int | None = None
    relation: Relation = Relation.NONE
    invited_at: int | None = None
    accepted_at: int | None = None
    last_sent_at: int | None = None
    thread_read_at: int | None = None
    replied_at: int | None = None
    """When their latest reply was noticed; when they wrote is in the conversation (`domain/reports/attribution.py`)."""
    visited_at: int | None = None
    finished: str = ""
    blocked: str = ""
    headline: str = ""
    paused_until: int | None = None
    """Nothing is begun about them before."""
    label: str = ""
    answers: tuple[str, ...] = ()
    """What came of the conditions of its sequence, in order (`domain/model/condition.py`)."""
    email: str = ""
    extra: str = "{}"
    """The lead file's further columns, in JSON."""
    tags: str = "[]"
    """In JSON."""
    claimed_at: int | None = None
    """Since when the campaign is in touch with this person (`domain/gates/person.py`)."""
    withdrawn_at: int | None = None
    """When the invitation was taken back."""
    priority_override: int | None = None
    """The priority that the user set by hand."""
    answered_elsewhere: bool = False
    """Whether they replied, or said no, through another campaign: no column, but what is known of the person."""

    @property
    def priority(self) -> int | None:
        """By what it comes before others: set by hand, else its score; None without either."""
        return self.weight_score if self.priority_override is None else self.priority_override

    @property
    def progress(self) -> LeadStatus:
        """How far it is by what was sent and received, whatever the user says came of it."""
        if self.replied_at is not None:
            return LeadStatus.RESPONDED
        sent = self.invited_at is not None or self.last_sent_at is not None
        return LeadStatus.CONTACTED if sent else LeadStatus.PENDING

    @property
    def person(self) -> SitePerson:
        """Whom the site is asked about."""
        return SitePerson(self.profile_url, self.full_name)


def occupation(headline: str, title: str, company: str) -> str:
    """The headline, or "Title, company"; the company only if the title does not name it."""
    return headline or ", ".join(part for part in (title, "" if company in title else company) if part)
