"""Brings the rows of a lead file into a campaign: new people are added, known ones merged, bad rows kept with their reason."""

import gc
import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from typing import Any, Literal

from backend.commands import lead_scoring
from backend.commands.leads import BLOCKED, forbidding_events
from backend.commands.matching_rows import MatchingRows
from backend.domain.events.events import WORKSPACE, AuditEntry, Event
from backend.domain.events.facts.fact import OMITTED
from backend.domain.events.facts.lead import (
    ImportCounts,
    ImportFinished,
    ImportStarted,
    LeadBlocked,
    LeadImported,
    LeadMerged,
    LeadUnblocked,
    MergedColumns,
    RowMerged,
    RowRejected,
)
from backend.domain.events.facts.workspace import DoNotContactAdded
from backend.domain.gates.person import HELD
from backend.domain.leads.lead_edits import MOST_TAGS
from backend.domain.leads.lead_filter import EVERYBODY, LeadFilter
from backend.domain.leads.lead_merge import (
    ADDRESS,
    EMAIL,
    GUESS,
    RETURNED,
    TAKEN_BACK,
    changed_fields,
    with_earlier_addresses,
)
from backend.domain.model.campaign import DAY, Campaign, CampaignStatus, refuse_archived
from backend.domain.model.days import iso_day
from backend.domain.model.lead import LeadStatus
from backend.domain.model.task import TaskKind
from backend.domain.people.contact_keys import contact_keys, listed_as
from backend.domain.people.identity import (
    contact_details,
    is_same_name,
    is_shared_mailbox,
    may_be_one_name,
    member_key,
    named_key,
)
from backend.domain.people.lead_row import LeadRow, ReadAs, RejectedRow
from backend.domain.people.past_contact import BEFORE, CONNECTED_DATE_UNKNOWN, PAST_CONTACT, kept_with, kind_kept
from backend.domain.turn.new_tasks import scoring_task
from backend.domain.values.errors import OutriderError
from backend.ports.clock import Clock
from backend.store.database import DatabaseConnection
from backend.store.log.journal import Journal
from backend.store.log.transaction import Transaction
from backend.store.queries.campaign import campaigns, tasks
from backend.store.queries.device import erased_things
from backend.store.queries.leads import imports, leads
from backend.store.queries.leads.leads import KnownLead
from backend.store.queries.people import do_not_contact
from backend.turn.planner import NO_PROFILE, OPEN, contact_again_events, stop_events

BATCH = 2_000
"""Rows a transaction: few enough that a turn or an approval never waits long, and that memory stays bounded."""

SELDOM = 70_000
"""Objects that are made before the garbage collector looks at them while leads are imported."""

FUTURE = "Connected on (in the future)"
"""The further column of a date of connection that lies in the future."""

