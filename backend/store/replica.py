"""This store beside the authority: how far they are in step, what goes there, what comes from there, and what it overtook.

Each function is one step of a transaction; between any two of them the process may end. Entries that were overtaken leave the
log by `set_aside` and come back to it by `follow`, when everything of the authority has been adopted.
"""

import sqlite3
from collections.abc import Iterable, Sequence
from itertools import groupby
from operator import attrgetter
from typing import Any, NamedTuple

from backend.domain.errors import OutriderError
from backend.domain.events import KINDS, State, row_key
from backend.domain.overtaken import Place, Said, Status, goes_in_parts, holds, may_follow, owed, places, units
from backend.ports.authority import Batch, LoggedAudit, LoggedEvent
from backend.store import projections, replay
from backend.store import set_aside as aside
from backend.store.chain import GENESIS, Entry, linked
from backend.store.journal import Head, Transaction
from backend.store.projections import LostRowError

USER = "user"
_NOT_FOLDABLE = (LostRowError, sqlite3.IntegrityError, LookupError, ValueError, TypeError, AttributeError)

_EVENT = "seq, timestamp, kind, entity_type, entity_id, change_payload, actor, cause, salt, payload_digest, hash FROM event_log"
_AUDIT = "seq, timestamp, action_type, payload, actor, cause, salt, payload_digest, hash FROM audit_log"
_RECORDED = attrgetter("timestamp", "actor", "cause")
_AFTER = "WHERE campaign_id=? AND seq>? ORDER BY seq LIMIT ?"


class Project(NamedTuple):
    """The project that is attached; `attached_at` in ms UTC."""

    url: str
    public_key: str
    user_id: str
    email: str
    device_id: str
    device_name: str
    attached_at: int


class OvertakenError(Exception):
    """Entries of this device stand where the authority's belong: set them aside, and adopt again."""


class _Place(NamedTuple):
    """Up to where the authority has both logs of a stream."""

    event_seq: int
    audit_seq: int


# --- the project ---


def project(connection: sqlite3.Connection) -> Project | None:
    """The attached project; None while this store is its own authority."""
    row = connection.execute(f"SELECT {', '.join(Project._fields)} FROM project").fetchone()
    return Project(*row) if row else None


def attach(transaction: Transaction, attached: Project) -> None:
    """From now on that project is the authority; nothing is known yet of what it has. Raises `project_attached`."""
    if project(transaction.connection):
        raise OutriderError("project_attached")
    marks = ", ".join("?" * len(attached))
    transaction.connection.execute(
        f"INSERT INTO project(one, {', '.join(Project._fields)}) VALUES (1, {marks})", attached
    )
    transaction.connection.execute("INSERT INTO acknowledged(campaign_id) SELECT campaign_id FROM log_heads")


def detach(transaction: Transaction, now: int) -> None:
    """This store is its own authority again, and its logs are append-only without exception."""
    for campaign_id in aside.unsettled(transaction.connection):  # nobody else would bring back what waits to follow
        set_aside(transaction, campaign_id, now)  # what was decided since comes behind it
        follow(transaction, campaign_id, now)
    transaction.connection.execute("DELETE FROM project")
    transaction.connection.execute("DELETE FROM acknowledged")


# --- what goes there ---


def waiting(connection: sqlite3.Connection) -> int:
    """How many events the authority has not acknowledged; 0 without a project."""
    row = connection.execute(
        "SELECT coalesce(sum(h.event_seq - coalesce(a.event_seq, 0)), 0) FROM log_heads h"
        " LEFT JOIN acknowledged a USING (campaign_id) WHERE EXISTS (SELECT 1 FROM project)"
    ).fetchone()
    return int(row[0])


def behind(connection: sqlite3.Connection) -> list[str]:
    """The streams with something in either log that the authority has not acknowledged; the workspace's own first."""
    rows = connection.execute(
        "SELECT campaign_id FROM log_heads h LEFT JOIN acknowledged a USING (campaign_id)"
        " WHERE EXISTS (SELECT 1 FROM project)"
        " AND (h.event_seq > coalesce(a.event_seq, 0) OR h.audit_seq > coalesce(a.audit_seq, 0))"
        " ORDER BY campaign_id <> 'workspace', campaign_id"
    )
    return [row[0] for row in rows]


