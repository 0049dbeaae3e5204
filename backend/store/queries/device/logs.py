"""The event log and the audit log."""

from collections.abc import Iterator, Sequence
from typing import Any, Literal, NamedTuple

from backend.domain.turn.snapshot import MAX_AUDIT, RecentAction
from backend.store.database import DatabaseConnection

_RECENT = """
SELECT a.action_type, a.cause, coalesce(json_extract(a.short, '$.outcome'), ''), coalesce(t.verdict, ''),
       coalesce(json_extract(a.short, '$.parameters.lead_id'), ''), a.seq
FROM (SELECT campaign_id, seq, action_type, cause, CASE WHEN length(payload) <= 4000 THEN payload END AS short
      FROM audit_log WHERE campaign_id=? ORDER BY seq DESC LIMIT ?) a
LEFT JOIN turn_projection t
  ON t.campaign_id = a.campaign_id AND a.cause GLOB 't[0-9]*' AND t.number = CAST(substr(a.cause, 2) AS INTEGER)
"""


def recent_audit(connection: DatabaseConnection, campaign_id: str) -> tuple[RecentAction, ...]:
    """The latest audit entries with what came of them, newest first."""
    rows = connection.execute(_RECENT, (campaign_id, MAX_AUDIT)).fetchall()
    return tuple(RecentAction(*row) for *row, _ in sorted(rows, key=lambda row: -row[-1]))


class LogLengths(NamedTuple):
    """How many entries the logs of a stream have."""

    events: int
    audits: int


def lengths(connection: DatabaseConnection, stream: str) -> LogLengths:
    """The lengths of that stream's logs."""
    row = connection.execute("SELECT event_seq, audit_seq FROM log_heads WHERE campaign_id=?", (stream,)).fetchone()
    return LogLengths(*row) if row else LogLengths(0, 0)


def last_event_at(connection: DatabaseConnection, stream: str) -> int | None:
    """When the last event of that stream was recorded (ms UTC)."""
    row = connection.execute(
        "SELECT timestamp FROM event_log WHERE campaign_id=? ORDER BY seq DESC LIMIT 1", (stream,)
    ).fetchone()
    return int(row[0]) if row else None


def last_event_seqs(connection: DatabaseConnection) -> dict[str, int]:
    """The number of the last event of every stream."""
    return dict(connection.execute("SELECT campaign_id, event_seq FROM log_heads"))


def count_events(connection: DatabaseConnection) -> int:
    """How many events there are in all streams."""
    return int(connection.execute("SELECT coalesce(sum(event_seq), 0) FROM log_heads").fetchone()[0])


class LoggedChange(NamedTuple):
    """An event with what it changed, in JSON; None when that is longer than was asked for."""

    campaign_id: str
    seq: int
    at: int
    kind: str
    entity: str
    entity_id: str
    actor: str
    cause: str
    changes: str | None


_BETWEEN = (
    "SELECT campaign_id, seq, timestamp, kind, entity_type, entity_id, actor, cause,"
    " CASE WHEN length(change_payload) <= ? THEN change_payload END FROM event_log"
    " WHERE campaign_id=? AND seq>? AND seq<=? ORDER BY seq LIMIT ?"
)


def events_between(
    connection: DatabaseConnection, stream: str, after: int, until: int, limit: int, longest: int
) -> list[LoggedChange]:
    """Events after one and up to another, of their changes those of at most `longest` characters."""
    rows = connection.execute(_BETWEEN, (longest, stream, after, until, limit))
    return [LoggedChange(*row) for row in rows]


_SHORT = 4_096
"""Characters of a payload that is read with its event."""


class EntityEvent(NamedTuple):
    """What happened to an entity; `at` in ms UTC, `payload` in JSON, None where it is large."""

    kind: str
    at: int
    payload: str | None


def recent_events_of(
    connection: DatabaseConnection, stream: str, entity_id: str, kinds: Sequence[str], most: int
) -> list[EntityEvent]:
    """Events of these kinds about the entity, oldest first, among the last `most` of the stream."""
    marks = ",".join("?" * len(kinds))
    rows = connection.execute(
        f"SELECT kind, timestamp, CASE WHEN length(change_payload) <= {_SHORT} THEN change_payload END"
        f" FROM event_log WHERE campaign_id=? AND seq > ? AND entity_id=? AND kind IN ({marks})"
        " ORDER BY seq",
        (stream, lengths(connection, stream).events - most, entity_id, *kinds),
    )
    return [EntityEvent(*row) for row in rows]


_EXPORTED = {
    "event": (
        "SELECT campaign_id, seq, timestamp, kind, entity_type, entity_id, actor, cause, change_payload AS payload, salt,"
        " payload_digest, hash FROM event_log WHERE campaign_id=? AND seq>? AND seq<=? ORDER BY seq LIMIT ?"
    ),
    "audit": (
        "SELECT campaign_id, seq, timestamp, action_type, actor, cause, payload, salt,"
        " payload_digest, hash FROM audit_log WHERE campaign_id=? AND seq>? AND seq<=? ORDER BY seq LIMIT ?"
    ),
}


def entries_between(
    connection: DatabaseConnection, log: Literal["event", "audit"], stream: str, after: int, until: int, limit: int
) -> list[dict[str, Any]]:
    """Whole entries of one log, by column, with all that their hashes are made of."""
    cursor = connection.execute(_EXPORTED[log], (stream, after, until, limit))
    names = [column[0] for column in cursor.description]
    return [dict(zip(names, row, strict=True)) for row in cursor]


class AuditRow(NamedTuple):
    """An audit entry; `payload` in JSON, of an erased one `{}`, `at` in ms UTC."""

    seq: int
    at: int
    kind: str
    payload: str | None
    cause: str


def audits_until(connection: DatabaseConnection, stream: str, seq: int, limit: int) -> Iterator[AuditRow]:
    """The last entries of the audit log up to that one, newest first, read as far as they are asked for."""
    rows = connection.execute(
        "SELECT seq, timestamp, action_type, payload, cause FROM audit_log WHERE campaign_id=? AND seq<=?"
        " ORDER BY seq DESC LIMIT ?",
        (stream, seq, limit),
    )
    return (AuditRow(*row) for row in rows)


class EntryCause(NamedTuple):
    """What caused an audit entry."""

    seq: int
    cause: str


def causes_until(connection: DatabaseConnection, stream: str, seq: int, limit: int) -> Iterator[EntryCause]:
    """What caused the last entries up to that one, newest first, read as far as they are asked for."""
    rows = connection.execute(
        "SELECT seq, cause FROM audit_log WHERE campaign_id=? AND seq<=? ORDER BY seq DESC LIMIT ?",
        (stream, seq, limit),
    )
    return (EntryCause(*row) for row in rows)
