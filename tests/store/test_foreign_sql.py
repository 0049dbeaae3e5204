"""Somebody else's SQL reads what it may and nothing else, however it names a column."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from backend.store.database import Database
from backend.store.queries.turn.user_query import READABLE, QueryRefusedError, first_value

JOINS = (
    "NATURAL JOIN {table}",
    "JOIN {table} USING ({column})",
    "NATURAL RIGHT JOIN {table}",
    "FULL JOIN {table} USING ({column})",
    "JOIN (SELECT * FROM campaigns, {table}) USING ({column})",
)


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    Database(tmp_path / "outrider.db").close()
    with closing(sqlite3.connect(tmp_path / "outrider.db", isolation_level=None)) as opened:
        yield opened


def columns(connection: sqlite3.Connection) -> list[tuple[str, str]]:
    """Of every table, those of an index of words and of the schema itself, too."""
    tables = "SELECT 'sqlite_master' AS name UNION SELECT name FROM sqlite_master WHERE type = 'table'"
    every = f"SELECT t.name, c.name FROM ({tables}) t, pragma_table_xinfo(t.name) c ORDER BY 1, 2"
    rows: list[tuple[str, str]] = connection.execute(every).fetchall()
    return rows


def test_no_join_reads_a_column_that_may_not_be_read(connection: sqlite3.Connection) -> None:
    """An authorizer is not told of the columns that NATURAL and USING compare."""
    read = []
    for table, column in columns(connection):
        for join in JOINS if table not in READABLE else ():
            joined = join.format(table=table, column=f'"{column}"')
            for shown in ("count(*)", f'"{column}"'):
                select = f'SELECT {shown} FROM (SELECT 1 AS "{column}") {joined}'
                try:
                    read.append((select, first_value(connection, select, "")))
                except QueryRefusedError:
                    continue
    assert read == []


def test_what_may_be_read_may_be_joined_by_any_word(connection: sqlite3.Connection) -> None:
    for join in (
        "NATURAL JOIN tasks",
        "JOIN tasks USING (campaign_id)",
        "FULL JOIN tasks USING (id)",
        "JOIN json_each('[1]')",
    ):
        assert first_value(connection, f"SELECT count(*) FROM leads {join}", "") == 0


@pytest.mark.parametrize("select", ["QUERY PLAN SELECT 1", "EXPLAIN SELECT 1", "", "-- nothing", "SELECT 1 -- \0", ";"])
def test_what_is_no_query_is_refused(connection: sqlite3.Connection, select: str) -> None:
    with pytest.raises(QueryRefusedError):
        first_value(connection, select, "")
