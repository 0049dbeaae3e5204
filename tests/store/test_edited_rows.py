"""A row that somebody edited by hand, in any table and any column, is found by replay and made right again by rebuilding."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any

import pytest

from backend.domain.events.events import WORKSPACE, Event
from backend.store.database import Database
from backend.store.functions import add_functions
from backend.store.log import replay
from backend.store.queries.device import search_indexes
from backend.store.queries.leads import lead_index
from tests.store.opening import CAMPAIGN, lead_imported, open_journal, write
from tests.store.streams import Streams

TABLES = (*replay.PROJECTIONS, *replay.LISTS)


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database in which most tables have rows."""
    path = tmp_path_factory.mktemp("history") / "o.db"
    journal = open_journal(path)
    for campaign, at, event in Streams(Random(7)).take(600):
        journal.record(campaign, events=(event,), actor="test", cause="c", at=at)
    listed = {"member_key": "x/9000", "name": "Zoë Listed", "reason": "", "status": "active", "created_at": 0}
    write(journal, Event("DoNotContactAdded", "listed-9000", listed), campaign=WORKSPACE)
    write(journal, lead_imported(9000, full_name="Zoë Listed"))
    journal.database.close()
    return path


@pytest.fixture(scope="module")
def before(history: Path) -> dict[str, list[Any]]:
    """Its rows, before anybody edits any."""
    return content(history)


def content(path: Path) -> dict[str, list[Any]]:
    """The rows of every table that follows from the log, without the numbers of lists."""
    with closing(sqlite3.connect(path)) as connection:
        rows: dict[str, list[Any]] = {}
        for table in TABLES:
            names = [row[1] for row in connection.execute(f"PRAGMA table_info({table})") if row[1] != "number"]
            rows[table] = sorted(connection.execute(f"SELECT {', '.join(names)} FROM {table}"), key=repr)
        return rows


def edit(path: Path, *statements: str) -> None:
    """By hand: none of the schema's triggers sees it."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        add_functions(connection)
        triggers = connection.execute("SELECT name, sql FROM sqlite_master WHERE type='trigger'").fetchall()
        for name, _ in triggers:
            connection.execute(f"DROP TRIGGER {name}")
        for statement in statements:
            connection.execute(statement)
        for _, sql in triggers:
            connection.execute(sql)


def assert_found_and_mended(path: Path, before: dict[str, list[Any]], table: str) -> None:
    database = Database(path)
    try:
        differences = replay.find_differences(database)
        assert table in {difference.table for difference in differences}
        replay.rebuild(database)
        assert replay.find_differences(database) == []
        with database.read() as connection:
            names = [lead.name for lead in lead_index.find_anywhere(connection, "zoe", CAMPAIGN)]
        with database.write() as connection:
            assert search_indexes.mend(connection) == []
    finally:
        database.close()
    assert names == ["Zoë Listed"]
    assert content(path) == before


@pytest.mark.parametrize("table", TABLES)
def test_a_row_that_was_removed_is_missed(
    history: Path, before: dict[str, list[Any]], tmp_path: Path, table: str
) -> None:
    path = Path(shutil.copy(history, tmp_path))
    if before[table]:
        edit(
            path,
            f"DELETE FROM {table} WHERE rowid=(SELECT min(rowid) FROM {table})"
            if has_rowid(path, table)
            else one_less(path, table),
        )
        assert_found_and_mended(path, before, table)


def has_rowid(path: Path, table: str) -> bool:
    with closing(sqlite3.connect(path)) as connection:
        (sql,) = connection.execute("SELECT sql FROM sqlite_master WHERE name=?", (table,)).fetchone()
        return "WITHOUT ROWID" not in sql


def one_less(path: Path, table: str) -> str:
    with closing(sqlite3.connect(path)) as connection:
        keys = [row[1] for row in connection.execute(f"PRAGMA table_info({table})") if row[5]]
    named = ", ".join(keys)
    return f"DELETE FROM {table} WHERE ({named}) IN (SELECT {named} FROM {table} LIMIT 1)"


def test_every_column_of_every_table_is_compared(history: Path, before: dict[str, list[Any]], tmp_path: Path) -> None:
    path = Path(shutil.copy(history, tmp_path))
    with closing(sqlite3.connect(path)) as connection:
        info = {table: connection.execute(f"PRAGMA table_info({table})").fetchall() for table in TABLES}
    edited: dict[str, set[str]] = {}
    for table in filter(before.get, TABLES):
        keys = {*replay.LISTS.get(table, ()), *(row[1] for row in info[table] if row[5])}
        for _, name, kind, *_ in info[table]:
            if name in keys:
                continue
            changed = f"{name} || 'x'" if kind == "TEXT" else f"coalesce({name}, 0) + 1"
            try:
                edit(path, f"UPDATE {table} SET {name}=coalesce({changed}, 'x')")
            except sqlite3.DatabaseError:
                continue  # the schema itself refuses that value, or another column makes it
            edited.setdefault(table, set()).add(name)
    database = Database(path)
    differing: dict[str, set[str]] = {}
    for difference in replay.find_differences(database):
        names = [row[1] for row in info[difference.table] if difference.table not in replay.LISTS or row[1] != "number"]
        if difference.stored is not None and difference.replayed is not None:
            pairs = zip(names, difference.stored, difference.replayed, strict=True)
            differing.setdefault(difference.table, set()).update(name for name, here, there in pairs if here != there)
    database.close()
    assert {
        table: names - differing.get(table, set())
        for table, names in edited.items()
        if names - differing.get(table, set())
    } == {}
    assert {"lead_keys", "artifact_heads", "leads", "messages"} <= edited.keys()


@pytest.mark.parametrize("row", [
    "listed_keys VALUES ('address:x/1', 'nobody')",
    "lead_keys SELECT max(number) + 1, 'nobody', campaign_id, 0, 0, 0, 'n', 'c', 't', 0, 0, 0, 0, 0, 0, '' FROM lead_keys",
    "artifact_heads SELECT max(number) + 1, campaign_id, 'x', 'x', 'x', 1, 'x', 0, 0, '' FROM artifact_heads",
])  # fmt: skip
def test_a_row_of_a_list_that_nothing_is_behind_is_found_and_goes(
    history: Path, before: dict[str, list[Any]], tmp_path: Path, row: str
) -> None:
    path = Path(shutil.copy(history, tmp_path))
    edit(path, f"INSERT INTO {row}")
    assert_found_and_mended(path, before, row.split(maxsplit=1)[0])


@pytest.mark.parametrize("index", search_indexes._INDEXES)
def test_a_damaged_search_index_does_not_keep_rows_from_being_made_again(
    history: Path, before: dict[str, list[Any]], tmp_path: Path, index: str
) -> None:
    path = Path(shutil.copy(history, tmp_path))
    edit(
        path, f"UPDATE {index}_data SET block=zeroblob(length(block)) WHERE id > 10", "UPDATE leads SET company='Evil'"
    )
    assert_found_and_mended(path, before, "leads")