_MERGED: tuple[Literal["job_title", "company", "email", "connected_on"], ...] = (
    "job_title",
    "company",
    "email",
    "connected_on",
)


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What became of a file's rows; accepted + merged + unchanged + rejected + filtered_out is the number of records in it.

    `listed` of the people went on the do-not-contact list, because the file says so.
    """

    import_id: str
    accepted: int = 0
    merged: int = 0
    unchanged: int = 0
    rejected: int = 0
    filtered_out: int = 0
    listed: int = 0


def import_leads(
    journal: Journal,
    clock: Clock,
    campaign_id: str,
    rows: Iterable[LeadRow | RejectedRow],
    *,
    file: str,
    file_format: str,
    lead_filter: LeadFilter = EVERYBODY,
    max_leads: int | None = None,
    read_as: ReadAs | None = None,
    asked_at: int | None = None,
    on_progress: Callable[[int], None] = lambda _: None,
) -> ImportReport:
    """Import in batches; each is on disk before the next. Repeating an import merges, never duplicates.

    One that was cut off is gone on with when its file comes again: it has its rows rejected once, like its leads, and counts
    those of before, too; the report is of this time.
    Of the people only those come whom `lead_filter` takes; `max_leads` stops after so many of them. `read_as` is kept, to read the
    next file of its kind alike. `asked_at` (ms UTC) is when the user asked for it, if that was before now: whose data is erased
    after that is not brought back by it.

    Raises `campaign_unknown`, and `campaign_completed` for a campaign that takes no more leads.
    """
    with journal.database.read() as connection:
        campaign = open_for_leads(connection, campaign_id)
        cut_off = imports.cut_off(connection, campaign_id, file, file_format)
        begun = imports.find(connection, campaign_id, cut_off) if cut_off else None
    import_id, now = cut_off or journal.ids.new(), clock.now()
    begin = ImportStarted(
        import_id,
        file=file,
        format=file_format,
        created_at=now if asked_at is None else asked_at,
        preamble=read_as.preamble if read_as else OMITTED,
        header=read_as.header if read_as else OMITTED,
        mapping=read_as.mapping if read_as else OMITTED,
    )
    started = [] if cut_off else [begin]
    opened = _file_read(file, file_format, "opened")
    journal.record(campaign_id, events=started, audits=[opened], actor="user", cause=f"import {import_id}", at=now)
    counts: ImportCounts = {"accepted": 0, "merged": 0, "unchanged": 0, "rejected": 0, "filtered_out": 0}
    matching = MatchingRows(journal.database, campaign.id, campaign.account, rows, lead_filter, now)
    source = iter(matching if max_leads is None else _first(matching, max_leads))
    rows_done, listed = 0, 0
    with seldom_collecting():
        while batch := list(islice(source, BATCH)):
            with journal.transaction() as transaction:
                campaign = open_for_leads(transaction.connection, campaign_id)
                refusals = _Refusals(transaction, import_id, file, clock.now(), asked_at)
                events = list(_events(transaction, campaign, import_id, batch, counts, refusals, clock.now()))
                if counts["accepted"]:
                    events += scoring_again(transaction, campaign_id, clock.now())
                cause = f"import {import_id}"
                transaction.record(WORKSPACE, refusals.events, actor="user", cause=cause, at=clock.now())
                transaction.record(campaign_id, events, actor="user", cause=cause, at=clock.now())
                merged = dict.fromkeys(event.entity_id for event in events if event.kind == "LeadMerged")
                lead_scoring.rescore_leads(transaction, campaign, merged, cause, clock.now())
            rows_done, listed = rows_done + len(batch), listed + refusals.people
            on_progress(rows_done + matching.filtered_out)
    counts["filtered_out"] = matching.filtered_out
    finished = ImportFinished(import_id, **_altogether(counts, begun), finished_at=clock.now())
    read = _file_read(file, file_format, f"{rows_done + matching.filtered_out} rows")
    journal.record(
        campaign_id, events=[finished], audits=[read], actor="user", cause=f"import {import_id}", at=clock.now()
    )
    return ImportReport(import_id, **counts, listed=listed)


def _altogether(counts: ImportCounts, begun: imports.ImportRow | None) -> ImportCounts:
    """What came of an import that was cut off and gone on with: a row that it had brought before said nothing new again."""
    if begun is None:
        return counts
    before = min(begun.accepted + begun.merged, counts["unchanged"])
    merged = min(begun.merged, before)
    return {
        **counts,
        "accepted": counts["accepted"] + before - merged,
        "merged": counts["merged"] + merged,
        "unchanged": counts["unchanged"] - before,
    }


@contextmanager
def seldom_collecting() -> Iterator[None]:
    """Let the cyclic garbage collector run a hundredth as often: rows make many objects and no cycles, so it finds nothing.

    It takes a tenth of an import otherwise. Unlike switching it off, this keeps what other threads leave behind bounded.
    """
    before = gc.get_threshold()
    gc.set_threshold(SELDOM, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)


def _file_read(file: str, file_format: str, outcome: str) -> AuditEntry:
    return AuditEntry("file.read", {"parameters": {"file": file, "format": file_format}, "outcome": outcome})


def open_for_leads(connection: DatabaseConnection, campaign_id: str) -> Campaign:
    """The campaign, if it takes more leads; raises `campaign_unknown`, `campaign_archived`, `campaign_completed`."""
    campaign = campaigns.existing_campaign(connection, campaign_id)
    refuse_archived(campaign)
    if campaign.status is CampaignStatus.COMPLETED:
        raise OutriderError("campaign_completed")
    return campaign


def scoring_again(transaction: Transaction, campaign_id: str, now: int) -> list[Event]:
    """Leads that come after the scoring was done are scored too, before any of them is planned."""
    counts = tasks.task_counts(transaction.connection, campaign_id)
    waiting = any(counts.get((TaskKind.SCORE_LEADS, status)) for status in OPEN)
    return [] if waiting else scoring_task(now, transaction.new_id)


def _first(rows: Iterable[LeadRow | RejectedRow], good: int) -> Iterator[LeadRow | RejectedRow]:
    for row in rows:
        if isinstance(row, LeadRow):
            if good == 0:
                return
            good -= 1
        yield row


def _events(
    transaction: Transaction,
    campaign: Campaign,
    import_id: str,
    batch: list[LeadRow | RejectedRow],
    counts: ImportCounts,
    refusals: "_Refusals",
    now: int,
) -> Iterator[Event]:
    """The events of one batch. A person twice in the same batch is one person, who has what both rows say."""
    rejected_lines = [row.line for row in batch if isinstance(row, RejectedRow)]
    recorded_rejections = imports.rejected_in_lines(transaction.connection, import_id, rejected_lines)
    tomorrow = iso_day(now + DAY)
    rows = [row for row in batch if isinstance(row, RejectedRow) or not refusals.is_erased_since(row)]
    counts["unchanged"] += len(batch) - len(rows)
    batch = [_possible(row, tomorrow) if isinstance(row, LeadRow) else row for row in rows]
    people = _People(transaction.connection, campaign.id, [row for row in batch if isinstance(row, LeadRow)], refusals)
    for row in batch:
        if isinstance(row, RejectedRow):
            counts["rejected"] += 1
            if (row.line, row.code, row.raw) in recorded_rejections:  # by the part of this import before it was cut off
                continue
            yield RowRejected(
                transaction.new_id(),
                import_id=import_id,
                line=row.line,
                code=row.code,
                reason=row.reason,
                raw=row.raw,
            )
            continue
        key = member_key(row)
        refusals.add(row, key)
        known_lead, matched, key = people.find(row, key)
        if known_lead is None:
            counts["accepted"] += 1
            new_id = transaction.new_id()
            people.add(new_id, row, key)
            yield LeadImported(
                new_id,
                full_name=row.full_name,
                profile_url=row.profile_url or "",
                member_key=key,
                position=row.line,
                import_id=import_id,
                job_title=row.job_title or OMITTED,
                company=row.company or OMITTED,
                email=row.email or OMITTED,
                connected_on=row.connected_on or OMITTED,
                extra=row.extra or OMITTED,
                tags=row.tags or OMITTED,
                blocked=BLOCKED if people.is_forbidden(row, key) else row.past or OMITTED,
                known_since=OMITTED if row.known_since is None else row.known_since,
            )
            continue
        returned = known_lead.blocked == TAKEN_BACK
        better = _better(known_lead, row, key)
        counts["accepted" if returned else "merged" if better else "unchanged"] += 1
        if better or returned:
            earlier, later = changed_fields(known_lead.merge_fields(), better)
            yield RowMerged(
                transaction.new_id(),
                import_id=import_id,
                line=row.line,
                lead_id=known_lead.id,
                matched=RETURNED if returned else matched,
                earlier=earlier,
                later=later,
            )
        if better:
            yield LeadMerged(known_lead.id, profile_updated_at=now, **better)
            if known_lead.blocked == NO_PROFILE and "profile_url" in better:
                yield from _let_go_on(transaction, campaign, known_lead.id, now)
            known_lead = people.merge(known_lead, better, key)
        if returned:
            why = (
                BLOCKED
                if people.is_forbidden(row, key)
                else kind_kept(json.loads(known_lead.extra).get(PAST_CONTACT, ""))
            )
            known_lead = people.block(known_lead, key, why)
            yield from _returned(transaction, campaign, known_lead, now)
        elif row.refused and known_lead.blocked != BLOCKED:
            people.block(known_lead, key, BLOCKED)
            yield from _forbidden(transaction, campaign, known_lead, now)
        elif row.past and known_lead.status == LeadStatus.PENDING and known_lead.blocked in HELD | {"", NO_PROFILE}:
            people.block(known_lead, key, row.past)
            yield from _in_touch_before(transaction, campaign, known_lead, row.past, now)


def _possible(row: LeadRow, tomorrow: str) -> LeadRow:
    """The row, with a day of connection that is yet to come as a further column; who is connected without a day stays so."""
    day = row.connected_on
    if day is not None and day != CONNECTED_DATE_UNKNOWN and day > tomorrow:
        row = row._replace(connected_on=None, extra=row.extra | {FUTURE: day})
    if row.connected and row.connected_on is None:
        return row._replace(connected_on=CONNECTED_DATE_UNKNOWN)
    return row


class _Refusals:
    """Who of a batch goes on the do-not-contact list, because the file says that they must not be contacted."""

    def __init__(self, transaction: Transaction, import_id: str, file: str, now: int, asked_at: int | None) -> None:
        self.listed = do_not_contact.whole_list(transaction.connection)
        self.events: list[Event] = []
        self.people = 0
        self._keys: set[str] = set()
        self._transaction, self._import_id, self._file, self._now = transaction, import_id, file, now
        anybody = asked_at is not None and erased_things.anybody_erased_since(transaction.connection, asked_at)
        self._asked_at = asked_at if anybody else None

    def is_erased_since(self, row: LeadRow) -> bool:
        """Whether this person's data was erased after the user had asked for the file, which brings nothing back then."""
        if self._asked_at is None:
            return False
        keys = contact_keys(contact_details(row, member_key(row)))
        connection = self._transaction.connection
        return self.listed.names(keys) and do_not_contact.erased_at(connection, keys) >= self._asked_at

    def add(self, row: LeadRow, key: str) -> None:
        """List whoever refused, unless the user or this import did; another import's entry can go when it is undone."""
        if not row.refused:
            return
        keys = listed_as(contact_details(row, key))
        new_keys = [
            person_key
            for person_key in keys
            if person_key not in self._keys and not self.listed.lists_for(self._import_id, person_key)
        ]
        self._keys.update(new_keys)
        self.people += bool(new_keys)
        self.events += [
            DoNotContactAdded(
                self._transaction.new_id(),
                member_key=person_key,
                name=row.full_name,
                reason=f"{self._file}, {row.refused}",
                created_at=self._now,
                import_id=self._import_id,
            )
            for person_key in new_keys
        ]

    def names(self, row: LeadRow, key: str) -> bool:
        """Whether the list, or an earlier row of the batch, says that this person must not be contacted."""
        # The keys of many people take long to spell, and most users have nobody on their list.
        if not (self.listed.keys or self._keys):
            return False
        keys_of_row = contact_keys(contact_details(row, key))
        return not self._keys.isdisjoint(keys_of_row) or self.listed.names(keys_of_row)