def outgoing(connection: sqlite3.Connection, campaign_id: str, *, most: int, most_bytes: int) -> Batch | None:
    """What follows on what the authority has: at most so many entries and bytes of payload, but one at least.

    Ends between two transactions where it can, so that another device is not shown half of one. None if nothing waits.
    """
    place = _place(connection, campaign_id)
    rows = connection.execute(f"SELECT {_EVENT} {_AFTER}", (campaign_id, place.event_seq, most))
    events, left = _fitting(map(LoggedEvent._make, rows), most_bytes)
    events = _whole(events, _recorded_at(connection, campaign_id, place.event_seq + len(events) + 1))
    audits: list[LoggedAudit] = []
    if len(events) < most and (left > 0 or not events):
        rows = connection.execute(f"SELECT {_AUDIT} {_AFTER}", (campaign_id, place.audit_seq, most - len(events)))
        audits, _ = _fitting(map(LoggedAudit._make, rows), left)
    if not events and not audits:
        return None
    return Batch(campaign_id, place.event_seq, tuple(events), place.audit_seq, tuple(audits))


def _fitting(entries: Iterable[Entry], size: int) -> tuple[list[Entry], int]:
    """The first of them whose payloads fit, and what room they leave; the first one in any case."""
    found: list[Entry] = []
    for entry in entries:
        size -= len(entry.payload or "")
        if found and size < 0:
            break
        found.append(entry)
    return found, size


def _whole(events: list[LoggedEvent], after: tuple[Any, ...] | None) -> list[LoggedEvent]:
    """Without the beginning of a transaction that goes on behind them, unless they are nothing else."""
    end = len(events)
    while end and _RECORDED(events[end - 1]) == after:
        end -= 1
    return events[:end] or events


def _recorded_at(connection: sqlite3.Connection, campaign_id: str, seq: int) -> tuple[Any, ...] | None:
    found: tuple[Any, ...] | None = connection.execute(
        "SELECT timestamp, actor, cause FROM event_log WHERE campaign_id=? AND seq=?", (campaign_id, seq)
    ).fetchone()
    return found


def acknowledge(transaction: Transaction, campaign_id: str, event_seq: int, audit_seq: int) -> None:
    """The authority has both logs up to there; never more than is here, and never less than before. Raises `not_attached`."""
    if project(transaction.connection) is None:
        raise OutriderError("not_attached")
    head, before = transaction.head(campaign_id), _place(transaction.connection, campaign_id)
    transaction.connection.execute(
        "INSERT INTO acknowledged VALUES (?,?,?) ON CONFLICT DO UPDATE SET event_seq=excluded.event_seq,"
        " audit_seq=excluded.audit_seq",
        (
            campaign_id,
            max(before.event_seq, min(event_seq, head.event_seq)),
            max(before.audit_seq, min(audit_seq, head.audit_seq)),
        ),
    )


# --- what comes from there ---


def adopt(
    transaction: Transaction, campaign_id: str, events: Sequence[LoggedEvent], audits: Sequence[LoggedAudit]
) -> None:
    """Append the authority's entries exactly as they are, fold them, and know them as acknowledged.

    Entries that are here already are passed over. Raises `OvertakenError` when unacknowledged entries stand in their place,
    `authority_log_broken` and `authority_newer`; then nothing may be committed.
    """
    if unknown := {event.kind for event in events} - KINDS.keys():
        raise OutriderError("authority_newer", kind=min(unknown))
    head, place = transaction.head(campaign_id), _place(transaction.connection, campaign_id)
    new_events = _new(transaction.connection, "event_log", campaign_id, place.event_seq, *head[:2], events)
    new_audits = _new(transaction.connection, "audit_log", campaign_id, place.audit_seq, *head[2:], audits)
    if new_events or new_audits:
        try:
            transaction.adopt(campaign_id, new_events, new_audits)
        except _NOT_FOLDABLE as error:
            raise _broken("event_log", campaign_id, new_events[0].seq if new_events else 0, str(error)) from error
    acknowledge(transaction, campaign_id, events[-1].seq if events else 0, audits[-1].seq if audits else 0)


