"""Rebuilds every projection from the event log alone, and tells where the stored rows differ."""

import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from backend.domain.events.events import DERIVING, TABLES, Event, RowChange, RowKey, Verb, row_changes, row_key
from backend.domain.values.canonical_json import canonical
from backend.domain.values.errors import OutriderError
from backend.store import migrations
from backend.store.database import Database, DatabaseConnection, damage_error, first_damage
from backend.store.log import projections
from backend.store.log.newer_entries import known_columns, newer_part
from backend.store.queries.device import runtime_snapshot, search_indexes
from backend.store.queries.leads import lead_index
from backend.store.queries.people import person_index

PROJECTIONS = (
    *sorted(set(TABLES.values())),
    "execution_state",
    "identity_doubts",
    "lead_counts",
    "lead_tags",
    "listed_keys",
    "model_spend",
    "people",
    "person_keys",
    "task_counts",
)
"""Every table that the event log determines, the trigger-kept counts included."""

LISTS = {"artifact_heads": ("campaign_id", "artifact_type", "artifact_key"), "lead_keys": ("lead_id",)}
"""Tables that follow from rows and by which rows are found, and what names one of theirs; its `number` is nobody's."""


class Difference(NamedTuple):
    """One row that is not what the log says; None where it is missing on that side."""

    table: str
    key: tuple[Any, ...]
    stored: tuple[Any, ...] | None
    replayed: tuple[Any, ...] | None


class ReplayEntry(NamedTuple):
    """An event as the log holds it; of an erased one, what is left."""

    campaign_id: str
    timestamp: int
    event: Event


REPLAY_COLUMNS = "campaign_id, timestamp, kind, entity_id, change_payload"
"""The columns that `logged` reads."""

NOT_FOLDABLE = (*projections.NOT_FOLDABLE, sqlite3.OperationalError)
"""What a whole log may raise besides: a column that no table has …"""

_OF_THE_ENTRY = frozenset({sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CONSTRAINT, sqlite3.SQLITE_MISMATCH})

PROGRESS_EVERY = 1_000
"""How many entries pass between two words about progress."""


def replay_entry(row: tuple[str, int, str, str, str]) -> ReplayEntry:
    """An entry from its `REPLAY_COLUMNS`."""
    campaign_id, timestamp, kind, entity_id, payload = row
    return ReplayEntry(campaign_id, timestamp, Event(kind, entity_id, json.loads(payload)))


def changes(entry: ReplayEntry) -> list[RowChange]:
    """The rows that an event of the log makes or alters."""
    return row_changes(entry.campaign_id, entry.timestamp, entry.event)


def apply(target: DatabaseConnection, entry: ReplayEntry) -> None:
    """Fold one event into the projections of `target`."""
    projections.apply(target, changes(entry))


def find_differences(database: Database, on_progress: Callable[[int], None] = lambda _: None) -> list[Difference]:
    """Replay into a scratch database and compare every row of every projection. Raises `log_not_foldable` and `log_newer`."""
    with database.read() as stored:
        _intact(database, stored)
        scratch = _replayed(stored, on_progress)
        try:
            return [difference for table in (*PROJECTIONS, *LISTS) for difference in _compare(stored, scratch, table)]
        finally:
            scratch.close()


def _intact(database: Database, connection: DatabaseConnection) -> None:
    """Indexes too: a damaged one gives wrong answers over right rows, which no comparison of rows can see."""
    if (damage := first_damage(connection, "integrity_check")) != "ok":
        raise damage_error(database.path, damage)


def rebuild(database: Database, at: int | None = None) -> int:
    """Drop the rows of every projection and make them again from the log, in one transaction; how many events that took.

    `at` (ms UTC) is kept as when that was. Raises `log_not_foldable` and `log_newer`, and nothing has changed.
    """
    with database.write() as connection:
        connection.execute("PRAGMA defer_foreign_keys=ON")  # rows and the campaigns they refer to go and come together
        # First: a trigger would take each row that goes out of an index, and a damaged one refuses that.
        for table in (*LISTS, "leads_new", "leads_unsearched"):
            connection.execute(f"DELETE FROM {table}")
        search_indexes.empty(connection)
        for table in reversed(PROJECTIONS):
            connection.execute(f"DELETE FROM {table}")
        count = _apply_all(connection, connection)
        lead_index.index_changes(connection)
        if at is not None:
            runtime_snapshot.keep_rebuild(connection, at, count)
        return count


