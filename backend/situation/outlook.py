"""What is prepared of a campaign's messages, and for when one is planned, by what waits before it."""

from collections.abc import Callable, Collection

from backend.domain.contact.send_forecast import goes_out_at, is_prepared, note_allowed_at
from backend.domain.gates.gates import NOTE_PERIOD, AccountFacts, working_days_later
from backend.domain.gates.person import LeadOfPerson
from backend.domain.model.campaign import MINUTE, Campaign, Limits
from backend.domain.model.days import day_start, local_day
from backend.domain.model.lead import Lead
from backend.domain.model.message import SENT_BY, Message
from backend.domain.model.sequence import Sequence, due_step
from backend.domain.model.site import Relation
from backend.domain.model.task import ActionFamily
from backend.situation import situations
from backend.situation.situations import TurnInputs
from backend.store.database import DatabaseConnection
from backend.store.queries.campaign import campaigns
from backend.store.queries.contact import actions, messages
from backend.store.queries.people import people


def prepared_until(connection: DatabaseConnection, campaign: Campaign, inputs: TurnInputs) -> int | None:
    """Until when enough is prepared of what the campaign sends (ms UTC), so that nothing is drafted for anybody new; else None."""
    ends = list[int | None]()
    for family, ahead in waiting_of(connection, campaign).items():
        facts = situations.forecast_facts(connection, campaign, inputs, family)
        if is_prepared(facts, ahead):
            ends.append(goes_out_at(facts, ahead - 1))
    return min((end for end in ends if end is not None), default=None)


def planned_at(
    connection: DatabaseConnection, campaign: Campaign, lead: Lead, message: Message, inputs: TurnInputs
) -> int | None:
    """About when a message of a sequence that is approved now can go out (ms UTC), behind those approved before it.

    None where limits, hours, notes and the campaign's last days allow that within two months no more.
    """
    facts = situations.forecast_facts(connection, campaign, inputs, SENT_BY[message.kind])
    settings, limits = campaign.settings, campaign.settings.limits
    due = due_step(settings.sequence, lead, message, inputs.now, limits.thread_fresh_minutes * MINUTE)
    allowed: int | None = 0
    if message.kind == "invitation" and message.text and limits.notes_are_scarce:
        sent = actions.note_times(connection, campaign.account, inputs.now - NOTE_PERIOD, inputs.now)
        notes = messages.approved_of_account(connection, campaign.account, message.kind, inputs.now, with_text=True)
        allowed = note_allowed_at(limits.notes_a_month, sent, notes)
    if allowed is None:
        return None
    ahead = messages.approved_of_account(connection, campaign.account, message.kind, inputs.now)
    at = goes_out_at(facts, ahead, max(due.at, inputs.now, allowed))
    contacted = lead.invited_at is not None or lead.last_sent_at is not None
    over = limits.are_over if contacted else limits.begin_nobody
    return None if at is None or over(at) else at


def approvable_from(limits: Limits, planned: int, inputs: TurnInputs) -> int:
    """From when on (ms UTC) a message that is planned for then is soon enough to be approved together with others: now, or from the
    beginning of a day."""
    days = max(limits.prepared_days, limits.approval_working_days)
    at = inputs.now
    while working_days_later(limits, at, inputs.offset_at, days) < planned:
        at = day_start(local_day(at, inputs.offset_at) + 1, inputs.offset_at)
    return at


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
