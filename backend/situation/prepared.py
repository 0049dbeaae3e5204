"""How far ahead a campaign's messages are prepared: what its account may send in the next working days, and no more.

Nobody wants to find a thousand drafts in Review, nor to approve messages that go out in a month.
"""

from collections.abc import Callable, Collection

from backend.domain.contact.send_forecast import is_prepared
from backend.domain.gates.gates import AccountFacts
from backend.domain.gates.person import LeadOfPerson
from backend.domain.model.campaign import Campaign
from backend.domain.model.message import SENT_BY
from backend.domain.model.sequence import Sequence
from backend.domain.model.site import Relation
from backend.domain.model.task import ActionFamily
from backend.store.database import DatabaseConnection
from backend.store.queries.campaign import campaigns
from backend.store.queries.contact import messages
from backend.store.queries.people import people

FactsOf = Callable[[ActionFamily], AccountFacts]


def waiting_of(connection: DatabaseConnection, campaign: Campaign) -> dict[ActionFamily, int]:
    """How many acts of each family go before the next of this campaign's; a family for which nothing waits is left out.

    What waits is to be approved or to be sent. Campaigns that are on share what their account may send.
    """
    waiting = messages.waiting_by_kind(connection, campaign.id)
    shared_by = max(1, campaigns.count_active(connection, campaign.account)) if waiting else 1
    return {family: waiting[kind] * shared_by for kind, family in SENT_BY.items() if kind in waiting}


def not_begun(
    connection: DatabaseConnection, campaign: Campaign, facts_of: FactsOf, lead_ids: Collection[str]
) -> frozenset[str]:
    """Those of the leads for whom nothing is written yet, because enough of what they would get first is prepared."""
    if not lead_ids:
        return frozenset()
    waiting = waiting_of(connection, campaign)
    enough = {family for family, ahead in waiting.items() if is_prepared(facts_of(family), ahead)}
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
