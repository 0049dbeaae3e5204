"""What was overtaken and did not follow: the decisions that wait for a choice, and what was chosen."""

import sqlite3
from typing import Any, NamedTuple

from backend.domain.events import Event, Row, row_changes
from backend.domain.overtaken import Status
from backend.store import projections, replay

MOST = 200
_GROUP = (
    "SELECT s.id, s.campaign_id, coalesce(c.name, ''), s.decided_at, s.set_aside_at FROM set_aside s"
    " LEFT JOIN campaigns c ON c.id = s.campaign_id WHERE s.status = 'open'"
)


class Overtaken(NamedTuple):
    """A decision that did not follow: its events, and where the campaign has a name, that."""

    id: str
    campaign_id: str
    campaign: str
    decided_at: int
    set_aside_at: int
    events: tuple[Event, ...]


def waiting(connection: sqlite3.Connection) -> list[Overtaken]:
    """Those that wait for a choice, oldest first."""
    rows = connection.execute(f"{_GROUP} ORDER BY s.set_aside_at, s.id LIMIT ?", (MOST,)).fetchall()
    return [_with_events(connection, row) for row in rows]


def one(connection: sqlite3.Connection, set_aside_id: str) -> Overtaken | None:
    """That one, if it still waits."""
    row = connection.execute(f"{_GROUP} AND s.id = ?", (set_aside_id,)).fetchone()
    return _with_events(connection, row) if row else None


def count(connection: sqlite3.Connection) -> int:
    """How many decisions wait for a choice."""
    (found,) = connection.execute("SELECT count(*) FROM set_aside WHERE status = 'open'").fetchone()
    return int(found)


def turns(connection: sqlite3.Connection) -> int:
    """How many of the agent's turns were overtaken."""
    (found,) = connection.execute(
        "SELECT count(*) FROM set_aside_entries e JOIN set_aside s ON s.id = e.set_aside_id"
        " WHERE s.status = 'noted' AND e.kind IN ('TurnCompleted', 'TurnFaulted')"
    ).fetchone()
    return int(found)


def settle(connection: sqlite3.Connection, set_aside_id: str, choice: Status, now: int) -> bool:
    """Note what was chosen; False if it does not wait any more."""
    settled = connection.execute(
        "UPDATE set_aside SET status=?, settled_at=? WHERE id=? AND status='open'", (choice, now, set_aside_id)
    )
    return settled.rowcount == 1


def holds_now(connection: sqlite3.Connection, campaign_id: str, event: Event) -> Row:
    """The row that the event is about as it stands now; empty if it is not there."""
    return projections.find(connection, row_changes(campaign_id, 0, event)[0]) or {}


def _with_events(connection: sqlite3.Connection, group: tuple[Any, ...]) -> Overtaken:
    rows = connection.execute(
        "SELECT campaign_id, timestamp, kind, entity_id, payload FROM set_aside_entries"
        " WHERE set_aside_id=? AND log='event' ORDER BY seq",
        (group[0],),
    )
    return Overtaken._make((*group, tuple(replay.logged(row).event for row in rows)))