def _forbidden(transaction: Transaction, campaign: Campaign, known_lead: KnownLead, now: int) -> list[Event]:
    """A lead that was there before, or in an earlier row, and must not be contacted: what was planned for it ends."""
    lead = leads.lead(transaction.connection, campaign.id, known_lead.id)
    if lead is None:  # it came with an earlier row of this batch
        return [] if known_lead.blocked else [LeadBlocked(known_lead.id, blocked=BLOCKED)]
    return forbidding_events(transaction, campaign, lead, now).events


def _in_touch_before(
    transaction: Transaction, campaign: Campaign, known_lead: KnownLead, past: str, now: int
) -> list[Event]:
    """A lead to whom nothing was sent yet is left out, as the file now says that they were in touch before: its plan ends."""
    why = BEFORE[past]
    texts, stopping = stop_events(transaction, campaign, known_lead.id, now, text_reason=why, task_reason=why)
    return [*texts, LeadBlocked(known_lead.id, blocked=past), *stopping]


def _returned(transaction: Transaction, campaign: Campaign, known_lead: KnownLead, now: int) -> list[Event]:
    """A lead that was taken back with its import is there again; its task, if it had one, goes on."""
    if known_lead.blocked:
        return [LeadBlocked(known_lead.id, blocked=known_lead.blocked)]
    return _let_go_on(transaction, campaign, known_lead.id, now)


