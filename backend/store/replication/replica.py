"""This store beside the shared store: how far they are in sync, what goes there, what comes from there, what is rebased.

Each function is one step of a transaction; between any two of them the process may end. Entries that another device's came
before leave the log by `roll_back_unacknowledged` and come back to it by `reapply`, when everything of the shared store has been
adopted.
"""

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import groupby
from operator import attrgetter
from typing import Any, NamedTuple

from backend.domain.device.rebase import (
    UNIQUE_COLUMNS,
    ConflictKey,
    EventWithChanges,
    RebaseStatus,
    already_holds,
    can_reapply,
    conflict_keys,
    cost_events,
    is_about_everybody,
    is_divisible,
    is_done,
    is_of_act,
    is_on_record,
    outcome_of_act,
    parts_that_fit,
    reapply_units,
    rows_of_acts,
    still_news,
    takes_up_again,
    with_times_of,
)
from backend.domain.events.column_values import unfit_column
from backend.domain.events.events import EVENT_KINDS, ProjectedRows, Row, RowChange, Verb, row_key
from backend.domain.model.answer import STEP as ANSWER
from backend.domain.values.canonical_json import Json, canonical, read_object
from backend.domain.values.errors import OutriderError
from backend.domain.values.shapes import is_entity_id, is_id
from backend.ports.shared_store import Batch, LoggedAudit, LoggedEvent
from backend.store.database import DatabaseConnection
from backend.store.log import projections, replay
from backend.store.log.chain import GENESIS, Entry, first_unlinked
from backend.store.log.erasure import ERASES
from backend.store.log.heads_file import LogHeads
from backend.store.log.journal import Journal
from backend.store.log.newer_entries import known_columns, newer_part
from backend.store.log.projections import NOT_FOLDABLE
from backend.store.log.transaction import Transaction
from backend.store.queries.device import sync_positions
from backend.store.replication import rebase_queue
from backend.store.replication.imports_again import ImportsAgain

USER = "user"
MOST_LEVELS = 100
"""Of what an entry says: whatever reads it later stands deep in calls of its own."""

_EVENT = "seq, timestamp, kind, entity_type, entity_id, change_payload, actor, cause, salt, payload_digest, hash FROM event_log"
_AUDIT = "seq, timestamp, action_type, payload, actor, cause, salt, payload_digest, hash FROM audit_log"
_RECORDED = attrgetter("timestamp", "actor", "cause")
_AFTER = "WHERE campaign_id=? AND seq>? ORDER BY seq LIMIT ?"
_ENDS = (
    "SELECT h.event_seq, h.audit_seq, coalesce(a.event_seq, 0), coalesce(a.audit_seq, 0) FROM log_heads h"
    " LEFT JOIN acknowledged a USING (campaign_id) WHERE h.campaign_id=?"
)
"""Where both logs of a stream end, and up to where the shared store has them."""

ERASURE_WEIGHT = 4
"""How many bytes each of an erasure's counts for in a batch: the shared store looks up and alters every entry that it names, so
that as many bytes of it take several times as long as of other entries."""

_ACKNOWLEDGE = (
    "INSERT INTO acknowledged(campaign_id, event_seq, audit_seq) SELECT ?, ?, ? WHERE EXISTS (SELECT 1 FROM project)"
    " ON CONFLICT DO UPDATE SET event_seq=max(event_seq, excluded.event_seq), audit_seq=max(audit_seq, excluded.audit_seq)"
)


class AttachedProject(NamedTuple):
    """The project that is attached; `attached_at` in ms UTC, `machine` a hash of where this folder was then, "" if unknown."""

    url: str
    public_key: str
    user_id: str
    email: str
    device_id: str
    device_name: str
    attached_at: int
    machine: str = ""


RESTORED = "restored"
"""No machine's identity: that of a folder in which another device's backup was put back."""


class DivergedError(Exception):
    """Entries of this device stand where the shared store's belong: roll them back, and adopt again."""


@contextmanager
def writing(journal: Journal, device_id: str) -> Iterator[Transaction]:
    """What a shared store answered is of no other project: raises `not_attached` once this device's is not attached any more."""
    with journal.transaction() as transaction:
        attached = project(transaction.connection)
        if attached is None or attached.device_id != device_id:
            raise OutriderError("not_attached")
        yield transaction


# --- the project ---