def _new(
    connection: sqlite3.Connection,
    log: str,
    campaign_id: str,
    known: int,
    seq: int,
    last: bytes,
    entries: Sequence[Entry],
) -> Sequence[Entry]:
    """Those beyond the log's end; verified, and so are those within it."""
    new = entries
    if entries and entries[0].seq <= seq:
        here = dict(
            connection.execute(
                f"SELECT seq, hash FROM {log} WHERE campaign_id=? AND seq BETWEEN ? AND ?",
                (campaign_id, entries[0].seq, entries[-1].seq),
            )
        )
        for entry in entries:
            if entry.seq in here and here[entry.seq] != entry.hash:
                if entry.seq > known:
                    raise OvertakenError(campaign_id)
                raise _broken(log, campaign_id, entry.seq, "it is not what was acknowledged")
        new = entries[len(here) :]
    for entry, made in zip(new, linked(campaign_id, seq, last, new), strict=True):
        if entry != made:
            raise _broken(log, campaign_id, entry.seq, "it does not follow on the entry before it")
    return new


def _broken(log: str, campaign_id: str, seq: int, detail: str) -> OutriderError:
    return OutriderError("authority_log_broken", log=log, campaign=campaign_id, seq=seq, detail=detail)


# --- what was overtaken ---


def set_aside(transaction: Transaction, campaign_id: str, now: int) -> int:
    """Take what the authority has not acknowledged out of both logs, whole, and its effects out of the rows; how many events.

    What is kept of it waits for `follow`. Costs one scan of the stream's log.
    """
    connection, head = transaction.connection, transaction.head(campaign_id)
    place = _place(connection, campaign_id)
    if (head.event_seq, head.audit_seq) == place:
        return 0
    rows = connection.execute(f"SELECT {_EVENT} {_AFTER}", (campaign_id, place.event_seq, -1))
    gone = [_said(connection, campaign_id, LoggedEvent(*row)) for row in rows]
    acknowledge(transaction, campaign_id, *place)  # a stream that is new has no row yet, and without it nothing may go
    aside.keep(connection, transaction.new_id, campaign_id, "event", place.event_seq, place.event_seq, now)
    aside.keep(connection, transaction.new_id, campaign_id, "audit", place.audit_seq, place.event_seq, now)
    connection.execute("DELETE FROM event_log WHERE campaign_id=? AND seq>?", (campaign_id, place.event_seq))
    connection.execute("DELETE FROM audit_log WHERE campaign_id=? AND seq>?", (campaign_id, place.audit_seq))
    replay.fold_anew(connection, campaign_id, (change for said in gone for change in said.changes))
    last, last_audit = (
        _hash(connection, log, campaign_id, seq) for log, seq in zip(("event", "audit"), place, strict=True)
    )
    transaction.rewind(campaign_id, Head(place.event_seq, last, place.audit_seq, last_audit))
    return len(gone)


def follow(transaction: Transaction, campaign_id: str, now: int) -> None:
    """Record again, group by group, what may follow on what the authority has; the rest is kept for the user, or noted.

    Audit entries always follow. To be called when everything of the authority has been adopted; nothing if nothing is pending.
    """
    connection = transaction.connection
    pending = aside.pending(connection, campaign_id)
    if not pending:
        return
    others = _places_of_others(connection, campaign_id, min(group.base for group in pending))
    aside.drop_arrived(connection, campaign_id)
    causes: set[str] = set()
    for base, groups in groupby(pending, key=lambda group: group.base):
        taken = {place for place, seq in others.items() if seq > base}  # what came earlier was known
        for group in groups:
            staying, choice = _followed(transaction, campaign_id, group, taken)
            if staying:
                taken |= places(change for said in staying for change in said.changes)
                causes.add(group.cause)
                paid = owed(staying, transaction.new_id)
                transaction.record(campaign_id, paid, actor="agent", cause="overtaken", at=group.decided_at)
            aside.settle(
                connection, group.id, Status.OPEN if choice else Status.NOTED if staying else Status.REBASED, now
            )
    _audits_follow(transaction, campaign_id, causes)


