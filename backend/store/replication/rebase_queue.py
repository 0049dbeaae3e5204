"""Entries that another device's came before, kept beside the logs until they are reapplied, or until the user chooses."""

import json
from collections.abc import Callable, Iterable
from itertools import groupby
from typing import Any, Literal, NamedTuple

from backend.domain.device.rebase import RebaseStatus, bears_on_contact
from backend.domain.events.events import WORKSPACE, Event, Row, RowChange, row_changes, row_key
from backend.domain.model.send_word import GivenWord
from backend.ports.shared_store import LoggedAudit, LoggedEvent
from backend.store.database import DatabaseConnection
from backend.store.log import projections


class LocalTransaction(NamedTuple):
    """What one transaction recorded here. `base` is the last event of the shared store's that was known then."""

    id: str
    base: int
    actor: str
    cause: str
    decided_at: int


# --- until they are reapplied ---

_KEEP_GROUP = "INSERT INTO rebase_queue VALUES (?,?,?,?,'pending',?,?,?,?,NULL)"
_KEEP = {
    "event": "INSERT INTO rebase_queue_entries SELECT ?, 'event', campaign_id, seq, timestamp, kind, entity_type, entity_id,"
    " change_payload, actor, cause, salt, payload_digest, hash FROM event_log WHERE campaign_id=? AND seq BETWEEN ? AND ?",
    "audit": "INSERT INTO rebase_queue_entries SELECT ?, 'audit', campaign_id, seq, timestamp, action_type, '', '',"
    " payload, actor, cause, salt, payload_digest, hash FROM audit_log WHERE campaign_id=? AND seq BETWEEN ? AND ?",
}
_ARRIVED = (
    "DELETE FROM rebase_queue_entries AS s WHERE log='{log}' AND group_id IN"
    " (SELECT id FROM rebase_queue WHERE campaign_id=? AND status='pending') AND EXISTS"
    " (SELECT 1 FROM {log}_log l WHERE l.campaign_id = s.campaign_id AND l.seq = s.seq AND l.hash = s.hash)"
)


def stash(
    connection: DatabaseConnection,
    new_id: Callable[[], str],
    campaign_id: str,
    log: Literal["event", "audit"],
    after: int,
    base: int,
    now: int,
) -> None:
    """Copy the end of one log, group by group, behind what is pending already."""
    (position,) = connection.execute(
        "SELECT coalesce(max(position), 0) FROM rebase_queue WHERE campaign_id=? AND status='pending'", (campaign_id,)
    ).fetchone()
    rows = connection.execute(
        f"SELECT timestamp, actor, cause, seq FROM {log}_log WHERE campaign_id=? AND seq>? ORDER BY seq",
        (campaign_id, after),
    ).fetchall()
    for (at, actor, cause), run in groupby(rows, key=lambda row: row[:3]):
        position, seqs, group_id = position + 1, [row[3] for row in run], new_id()
        connection.execute(_KEEP_GROUP, (group_id, campaign_id, position, base, actor, cause, at, now))
        connection.execute(_KEEP[log], (group_id, campaign_id, seqs[0], seqs[-1]))


def pending(connection: DatabaseConnection, campaign_id: str) -> list[LocalTransaction]:
    """What has not been looked at yet, in the order in which it was decided."""
    rows = connection.execute(
        "SELECT id, base, actor, cause, decided_at FROM rebase_queue WHERE campaign_id=? AND status='pending' ORDER BY position",
        (campaign_id,),
    )
    return [LocalTransaction(*row) for row in rows]


def streams_with_pending(connection: DatabaseConnection) -> list[str]:
    """The streams in which something is pending."""
    rows = connection.execute(
        "SELECT DISTINCT campaign_id FROM rebase_queue WHERE status='pending' ORDER BY campaign_id"
    )
    return [row[0] for row in rows]


def events(connection: DatabaseConnection, group_id: str) -> list[LoggedEvent]:
    """A group's events, in their order."""
    rows = connection.execute(
        "SELECT seq, timestamp, kind, entity_type, entity_id, payload, actor, cause, salt, payload_digest, hash"
        " FROM rebase_queue_entries WHERE group_id=? AND log='event' ORDER BY seq",
        (group_id,),
    )
    return [LoggedEvent(*row) for row in rows]


def drop(connection: DatabaseConnection, group_id: str, seqs: Iterable[int]) -> None:
    """These events are in the log again."""
    connection.executemany(
        "DELETE FROM rebase_queue_entries WHERE group_id=? AND log='event' AND seq=?", [(group_id, seq) for seq in seqs]
    )


