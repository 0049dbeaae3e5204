"""Applies the domain's row changes to SQLite: the same fold for a live commit and for replay."""

import re
import sqlite3
from collections.abc import Iterable
from functools import lru_cache
from itertools import groupby
from operator import itemgetter
from typing import Any

from backend.domain.events import Row, RowChange, Verb

_COLUMN = re.compile(r"[a-z0-9_]+")


@lru_cache(maxsize=512)
def _statement(verb: Verb, table: str, key: tuple[str, ...], columns: tuple[str, ...]) -> str:
    if not all(map(_COLUMN.fullmatch, columns)):  # they come from the log, which may be the authority's
        raise ValueError("no column has such a name")
    if verb is Verb.CREATES:
        names = (*key, *columns)
        return f"INSERT INTO {table} ({', '.join(names)}) VALUES ({', '.join('?' * len(names))})"
    sets = ", ".join(f"{column}=?" for column in columns)
    where = " AND ".join(f"{column}=?" for column in key)
    return f"UPDATE {table} SET {sets} WHERE {where}"


class LostRowError(Exception):
    """An event alters a row that is not there: the log and the projections disagree."""


def apply(connection: sqlite3.Connection, changes: Iterable[RowChange]) -> None:
    """Make or alter the rows. Raises `sqlite3.IntegrityError` for a row made twice, `LostRowError` for one not there."""
    for change in changes:
        sql, values = _bound(change)
        if not connection.execute(sql, values).rowcount:
            raise LostRowError(f"{change.table} {change.key}")


def apply_runs(connection: sqlite3.Connection, changes: Iterable[RowChange]) -> None:
    """The same for many facts: rows of one shape that follow each other are written by one statement."""
    for sql, run in groupby(map(_bound, changes), key=itemgetter(0)):
        rows = [values for _, values in run]
        if connection.executemany(sql, rows).rowcount != len(rows):
            raise LostRowError(f"one of {len(rows)}: {sql}")


def find(connection: sqlite3.Connection, change: RowChange) -> Row | None:
    """The row of this change as it stands, if it does."""
    cursor = connection.execute(f"SELECT * FROM {change.table} WHERE {_where(change)}", tuple(change.key.values()))
    row = cursor.fetchone()
    return dict(zip((column[0] for column in cursor.description), row, strict=True)) if row else None


def remove(connection: sqlite3.Connection, change: RowChange) -> None:
    """Take the row of this change away: what remains of the log says what becomes of it."""
    connection.execute(f"DELETE FROM {change.table} WHERE {_where(change)}", tuple(change.key.values()))


def _where(change: RowChange) -> str:
    return " AND ".join(f"{column}=?" for column in change.key)


def _bound(change: RowChange) -> tuple[str, tuple[Any, ...]]:
    verb, table, key, values = change
    if verb is Verb.CREATES:
        return _statement(verb, table, tuple(key), tuple(values)), (*key.values(), *values.values())
    values = values or key  # sets nothing anew, but the row must be there
    return _statement(verb, table, tuple(key), tuple(values)), (*values.values(), *key.values())
