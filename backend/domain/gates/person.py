"""A person across campaigns: how they stand to our account, which campaign they are with, and who may write to them now.

A lead is a person's place in a campaign. What is known of somebody lies on the lead that saw it; here it becomes one value for
all of their leads, the same whatever the order in which these came. What is asked about a person is asked here, from what
`store/queries/people/people.py` reads.
"""

from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple

from backend.domain.model.campaign import DAY
from backend.domain.model.days import OffsetAt, day_and_month, local_time
from backend.domain.model.lead import LABEL_ENDS, LABELS, NOT_ON_RECORD, OUTCOME_UNKNOWN, Lead
from backend.domain.model.site import Relation
from backend.domain.people.past_contact import BEFORE, kind_kept

IN_TOUCH_ELSEWHERE = "in_touch_elsewhere"
"""What a lead is blocked by whose person is with another campaign, until that is over or the user decides otherwise."""

IN_DOUBT = "in_doubt"
"""What a lead is blocked by of which nobody knows whether it is the same person as another one."""

TAKEN_OVER = "taken_over"
"""What a lead is blocked by whose person the user moved to another campaign, where they are a lead, too."""

MOVED_HERE = "moved here from another campaign"
"""Why a campaign may write to somebody who was taken over from another one."""

HELD = frozenset({IN_TOUCH_ELSEWHERE, IN_DOUBT})
"""What ends by itself once the person is free, or it is settled who they are."""

WAITING_BLOCKS = HELD | {"", OUTCOME_UNKNOWN, NOT_ON_RECORD}
"""What a lead is blocked by that is not the end of its sequence."""

REFUSALS: dict[str, str] = {label: meaning.they for label, meaning in LABELS.items() if meaning.refuses}
"""The labels by which somebody wants to hear nothing more, and how a sentence says so."""

REFUSED_ENDS: dict[str, str] = {LABEL_ENDS[label]: words for label, words in REFUSALS.items()}
"""The same by how a sequence ended."""


class Contact(StrEnum):
    """The furthest that a lead came with a person."""

    NOTHING = "nothing"
    PLANNED = "planned"
    INVITED = "invited"
    CONNECTED = "connected"
    WRITTEN_TO = "written to"
    REPLIED = "replied"
    REFUSED = "refused"


class LeadOfPerson(NamedTuple):
    """One of a person's leads, with what is known by it; times are ms UTC. `claim_days` is its campaign's setting."""

    lead_id: str
    campaign_id: str
    campaign_name: str
    full_name: str
    is_over: bool
    """Whether the campaign is completed, archived or deleted."""
    claim_days: int
    claimed_at: int | None = None
    relation: Relation = Relation.NONE
    invited_at: int | None = None
    accepted_at: int | None = None
    last_sent_at: int | None = None
    replied_at: int | None = None
    label: str = ""
    blocked: str = ""
    finished: str = ""
    contact_anyway: str = ""
    connected_on: str = ""
    withdrawn_at: int | None = None
    past_words: str = ""
    """What their files say of earlier contact."""
    act_at: int | None = None
    """When a send to them began of which nobody knows yet whether it was done; of the lead that asks it is left out."""
    paused_until: int | None = None
    """Nothing is begun about them before: they, or the user, said later."""

    @property
    def past(self) -> str:
        """The closest that they and the user came before, by a file (`past_contact`); empty if none says so."""
        return self.blocked if self.blocked in BEFORE else kind_kept(self.past_words)

    @property
    def has_answered(self) -> bool:
        """Whether they replied through this campaign, or the user said that they want to hear nothing more."""
        return self.replied_at is not None or bool(self.refusal)

    @property
    def refusal(self) -> str:
        """How a sentence says that they want to hear nothing more; empty if nobody said so."""
        return REFUSALS.get(self.label, "") or REFUSED_ENDS.get(self.finished, "")

    @property
    def contacted_at(self) -> int | None:
        """When this campaign last sent them something, or may have."""
        return _latest(self.invited_at, self.last_sent_at, self.act_at)

    @property
    def contact(self) -> Contact:
        """How far this campaign came."""
        if self.refusal:
            return Contact.REFUSED
        if self.replied_at is not None:
            return Contact.REPLIED
        if self.last_sent_at is not None:
            return Contact.WRITTEN_TO
        if self.accepted_at is not None:
            return Contact.CONNECTED
        if self.invited_at is not None:
            return Contact.INVITED
        return Contact.PLANNED if self.claimed_at is not None else Contact.NOTHING

    @property
    def is_open(self) -> bool:
        """Whether something may still be done for this lead."""
        return not (self.is_over or self.finished or self.blocked not in WAITING_BLOCKS)

    @property
    def is_under_way(self) -> bool:
        """Whether the sequence that began with the claim still runs."""
        return self.claimed_at is not None and self.is_open

    def claim_ends(self) -> int | None:
        """Until when this campaign keeps the person after the last that it sent (ms UTC); None while its sequence runs."""
        if self.is_under_way:
            return None
        last = self.contacted_at
        return 0 if last is None else self.kept_until(last)

    def kept_until(self, last: int) -> int:
        """How long (ms UTC) a campaign keeps somebody to whom it sent something then."""
        return last + self.claim_days * DAY

    def holds_claim(self, now: int) -> bool:
        """Whether the person is with this campaign."""
        ends = self.claim_ends()
        return ends is None or now < ends

    def had_ended_before(self, other: "LeadOfPerson") -> bool:
        """Whether the other campaign wrote to them, rightly, after it had been long enough since this one's last message."""
        last, later = self.contacted_at, other.contacted_at
        if last is None or later is None or other.contact_anyway:
            return False
        return last < later and self.kept_until(last) <= later


