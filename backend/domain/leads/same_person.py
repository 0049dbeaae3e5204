"""What the user's choice among people who may be the same says of them: answers that hold for leads still to come, too."""

from collections.abc import Collection, Sequence

from backend.domain.gates.gates import CONTACTED_BEFORE
from backend.domain.gates.person import Person
from backend.domain.people.identity import Identity, IdentityAnswer, named_key, plain_key
from backend.domain.people.past_contact import BEFORE

Leads = Sequence[Identity]
"""The leads of one person, as far as that is known."""


def what_decides(person: Person, *, is_listed: bool) -> list[str]:
    """What an answer about somebody would mean for others, the strongest first: whoever is the same is treated as they are."""
    refused, past = person.refused_in, next((lead for lead in person.leads if lead.past), None)
    replied = next((lead for lead in person.leads if lead.replied_at is not None), None)
    sentences = [
        "On the do-not-contact list." if is_listed else "",
        f"They {refused.refusal} in “{refused.campaign_name}”." if refused else "",
        f"They replied in “{replied.campaign_name}”." if replied and not refused else "",
        BEFORE[past.past] if past else "",
        CONTACTED_BEFORE if person.remembered_at is not None else "",
    ]
    return [sentence for sentence in sentences if sentence]


def together_of(
    persons: Sequence[Leads], same: bool | None, chosen: Sequence[Collection[str]]
) -> list[tuple[Leads, ...]]:
    """Those who are one person, by the user: all of them (`same`), nobody, or who has a lead in the same list of `chosen`."""
    if same is not None:
        return [tuple(persons)] if same else [(leads,) for leads in persons]
    groups: list[tuple[Leads, ...]] = [(leads,) for leads in persons]
    for lead_ids in chosen:
        named = [group for group in groups if any(lead.lead_id in lead_ids for leads in group for lead in leads)]
        joined = tuple(leads for group in named for leads in group)
        groups = [group for group in groups if group not in named] + ([joined] if joined else [])
    return groups


def answers_of(persons: Sequence[Leads], together: Sequence[tuple[Leads, ...]]) -> list[IdentityAnswer]:
    """The answers that say so: one for each group of more than one, and one that tells the groups apart."""
    joined = [
        IdentityAnswer(tuple(sorted({_key(lead, persons) for leads in group for lead in leads})), same=True)
        for group in together
        if len(group) > 1
    ]
    if len(together) < 2:  # noqa: PLR2004 - nobody is told apart
        return joined
    different = sorted(_key(_best_known(group[0]), persons) for group in together)
    return [*joined, IdentityAnswer(tuple(different), same=False)]


def _best_known(leads: Leads) -> Identity:
    """The lead by which a person is told from others: one with an address, if there is one."""
    return min(leads, key=lambda lead: (not lead.profile_url, lead.lead_id))


def _key(lead: Identity, persons: Sequence[Leads]) -> str:
    """By what an answer means this lead; with the name, if somebody else came with the same identity."""
    plain = plain_key(lead.member_key)
    sharing = [leads for leads in persons if any(plain_key(other.member_key) == plain for other in leads)]
    return named_key(lead.member_key, lead.full_name) if len(sharing) > 1 else lead.member_key