def project(connection: DatabaseConnection) -> AttachedProject | None:
    """The attached project; None without one."""
    row = connection.execute(f"SELECT {', '.join(AttachedProject._fields)} FROM project").fetchone()
    return AttachedProject(*row) if row else None


def attach(transaction: Transaction, attached: AttachedProject) -> None:
    """From now on that project decides; nothing is known yet of what it has. Raises `project_attached`."""
    if project(transaction.connection):
        raise OutriderError("project_attached")
    marks = ", ".join("?" * len(attached))
    transaction.connection.execute(
        f"INSERT INTO project(one, {', '.join(AttachedProject._fields)}) VALUES (1, {marks})", attached
    )
    transaction.connection.execute(
        "INSERT INTO acknowledged(campaign_id, alone_until) SELECT campaign_id, event_seq FROM log_heads"
    )


def become_device(transaction: Transaction, device: AttachedProject) -> None:
    """This data folder is another device from now on, or known to be on this machine. The project stays the same."""
    transaction.connection.execute(
        "UPDATE project SET device_id=?, device_name=?, machine=?",
        (device.device_id, device.device_name, device.machine),
    )


def keep_device(transaction: Transaction, previous: AttachedProject | None) -> None:
    """After a backup was put back: the folder stays the device that it was of that project, `previous` to this. Where it was
    another one's, or none, it becomes a new device at the next start, lest two be one.
    """
    restored = project(transaction.connection)
    if restored is None or (previous is not None and previous.device_id == restored.device_id):
        return
    is_same = previous is not None and (previous.url, previous.user_id) == (restored.url, restored.user_id)
    become_device(transaction, previous if previous and is_same else restored._replace(machine=RESTORED))


def replace_key(transaction: Transaction, public_key: str) -> None:
    """The attached project has another public key."""
    transaction.connection.execute("UPDATE project SET public_key=?", (public_key,))


def replace_email(transaction: Transaction, email: str) -> None:
    """Whose project it is has another address."""
    transaction.connection.execute("UPDATE project SET email=?", (email,))


def detach(transaction: Transaction, now: int) -> None:
    """No project is attached any more, and the logs are append-only without exception."""
    for campaign_id in rebase_queue.streams_with_pending(
        transaction.connection
    ):  # nobody else would bring back what waits to be reapplied
        roll_back_unacknowledged(transaction, campaign_id, now)  # what was decided since comes behind it
        reapply(transaction, campaign_id, now)
    transaction.connection.execute("DELETE FROM project")
    transaction.connection.execute("DELETE FROM acknowledged")


# --- what goes there ---


def count_unacknowledged(connection: DatabaseConnection) -> int:
    """How many events the shared store has not acknowledged; 0 without a project."""
    row = connection.execute(
        "SELECT coalesce(sum(h.event_seq - coalesce(a.event_seq, 0)), 0) FROM log_heads h"
        " LEFT JOIN acknowledged a USING (campaign_id) WHERE EXISTS (SELECT 1 FROM project)"
    ).fetchone()
    return int(row[0])


def streams_to_push(connection: DatabaseConnection) -> list[str]:
    """The streams with something in either log that the shared store has not acknowledged; the workspace's own first."""
    rows = connection.execute(
        "SELECT campaign_id FROM log_heads h LEFT JOIN acknowledged a USING (campaign_id)"
        " WHERE EXISTS (SELECT 1 FROM project)"
        " AND (h.event_seq > coalesce(a.event_seq, 0) OR h.audit_seq > coalesce(a.audit_seq, 0))"
        " ORDER BY campaign_id <> 'workspace', campaign_id"
    )
    return [row[0] for row in rows]


def unacknowledged_approvals(connection: DatabaseConnection) -> list[tuple[str, str]]:
    """(campaign, message) of each open approval that was given here and that no other device can have heard of."""
    return connection.execute(
        "SELECT a.campaign_id, a.message_id FROM approvals a JOIN acknowledged k USING (campaign_id) WHERE a.status = 'open'"
        " AND EXISTS (SELECT 1 FROM event_log e WHERE e.campaign_id = a.campaign_id AND e.seq > k.event_seq"
        " AND e.kind = 'ApprovalGiven' AND e.entity_id = a.id)"
    ).fetchall()