class Person(NamedTuple):
    """Somebody outside, as one of their leads sees them: that lead, and those in other places of the account."""

    lead: LeadOfPerson
    others: tuple[LeadOfPerson, ...] = ()
    remembered_at: int | None = None
    """When the account last contacted them through a campaign that was deleted since (ms UTC); None if it never did."""

    @property
    def is_contacted_before(self) -> bool:
        """Whether a first contact from here would be their second one, by what is remembered of deleted campaigns."""
        return self.remembered_at is not None and (self._is_to_begin or self._had_no_claim_at(self.remembered_at))

    @property
    def leads(self) -> tuple[LeadOfPerson, ...]:
        """All of them."""
        return (self.lead, *self.others)

    def claim(self, now: int) -> LeadOfPerson | None:
        """The lead with whose campaign the person is: the first that claimed them, of two at once the one with the lower id.

        One that wrote to them comes before one that only meant to, and was archived meanwhile, say; so does one that wrote when
        the other's claim was over, if that is opened again. One that the user let write although another campaign was in touch
        with them comes last.
        """
        holders = sorted((lead for lead in self.leads if lead.holds_claim(now)), key=_precedence)
        return next((lead for lead in holders if not any(lead.had_ended_before(other) for other in holders)), None)

    def elsewhere(self, now: int) -> LeadOfPerson | None:
        """The other lead with whose campaign the person is; None if they are with this one, or with none."""
        return self.other_lead_here or self._unless_this(self.claim(now))

    def _unless_this(self, lead: LeadOfPerson | None) -> LeadOfPerson | None:
        return None if lead is None or lead.lead_id == self.lead.lead_id else lead

    @property
    def other_lead_here(self) -> LeadOfPerson | None:
        """The other lead by which this very campaign writes to them: it never does so by this one, however long ago it was.

        That is the first by which it did. Before it wrote, or claimed them for a text, it is the first that may be planned, so
        that one person is not drafted twice.
        """
        here = [lead for lead in self.leads if lead.campaign_id == self.lead.campaign_id]
        contacted = [lead for lead in here if lead.contacted_at is not None]
        begun = contacted or [lead for lead in here if lead.is_under_way]
        first = min(begun, key=_precedence, default=None)
        return self._unless_this(first or min((lead for lead in here if lead.is_open), key=_turn, default=None))

    def in_touch_elsewhere(self, now: int) -> LeadOfPerson | None:
        """The other lead that keeps this one from writing; None if none does, or the user lets it write anyway.

        That is beside another campaign: nobody gets one campaign's sequence twice, whatever the user allows.
        """
        return self.other_lead_here if self.lead.contact_anyway else self.elsewhere(now)

    @property
    def undecided(self) -> LeadOfPerson | None:
        """Another lead in whose conversation stands what nobody recorded: nothing goes to this person, the user was told, until
        they have decided; None also if the user lets this one write anyway."""
        unrecorded = (lead for lead in self.others if lead.blocked == NOT_ON_RECORD)
        return None if self.lead.contact_anyway else next(unrecorded, None)

    @property
    def moved_to(self) -> LeadOfPerson | None:
        """The lead by which another campaign took them over from this one."""
        if self.lead.blocked != TAKEN_OVER:
            return None
        return next((lead for lead in self.others if lead.contact_anyway == MOVED_HERE), None)

    @property
    def moved_from(self) -> LeadOfPerson | None:
        """The lead from which they were moved here."""
        if self.lead.contact_anyway != MOVED_HERE:
            return None
        return next((lead for lead in self.others if lead.blocked == TAKEN_OVER), None)

    @property
    def is_connected(self) -> bool:
        """Whether the account is connected with them, by whatever any campaign saw or was told."""
        return any(lead.relation is Relation.CONNECTED or lead.connected_on for lead in self.leads)

    @property
    def known_from_before(self) -> LeadOfPerson | None:
        """The lead whose file says that the person and the user were in touch before, unless the user lets them be written to."""
        past_leads = (lead for lead in self.leads if lead.past and not lead.contact_anyway)
        return next(past_leads, None) if self._is_to_begin or self._has_only_planned else None

    @property
    def _is_to_begin(self) -> bool:
        """Whether this campaign is to begin with them, also again after it left them, and the user did not let it all the same."""
        left = self.lead.blocked == IN_TOUCH_ELSEWHERE
        return (self.lead.claimed_at is None or left) and not self.lead.contact_anyway

    @property
    def _has_only_planned(self) -> bool:
        """Whether this campaign means to begin with them and has sent nothing yet: what becomes known meanwhile counts."""
        lead = self.lead
        return lead.claimed_at is not None and lead.contacted_at is None and not lead.contact_anyway

    def _had_no_claim_at(self, contacted_at: int) -> bool:
        """Whether it planned that while another campaign kept them by that contact."""
        return self._has_only_planned and (self.lead.claimed_at or 0) < self.lead.kept_until(contacted_at)

    @property
    def replied_elsewhere(self) -> LeadOfPerson | None:
        """Another lead to which they have replied."""
        return next((lead for lead in self.others if lead.replied_at is not None), None)

    @property
    def refused_in(self) -> LeadOfPerson | None:
        """The lead by which they said that they want to hear nothing more."""
        return next((lead for lead in self.leads if lead.refusal), None)


