"""Erasing what is stored about a person, in every campaign; that they are not to be contacted is all that is kept."""

from collections.abc import Sequence
from dataclasses import dataclass

from backend.commands.handler import CommandHandler, command
from backend.commands.leads import forbidding_events
from backend.commands.workspace import configuration_events
from backend.domain.contact_keys import forgotten_key, person_keys
from backend.domain.erasure import ERASED, erasures
from backend.domain.errors import OutriderError
from backend.domain.events import WORKSPACE, Event
from backend.domain.facts.workspace import DoNotContactAdded
from backend.domain.mentions import Named
from backend.store.log.journal import Transaction
from backend.store.queries import campaigns, do_not_contact, erased_things, leads, person_entries


@dataclass(frozen=True, slots=True)
class PersonErased:
    """How many leads and log entries lost their words, and how many pictures show the person, here or on another device."""

    leads: int
    entries: int
    pictures: int


def forbidding_erased(transaction: Transaction, campaign_id: str, now: int) -> list[Event]:
    """What ends the tasks and texts of whose data was erased, where another device's entries came before that.

    Who is being written to just now is left alone until that is on record.
    """
    connection = transaction.connection
    campaign, events = campaigns.campaign(connection, campaign_id), list[Event]()
    for lead_id in erased_things.erased_and_not_ended(connection, campaign_id):
        lead = leads.lead(connection, campaign_id, lead_id)
        if campaign is None or lead is None or person_entries.is_under_way(connection, campaign_id, [lead_id]):
            continue
        events += forbidding_events(transaction, campaign, lead, now).events
    return events


def erase_mentions(transaction: Transaction, people: Sequence[Named], now: int) -> dict[str, list[Event]]:
    """By stream: what takes their names and addresses out of what artifacts and conversations of all campaigns say.

    Out of what only this device keeps they are taken at once.
    """
    if not people:
        return {}
    person_entries.forget_on_this_device(transaction.connection, people)
    told = {
        stream: person_entries.mentions_left(transaction.connection, stream, people)
        for stream in campaigns.not_deleted(transaction.connection)
    }
    return {stream: erasures(left, transaction.new_id, now) for stream, left in told.items() if left}


@dataclass(frozen=True, slots=True)
class PeopleCommands(CommandHandler):
    """Decisions about a person's data; raises `campaign_unknown` and `lead_unknown`."""

    @command("people.erase", only=())
    def erase(self, campaign_id: str, lead_id: str) -> PersonErased:
        """Erase every word about this person for good, in every campaign and in the do-not-contact list.

        What artifacts and the assistant's conversation say of them loses their name and addresses. Ids, times and states stay, so
        that both logs verify; what waits is withdrawn. Of who they are a keyed hash stays on the
        do-not-contact list, which tells them when they are imported again. Files of evidence are noted for removal. Raises
        `person_under_way` while something is being sent to them.
        """
        with self.journal.transaction() as transaction:
            connection, now = transaction.connection, self.clock.now()
            self._campaign(transaction, campaign_id)
            if leads.lead(connection, campaign_id, lead_id) is None:
                raise OutriderError("lead_unknown", lead=lead_id)
            theirs = person_entries.leads_of_person(connection, lead_id)
            if any(person_entries.is_under_way(connection, stream, ids) for stream, ids in theirs.items()):
                raise OutriderError("person_under_way")
            by_key = self._keys(transaction, [id_ for ids in theirs.values() for id_ in ids])
            named = person_entries.named(connection, [id_ for ids in theirs.values() for id_ in ids])
            files: set[str] = set()
            entries = 0
            for stream, ids in theirs.items():
                campaign = self._campaign(transaction, stream)
                for id_ in ids:
                    lead = leads.lead(connection, stream, id_)
                    if lead is not None:
                        self._record(transaction, stream, forbidding_events(transaction, campaign, lead, now).events)
                files |= person_entries.evidence_files(connection, stream, ids)
                left = person_entries.what_is_left(connection, stream, ids)
                self._record(transaction, stream, erasures(left, transaction.new_id, now))
                entries += len(left)
            for stream, events in erase_mentions(transaction, named, now).items():
                self._record(transaction, stream, events)
                entries += sum(len(event.changes["entries"]) for event in events)
            listed = person_entries.listed_left(connection, by_key)
            self._record(transaction, WORKSPACE, erasures(listed, transaction.new_id, now))
            missing = set(by_key.values()) - do_not_contact.listed_by_user(connection, by_key.values())
            self._record(
                transaction,
                WORKSPACE,
                [
                    DoNotContactAdded(transaction.new_id(), member_key=key, name=ERASED, reason="", created_at=now)
                    for key in sorted(missing)
                ],
            )
            return PersonErased(sum(len(ids) for ids in theirs.values()), entries + len(listed), len(files))

    def _keys(self, transaction: Transaction, lead_ids: list[str]) -> dict[str, str]:
        """Each key by which this person is known, and what stands for it from now on."""
        connection = transaction.connection
        secret = next(iter(do_not_contact.forgotten_secrets(connection)), None)
        if secret is None:
            secret = self.journal.ids.salt() + self.journal.ids.salt()
            name = do_not_contact.FORGOTTEN + transaction.new_id()
            self._record(transaction, WORKSPACE, configuration_events(connection, name, {"secret": secret.hex()}))
        known = (do_not_contact.contact_details(connection, id_) for id_ in lead_ids)
        return {key: forgotten_key(secret, key) for details in known if details for key in person_keys(details)}
