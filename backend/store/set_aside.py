"""Entries that another device overtook, kept beside the logs: until they follow again, until the user chooses, or for good."""

import json
import sqlite3
from collections.abc import Callable, Iterable
from itertools import groupby
from typing import Any, Literal, NamedTuple

from backend.domain.events import Event, Row, row_changes
from backend.domain.overtaken import Status
from backend.ports.authority import LoggedAudit, LoggedEvent
from backend.store import projections


class Group(NamedTuple):
    """What stood together with one time, actor and cause. `base` is the last event of the authority's that was known then."""

    id: str
    base: int
    actor: str
    cause: str
    decided_at: int


# --- until they follow ---

_KEEP_GROUP = "INSERT INTO set_aside VALUES (?,?,?,?,'pending',?,?,?,?,NULL)"
_KEEP = {
    "event": "INSERT INTO set_aside_entries SELECT ?, 'event', campaign_id, seq, timestamp, kind, entity_type, entity_id,"
    " change_payload, actor, cause, salt, payload_digest, hash FROM event_log WHERE campaign_id=? AND seq BETWEEN ? AND ?",
    "audit": "INSERT INTO set_aside_entries SELECT ?, 'audit', campaign_id, seq, timestamp, action_type, '', '',"
    " payload, actor, cause, salt, payload_digest, hash FROM audit_log WHERE campaign_id=? AND seq BETWEEN ? AND ?",
}
_ARRIVED = (
    "DELETE FROM set_aside_entries AS s WHERE log='{log}' AND set_aside_id IN"
    " (SELECT id FROM set_aside WHERE campaign_id=? AND status='pending') AND EXISTS"
    " (SELECT 1 FROM {log}_log l WHERE l.campaign_id = s.campaign_id AND l.seq = s.seq AND l.hash = s.hash)"
)


def keep(
    connection: sqlite3.Connection,
    new_id: Callable[[], str],
    campaign_id: str,
    log: Literal["event", "audit"],
    after: int,
    base: int,
    now: int,
) -> None:
    """Copy the end of one log, group by group, behind what is pending already."""
    (position,) = connection.execute(
        "SELECT coalesce(max(position), 0) FROM set_aside WHERE campaign_id=? AND status='pending'", (campaign_id,)
    ).fetchone()
    rows = connection.execute(
        f"SELECT timestamp, actor, cause, seq FROM {log}_log WHERE campaign_id=? AND seq>? ORDER BY seq",
        (campaign_id, after),
    ).fetchall()
    for (at, actor, cause), run in groupby(rows, key=lambda row: row[:3]):
        position, seqs, group_id = position + 1, [row[3] for row in run], new_id()
        connection.execute(_KEEP_GROUP, (group_id, campaign_id, position, base, actor, cause, at, now))
        connection.execute(_KEEP[log], (group_id, campaign_id, seqs[0], seqs[-1]))


def pending(connection: sqlite3.Connection, campaign_id: str) -> list[Group]:
    """What has not been looked at yet, in the order in which it was decided."""
    rows = connection.execute(
        "SELECT id, base, actor, cause, decided_at FROM set_aside WHERE campaign_id=? AND status='pending' ORDER BY position",
        (campaign_id,),
    )
    return [Group(*row) for row in rows]


def unsettled(connection: sqlite3.Connection) -> list[str]:
    """The streams in which something is pending."""
    rows = connection.execute("SELECT DISTINCT campaign_id FROM set_aside WHERE status='pending' ORDER BY campaign_id")
    return [row[0] for row in rows]


def events(connection: sqlite3.Connection, group_id: str) -> list[LoggedEvent]:
    """A group's events, in their order."""
    rows = connection.execute(
        "SELECT seq, timestamp, kind, entity_type, entity_id, payload, actor, cause, salt, payload_digest, hash"
        " FROM set_aside_entries WHERE set_aside_id=? AND log='event' ORDER BY seq",
        (group_id,),
    )
    return [LoggedEvent(*row) for row in rows]


def drop(connection: sqlite3.Connection, group_id: str, seqs: Iterable[int]) -> None:
    """These events are in the log again."""
    connection.executemany(
        "DELETE FROM set_aside_entries WHERE set_aside_id=? AND log='event' AND seq=?",
        [(group_id, seq) for seq in seqs],
    )


def drop_arrived(connection: sqlite3.Connection, campaign_id: str) -> None:
    """Entries of a push whose answer was lost came back as the authority's: they are in the logs where they were."""
    for log in _KEEP:
        connection.execute(_ARRIVED.format(log=log), (campaign_id,))


def take_audits(connection: sqlite3.Connection, campaign_id: str) -> list[LoggedAudit]:
    """All audit entries of a stream, in their order; they are not kept here any more."""
    rows = connection.execute(
        "SELECT e.seq, e.timestamp, e.kind, e.payload, e.actor, e.cause, e.salt, e.payload_digest, e.hash"
        " FROM set_aside_entries e JOIN set_aside g ON g.id = e.set_aside_id"
        " WHERE g.campaign_id=? AND e.log='audit' ORDER BY g.position, e.seq",
        (campaign_id,),
    ).fetchall()
    connection.execute("DELETE FROM set_aside_entries WHERE campaign_id=? AND log='audit'", (campaign_id,))
    return [LoggedAudit(*row) for row in rows]


def settle(connection: sqlite3.Connection, group_id: str, status: Status, now: int) -> bool:
    """Note what became of a group; False if it waits for nothing any more."""
    settled = connection.execute(
        "UPDATE set_aside SET status=?, settled_at=? WHERE id=? AND status IN ('pending', 'open')",
        (status, None if status is Status.OPEN else now, group_id),
    )
    return settled.rowcount == 1


# --- what the user chooses ---

MOST = 200
"""Decisions that are listed at a time."""

_OPEN = (
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
    rows = connection.execute(f"{_OPEN} ORDER BY s.set_aside_at, s.id LIMIT ?", (MOST,)).fetchall()
    return [_with_events(connection, row) for row in rows]


def one(connection: sqlite3.Connection, set_aside_id: str) -> Overtaken | None:
    """That one, if it still waits."""
    row = connection.execute(f"{_OPEN} AND s.id = ?", (set_aside_id,)).fetchone()
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


def holds_now(connection: sqlite3.Connection, campaign_id: str, event: Event) -> Row:
    """The row that the event is about as it stands now; empty if it is not there."""
    return projections.find(connection, row_changes(campaign_id, 0, event)[0]) or {}


def _with_events(connection: sqlite3.Connection, group: tuple[Any, ...]) -> Overtaken:
    found = (Event(e.kind, e.entity_id, json.loads(e.payload or "{}")) for e in events(connection, group[0]))
    return Overtaken._make((*group, tuple(found)))
