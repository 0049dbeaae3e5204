"""How far ahead a campaign's messages are prepared: what its account may send in the next working days, and no more.

Nobody wants to find a thousand drafts in Review, nor to approve messages that go out in a month.
"""

from collections.abc import Callable, Collection
from typing import NamedTuple

from backend.domain.campaign import Campaign
from backend.domain.gates import AccountFacts
from backend.domain.message import SENT_BY
from backend.domain.person import LeadOfPerson
from backend.domain.send_forecast import goes_out_at, is_prepared
from backend.domain.sequence import Sequence
from backend.domain.site import Relation
from backend.domain.task import ActionFamily
from backend.store.database import DatabaseConnection
from backend.store.queries import campaigns, messages, people

FactsOf = Callable[[ActionFamily], AccountFacts]


class Prepared(NamedTuple):
    """What waits of a family, to be approved or to be sent: until when it lasts (ms UTC), and whether that is enough for now.

    `until` is about when the last of it goes out; None if nothing waits, or limits and hours allow none.
    """

    until: int | None
    is_enough: bool


def prepared(connection: DatabaseConnection, campaign: Campaign, facts_of: FactsOf) -> dict[ActionFamily, Prepared]:
    """How much is prepared of each family. Campaigns that are on share what their account may send."""
    waiting = messages.waiting_by_kind(connection, campaign.id)
    shared_by = max(1, campaigns.count_active(connection, campaign.account))
    amounts = dict[ActionFamily, Prepared]()
    for kind, family in SENT_BY.items():
        ahead = waiting.get(kind, 0) * shared_by
        facts = facts_of(family)
        until = goes_out_at(facts, ahead - 1) if ahead else None
        amounts[family] = Prepared(until, bool(ahead) and is_prepared(facts, ahead))
    return amounts


def not_begun(
    connection: DatabaseConnection, campaign: Campaign, facts_of: FactsOf, lead_ids: Collection[str]
) -> frozenset[str]:
    """Those of the leads for whom nothing is written yet, because enough of what they would get first is prepared."""
    if not lead_ids:
        return frozenset()
    enough = {family for family, one in prepared(connection, campaign, facts_of).items() if one.is_enough}
    if not enough:
        return frozenset()
    leads = people.leads_by_id(connection, lead_ids).values()
    sequence = campaign.settings.sequence
    return frozenset(lead.lead_id for lead in leads if not enough.isdisjoint(first_families(sequence, lead)))


def first_families(sequence: Sequence, lead: LeadOfPerson) -> set[ActionFamily]:
    """By what this lead may be written to first: where Outrider looks for itself, only that tells who is connected already."""
    kinds: list[str] = [step.kind for step in sequence.live if step.writes]
    connected = [kind for kind in kinds if kind != "invitation"][:1]
    if lead.relation is Relation.CONNECTED or lead.connected_on:
        firsts = connected
    else:
        firsts = kinds[:1] if sequence.user_reads else kinds[:1] + connected
    return {SENT_BY[kind] for kind in firsts}