def next_batch(connection: DatabaseConnection, campaign_id: str, *, most: int, most_bytes: int) -> Batch | None:
    """What follows on what the shared store has: at most so many entries and bytes of payload, but one at least.

    Ends between two transactions where it can, so that another device is not shown half of one. None if nothing waits.
    """
    ends = connection.execute(_ENDS, (campaign_id,)).fetchone()
    if ends is None or ends[:2] == ends[2:]:
        return None
    event_end, _, event_seq, audit_seq = ends
    rows = connection.execute(f"SELECT {_EVENT} {_AFTER}", (campaign_id, event_seq, most))
    events, bytes_left = _fitting(map(LoggedEvent._make, rows), most_bytes, _event_cost)
    if (following := event_seq + len(events) + 1) <= event_end:
        events = _whole(events, _recorded_at(connection, campaign_id, following))
    audits: list[LoggedAudit] = []
    if len(events) < most and (bytes_left > 0 or not events):
        rows = connection.execute(f"SELECT {_AUDIT} {_AFTER}", (campaign_id, audit_seq, most - len(events)))
        audits, _ = _fitting(map(LoggedAudit._make, rows), bytes_left, _audit_cost)
    if not events and not audits:
        return None
    device_id = attached.device_id if (attached := project(connection)) else ""
    return Batch(device_id, campaign_id, event_seq, tuple(events), audit_seq, tuple(audits))