def _let_go_on(transaction: Transaction, campaign: Campaign, lead_id: str, now: int) -> list[Event]:
    """A lead is planned in its turn, or its task goes on."""
    lead = leads.lead(transaction.connection, campaign.id, lead_id)
    if lead is None or lead.sequence_step is None:
        return [LeadUnblocked(lead_id)]
    return contact_again_events(transaction, campaign, lead, now)


class _People:
    """Who is in the campaign already, of the people of one batch; it learns of those that the batch brings."""

    def __init__(
        self, connection: DatabaseConnection, campaign_id: str, rows: list[LeadRow], refusals: _Refusals
    ) -> None:
        self._connection, self._campaign_id = connection, campaign_id
        keys = {member_key(row) for row in rows}
        self._by_key = leads.leads_of_members(connection, campaign_id, keys)
        emails = {row.email.lower() for row in rows if row.email}
        self._by_email = leads.leads_of_emails(connection, campaign_id, emails)
        self._refusals = refusals

    def is_forbidden(self, row: LeadRow, key: str) -> bool:
        """Whether the do-not-contact list has this person, their company or a domain of theirs."""
        return self._refusals.names(row, key)

    def find(self, row: LeadRow, key: str) -> tuple[KnownLead | None, str, str]:
        """The lead that this row is about as far as that is beyond doubt (`people/identity.py`), by what that was told, and its
        key: of a new lead whose address another person has, the address with the name."""
        known_lead, matched = self._same(row, key)
        if known_lead is not None or key not in self._by_key:
            return known_lead, matched, key
        key_with_name = named_key(key, row.full_name)
        if key_with_name not in self._by_key:
            self._by_key |= leads.leads_of_members(self._connection, self._campaign_id, [key_with_name])
        return *self._same(row, key_with_name), key_with_name

    def _same(self, row: LeadRow, key: str) -> tuple[KnownLead | None, str]:
        lead_with_key = self._by_key.get(key)
        if lead_with_key is not None and may_be_one_name(row.full_name, lead_with_key.full_name):
            return lead_with_key, ADDRESS if row.profile_url else EMAIL if row.member_key else GUESS
        if row.email and not is_shared_mailbox(row.email.lower()):
            others = [
                other
                for other in self._by_email.get(row.email.lower(), ())
                if is_same_name(row.full_name, other.full_name)
            ]
            if len(others) == 1 and not (others[0].profile_url and row.profile_url):
                return others[0], EMAIL
        return None, GUESS

    def add(self, lead_id: str, row: LeadRow, key: str) -> None:
        """A lead that this row begins."""
        self._learn(
            key,
            KnownLead(
                lead_id,
                row.full_name,
                key,
                row.profile_url or "",
                row.job_title or "",
                row.company or "",
                row.email or "",
                row.connected_on,
                json.dumps(row.extra) if row.extra else "{}",
                json.dumps(row.tags) if row.tags else "[]",
                row.past,
                LeadStatus.PENDING,
            ),
        )

    def merge(self, known_lead: KnownLead, better: MergedColumns, key: str) -> KnownLead:
        """What a row said more of it; the lead as it is now."""
        says: dict[str, Any] = dict(better)
        for name in ("extra", "tags"):
            if name in says:
                says[name] = json.dumps(says[name])
        return self._learn(key, known_lead._replace(**says))

    def block(self, known_lead: KnownLead, key: str, why: str) -> KnownLead:
        """It was in touch with the user before, as a row says; the lead as it is now."""
        return self._learn(key, known_lead._replace(blocked=why))

    def _learn(self, key: str, lead: KnownLead) -> KnownLead:
        self._by_key[key] = lead
        if email := lead.email.lower():
            others = [other for other in self._by_email.get(email, ()) if other.id != lead.id]
            self._by_email[email] = [*others, lead]
        return lead