def drop_acknowledged(connection: DatabaseConnection, campaign_id: str) -> None:
    """Entries of a push whose answer was lost came back as the shared store's: they are in the logs where they were."""
    for log in _KEEP:
        connection.execute(_ARRIVED.format(log=log), (campaign_id,))


def take_audits(connection: DatabaseConnection, campaign_id: str) -> list[LoggedAudit]:
    """All audit entries of a stream, in their order; they are not kept here any more."""
    rows = connection.execute(
        "SELECT e.seq, e.timestamp, e.kind, e.payload, e.actor, e.cause, e.salt, e.payload_digest, e.hash"
        " FROM rebase_queue_entries e JOIN rebase_queue g ON g.id = e.group_id"
        " WHERE g.campaign_id=? AND e.log='audit' ORDER BY g.position, e.seq",
        (campaign_id,),
    ).fetchall()
    connection.execute("DELETE FROM rebase_queue_entries WHERE campaign_id=? AND log='audit'", (campaign_id,))
    return [LoggedAudit(*row) for row in rows]


def set_status(connection: DatabaseConnection, group_id: str, status: RebaseStatus, now: int) -> bool:
    """Note what became of a group; False if it waits for nothing any more."""
    settled = connection.execute(
        "UPDATE rebase_queue SET status=?, settled_at=? WHERE id=? AND status IN ('pending', 'conflict')",
        (status, None if status is RebaseStatus.CONFLICT else now, group_id),
    )
    return settled.rowcount == 1


# --- what the user chooses ---

MOST = 200
"""Decisions that are listed at a time."""

_OPEN = (
    "SELECT s.id, s.campaign_id, coalesce(c.name, ''), s.cause, s.decided_at, s.queued_at FROM rebase_queue s"
    " LEFT JOIN campaigns c ON c.id = s.campaign_id WHERE s.status = 'conflict'"
)


class Conflict(NamedTuple):
    """A decision that cannot be reapplied: its cause and events, and where the campaign has a name, that."""

    id: str
    campaign_id: str
    campaign: str
    cause: str
    decided_at: int
    queued_at: int
    events: tuple[Event, ...]


def open_conflicts(connection: DatabaseConnection) -> list[Conflict]:
    """Those that wait for a choice, oldest first."""
    rows = connection.execute(f"{_OPEN} ORDER BY s.queued_at, s.position, s.id LIMIT ?", (MOST,)).fetchall()
    return [_with_events(connection, row) for row in rows]


def recorded_at(connection: DatabaseConnection, campaign_id: str, at: int) -> list[tuple[str, Event]]:
    """(cause, event) of what stands in a stream's log as recorded then (ms UTC)."""
    rows = connection.execute(
        "SELECT cause, kind, entity_id, change_payload FROM event_log WHERE campaign_id=? AND timestamp=? ORDER BY seq",
        (campaign_id, at),
    )
    return [(cause, Event(kind, entity_id, json.loads(payload))) for cause, kind, entity_id, payload in rows]


def open_conflict(connection: DatabaseConnection, conflict_id: str) -> Conflict | None:
    """That one, if it still waits."""
    row = connection.execute(f"{_OPEN} AND s.id = ?", (conflict_id,)).fetchone()
    return _with_events(connection, row) if row else None


def count_open_conflicts(connection: DatabaseConnection) -> int:
    """How many decisions wait for a choice."""
    (count,) = connection.execute("SELECT count(*) FROM rebase_queue WHERE status = 'conflict'").fetchone()
    return int(count)


def is_person_in_conflict(connection: DatabaseConnection, campaign_id: str, lead_id: str) -> bool:
    """Whether a waiting decision is about this lead being written to, or with which text; notes, tags and priorities are not."""
    streams = (campaign_id, WORKSPACE)
    waiting = connection.execute(f"{_OPEN} AND s.campaign_id IN (?, ?)", streams).fetchall()
    return any(lead_id in leads_of(connection, _with_events(connection, row), bearing=True) for row in waiting)


def leads_of(connection: DatabaseConnection, conflict: Conflict, *, bearing: bool = False) -> set[str]:
    """Whom a decision is about, those who stand here for whom was imported here and not reapplied; if it is to be `bearing`, none
    unless it bears on whether they are written to."""
    changes = [change for event in conflict.events for change in row_changes(conflict.campaign_id, 0, event)]
    if bearing and not bears_on_contact(changes):
        return set()
    lead_ids: set[str] = set()
    for values in (_arguments(conflict.cause), *(_known(connection, conflict, change) for change in changes)):
        lead_ids |= _leads_named(connection, conflict, values)
    return {_standing_lead(connection, conflict, lead_id) for lead_id in lead_ids}


