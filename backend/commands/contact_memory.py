"""What is remembered of people whose data goes: that an account contacted them, and whether they refused, by keyed hash."""

from collections.abc import Sequence

from backend.commands.workspace import configuration_events
from backend.domain.erasure.erasure import ERASED
from backend.domain.events.events import WORKSPACE, Event
from backend.domain.events.facts.workspace import ContactRemembered, DoNotContactAdded
from backend.domain.model.campaign import Campaign
from backend.domain.model.channel import PRACTICE
from backend.domain.people.contact_keys import forgotten_key, person_keys
from backend.ports.ids import Ids
from backend.store.log.erasing_events import erasing_events
from backend.store.log.transaction import Transaction
from backend.store.queries.people import do_not_contact, person_entries, remembered_contacts

_REFUSED = "refused in a campaign that was deleted"
"""Why somebody is on the list of whom other campaigns may still tell; an entry without a reason says that a person was erased."""


def secret_for_keys(transaction: Transaction, ids: Ids) -> tuple[bytes, list[Event]]:
    """The secret of the keyed hashes, and what records it in the workspace's stream if this is the first use."""
    secret = next(iter(do_not_contact.forgotten_secrets(transaction.connection)), None)
    if secret is not None:
        return secret, []
    secret = ids.salt() + ids.salt()
    name = do_not_contact.FORGOTTEN + transaction.new_id()
    return secret, configuration_events(transaction.connection, name, {"secret": secret.hex()})


def remembering_events(
    transaction: Transaction, ids: Ids, campaign: Campaign, now: int, lead_ids: Sequence[str] | None = None
) -> list[Event]:
    """For the workspace's stream: what is remembered of the campaign's people, or of these leads, before their data goes.

    Whoever refused is put on the do-not-contact list as well. The people of the practice network are made up.
    """
    if campaign.site == PRACTICE:
        return []
    contacts = list(remembered_contacts.contacts_to_remember(transaction.connection, campaign.id, lead_ids))
    if not contacts:
        return []
    secret, events = secret_for_keys(transaction, ids)
    remembered = remembered_contacts.remembered_keys(transaction.connection, campaign.account)
    refusing: dict[str, None] = {}
    for contact in contacts:
        for key in dict.fromkeys(key for details in contact.details for key in person_keys(details)):
            hashed = forgotten_key(secret, key)
            at, refused = remembered.get(hashed, (None, False))
            if hashed not in remembered or (contact.contacted_at or 0) > (at or 0) or contact.refused > refused:
                events.append(
                    ContactRemembered(
                        transaction.new_id(),
                        contact_key=hashed,
                        account=campaign.account,
                        contacted_at=contact.contacted_at,
                        refused=contact.refused,
                        created_at=now,
                    )
                )
            if contact.refused:
                refusing[key] = None
    reason = _REFUSED if lead_ids is None else ""
    for key in refusing.keys() - do_not_contact.listed(transaction.connection, refusing):
        hashed = forgotten_key(secret, key)
        events.append(
            DoNotContactAdded(transaction.new_id(), member_key=hashed, name=ERASED, reason=reason, created_at=now)
        )
    return events


def events_of_deleted(transaction: Transaction, ids: Ids, campaign: Campaign, now: int) -> list[Event]:
    """For the workspace's stream, of a campaign that is deleted: whom it contacted, and answers about its people alone erased."""
    connection = transaction.connection
    lead_ids = person_entries.leads_of_campaign(connection, campaign.id)
    answers = person_entries.answers_left_without(connection, lead_ids)
    erased = erasing_events(transaction, WORKSPACE, answers, now)
    return [*remembering_events(transaction, ids, campaign, now), *erased]
