"""The full-text indexes: they follow from rows, so a damaged one is made anew. SQLite's own check of a file passes them by."""

import sqlite3
from typing import NamedTuple

from backend.store.database import DatabaseConnection
from backend.store.queries.leads.lead_index import SEARCHED_WORDS


class _Index(NamedTuple):
    """How it is emptied, and what puts everything into it again."""

    empty: str
    fill: str


_INDEXES = {
    "leads_text": _Index("delete-all", f"INSERT INTO leads_text(rowid, words) {SEARCHED_WORDS}"),
    "leads_text_typed": _Index("rebuild", ""),
    "artifacts_text": _Index(
        "delete-all",
        "INSERT INTO artifacts_text(rowid, words)"
        " SELECT h.number, a.words FROM artifact_heads h JOIN artifacts a ON a.id = h.artifact_id",
    ),
}


def mend(connection: DatabaseConnection) -> list[str]:
    """Make the damaged ones anew; which they were. Reads each index whole: a fifth of a second with 100,000 leads."""
    damaged = [name for name in _INDEXES if _is_damaged(connection, name)]
    for name in damaged:
        index = _INDEXES[name]
        connection.execute(f"INSERT INTO {name}({name}) VALUES (?)", (index.empty,))
        if index.fill:
            connection.execute(index.fill)
    return damaged


def empty(connection: DatabaseConnection) -> None:
    """Leave no word in any, whatever rows it was of; filled again as those rows are made."""
    for name in ("leads_text", "artifacts_text"):
        connection.execute(f"INSERT INTO {name}({name}) VALUES ('delete-all')")
    # Or a damaged one would refuse to be emptied.
    connection.execute("INSERT INTO leads_text_typed(leads_text_typed) VALUES ('rebuild')")
    connection.execute("DELETE FROM leads_text_typed")


def _is_damaged(connection: DatabaseConnection, name: str) -> bool:
    try:
        connection.execute(f"INSERT INTO {name}({name}) VALUES ('integrity-check')")
    except sqlite3.DatabaseError as error:
        if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_CORRUPT:
            raise
        return True
    return False
