"""Imports of lead files, and the records in them that could not become leads."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace

from backend.domain.events.events import WORKSPACE
from backend.domain.leads.lead_merge import MOVED, RETURNED, TAKEN_BACK
from backend.domain.people.lead_row import RejectedRow
from backend.domain.values.canonical_json import canonical
from backend.store.database import DatabaseConnection
from backend.store.queries.people.person_leads import NOT_ERASED, in_touch
from backend.store.rows import TableReader


@dataclass(frozen=True, slots=True)
class ImportRow:
    """An import of a lead file; times in ms UTC, `finished_at` None when it was cut off, `undone_at` unless it was undone.

    `filtered_out` counts the rows that its filter did not take. Cut off, it counts what it had brought by then. Undone, it took
    `taken_back` leads away, left `kept`, put the fields of `restored` others back, and took `unlisted` entries off the
    do-not-contact list.
    """

    id: str
    file: str
    format: str
    accepted: int
    merged: int
    unchanged: int
    rejected: int
    filtered_out: int
    created_at: int
    finished_at: int | None
    taken_back: int
    kept: int
    restored: int
    unlisted: int
    undone_at: int | None


_IMPORT = f"SELECT {', '.join(ImportRow.__annotations__)} FROM imports"


def imports(connection: DatabaseConnection, campaign_id: str, before: str, limit: int) -> list[ImportRow]:
    """The campaign's imports before that one ("" for all), the latest first."""
    rows = connection.execute(
        f"{_IMPORT} WHERE campaign_id=? AND id<? ORDER BY id DESC LIMIT ?", (campaign_id, before or "~", limit)
    )
    return [_so_far(connection, campaign_id, ImportRow(*row)) for row in rows.fetchall()]


def find(connection: DatabaseConnection, campaign_id: str, import_id: str) -> ImportRow | None:
    """That import, if it is this campaign's."""
    row = connection.execute(f"{_IMPORT} WHERE id=? AND campaign_id=?", (import_id, campaign_id)).fetchone()
    return _so_far(connection, campaign_id, ImportRow(*row)) if row else None


def _so_far(connection: DatabaseConnection, campaign_id: str, row: ImportRow) -> ImportRow:
    """An import that has not finished has no counts of its own: what came of it is in the rows that it brought.

    Rows that said nothing new left no trace. Looks at all leads of the campaign.
    """
    if row.finished_at is not None or row.undone_at is not None:
        return row
    accepted, merged, rejected = connection.execute(
        "SELECT (SELECT count(*) FROM leads WHERE campaign_id=:campaign AND import_id=:import)"
        " + (SELECT count(*) FROM merged_rows WHERE import_id=:import AND matched=:returned),"
        " (SELECT count(*) FROM merged_rows WHERE import_id=:import AND matched<>:returned),"
        " (SELECT count(*) FROM rejected_rows WHERE import_id=:import)",
        {"campaign": campaign_id, "import": row.id, "returned": RETURNED},
    ).fetchone()
    return replace(row, accepted=accepted, merged=merged, rejected=rejected)


KNOWN_SINCE = "coalesce(leads.known_since, (SELECT created_at FROM imports WHERE imports.id = leads.import_id))"
"""When (ms UTC) the user first imported the person of this row of `leads`, whatever campaign that was in."""


def known_since(connection: DatabaseConnection, lead_id: str) -> int | None:
    """When (ms UTC) the user first imported this person; None without an import on record."""
    row = connection.execute(f"SELECT {KNOWN_SINCE} FROM leads WHERE id=?", (lead_id,)).fetchone()
    return row[0] if row else None


def is_by_move(connection: DatabaseConnection, lead_id: str) -> bool:
    """Whether this lead came from another campaign."""
    row = connection.execute(
        "SELECT 1 FROM leads l JOIN imports i ON i.id = l.import_id WHERE l.id=? AND i.format=?", (lead_id, MOVED)
    )
    return row.fetchone() is not None


def cut_off(connection: DatabaseConnection, campaign_id: str, file: str, file_format: str) -> str | None:
    """The campaign's latest import, if it was of a file of that name, was cut off and not undone since."""
    row = connection.execute(
        "SELECT id, file, format, finished_at, undone_at FROM imports WHERE campaign_id=? ORDER BY id DESC LIMIT 1",
        (campaign_id,),
    ).fetchone()
    return row[0] if row is not None and row[1:] == (file, file_format, None, None) else None


