"""Takes an import of a do-not-contact file back: exactly its entries leave the list, and whom nothing else holds goes on."""

from dataclasses import dataclass
from itertools import chain

from backend.commands.do_not_contact_import import BATCH, CONTROLLER
from backend.commands.leads import unlisted_events
from backend.domain.events.events import WORKSPACE
from backend.domain.events.facts.workspace import DoNotContactImportUndone, DoNotContactRemoved
from backend.domain.values.errors import OutriderError
from backend.ports.clock import Clock
from backend.store.database import DatabaseConnection
from backend.store.log.journal import Journal
from backend.store.log.transaction import Transaction
from backend.store.queries.people import do_not_contact
from backend.store.queries.people import do_not_contact_imports as imports
from backend.store.queries.people.do_not_contact_imports import LeadKeys


@dataclass(frozen=True, slots=True)
class UndoneDoNotContactImport:
    """How many entries leave the list, how many leads may be contacted again, and how many stay held by other entries.

    What does not come back: messages that were `sent` to those leads before stay sent, `withdrawn` texts have to be written again,
    and tasks that `ended` stay ended.
    """

    entries: int
    released: int
    still_held: int
    sent: int
    withdrawn: int
    ended: int


def undo_forecast(connection: DatabaseConnection, import_id: str) -> UndoneDoNotContactImport:
    """What undoing would do; raises `do_not_contact_import_unknown`, `do_not_contact_import_already_undone`."""
    _check_undoable(connection, import_id)
    blocked_leads = _Held()
    after = ""
    while chunk := list(imports.leads_stopped(connection, after)):
        after = chunk[-1].lead_id
        blocked_leads.look_at(connection, import_id, chunk)
    return blocked_leads.undone(imports.count_entries_to_remove(connection, import_id))


def undo_do_not_contact_import(journal: Journal, clock: Clock, import_id: str) -> UndoneDoNotContactImport:
    """Undo in batches; one that is cut off is simply repeated, and counts what it had done before, too.

    Raises `do_not_contact_import_unknown` and `do_not_contact_import_already_undone`.
    """
    journal.database.query(_check_undoable, import_id)
    cause = f"undo do-not-contact import {import_id}"
    blocked_leads = _Held()
    with journal.database.read() as connection:  # before this try adds to them
        blocked_leads.count_released(connection, imports.released_by(connection, cause))
    _remove_entries(journal, clock, import_id, cause)
    after = ""
    while True:
        with journal.database.read() as connection:
            chunk = list(imports.leads_stopped(connection, after))
        if not chunk:
            break
        after = chunk[-1].lead_id
        with journal.transaction() as transaction:
            for lead in blocked_leads.look_at(transaction.connection, import_id, chunk):
                _release(transaction, lead, cause, clock.now())
    with journal.database.read() as connection:  # those of a time before that was cut off, too
        undone = blocked_leads.undone(imports.count_removed(connection, cause))
    event = DoNotContactImportUndone(
        import_id, entries_removed=undone.entries, leads_released=undone.released, undone_at=clock.now()
    )
    journal.record(WORKSPACE, events=[event], actor="user", cause=cause, at=clock.now())
    return undone


def _check_undoable(connection: DatabaseConnection, import_id: str) -> None:
    stored_import = imports.find(connection, import_id)
    if stored_import is None:
        raise OutriderError("do_not_contact_import_unknown")
    if stored_import.undone_at is not None:
        raise OutriderError("do_not_contact_import_already_undone", file=stored_import.file)


def _remove_entries(journal: Journal, clock: Clock, import_id: str, cause: str) -> None:
    while True:
        with journal.transaction() as transaction:
            entries = imports.entries_to_remove(transaction.connection, import_id, BATCH)
            events = [DoNotContactRemoved(entry.id) for entry in entries]
            transaction.record(WORKSPACE, events, actor="user", cause=cause, at=clock.now())
        if not entries:
            return


class _Held:
    """The leads that the list blocks and that the import's entries are about."""

    def __init__(self) -> None:
        self._released = self._still_held = self._sent = self._withdrawn = self._ended = 0

    def look_at(self, connection: DatabaseConnection, import_id: str, chunk: list[LeadKeys]) -> list[LeadKeys]:
        """Count some of them; those that nothing holds without the import."""
        brought = imports.brought_by(connection, import_id, set(chain.from_iterable(lead.keys for lead in chunk)))
        concerned = [lead for lead in chunk if not brought.isdisjoint(lead.keys)]
        keys = set(chain.from_iterable(lead.keys for lead in concerned))
        listed = do_not_contact.listed_without(connection, import_id, keys)
        names = imports.campaign_names(connection)
        released = [lead for lead in concerned if listed.isdisjoint(lead.keys) and lead.campaign_id in names]
        self._still_held += sum(not listed.isdisjoint(lead.keys) for lead in concerned)
        self.count_released(connection, [lead.lead_id for lead in released])
        return released

    def count_released(self, connection: DatabaseConnection, lead_ids: list[str]) -> None:
        """Count leads that may be contacted again, and what does not come back of them."""
        self._released += len(lead_ids)
        self._sent += imports.count_sent(connection, lead_ids)
        self._withdrawn += imports.count_withdrawn(connection, lead_ids)
        self._ended += imports.count_ended(connection, lead_ids)

    def undone(self, entries: int) -> UndoneDoNotContactImport:
        """All of it."""
        return UndoneDoNotContactImport(
            entries, self._released, self._still_held, self._sent, self._withdrawn, self._ended
        )


def _release(transaction: Transaction, released: LeadKeys, cause: str, now: int) -> None:
    events = unlisted_events(transaction, released.campaign_id, released.lead_id, now)
    transaction.record(released.campaign_id, events, actor=CONTROLLER, cause=cause, at=now)
