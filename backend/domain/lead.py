"""A lead: its status, and what is known about how the account stands to it."""

from dataclasses import dataclass
from enum import StrEnum

from backend.domain import lifecycle
from backend.domain.site import Person, Relation


class LeadStatus(StrEnum):
    """Spec 001 Key Entities."""

    PENDING = "pending"
    CONTACTED = "contacted"
    RESPONDED = "responded"
    REJECTED = "rejected"


_L = LeadStatus

LEAD_MOVES: dict[LeadStatus, frozenset[LeadStatus]] = {
    _L.PENDING: frozenset({_L.CONTACTED, _L.RESPONDED, _L.REJECTED}),
    _L.CONTACTED: frozenset({_L.RESPONDED, _L.REJECTED}),
    _L.RESPONDED: frozenset({_L.REJECTED}),
    _L.REJECTED: frozenset(),
}


def move(state: LeadStatus, target: LeadStatus) -> LeadStatus:
    """Raises `OutriderError("illegal_status")` for anything the table does not list."""
    return lifecycle.move("lead", LEAD_MOVES, state, target)


@dataclass(frozen=True, slots=True)
class Lead:
    """A lead as loaded. `sequence_step` is the index of the next step, None before planning; times are ms UTC."""

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
    visited_at: int | None = None
    finished: str = ""
    blocked: str = ""

    @property
    def person(self) -> Person:
        """Whom the site is asked about."""
        return Person(self.profile_url, self.full_name)