def preamble(connection: DatabaseConnection, import_id: str) -> str:
    """The import's file up to and including its header; empty where it was not kept."""
    row = connection.execute("SELECT preamble FROM imports WHERE id=?", (import_id,)).fetchone()
    return row[0] if row else ""


def mapping_of_header(connection: DatabaseConnection, header: Sequence[str]) -> tuple[dict[str, str], str]:
    """Field -> column, and the file, of the latest import whose user said it of exactly these columns; empty if none."""
    row = connection.execute(
        "SELECT mapping, file FROM imports WHERE header=? AND mapping<>'{}' ORDER BY id DESC LIMIT 1",
        (canonical(list(header)),),
    ).fetchone()
    return (json.loads(row[0]), row[1]) if row else ({}, "")


@dataclass(frozen=True, slots=True)
class MergedRow:
    """A row that said something else of a known lead; `earlier` and `later` are its fields before and after, in JSON."""

    id: str
    line: int
    lead_id: str
    full_name: str
    matched: str
    earlier: str
    later: str


_MERGED = TableReader(
    "SELECT m.id, m.line, m.lead_id, l.full_name, m.matched, m.earlier, m.later"
    " FROM merged_rows m CROSS JOIN leads l ON l.id = m.lead_id",
    MergedRow,
)


def merged_rows(connection: DatabaseConnection, import_id: str, after: tuple[int, str], limit: int) -> list[MergedRow]:
    """The merged rows of an import behind that (line, id), in the order of the file."""
    where = "WHERE m.import_id=? AND (m.line, m.id) > (?, ?) ORDER BY m.line, m.id LIMIT ?"
    return _MERGED.every(connection, where, (import_id, *after, limit))


def merges_backwards(connection: DatabaseConnection, import_id: str, before: tuple[int, str]) -> list[MergedRow]:
    """Merged rows of an import before that (line, id), the last of the file first."""
    where = f"WHERE m.import_id=? AND (m.line, m.id) < (?, ?) ORDER BY m.line DESC, m.id DESC LIMIT {AT_ONCE}"
    return _MERGED.every(connection, where, (import_id, *before))


@dataclass(frozen=True, slots=True)
class FieldHistory:
    """What a row of a file changed of a lead, and when (ms UTC)."""

    at: int
    file: str
    line: int
    matched: str
    earlier: str
    later: str


def field_history(connection: DatabaseConnection, lead_id: str, limit: int) -> list[FieldHistory]:
    """What files changed of that lead, the latest first."""
    rows = connection.execute(
        "SELECT i.created_at, i.file, m.line, m.matched, m.earlier, m.later FROM merged_rows m"
        " CROSS JOIN imports i ON i.id = m.import_id WHERE m.lead_id=? ORDER BY m.id DESC LIMIT ?",
        (lead_id, limit),
    )
    return [FieldHistory(*row) for row in rows]


AT_ONCE = 1_000
"""Leads of an import that are read at a time."""

# What reached a person cannot be taken back, and nobody knows of what was begun. Nor can a no that the user recorded: who may
# be the same person under another address is asked about as long as this lead is there.
_TOUCHED = (
    f"(status<>'pending' OR {in_touch()} OR EXISTS"
    " (SELECT 1 FROM messages m CROSS JOIN actions a ON a.message_id = m.id WHERE m.lead_id = leads.id)"
    " OR EXISTS (SELECT 1 FROM do_not_contact d WHERE d.member_key = leads.member_key AND d.status='active'"
    " AND d.import_id<>:import))"
)
# It brought them, or brought them again; and nobody else did since. Whoever was erased stays what they are: nobody.
_BROUGHT = (
    f"campaign_id=:campaign AND blocked NOT IN ('{TAKEN_BACK}', '{MOVED}') AND {NOT_ERASED} AND (import_id=:import"
    f" AND NOT EXISTS (SELECT 1 FROM merged_rows r WHERE r.lead_id = leads.id AND r.matched = '{RETURNED}')"
    f" OR id IN (SELECT r.lead_id FROM merged_rows r WHERE r.import_id=:import AND r.matched = '{RETURNED}'))"
)


