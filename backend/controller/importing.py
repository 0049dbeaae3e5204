"""Brings the rows of a lead file into a campaign: new people are added, known ones merged, bad rows kept with their reason."""

import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from backend.controller import rescoring
from backend.controller.planner import OPEN
from backend.domain.campaign import Campaign, CampaignStatus
from backend.domain.errors import OutriderError
from backend.domain.events import Event
from backend.domain.lead_row import LeadRow, RejectedRow
from backend.domain.planning import scoring_task
from backend.domain.task import TaskKind
from backend.ports.clock import Clock
from backend.store import reading
from backend.store.journal import Journal, Transaction

BATCH = 2_000
"""Rows a transaction: few enough that a turn or an approval never waits long, and that memory stays bounded."""

_MERGED = ("job_title", "company", "email", "connected_on")


@dataclass(frozen=True, slots=True)
class Imported:
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
) -> Imported:
    """Import in batches; each is on disk before the next. Repeating an import (or one cut off) merges, never duplicates.

    `max_leads` stops after so many good rows.

    Raises `campaign_unknown`, and `campaign_completed` for a campaign that takes no more leads.
    """
    with journal.database.read() as connection:
        _open_for_leads(connection, campaign_id)
    import_id, now = journal.ids.new(), clock.now()
    started = Event("ImportStarted", import_id, {"file": file, "format": file_format, "created_at": now})
    journal.record(campaign_id, events=[started], actor=actor, cause=f"import {import_id}", at=now)
    counts = dict.fromkeys(("accepted", "merged", "unchanged", "rejected"), 0)
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
            rescoring.score_again(transaction, campaign, merged, f"import {import_id}", clock.now())
        done += len(batch)
        on_progress(done)
    finished = Event("ImportFinished", import_id, {**counts, "finished_at": clock.now()})
    journal.record(campaign_id, events=[finished], actor=actor, cause=f"import {import_id}", at=clock.now())
    return Imported(import_id, **counts)


def _open_for_leads(connection: sqlite3.Connection, campaign_id: str) -> Campaign:
    campaign = reading.campaign(connection, campaign_id)
    if campaign is None:
        raise OutriderError("campaign_unknown", campaign=campaign_id)
    if campaign.status is CampaignStatus.COMPLETED:
        raise OutriderError("campaign_completed")
    return campaign


def _scoring_again(transaction: Transaction, campaign_id: str, now: int) -> list[Event]:
    """Leads that come after the scoring was done are scored too, before any of them is planned."""
    counts = reading.task_counts(transaction.connection, campaign_id)
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
    counts: dict[str, int],
    now: int,
) -> Iterator[Event]:
    """The events of one batch. A person twice in the same batch is one person, who has what both rows say."""
    fresh: dict[str, tuple[str | None, ...]] = {}  # as `reading.lead_of_member` has it
    for row in batch:
        if isinstance(row, RejectedRow):
            counts["rejected"] += 1
            changes = {"import_id": import_id, "line": row.line, "code": row.code, "reason": row.reason, "raw": row.raw}
            yield Event("RowRejected", transaction.new_id(), changes)
            continue
        key = member_key(row)
        values = (row.job_title, row.company, row.email, row.connected_on)
        known = fresh.get(key) or reading.lead_of_member(transaction.connection, campaign_id, key)
        if known is None:
            counts["accepted"] += 1
            new_id = transaction.new_id()
            fresh[key] = (new_id, *values, json.dumps(row.extra))
            lead = _new_lead(row, key, import_id)
            if reading.is_do_not_contact(transaction.connection, key):
                lead["blocked"] = "do_not_contact"
            yield Event("LeadImported", new_id, lead)
            continue
        lead_id, *old, columns = known
        better: dict[str, object] = {
            name: new for name, new, before in zip(_MERGED, values, old, strict=True) if new and new != before
        }
        had = json.loads(columns or "{}")
        if (extra := had | row.extra) != had:
            better["extra"] = extra
        counts["merged" if better else "unchanged"] += 1
        if better:
            merged = (new or before for new, before in zip(values, old, strict=True))
            fresh[key] = (lead_id, *merged, json.dumps(extra))
            yield Event("LeadMerged", str(lead_id), {**better, "profile_updated_at": now})


def member_key(row: LeadRow) -> str:
    """Who this is, for merging; somebody without URL and e-mail is told by name, company and date of connection."""
    if row.member_key:
        return row.member_key
    return f"name:{row.full_name.casefold()}|{(row.company or '').casefold()}|{row.connected_on or ''}"


def _new_lead(row: LeadRow, key: str, import_id: str) -> dict[str, object]:
    lead: dict[str, object] = {
        "full_name": row.full_name,
        "profile_url": row.profile_url or "",
        "member_key": key,
        "position": row.line,
        "import_id": import_id,
    }
    optional = {
        "job_title": row.job_title,
        "company": row.company,
        "email": row.email,
        "connected_on": row.connected_on,
        "extra": row.extra,
    }
    return lead | {name: value for name, value in optional.items() if value}