def first_half(batch: Batch, *, may_split: bool = False) -> Batch | None:
    """About half of what is in it, from its beginning, up to the end of a transaction; None if it is one transaction.

    With `may_split` a transaction may be parted; then None is one entry.
    """
    if batch.events and batch.audits:
        return batch._replace(audits=())
    entries: Sequence[LoggedEvent | LoggedAudit] = batch.events or batch.audits
    ends = [end for end in range(1, len(entries)) if _RECORDED(entries[end - 1]) != _RECORDED(entries[end])]
    if not ends and may_split:
        ends = list(range(1, len(entries)))
    if not ends:
        return None
    end = min(ends, key=lambda end: abs(end - len(entries) // 2))
    return batch._replace(events=batch.events[:end], audits=batch.audits[:end])


def _fitting(entries: Iterable[Entry], size: int, cost: Callable[[Entry], int]) -> tuple[list[Entry], int]:
    """The first of them that fit by what they cost, and what room they leave; the first one in any case."""
    fitting: list[Entry] = []
    for entry in entries:
        size -= cost(entry)
        if fitting and size < 0:
            break
        fitting.append(entry)
    return fitting, size


def _event_cost(event: LoggedEvent) -> int:
    return len(event.payload) * (ERASURE_WEIGHT if event.kind == ERASES else 1)


def _audit_cost(audit: LoggedAudit) -> int:
    return len(audit.payload)


def _whole(events: list[LoggedEvent], after: tuple[Any, ...] | None) -> list[LoggedEvent]:
    """Without the beginning of a transaction that goes on behind them, unless they are nothing else."""
    end = len(events)
    while end and _RECORDED(events[end - 1]) == after:
        end -= 1
    return events[:end] or events


def _recorded_at(connection: DatabaseConnection, campaign_id: str, seq: int) -> tuple[Any, ...] | None:
    row: tuple[Any, ...] | None = connection.execute(
        "SELECT timestamp, actor, cause FROM event_log WHERE campaign_id=? AND seq=?", (campaign_id, seq)
    ).fetchone()
    return row


def acknowledge(transaction: Transaction, campaign_id: str, event_seq: int, audit_seq: int) -> None:
    """The shared store has both logs up to there; never more than is here, and never less than before. Raises `not_attached`."""
    head = transaction.head(campaign_id)
    row = campaign_id, min(event_seq, head.event_seq), min(audit_seq, head.audit_seq)
    if not transaction.connection.execute(_ACKNOWLEDGE, row).rowcount:
        raise OutriderError("not_attached")


# --- what comes from there ---


def adopt(
    transaction: Transaction, campaign_id: str, events: Sequence[LoggedEvent], audits: Sequence[LoggedAudit]
) -> None:
    """Append the shared store's entries exactly as they are, fold them, and know them as acknowledged.

    Entries that are here already are passed over. Raises `DivergedError` when unacknowledged entries stand in their place,
    `shared_store_log_broken` and `shared_store_newer`; then nothing may be committed.
    """
    if unknown := {event.kind for event in events} - EVENT_KINDS.keys():
        raise OutriderError("shared_store_newer", kind=min(unknown))
    _refuse_strange_ids(campaign_id, events)
    head, position = transaction.head(campaign_id), sync_positions.position(transaction.connection, campaign_id)
    new_events = _new(transaction.connection, "event_log", campaign_id, position.event_seq, *head[:2], events)
    new_audits = _new(transaction.connection, "audit_log", campaign_id, position.audit_seq, *head[2:], audits)
    if new_events or new_audits:
        try:
            transaction.adopt(campaign_id, new_events, new_audits)
        except sqlite3.OperationalError as error:  # a column that no table has
            table_columns = known_columns(transaction.connection)
            parts = (newer_part(table_columns, event.kind, event.payload) for event in new_events)
            if newer := next(filter(None, parts), ""):
                raise OutriderError("shared_store_newer", kind=newer) from error
            raise
        except NOT_FOLDABLE as error:
            raise log_broken("event_log", campaign_id, new_events[0].seq if new_events else 0, str(error)) from error
    acknowledge(transaction, campaign_id, events[-1].seq if events else 0, audits[-1].seq if audits else 0)


def readable(log: str, campaign_id: str, pages: Iterable[Sequence[Entry]]) -> Iterator[Sequence[Entry]]:
    """The same pages, before anything is made of them.

    Raises `shared_store_log_broken` for an entry that nobody can read, or of which a column is not as its kind declares, and
    `shared_store_newer` where a newer Outrider may have written it so.
    """
    for page in pages:
        for entry in page:
            fields = _fields(entry.payload)
            if fields is None:
                raise log_broken(log, campaign_id, entry.seq, "what it says cannot be read")
            if isinstance(entry, LoggedEvent):
                _refuse_unfit(campaign_id, entry, fields)
        yield page


def _refuse_unfit(campaign_id: str, event: LoggedEvent, fields: Row) -> None:
    if event.kind not in EVENT_KINDS:
        return  # `adopt` says that a newer Outrider wrote it
    unfit = unfit_column(event.kind, fields, erased=event.digest is not None)
    if unfit is None:
        return
    if unfit.is_newer:
        raise OutriderError("shared_store_newer", kind=f"{event.kind}.{unfit.name}")
    raise log_broken("event_log", campaign_id, event.seq, f"{unfit.name!a} is not what {event.kind} may say")


def _fields(payload: str) -> Row | None:
    """The fields of an entry; None if it has none, or more levels than anybody who reads it could go down."""
    try:
        fields = read_object(payload)
    except (ValueError, RecursionError):
        return None
    level: list[Json] = [fields]
    for _ in range(MOST_LEVELS):
        values = (value.values() if isinstance(value, dict) else value for value in level)
        level = [inner for outer in values for inner in outer if isinstance(inner, dict | list)]
        if not level:
            return fields
    return None


def _refuse_strange_ids(campaign_id: str, events: Sequence[LoggedEvent]) -> None:
    """Whoever can write to the shared store can chain any entry; an id of theirs must not become a path here."""
    if not is_id(campaign_id):
        raise log_broken("event_log", ascii(campaign_id), 0, "its campaign's id is none of ours")
    for event in events:
        if EVENT_KINDS[event.kind].entity == "campaign" and event.entity_id != campaign_id:
            raise log_broken("event_log", campaign_id, event.seq, "it is about another campaign")
        if not is_entity_id(event.entity_id):
            raise log_broken("event_log", campaign_id, event.seq, "the id in it is none of ours")


def _new(
    connection: DatabaseConnection,
    log: str,
    campaign_id: str,
    acknowledged_seq: int,
    seq: int,
    last: bytes,
    entries: Sequence[Entry],
) -> Sequence[Entry]:
    """Those beyond the log's end; verified, and so are those within it."""
    new = entries
    if entries and entries[0].seq <= seq:
        stored_hashes = dict(
            connection.execute(
                f"SELECT seq, hash FROM {log} WHERE campaign_id=? AND seq BETWEEN ? AND ?",
                (campaign_id, entries[0].seq, entries[-1].seq),
            )
        )
        for entry in entries:
            if entry.seq in stored_hashes and stored_hashes[entry.seq] != entry.hash:
                if entry.seq > acknowledged_seq:
                    raise DivergedError(campaign_id)
                raise log_broken(log, campaign_id, entry.seq)
        new = entries[len(stored_hashes) :]
    if (strange := first_unlinked(campaign_id, seq, last, new)) is not None:
        raise log_broken(log, campaign_id, strange.seq, "it does not follow on the entry before it")
    return new


def log_broken(log: str, campaign_id: str, seq: int, detail: str = "it is not what was acknowledged") -> OutriderError:
    """What the shared store has there cannot be taken over."""
    return OutriderError("shared_store_log_broken", log=log, campaign=campaign_id, seq=seq, detail=detail)


# --- the rebase ---


def roll_back_unacknowledged(transaction: Transaction, campaign_id: str, now: int) -> int:
    """Take what the shared store has not acknowledged out of both logs, whole, and its effects out of the rows; how many events.

    What is kept of it waits for `reapply`. Costs one scan of the stream's log.
    """
    connection, head = transaction.connection, transaction.head(campaign_id)
    position = sync_positions.position(connection, campaign_id)
    if (head.event_seq, head.audit_seq) == position[1:3]:
        return 0
    rows = connection.execute(f"SELECT {_EVENT} {_AFTER}", (campaign_id, position.event_seq, -1))
    removed_events = [_event_with_changes(campaign_id, LoggedEvent(*row)) for row in rows]
    # A stream that is new has no row yet, and without it nothing may go.
    acknowledge(transaction, campaign_id, position.event_seq, position.audit_seq)
    rebase_queue.stash(
        connection, transaction.new_id, campaign_id, "event", position.event_seq, position.event_seq, now
    )
    rebase_queue.stash(
        connection, transaction.new_id, campaign_id, "audit", position.audit_seq, position.event_seq, now
    )
    connection.execute("DELETE FROM event_log WHERE campaign_id=? AND seq>?", (campaign_id, position.event_seq))
    connection.execute("DELETE FROM audit_log WHERE campaign_id=? AND seq>?", (campaign_id, position.audit_seq))
    replay.rebuild_rows(connection, campaign_id, (change for event in removed_events for change in event.changes))
    last, last_audit = position.event_hash or GENESIS, position.audit_hash or GENESIS
    transaction.rewind(campaign_id, LogHeads(position.event_seq, last, position.audit_seq, last_audit))
    return len(removed_events)


def reapply(transaction: Transaction, campaign_id: str, now: int) -> None:
    """Record again, group by group, what can be reapplied on what the shared store has; the rest is kept for the user, or dropped.

    Audit entries always can. To be called when everything of the shared store has been adopted; nothing if nothing is pending.
    """
    connection = transaction.connection
    pending = rebase_queue.pending(connection, campaign_id)
    if not pending:
        return
    keys_of_others = _conflict_keys_of_others(connection, campaign_id, min(group.base for group in pending))
    rebase_queue.drop_acknowledged(connection, campaign_id)
    (alone_until,) = connection.execute(
        "SELECT alone_until FROM acknowledged WHERE campaign_id=?", (campaign_id,)
    ).fetchone()
    entries = (entry for group in pending for entry in rebase_queue.events(connection, group.id))
    acted = rows_of_acts(
        _event_with_changes(campaign_id, entry).event
        for entry in entries
        if entry.entity_type == "action" and entry.seq <= alone_until
    )
    causes: set[str] = set()
    undecided: set[ConflictKey] = set()
    imports_again = ImportsAgain(transaction, campaign_id)
    for base, groups in groupby(pending, key=lambda group: group.base):
        taken_keys = {key for key, seq in keys_of_others.items() if seq > base}  # what came earlier was known
        for group in groups:
            unapplied, choice = _reapply_group(
                transaction, campaign_id, group, taken_keys, undecided, imports_again, acted
            )
            if unapplied:
                claimed = conflict_keys(change for event in unapplied for change in event.changes)
                taken_keys |= claimed
                undecided |= claimed if choice else set()
                causes.add(group.cause)
                paid = cost_events(unapplied, _rows(connection, unapplied), transaction.new_id)
                transaction.record(campaign_id, paid, actor="agent", cause="rebase", at=group.decided_at)
            rebase_queue.set_status(
                connection,
                group.id,
                RebaseStatus.CONFLICT if choice else RebaseStatus.DROPPED if unapplied else RebaseStatus.REBASED,
                now,
            )
    _reapply_audits(transaction, campaign_id, causes)
    if acted:  # it stands elsewhere in the log now
        connection.execute(
            "UPDATE acknowledged SET alone_until=? WHERE campaign_id=?",
            (transaction.head(campaign_id).event_seq, campaign_id),
        )


def _reapply_group(
    transaction: Transaction,
    campaign_id: str,
    group: rebase_queue.LocalTransaction,
    taken_keys: set[ConflictKey],
    undecided: set[ConflictKey],
    imports_again: ImportsAgain,
    acted: set[Json],
) -> tuple[list[EventWithChanges], bool]:
    """Record of the group what can be reapplied; what cannot, and whether that is the user's to choose."""
    connection = transaction.connection
    entries = {event.seq: event for event in rebase_queue.events(connection, group.id)}
    events = [_event_with_changes(campaign_id, entry) for entry in entries.values()]
    state = _rows(connection, events)
    existing_keys, reapplied_seqs, moot = set(state), list[int](), list[EventWithChanges]()
    news: dict[int, EventWithChanges] = {}
    if is_about_everybody(events):
        left_alone = {key for key in taken_keys if _is_left_alone(connection, key)}
        taken_keys = taken_keys - left_alone
        moot = [event for event in events if not conflict_keys(event.changes).isdisjoint(left_alone)]
    units = reapply_units([event for event in events if event not in moot])
    done = is_done(events, group.actor == USER, acted)
    if done:
        others_keys, taken_keys = taken_keys, set()
        if is_on_record(events, state):
            units = []
        elif group.actor != USER or is_of_act(events):  # it is on record even if what it built on is not
            units = [parts_that_fit(events, existing_keys)]
        units = [[entry for entry in unit if not takes_up_again(entry, others_keys, state)] for unit in units]
        moot += [entry for unit in units for entry in unit if still_news(entry, state) is None]
        units = [list(filter(None, (still_news(entry, state) for entry in unit))) for unit in units]
    elif group.actor != USER and (outcome := outcome_of_act(events, state)):
        units = [outcome]
    for unit in units:
        if can_reapply(unit, taken_keys, existing_keys, done=done):
            reapplied_seqs += [event.seq for event in unit]
            news |= {event.seq: event for event in unit}
            existing_keys |= {row_key(change) for event in unit for change in event.changes}
    restatements = imports_again.of(events, reapplied_seqs) if is_divisible(events) else []
    settled = {seq for restatement in restatements for seq in restatement.seqs}
    reapplied_seqs = [seq for seq in reapplied_seqs if seq not in settled]
    try:
        _append_again(transaction, campaign_id, [_with_news(entries[seq], news[seq]) for seq in reapplied_seqs])
    except NOT_FOLDABLE:  # a rule of the database's own stands against it
        reapplied_seqs = []
    for restatement in restatements:
        transaction.record(campaign_id, restatement.events(), actor=group.actor, cause=group.cause, at=group.decided_at)
    reapplied = {*reapplied_seqs, *settled, *(event.seq for event in moot if reapplied_seqs)}
    rebase_queue.drop(connection, group.id, reapplied)
    unapplied = [event for event in events if event.seq not in reapplied]
    if group.actor != USER or is_divisible(events):
        return unapplied, False
    # What holds now may not hold any more when an earlier decision about the same is made again.
    follows = not undecided.isdisjoint(conflict_keys(change for event in unapplied for change in event.changes))
    return unapplied, follows or not already_holds(unapplied, {**_namesakes(connection, unapplied), **state})


_LEAD_OF = {
    "leads": "id FROM leads WHERE id=?1",
    "messages": "lead_id FROM messages WHERE id=?1",
    "tasks": "lead_id FROM tasks WHERE id=?1",
    "actions": "lead_id FROM actions WHERE id=?1",
    "approvals": "m.lead_id FROM approvals a JOIN messages m ON m.id = a.message_id WHERE a.id=?1",
    "input_requests": "t.lead_id FROM input_requests q JOIN tasks t ON t.id = q.task_id WHERE q.id=?1",
    "commitments": "t.lead_id FROM commitments c JOIN tasks t ON t.id = c.task_id WHERE c.id=?1",
}


def _is_left_alone(connection: DatabaseConnection, key: ConflictKey) -> bool:
    """Whether it is about a person who gets nothing any more: erased, refused, skipped, or done with the sequence."""
    if key.table not in _LEAD_OF:
        return False
    if "lead_id" in key.part or key.part == ANSWER:
        key = ConflictKey("leads", key.key)
    (left_alone,) = connection.execute(
        f"SELECT EXISTS (SELECT 1 FROM leads WHERE (blocked<>'' OR finished<>'') AND id = (SELECT {_LEAD_OF[key.table]}))",
        (key.key[1],),
    ).fetchone()
    return bool(left_alone)


def _with_news(entry: LoggedEvent, news: EventWithChanges) -> LoggedEvent:
    """The entry as far as it is news; an erased one, which has no words left to tell it by, as it is."""
    payload = canonical(news.event.changes)
    return entry if entry.digest is not None or payload == entry.payload else entry._replace(payload=payload)


def _append_again(transaction: Transaction, campaign_id: str, events: Sequence[LoggedEvent]) -> None:
    """Append and fold them at the end of the log, or change nothing."""
    transaction.connection.execute("SAVEPOINT again")
    try:
        transaction.append_local_again(campaign_id, events, ())
    except BaseException:
        transaction.connection.execute("ROLLBACK TO again")
        raise
    finally:
        transaction.connection.execute("RELEASE again")


def recorded_since(
    connection: DatabaseConnection, conflict: rebase_queue.Conflict
) -> list[tuple[str, EventWithChanges]]:
    """(cause, entry) of all in its stream that was not known when it was decided, and of what was recorded here since."""
    rows = connection.execute(
        f"SELECT {_EVENT} WHERE campaign_id=? AND seq>(SELECT base FROM rebase_queue WHERE id=?) ORDER BY seq",
        (conflict.campaign_id, conflict.id),
    )
    entries = map(LoggedEvent._make, rows)
    return [(entry.cause, _event_with_changes(conflict.campaign_id, entry)) for entry in entries]


def _reapply_audits(transaction: Transaction, campaign_id: str, dropped: set[str]) -> None:
    """Append the audit entries again; those of what was not reapplied say so, for another turn has their turn's number now."""
    audits = rebase_queue.take_audits(transaction.connection, campaign_id)
    relabeled_audits = (a._replace(cause=f"not reapplied: {a.cause}") if a.cause in dropped else a for a in audits)
    transaction.append_local_again(campaign_id, (), relabeled_audits)


def is_own(connection: DatabaseConnection, campaign_id: str, event: LoggedEvent) -> bool:
    """Whether this very entry, which the shared store has, was recorded here; asked before it is adopted."""
    row = connection.execute(
        "SELECT 1 FROM event_log WHERE campaign_id=? AND seq=? AND hash=?"
        " UNION ALL SELECT 1 FROM rebase_queue_entries WHERE campaign_id=? AND hash=?",
        (campaign_id, event.seq, event.hash, campaign_id, event.hash),
    )
    return row.fetchone() is not None


def _conflict_keys_of_others(connection: DatabaseConnection, campaign_id: str, base: int) -> dict[ConflictKey, int]:
    """What entries after `base` laid hand on that were never rolled back here, and which did so last."""
    rows = connection.execute(
        f"SELECT {_EVENT} AS e WHERE campaign_id=? AND seq>?"
        " AND NOT EXISTS (SELECT 1 FROM rebase_queue_entries s WHERE s.hash = e.hash) ORDER BY seq",
        (campaign_id, base),
    )
    events = (_event_with_changes(campaign_id, LoggedEvent(*row)) for row in rows)
    return {key: event.seq for event in events for key in conflict_keys(event.changes)}


# --- shared ---


def _event_with_changes(campaign_id: str, entry: LoggedEvent) -> EventWithChanges:
    logged = replay.replay_entry((campaign_id, entry.timestamp, entry.kind, entry.entity_id, entry.payload))
    return EventWithChanges(entry.seq, logged.event, replay.changes(logged), entry.timestamp)


def _rows(connection: DatabaseConnection, events: Iterable[EventWithChanges]) -> ProjectedRows:
    """Those of the rows they make or change that are there."""
    changes = {row_key(change): change for event in events for change in event.changes}
    rows = ((key, projections.find(connection, change)) for key, change in changes.items())
    return {key: row for key, row in rows if row is not None}


def _namesakes(connection: DatabaseConnection, events: Iterable[EventWithChanges]) -> ProjectedRows:
    """For what they make: the row that another device made by the same name."""
    created = (change for event in events for change in event.changes if change.verb is Verb.CREATES)
    namesakes = ((change, _namesake(connection, change)) for change in created)
    return {row_key(change): with_times_of(change, row) for change, row in namesakes if row is not None}


def _namesake(connection: DatabaseConnection, made: RowChange) -> Row | None:
    for names in UNIQUE_COLUMNS.get(made.table, ()):
        if names[0] in made.values and (row := projections.find_named(connection, made, names)) is not None:
            return row
    return None
