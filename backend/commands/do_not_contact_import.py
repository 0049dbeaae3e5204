"""Puts the rows of a do-not-contact file on the list, and stops whom they mean in every campaign."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from backend.commands.lead_import import seldom_collecting
from backend.commands.leads import forbidding_events
from backend.domain.events.events import WORKSPACE, AuditEntry, Event
from backend.domain.events.facts.workspace import (
    DoNotContactAdded,
    DoNotContactCounts,
    DoNotContactImportFinished,
    DoNotContactImportStarted,
)
from backend.domain.people.contact_keys import ContactKind
from backend.domain.people.do_not_contact_file import DoNotContactRow
from backend.domain.people.lead_row import RejectedRow
from backend.ports.clock import Clock
from backend.store.database import DatabaseConnection
from backend.store.log.journal import Journal
from backend.store.log.transaction import Transaction
from backend.store.queries.campaign import campaigns
from backend.store.queries.leads import leads
from backend.store.queries.people import do_not_contact
from backend.store.queries.people import do_not_contact_imports as imports
from backend.store.queries.people.do_not_contact_imports import LeadKeys

Rows = Iterable[DoNotContactRow | RejectedRow]

BATCH = 2_000
"""Rows a transaction: few enough that a turn or an approval never waits long, and that memory stays bounded."""

REJECTED_SHOWN = 200
"""Rejected rows that a report holds; all are counted, and the file has them."""

CONTROLLER = "controller"
"""Who stops and releases leads: it follows from the list, and nobody need decide about it again after a conflict."""


@dataclass(frozen=True, slots=True)
class DoNotContactReport:
    """What became of a file's rows: people + companies + domains + already + rejected is the number of records in it.

    `erased` of the people are known by a key only, which fits nobody outside the workspace that it comes from. `leads_stopped`
    leads in `campaigns` are held because of the file, and `messages_withdrawn` approved messages to them are not sent.
    """

    import_id: str = ""
    people: int = 0
    companies: int = 0
    domains: int = 0
    already: int = 0
    rejected: int = 0
    erased: int = 0
    leads_stopped: int = 0
    messages_withdrawn: int = 0
    campaigns: dict[str, int] = field(default_factory=dict)
    """The name of each campaign that is hit -> how many leads stop there."""
    rejected_rows: list[RejectedRow] = field(default_factory=list)
    """The first of them."""


def forecast_import(connection: DatabaseConnection, rows: Rows, *, file: str) -> DoNotContactReport:
    """What importing these rows would do; nothing is recorded."""
    tally = _Tally("", file)
    source = iter(rows)
    while batch := list(islice(source, BATCH)):
        tally.take(connection, batch)
    names = imports.campaign_names(connection)
    for chunk in _chunks(connection, imports.leads_not_stopped):
        tally.stop(connection, names, [lead for lead in chunk if tally.means(lead)])
    return tally.report()


def import_do_not_contact(
    journal: Journal,
    clock: Clock,
    rows: Rows,
    *,
    file: str,
    on_progress: Callable[[int], None] = lambda _: None,
) -> DoNotContactReport:
    """Import in batches; each is on disk, and in force, before the next. Importing the file again adds nobody twice.

    One that was cut off is gone on with when a file of its name comes again, so that it can be undone as one.
    """
    cut_off = journal.database.query(imports.cut_off, file)
    import_id = cut_off or journal.ids.new()
    started = [] if cut_off else [DoNotContactImportStarted(import_id, file=file, created_at=clock.now())]
    cause = f"do-not-contact import {import_id}"
    opened = _file_read(file, "opened")
    journal.record(WORKSPACE, events=started, audits=[opened], actor="user", cause=cause, at=clock.now())
    tally, source, rows_done = _Tally(import_id, file), iter(rows), 0
    with seldom_collecting():
        while batch := list(islice(source, BATCH)):
            with journal.transaction() as transaction:
                added = tally.take(transaction.connection, batch)
                now = clock.now()
                events = [_added(transaction, entry, import_id, now) for entry in added]
                transaction.record(WORKSPACE, events, actor="user", cause=cause, at=now)
            rows_done += len(batch)
            on_progress(rows_done)
        _stop_leads(journal, clock, tally, cause)
    finished = DoNotContactImportFinished(import_id, **tally.counts(), finished_at=clock.now())
    read = _file_read(file, f"{rows_done} rows")
    journal.record(WORKSPACE, events=[finished], audits=[read], actor="user", cause=cause, at=clock.now())
    return tally.report()


def _file_read(file: str, outcome: str) -> AuditEntry:
    return AuditEntry("file.read", {"parameters": {"file": file, "format": "do_not_contact"}, "outcome": outcome})


@dataclass(frozen=True, slots=True)
class _NewEntry:
    """An entry that a row adds to the list."""

    key: str
    row: DoNotContactRow


def _added(transaction: Transaction, entry: _NewEntry, import_id: str, now: int) -> Event:
    """The day on which somebody was listed elsewhere stays theirs; one that is yet to come is not believed."""
    row = entry.row
    added_on = row.added_on if row.added_on is not None and 0 <= row.added_on <= now else now
    return DoNotContactAdded(
        transaction.new_id(), member_key=entry.key, name=row.name, reason=row.reason, created_at=added_on, import_id=import_id
    )  # fmt: skip


class _Tally:
    """What became of the rows so far, and the keys that they named."""

    def __init__(self, import_id: str, file: str) -> None:
        self._import_id, self._file = import_id, file
        self._kinds: Counter[ContactKind] = Counter()
        self._already = self._rejected = self._erased = self._withdrawn = 0
        self._rejected_rows: list[RejectedRow] = []
        self._campaigns: Counter[str] = Counter()
        self._keys: set[str] = set()

    def take(self, connection: DatabaseConnection, batch: Sequence[DoNotContactRow | RejectedRow]) -> list[_NewEntry]:
        """Count these rows; the entries that they add."""
        for row in batch:
            if isinstance(row, RejectedRow):
                self._rejected += 1
                if len(self._rejected_rows) < REJECTED_SHOWN:
                    self._rejected_rows.append(row)
        usable = [row for row in batch if isinstance(row, DoNotContactRow)]
        keys = {key for row in usable for key in row.keys}
        known_keys = _KnownKeys(connection, keys, self._import_id, self._file)
        return [entry for row in usable for entry in self._take_row(row, known_keys)]

    def _take_row(self, row: DoNotContactRow, known_keys: "_KnownKeys") -> Iterator[_NewEntry]:
        """A key is added if no entry has it, or only another file's: undoing that one must not take back this one's."""
        new_keys = [key for key in row.keys if key not in self._keys]
        self._keys.update(new_keys)
        self._erased += row.is_erased
        if any(known_keys.is_new(key) for key in new_keys):
            self._kinds[row.kind] += 1
        else:
            self._already += 1
        for key in new_keys:
            if known_keys.is_to_be_added(key):
                yield _NewEntry(key, row)

    def means(self, lead: LeadKeys) -> bool:
        """Whether a row of the file forbids to write to this lead."""
        return not self._keys.isdisjoint(lead.keys)

    def stop(self, connection: DatabaseConnection, names: dict[str, str], hit: Sequence[LeadKeys]) -> list[LeadKeys]:
        """Count the leads that stop, except those of deleted campaigns; these leads."""
        stopping = [lead for lead in hit if lead.campaign_id in names]
        self._campaigns.update(names[lead.campaign_id] for lead in stopping)
        self._withdrawn += imports.count_approved(connection, [lead.lead_id for lead in stopping])
        return stopping

    def counts(self) -> DoNotContactCounts:
        """What is kept with the import."""
        return {
            "people": self._kinds["person"],
            "companies": self._kinds["company"],
            "domains": self._kinds["domain"],
            "already": self._already,
            "rejected": self._rejected,
            "leads_stopped": self._campaigns.total(),
            "messages_withdrawn": self._withdrawn,
        }

    def report(self) -> DoNotContactReport:
        """All of it."""
        return DoNotContactReport(
            self._import_id,
            **self.counts(),
            erased=self._erased,
            campaigns=dict(self._campaigns.most_common()),
            rejected_rows=self._rejected_rows,
        )


class _KnownKeys:
    """Which of the keys of some rows are on the list, and by what."""

    def __init__(self, connection: DatabaseConnection, keys: Collection[str], import_id: str, file: str) -> None:
        self._import_id, self._file = import_id, file
        self._listings = imports.listings(connection, keys)
        self._listed = do_not_contact.listed(connection, keys)

    def is_new(self, key: str) -> bool:
        """Whether nothing but this import, before it was cut off, put it on the list."""
        own_listings = [
            listing for listing in self._listings.get(key, []) if listing.import_id == self._import_id != ""
        ]
        return key not in self._listed or (bool(own_listings) and len(own_listings) == len(self._listings[key]))

    def is_to_be_added(self, key: str) -> bool:
        """Whether every entry that has it came with another file."""
        if key not in self._listings:
            return key not in self._listed  # else it is the key of somebody whose data is erased
        return all(listing.import_id and listing.file != self._file for listing in self._listings[key])


def _chunks(
    connection: DatabaseConnection, some_leads: Callable[[DatabaseConnection, str], Iterator[LeadKeys]]
) -> Iterator[list[LeadKeys]]:
    after = ""
    while chunk := list(some_leads(connection, after)):
        yield chunk
        after = chunk[-1].lead_id


def _stop_leads(journal: Journal, clock: Clock, tally: _Tally, cause: str) -> None:
    """Whom the file means is written to no more: tasks end, texts that wait are withdrawn. Some at a time."""
    after = ""
    while True:
        with journal.database.read() as connection:
            chunk = list(imports.leads_not_stopped(connection, after))
        if not chunk:
            return
        after = chunk[-1].lead_id
        if not (hit := [lead for lead in chunk if tally.means(lead)]):
            continue
        with journal.transaction() as transaction:
            names = imports.campaign_names(transaction.connection)
            for stopping in tally.stop(transaction.connection, names, hit):
                _stop(transaction, stopping, cause, clock.now())


def _stop(transaction: Transaction, stopping: LeadKeys, cause: str, now: int) -> None:
    campaign = campaigns.campaign(transaction.connection, stopping.campaign_id)
    lead = leads.lead(transaction.connection, stopping.campaign_id, stopping.lead_id)
    if campaign is not None and lead is not None:
        events = forbidding_events(transaction, campaign, lead, now).events
        transaction.record(campaign.id, events, actor=CONTROLLER, cause=cause, at=now)
