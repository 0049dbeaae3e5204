"""Incidents of an account."""

from typing import NamedTuple

from backend.domain.model.site import IncidentKind, incident_words
from backend.store.database import DatabaseConnection


def open_incident(connection: DatabaseConnection, account: str) -> str:
    """The account's open incident as people are told of it, or nothing."""
    return next((incident_words(row.kind, row.said) for row in open_incidents(connection, account, 1)), "")


class IncidentRow(NamedTuple):
    """An open incident, and the stream that it is in; `opened_at` in ms UTC, `evidence` a file's name or empty."""

    id: str
    stream: str
    kind: IncidentKind
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
    return [IncidentRow(*row)._replace(kind=IncidentKind(row[2])) for row in rows]
