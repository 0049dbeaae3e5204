"""Imports of lead files, and the records in them that could not become leads."""

from collections.abc import Sequence
from dataclasses import dataclass

from backend.store.database import DatabaseConnection


@dataclass(frozen=True, slots=True)
class ImportRow:
    """An import of a lead file; times in ms UTC, `finished_at` None when it was cut off."""

    id: str
    file: str
    format: str
    accepted: int
    merged: int
    unchanged: int
    rejected: int
    created_at: int
    finished_at: int | None


_IMPORT = f"SELECT {', '.join(ImportRow.__annotations__)} FROM imports"


def imports(connection: DatabaseConnection, campaign_id: str, before: str, limit: int) -> list[ImportRow]:
    """The campaign's imports before that one ("" for all), the latest first."""
    rows = connection.execute(
        f"{_IMPORT} WHERE campaign_id=? AND id<? ORDER BY id DESC LIMIT ?", (campaign_id, before or "~", limit)
    )
    return [ImportRow(*row) for row in rows]


def find(connection: DatabaseConnection, campaign_id: str, import_id: str) -> ImportRow | None:
    """That import, if it is this campaign's."""
    row = connection.execute(f"{_IMPORT} WHERE id=? AND campaign_id=?", (import_id, campaign_id)).fetchone()
    return ImportRow(*row) if row else None


def cut_off(connection: DatabaseConnection, campaign_id: str, file: str, file_format: str) -> str | None:
    """The campaign's latest import, if it was of a file of that name and was cut off."""
    for last in imports(connection, campaign_id, "", 1):
        if last.finished_at is None and (last.file, last.format) == (file, file_format):
            return last.id
    return None


@dataclass(frozen=True, slots=True)
class RejectedRecord:
    """A record of a lead file that could not become a lead."""

    id: str
    line: int
    code: str
    reason: str
    raw: str


FIRST = (-1, "")
"""Before every record of a file."""


def rejected_records(
    connection: DatabaseConnection, import_id: str, after: tuple[int, str], limit: int
) -> list[RejectedRecord]:
    """The rejected records of an import behind that (line, id), in the order of the file."""
    rows = connection.execute(
        "SELECT id, line, code, reason, raw FROM rejected_rows WHERE import_id=? AND (line, id) > (?, ?)"
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
