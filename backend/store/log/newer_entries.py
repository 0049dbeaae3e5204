"""Entries that a newer Outrider recorded: they are told as that, and not as damage."""

import json
from collections.abc import Container

from backend.domain.events.events import EVENT_KINDS, TABLES
from backend.domain.values.errors import OutriderError
from backend.store.database import DatabaseConnection

LATEST = 20
"""Of each stream so many entries are looked at, for a start must not cost time with the log: a newer one wrote the last of them."""
_LATEST = """
SELECT e.campaign_id, e.seq, e.kind, e.change_payload FROM log_heads h
JOIN event_log e ON e.campaign_id = h.campaign_id AND e.seq > h.event_seq - ?
ORDER BY e.campaign_id, e.seq
"""


def refuse(connection: DatabaseConnection) -> None:
    """Raises `log_newer` if one of the latest entries of a stream has a kind or a column that is not known here."""
    latest = connection.execute(_LATEST, (LATEST,)).fetchall()
    table_columns = known_columns(connection) if latest else ()
    for campaign_id, seq, kind, payload in latest:
        if newer := newer_part(table_columns, kind, payload):
            raise OutriderError("log_newer", campaign=campaign_id, seq=seq, what=newer)


def known_columns(connection: DatabaseConnection) -> set[tuple[str, str]]:
    """(table, column) of all tables."""
    return set(connection.execute("SELECT t.name, c.name FROM pragma_table_list t, pragma_table_info(t.name) c"))


def newer_part(table_columns: Container[tuple[str, str]], kind: str, payload: str) -> str:
    """The kind, or the column of its table, that is not among the `known_columns`; "" if all are.

    What no program would write was written by somebody else, and is no sign of a newer one.
    """
    if kind not in EVENT_KINDS:
        return kind if kind.isidentifier() else ""
    try:
        columns = json.loads(payload)
    except ValueError:
        return ""
    if not isinstance(columns, dict):
        return ""
    table = TABLES[EVENT_KINDS[kind].entity]
    return next(
        (f"{kind}.{name}" for name in columns if (table, name) not in table_columns and name.isidentifier()), ""
    )