def leads_to_take_back(connection: DatabaseConnection, campaign_id: str, import_id: str, after: str) -> list[str]:
    """Leads behind that one that the import brought and that can be taken back; looks at all leads, some at a time."""
    rows = connection.execute(
        f"SELECT id FROM leads WHERE {_BROUGHT} AND id>:after AND NOT {_TOUCHED} ORDER BY id LIMIT {AT_ONCE}",
        {"campaign": campaign_id, "import": import_id, "after": after},
    )
    return [row[0] for row in rows]


def is_touched(connection: DatabaseConnection, import_id: str, lead_id: str) -> bool:
    """Whether a lead is beyond what undoing that import takes back: something reached them, or the user recorded a no."""
    row = connection.execute(
        f"SELECT 1 FROM leads WHERE id=:lead AND {_TOUCHED}", {"lead": lead_id, "import": import_id}
    ).fetchone()
    return row is not None


def count_brought(connection: DatabaseConnection, campaign_id: str, import_id: str) -> tuple[int, int]:
    """(Leads that can be taken back, leads that stay) of an import; looks at all leads."""
    row = connection.execute(
        f"SELECT count(*), coalesce(sum({_TOUCHED}), 0) FROM leads WHERE {_BROUGHT}",
        {"campaign": campaign_id, "import": import_id},
    ).fetchone()
    return row[0] - row[1], row[1]


def count_merged(connection: DatabaseConnection, import_id: str) -> int:
    """How many leads' fields the import changed."""
    row = connection.execute(
        "SELECT count(DISTINCT lead_id) FROM merged_rows WHERE import_id=? AND later<>'{}'", (import_id,)
    )
    return int(row.fetchone()[0])


# Whoever is left without an address, or held for what another file says, is blocked by the same cause, and not taken back.
_UNDONE = f"""
SELECT
  (SELECT count(DISTINCT entity_id) FROM event_log
   WHERE campaign_id=:campaign AND kind='LeadBlocked' AND cause=:cause
     AND json_extract(change_payload, '$.blocked')='{TAKEN_BACK}'),
  (SELECT count(DISTINCT entity_id) FROM event_log
   WHERE campaign_id=:campaign AND kind='MergeUndone' AND cause=:cause
     AND entity_id IN (SELECT lead_id FROM merged_rows WHERE import_id=:import AND matched<>:returned)),
  (SELECT count(*) FROM event_log WHERE campaign_id=:workspace AND kind='DoNotContactRemoved' AND cause=:cause)
"""


def undone_so_far(connection: DatabaseConnection, campaign_id: str, import_id: str, cause: str) -> tuple[int, int, int]:
    """(Leads taken back, leads with their fields back, entries taken off the list) by undoing an import, however often it was
    cut off; reads the campaign's log.
    """
    names = {"campaign": campaign_id, "import": import_id, "cause": cause, "returned": RETURNED, "workspace": WORKSPACE}
    row: tuple[int, int, int] = connection.execute(_UNDONE, names).fetchone()
    return row


@dataclass(frozen=True, slots=True)
class RejectedRecord(RejectedRow):
    """One that an import kept, by its id."""

    id: str


FIRST = (-1, "")
"""Before every record of a file."""


def rejected_records(
    connection: DatabaseConnection, import_id: str, after: tuple[int, str], limit: int
) -> list[RejectedRecord]:
    """The rejected records of an import behind that (line, id), in the order of the file."""
    rows = connection.execute(
        "SELECT line, raw, code, reason, id FROM rejected_rows WHERE import_id=? AND (line, id) > (?, ?)"
        " ORDER BY line, id LIMIT ?",
        (import_id, *after, limit),
    )
    return [RejectedRecord(*row) for row in rows]


def rejected_in_lines(
    connection: DatabaseConnection, import_id: str, lines: Sequence[int]
) -> set[tuple[int, str, str]]:
    """(line, code, raw) of what the import has rejected in these lines so far."""
    if not lines:
        return set()
    rows = connection.execute(
        "SELECT line, code, raw FROM rejected_rows WHERE import_id=? AND line BETWEEN ? AND ?",
        (import_id, min(lines), max(lines)),
    )
    return {(line, code, raw) for line, code, raw in rows}


def count_rejected(connection: DatabaseConnection, campaign_id: str) -> int:
    """How many records were rejected in all of the campaign's imports."""
    row = connection.execute("SELECT count(*) FROM rejected_rows WHERE campaign_id=?", (campaign_id,)).fetchone()
    return int(row[0])