def _followed(
    transaction: Transaction, campaign_id: str, group: aside.Group, taken: set[Place]
) -> tuple[list[Said], bool]:
    """Record of the group what may follow; what does not, and whether that is the user's to choose."""
    connection = transaction.connection
    entries = {event.seq: event for event in aside.events(connection, group.id)}
    said = [_said(connection, campaign_id, entry) for entry in entries.values()]
    state = _rows(connection, said)
    there, following = set(state), list[int]()
    for unit in units(said):
        if may_follow(unit, taken, there):
            following += [one.seq for one in unit]
            there |= {row_key(change) for one in unit for change in one.changes}
    try:
        _again(transaction, campaign_id, [entries[seq] for seq in following])
    except _NOT_FOLDABLE:  # a rule of the database's own stands against it
        following = []
    aside.drop(connection, group.id, following)
    gone = set(following)
    staying = [one for one in said if one.seq not in gone]
    return staying, group.actor == USER and not goes_in_parts(said) and not holds(staying, state)


def _again(transaction: Transaction, campaign_id: str, events: Sequence[LoggedEvent]) -> None:
    """Append and fold them at the end of the log, or change nothing."""
    transaction.connection.execute("SAVEPOINT again")
    try:
        transaction.repeat(campaign_id, events, ())
    except BaseException:
        transaction.connection.execute("ROLLBACK TO again")
        raise
    finally:
        transaction.connection.execute("RELEASE again")


def _audits_follow(transaction: Transaction, campaign_id: str, overtaken: set[str]) -> None:
    """Append the audit entries again; those of what did not follow say so, for another turn has their turn's number now."""
    audits = aside.take_audits(transaction.connection, campaign_id)
    said = (a._replace(cause=f"overtaken {a.cause}") if a.cause in overtaken else a for a in audits)
    transaction.repeat(campaign_id, (), said)


def _places_of_others(connection: sqlite3.Connection, campaign_id: str, base: int) -> dict[Place, int]:
    """What entries after `base` laid hand on that were never set aside here, and which did so last."""
    rows = connection.execute(
        f"SELECT {_EVENT} AS e WHERE campaign_id=? AND seq>?"
        " AND NOT EXISTS (SELECT 1 FROM set_aside_entries s WHERE s.hash = e.hash) ORDER BY seq",
        (campaign_id, base),
    )
    said = (_said(connection, campaign_id, LoggedEvent(*row)) for row in rows)
    return {place: one.seq for one in said for place in places(one.changes)}


# --- shared ---


def _place(connection: sqlite3.Connection, campaign_id: str) -> _Place:
    row = connection.execute(
        "SELECT event_seq, audit_seq FROM acknowledged WHERE campaign_id=?", (campaign_id,)
    ).fetchone()
    return _Place(*row) if row else _Place(0, 0)


def _hash(connection: sqlite3.Connection, log: str, campaign_id: str, seq: int) -> bytes:
    row = connection.execute(f"SELECT hash FROM {log}_log WHERE campaign_id=? AND seq=?", (campaign_id, seq)).fetchone()
    found: bytes = row[0] if row else GENESIS
    return found


def _said(connection: sqlite3.Connection, campaign_id: str, entry: LoggedEvent) -> Said:
    logged = replay.logged((campaign_id, entry.timestamp, entry.kind, entry.entity_id, entry.payload))
    return Said(entry.seq, logged.event, replay.changes(connection, logged))


def _rows(connection: sqlite3.Connection, said: Iterable[Said]) -> State:
    """Those of the rows they make or change that are there."""
    wanted = {row_key(change): change for one in said for change in one.changes}
    found = ((key, projections.find(connection, change)) for key, change in wanted.items())
    return {key: row for key, row in found if row is not None}
