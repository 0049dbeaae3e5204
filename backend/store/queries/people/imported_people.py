"""Whom a lead file brings: who is with another campaign, who was in touch before, and who may be somebody that is known already."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from backend.domain.gates.person import Contact, LeadOfPerson, Person
from backend.domain.people.contact_keys import forgotten_key
from backend.domain.people.identity import Identity, People
from backend.domain.people.past_contact import BEFORE
from backend.store.database import DatabaseConnection
from backend.store.queries.campaign import campaigns
from backend.store.queries.people import do_not_contact, people, person_index, remembered_contacts

MOST_ASKED = 100_000
"""Leads of one import that are looked at."""
_NOT_IN_TOUCH = (Contact.NOTHING, Contact.PLANNED)


@dataclass(frozen=True, slots=True)
class ImportedPeople:
    """How many of a file's people are with another campaign (by its name), were in touch before, or are asked about."""

    with_campaigns: dict[str, int]
    in_touch: int
    asked: int

    @property
    def elsewhere(self) -> int:
        """How many are with another campaign."""
        return sum(self.with_campaigns.values())


NOBODY = ImportedPeople({}, 0, 0)


def forecast(
    connection: DatabaseConnection, campaign_id: str, account: str, rows: Sequence[Identity], now: int
) -> ImportedPeople:
    """What it would be of these rows in this campaign, or in one that is to be made (""); writes nothing."""
    identified_people = person_index.who_would_be_who(connection, account, rows)
    in_doubt = {lead_id for doubt in identified_people.doubts for lead_id in doubt.lead_ids}
    standings = _forecast_standings(connection, campaign_id, account, rows, identified_people, now)
    asked = sum(not in_doubt.isdisjoint(ids) for ids, _ in standings)
    return _counted((standing for _, standing in standings), asked)


def in_touch(
    connection: DatabaseConnection, campaign_id: str, account: str, rows: Sequence[Identity], now: int
) -> set[str]:
    """Those of these rows with whose people another campaign is or was in touch, by the same."""
    identified_people = person_index.who_would_be_who(connection, account, rows)
    standings = _forecast_standings(connection, campaign_id, account, rows, identified_people, now)
    return {row_id for ids, standing in standings if standing is not None for row_id in ids}


def _forecast_standings(
    connection: DatabaseConnection,
    campaign_id: str,
    account: str,
    rows: Sequence[Identity],
    identified_people: People,
    now: int,
) -> list[tuple[set[str], str | None]]:
    """The rows and leads of each person who would come, and their standing."""
    row_ids = {row.lead_id for row in rows}
    persons = [set(ids) for ids in identified_people.persons if not row_ids.isdisjoint(ids)]
    recorded_leads = people.leads_by_id(connection, set().union(*persons) - row_ids)
    newcomer = LeadOfPerson("", campaign_id, "", "", False, 0)
    remembered = _remembered(connection, account, rows)
    return [
        (
            ids,
            _standing(
                Person(newcomer, tuple(recorded_leads[lead_id] for lead_id in sorted(ids & recorded_leads.keys()))),
                now,
                is_remembered=not remembered.isdisjoint(ids),
            ),
        )
        for ids in persons
    ]


def brought(connection: DatabaseConnection, campaign_id: str, import_id: str, now: int) -> ImportedPeople:
    """What it is of the leads that this import brought."""
    rows = connection.execute(
        "SELECT l.id FROM leads l WHERE l.campaign_id=? AND l.import_id=?"
        " AND (EXISTS (SELECT 1 FROM people p WHERE p.lead_id = l.id) OR EXISTS (SELECT 1 FROM remembered_contacts)) LIMIT ?",
        (campaign_id, import_id, MOST_ASKED),
    )
    lead_ids = [lead_id for (lead_id,) in rows]
    persons = people.with_others(connection, lead_ids)
    campaign = campaigns.campaign(connection, campaign_id)
    identities = people.identities(connection, lead_ids).values()
    remembered = _remembered(connection, campaign.account, identities) if campaign is not None else set[str]()
    counted = [_standing(person, now, is_remembered=lead_id in remembered) for lead_id, person in persons.items()]
    counted += [""] * len(remembered - persons.keys())
    return _counted(counted, people.leads_in_doubt(connection, campaign_id, import_id))


def _remembered(connection: DatabaseConnection, account: str, leads: Iterable[Identity]) -> set[str]:
    """Those whom the account contacted through a campaign that is gone."""
    remembered = remembered_contacts.remembered_keys(connection, account).items()
    contacted = {key for key, (at, _) in remembered if at is not None}
    secrets = do_not_contact.forgotten_secrets(connection) if contacted else ()
    return {
        lead.lead_id
        for lead in leads
        if any(forgotten_key(secret, key) in contacted for secret in secrets for key in lead.addresses)
    }


def _standing(person: Person, now: int, *, is_remembered: bool) -> str | None:
    """The campaign that they are with, "" if they were in touch before, None if neither."""
    others = [lead for lead in person.others if lead.campaign_id != person.lead.campaign_id]
    holder = person.claim(now)
    if holder is not None and holder.campaign_id != person.lead.campaign_id:
        return holder.campaign_name
    in_touch = any(lead.contact not in _NOT_IN_TOUCH or lead.blocked in BEFORE for lead in others)
    return "" if in_touch or is_remembered else None


def _counted(standings: Iterable[str | None], asked: int) -> ImportedPeople:
    counts = Counter(standing for standing in standings if standing is not None)
    in_touch = counts.pop("", 0)
    return ImportedPeople(dict(counts.most_common()), in_touch, asked)