def _arguments(cause: str) -> Row:
    """What the command was told, where its cause says so."""
    try:
        arguments = json.loads(cause.partition(" ")[2])
    except ValueError:
        return {}
    return arguments if isinstance(arguments, dict) else {}


def _known(connection: DatabaseConnection, conflict: Conflict, change: RowChange) -> Row:
    """All that is known of a row: as it was made here, as it stands, and as it was decided."""
    table, (stream, *ids) = row_key(change)
    local_row = made_here(connection, str(stream), str(ids[-1]), conflict.id) if ids else {}
    row = {**local_row, **(projections.find(connection, change) or {}), **change.values}
    return {**row, "lead_id": ids[-1]} if table == "leads" else row


def _leads_named(connection: DatabaseConnection, conflict: Conflict, values: Row) -> set[str]:
    """Those whom these values name, or whose message, task or approval they name."""
    ids = values.get("lead_ids")
    lead_ids = {str(id_) for id_ in (values.get("lead_id"), *(ids if isinstance(ids, list) else ())) if id_}
    for column, table in (("message_id", "messages"), ("task_id", "tasks")):
        if id_ := values.get(column):
            row = connection.execute(f"SELECT lead_id FROM {table} WHERE id=?", (id_,)).fetchone()
            local_row = made_here(connection, conflict.campaign_id, str(id_), conflict.id)
            lead_ids |= {lead_id for lead_id in (row[0] if row else local_row.get("lead_id"),) if lead_id}
    given_word = GivenWord.read(str(values.get("value", "")))
    keys = values.get("member_keys")
    for key in json.loads(keys) if isinstance(keys, str) else ():
        lead_ids |= {id_ for (id_,) in connection.execute("SELECT id FROM leads WHERE member_key=?", (key,))}
    return lead_ids | ({given_word.lead_id} if given_word else set())


def _standing_lead(connection: DatabaseConnection, conflict: Conflict, lead_id: str) -> str:
    """The lead, or the one of the same person that another device imported first."""
    local_row = made_here(connection, conflict.campaign_id, lead_id, conflict.id)
    of_person = "SELECT id FROM leads WHERE campaign_id=? AND member_key=?"
    row = connection.execute(of_person, (conflict.campaign_id, local_row.get("member_key"))).fetchone()
    return str(row[0]) if row else lead_id


def made_here(connection: DatabaseConnection, campaign_id: str, id_: str, conflict_id: str) -> Row:
    """The values of a row that was made here and not reapplied, as they were before that decision; empty if none was, or they
    are erased."""
    rows = connection.execute(
        "SELECT e.payload FROM rebase_queue_entries e JOIN rebase_queue g ON g.id = e.group_id"
        " JOIN rebase_queue c ON c.id=? WHERE e.campaign_id=? AND e.entity_id=? AND e.log='event'"
        " AND (g.campaign_id <> c.campaign_id OR (g.queued_at, g.position) < (c.queued_at, c.position))"
        " ORDER BY g.queued_at, g.position, e.seq",
        (conflict_id, campaign_id, id_),
    )
    values: Row = {}
    for (payload,) in rows:
        values = {**values, **json.loads(payload)}
    return values


def count_dropped_turns(connection: DatabaseConnection) -> int:
    """How many of the agent's turns were dropped, because another device's came first."""
    (count,) = connection.execute(
        "SELECT count(*) FROM rebase_queue_entries e JOIN rebase_queue s ON s.id = e.group_id"
        " WHERE s.status = 'dropped' AND e.kind IN ('TurnCompleted', 'TurnFaulted')"
    ).fetchone()
    return int(count)


def current_row(connection: DatabaseConnection, campaign_id: str, event: Event) -> Row:
    """The row that the event is about as it stands now; empty if it is not there."""
    return projections.find(connection, row_changes(campaign_id, 0, event)[0]) or {}


def _with_events(connection: DatabaseConnection, group: tuple[Any, ...]) -> Conflict:
    group_events = (Event(e.kind, e.entity_id, json.loads(e.payload)) for e in events(connection, group[0]))
    return Conflict._make((*group, tuple(group_events)))
