"""Brings the rows of a lead file into a campaign: new people are added, known ones merged, bad rows kept with their reason."""

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Literal

from backend.commands import lead_scoring
from backend.domain.campaign import Campaign, CampaignStatus
from backend.domain.errors import OutriderError
from backend.domain.events import AuditEntry, Event
from backend.domain.facts.lead import (
    ImportCounts,
    ImportedColumns,
    ImportFinished,
    ImportStarted,
    LeadImported,
    LeadMerged,
    MergedColumns,
    RowRejected,
)
from backend.domain.hidden_characters import as_it_looks
from backend.domain.lead_row import LeadRow, RejectedRow
from backend.domain.new_tasks import scoring_task
from backend.domain.task import TaskKind
from backend.ports.clock import Clock
from backend.store.database import DatabaseConnection
from backend.store.log.journal import Journal, Transaction
from backend.store.queries import campaigns, do_not_contact, imports, leads, tasks
from backend.turn.planner import OPEN

BATCH = 2_000
"""Rows a transaction: few enough that a turn or an approval never waits long, and that memory stays bounded."""

_MERGED: tuple[Literal["job_title", "company", "email", "connected_on"], ...] = (
    "job_title",
    "company",
    "email",
    "connected_on",
)


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What became of a file's rows; accepted + merged + unchanged + rejected is the number of records in it."""

    import_id: str
    accepted: int = 0
    merged: int = 0
    unchanged: int = 0
    rejected: int = 0


def import_leads(
    journal: Journal,
    clock: Clock,
    campaign_id: str,
    rows: Iterable[LeadRow | RejectedRow],
    *,
    file: str,
    file_format: str,
    actor: str = "user",
    max_leads: int | None = None,
    on_progress: Callable[[int], None] = lambda _: None,
) -> ImportReport:
    """Import in batches; each is on disk before the next. Repeating an import merges, never duplicates.

    One that was cut off is gone on with when its file comes again: it has its rows rejected once, like its leads.
    `max_leads` stops after so many good rows.

    Raises `campaign_unknown`, and `campaign_completed` for a campaign that takes no more leads.
    """
    with journal.database.read() as connection:
        _open_for_leads(connection, campaign_id)
        cut_off = imports.cut_off(connection, campaign_id, file, file_format)
    import_id, now = cut_off or journal.ids.new(), clock.now()
    started = [] if cut_off else [ImportStarted(import_id, file=file, format=file_format, created_at=now)]
    opened = _file_read(file, file_format, "opened")
    journal.record(campaign_id, events=started, audits=[opened], actor=actor, cause=f"import {import_id}", at=now)
    counts: ImportCounts = {"accepted": 0, "merged": 0, "unchanged": 0, "rejected": 0}
    source = iter(rows if max_leads is None else _first(rows, max_leads))
    done = 0
    while batch := list(islice(source, BATCH)):
        with journal.transaction() as transaction:
            campaign = _open_for_leads(transaction.connection, campaign_id)
            events = list(_events(transaction, campaign_id, import_id, batch, counts, clock.now()))
            if counts["accepted"]:
                events += _scoring_again(transaction, campaign_id, clock.now())
            transaction.record(campaign_id, events, actor=actor, cause=f"import {import_id}", at=clock.now())
            merged = dict.fromkeys(event.entity_id for event in events if event.kind == "LeadMerged")
            lead_scoring.rescore_leads(transaction, campaign, merged, f"import {import_id}", clock.now())
        done += len(batch)
        on_progress(done)
    finished = ImportFinished(import_id, **counts, finished_at=clock.now())
    read = _file_read(file, file_format, f"{done} rows")
    journal.record(
        campaign_id, events=[finished], audits=[read], actor=actor, cause=f"import {import_id}", at=clock.now()
    )
    return ImportReport(import_id, **counts)


def _file_read(file: str, file_format: str, outcome: str) -> AuditEntry:
    return AuditEntry("file.read", {"parameters": {"file": file, "format": file_format}, "outcome": outcome})


def _open_for_leads(connection: DatabaseConnection, campaign_id: str) -> Campaign:
    campaign = campaigns.campaign(connection, campaign_id)
    if campaign is None:
        raise OutriderError("campaign_unknown", campaign=campaign_id)
    if campaign.status is CampaignStatus.COMPLETED:
        raise OutriderError("campaign_completed")
    return campaign


def _scoring_again(transaction: Transaction, campaign_id: str, now: int) -> list[Event]:
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
    campaign_id: str,
    import_id: str,
    batch: list[LeadRow | RejectedRow],
    counts: ImportCounts,
    now: int,
) -> Iterator[Event]:
    """The events of one batch. A person twice in the same batch is one person, who has what both rows say."""
    fresh: dict[str, tuple[str | None, ...]] = {}  # as `reading.lead_of_member` has it
    rejected_lines = [row.line for row in batch if isinstance(row, RejectedRow)]
    kept = imports.rejected_in_lines(transaction.connection, import_id, rejected_lines)
    for row in batch:
        if isinstance(row, RejectedRow):
            counts["rejected"] += 1
            if (row.line, row.code, row.raw) in kept:  # by the part of this import before it was cut off
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
        values = (row.job_title, row.company, row.email, row.connected_on)
        known = fresh.get(key) or leads.lead_of_member(transaction.connection, campaign_id, key)
        if known is None:
            counts["accepted"] += 1
            new_id = transaction.new_id()
            fresh[key] = (new_id, *values, json.dumps(row.extra))
            more = _optional_columns(row)
            if do_not_contact.is_do_not_contact(transaction.connection, key):
                more["blocked"] = "do_not_contact"
            yield LeadImported(
                new_id,
                full_name=row.full_name,
                profile_url=row.profile_url or "",
                member_key=key,
                position=row.line,
                import_id=import_id,
                **more,
            )
            continue
        lead_id, *old, columns = known
        better: MergedColumns = {}
        for name, new, before in zip(_MERGED, values, old, strict=True):
            if new and new != before:
                better[name] = new
        had = json.loads(columns or "{}")
        if (extra := had | row.extra) != had:
            better["extra"] = extra
        counts["merged" if better else "unchanged"] += 1
        if better:
            merged = (new or before for new, before in zip(values, old, strict=True))
            fresh[key] = (lead_id, *merged, json.dumps(extra))
            yield LeadMerged(str(lead_id), profile_updated_at=now, **better)


def member_key(row: LeadRow) -> str:
    """Who this is, for merging; somebody without URL and e-mail is told by name, company and date of connection."""
    if row.member_key:
        return row.member_key
    name, company = (as_it_looks(text).casefold() for text in (row.full_name, row.company or ""))
    return f"name:{name}|{company}|{row.connected_on or ''}"


def _optional_columns(row: LeadRow) -> ImportedColumns:
    given: ImportedColumns = {}
    for name, value in zip(_MERGED, (row.job_title, row.company, row.email, row.connected_on), strict=True):
        if value:
            given[name] = value
    if row.extra:
        given["extra"] = row.extra
    return given