def _better(known_lead: KnownLead, row: LeadRow, key: str) -> MergedColumns:
    """What the row says of the lead that is not known; a file never takes away what it does not mention."""
    better: MergedColumns = {}
    for name in _MERGED:
        new_value = getattr(row, name)
        if new_value == CONNECTED_DATE_UNKNOWN and known_lead.connected_on:
            continue
        if new_value and new_value != getattr(known_lead, name):
            better[name] = new_value
    old_extra = json.loads(known_lead.extra)
    is_contacted = known_lead.status != LeadStatus.PENDING
    words = kept_with(old_extra.get(PAST_CONTACT, ""), row.extra.get(PAST_CONTACT, ""), is_contacted=is_contacted)
    past_extra = row.extra | {PAST_CONTACT: words}
    new_extra = {name: value for name, value in past_extra.items() if value or name != PAST_CONTACT}
    if (extra := old_extra | new_extra) != old_extra:
        better["extra"] = extra
    tagged = json.loads(known_lead.tags)
    seen = {tag.casefold() for tag in tagged}
    room = MOST_TAGS - len(tagged)
    if new_tags := [tag for tag in row.tags if tag.casefold() not in seen][:room]:
        better["tags"] = [*tagged, *new_tags]
    if row.profile_url and not known_lead.profile_url:
        better["profile_url"] = row.profile_url
        better["member_key"] = key
    return with_earlier_addresses(known_lead.merge_fields(), better) if better else better
