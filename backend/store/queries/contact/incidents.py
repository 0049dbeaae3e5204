"""Incidents of an account."""

from typing import NamedTuple

from backend.store.database import DatabaseConnection


def open_incident(connection: DatabaseConnection, account: str) -> str:
    """What the account's open incident said, or nothing."""
    row = connection.execute(
        "SELECT kind || ': ' || said FROM incidents WHERE account=? AND status='open' LIMIT 1", (account,)
    ).fetchone()
    return row[0] if row else ""


class IncidentRow(NamedTuple):
    """An open incident, and the stream that it is in; `opened_at` in ms UTC, `evidence` a file's name or empty."""

    id: str
    stream: str
    kind: str
    said: str
    opened_at: int
    evidence: str


def open_incidents(connection: DatabaseConnection, account: str, limit: int = -1) -> list[IncidentRow]:
    """The account's open incidents, oldest first; -1 is no limit, as SQLite has it."""
    rows = connection.execute(
        "SELECT id, campaign_id, kind, said, opened_at, evidence FROM incidents"
        " WHERE account=? AND status='open' ORDER BY id LIMIT ?",
        (account, limit),
    )
    return [IncidentRow(*row) for row in rows]