def _precedence(lead: LeadOfPerson) -> tuple[bool, bool, int, str, str]:
    return bool(lead.contact_anyway), lead.contacted_at is None, _began(lead), lead.campaign_id, lead.lead_id


def _turn(lead: LeadOfPerson) -> tuple[bool, str]:
    """Which of a person's leads in one campaign is planned: one that the user let write, else the one with the lower id."""
    return not lead.contact_anyway, lead.lead_id


def _began(lead: LeadOfPerson) -> int:
    """When the campaign began to be in touch with them, 0 if it has not; what was sent before claims existed counts, too."""
    return _earliest(lead.claimed_at, lead.invited_at, lead.last_sent_at) or 0


def known(lead: Lead, others: Sequence[LeadOfPerson]) -> Lead:
    """The lead as all that is known of the person has it: invited, connected, withdrawn, answered or put off through whichever
    campaign.

    Another one's invitation does not wait any more where this campaign itself has seen none since.
    """
    withdrawn_at = _latest(lead.withdrawn_at, *(other.withdrawn_at for other in others))
    invited_at, accepted_at = lead.invited_at, lead.accepted_at
    relation = _since(lead.relation, lead.invited_at or lead.visited_at, withdrawn_at)
    for other in others:
        other_relation = _since(other.relation, other.invited_at, withdrawn_at)
        if other_relation is Relation.CONNECTED or (other.connected_on and lead.visited_at is None):
            relation = Relation.CONNECTED
            accepted_at = _earliest(accepted_at, other.accepted_at)
        elif other_relation is Relation.PENDING and (
            (relation is Relation.PENDING and invited_at is None)
            or (relation is Relation.NONE and (lead.visited_at or 0) <= (other.invited_at or 0))
        ):
            relation, invited_at = Relation.PENDING, other.invited_at
    known_of_person = lead._replace(
        relation=relation,
        invited_at=invited_at,
        accepted_at=accepted_at,
        withdrawn_at=withdrawn_at,
        paused_until=_latest(lead.paused_until, *(other.paused_until for other in others)),
        answered_elsewhere=any(other.has_answered for other in others),
    )
    return lead if known_of_person == lead else known_of_person


def _since(relation: Relation, invited_at: int | None, withdrawn_at: int | None) -> Relation:
    """A relation, unless it is that of an invitation which was taken back, whoever of the person's leads saw it waiting."""
    is_withdrawn = withdrawn_at is not None and (invited_at or 0) <= withdrawn_at
    return Relation.NONE if relation is Relation.PENDING and is_withdrawn else relation


def _earliest(*times: int | None) -> int | None:
    return min((at for at in times if at is not None), default=None)


def _latest(*times: int | None) -> int | None:
    return max((at for at in times if at is not None), default=None)


def with_campaign(holder: LeadOfPerson, asking: LeadOfPerson, offset_at: OffsetAt) -> str:
    """With which campaign a person is, since when, and how far it came: `With “Water founders” since 12 Nov: invited.`"""
    began = _began(holder)
    since = day_and_month(local_time(began, offset_at))
    if holder.campaign_id == asking.campaign_id:
        here = f"In this campaign already, as {holder.full_name}"
        return f"{here}, since {since}: {holder.contact.value}." if began else f"{here}."
    return f"With “{holder.campaign_name}” since {since}: {holder.contact.value}."


def label_of(person: Person | None) -> str:
    """What the user says came of the conversation: by this lead, else by another; a no counts before anything else."""
    if person is None:
        return ""
    labels = [lead.label for lead in person.leads if lead.label]
    return next((label for label in labels if label in REFUSALS), labels[0] if labels else "")