def rebuild_rows(connection: DatabaseConnection, campaign_id: str, touching: Iterable[RowChange]) -> None:
    """Make every row that these changes touch from what is in the log; costs one scan of the stream."""
    touched = {row_key(change): change for change in touching}
    if any(change.table == "campaigns" for change in touched.values()):  # to which other rows refer
        # Not for every row: after it SQLite prepares all statements of the connection anew.
        connection.execute("PRAGMA defer_foreign_keys=ON")
    for change in touched.values():
        projections.remove(connection, change)
    made: dict[RowKey, RowChange] = {}
    kinds = DERIVING if {"runtime_snapshot", "execution_state"} & {table for table, _ in touched} else ()
    rows = connection.execute(
        f"SELECT {REPLAY_COLUMNS} FROM event_log WHERE campaign_id=?"
        " AND (entity_id IN (SELECT value FROM json_each(?)) OR kind IN (SELECT value FROM json_each(?))) ORDER BY seq",
        (campaign_id, canonical(sorted({str(key[-1]) for _, key in touched})), canonical(sorted(kinds))),
    )
    for row in rows:
        for change in changes(replay_entry(row)):
            key = row_key(change)
            if key in touched and change.verb is Verb.CREATES:
                made[key] = change._replace(values=dict(change.values))
            elif key in touched:
                made[key].values.update(change.values)
    projections.apply_many(connection, made.values())


def _replayed(stored: DatabaseConnection, on_progress: Callable[[int], None]) -> DatabaseConnection:
    # No name: a temporary file of SQLite's own, on disk when it grows, gone when it is closed, however we end.
    scratch = sqlite3.connect("", isolation_level=None)
    try:
        scratch.execute("PRAGMA journal_mode=OFF")
        scratch.execute("PRAGMA synchronous=OFF")
        migrations.copy_schema(scratch)
        scratch.execute("BEGIN")
        _apply_all(stored, scratch, on_progress)
        scratch.execute("COMMIT")
    except BaseException:
        scratch.close()
        raise
    return scratch


def _apply_all(
    source: DatabaseConnection, target: DatabaseConnection, on_progress: Callable[[int], None] = lambda _: None
) -> int:
    count = 0
    for seq, *row in source.execute(f"SELECT seq, {REPLAY_COLUMNS} FROM event_log ORDER BY campaign_id, seq"):
        try:
            apply(target, replay_entry(tuple(row)))
        except NOT_FOLDABLE as error:
            if isinstance(error, sqlite3.Error) and error.sqlite_errorcode & 0xFF not in _OF_THE_ENTRY:
                raise  # the disk is full, say
            campaign_id, _, kind, _, payload = row
            if newer := newer_part(known_columns(target), kind, payload):
                raise OutriderError("log_newer", campaign=campaign_id, seq=seq, what=newer) from error
            raise OutriderError("log_not_foldable", campaign=campaign_id, seq=seq, detail=error) from error
        count += 1
        if count % PROGRESS_EVERY == 0:
            on_progress(count)
    person_index.index_people(target)
    lead_index.list_new_leads(target)
    return count


def _compare(stored: DatabaseConnection, scratch: DatabaseConnection, table: str) -> Iterator[Difference]:
    info = stored.execute(f"PRAGMA table_info({table})").fetchall()
    keys = LISTS.get(table) or [row[1] for row in sorted((row for row in info if row[5]), key=lambda row: row[5])]
    columns = [row[1] for row in info if table not in LISTS or row[1] != "number"]
    key_at = [columns.index(key) for key in keys]
    sql = f"SELECT {', '.join(columns)} FROM {table} ORDER BY {', '.join(keys)}"
    stored_rows, scratch_rows = iter(stored.execute(sql)), iter(scratch.execute(sql))
    stored_row, scratch_row = next(stored_rows, None), next(scratch_rows, None)
    while stored_row is not None or scratch_row is not None:
        stored_key = None if stored_row is None else tuple(stored_row[at] for at in key_at)
        scratch_key = None if scratch_row is None else tuple(scratch_row[at] for at in key_at)
        if scratch_key is None or (stored_key is not None and stored_key < scratch_key):
            yield Difference(table, stored_key or (), stored_row, None)
            stored_row = next(stored_rows, None)
        elif stored_key is None or scratch_key < stored_key:
            yield Difference(table, scratch_key, None, scratch_row)
            scratch_row = next(scratch_rows, None)
        else:
            if stored_row != scratch_row:
                yield Difference(table, stored_key, stored_row, scratch_row)
            stored_row, scratch_row = next(stored_rows, None), next(scratch_rows, None)
