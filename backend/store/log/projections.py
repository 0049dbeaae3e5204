"""Applies the domain's row changes to SQLite: the same fold for a live commit and for replay."""

import re
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import groupby
from operator import itemgetter
from typing import Any

from backend.domain.events.events import Row, RowChange, Verb
from backend.domain.values.errors import OutriderError
from backend.store.database import DatabaseConnection

_COLUMN = re.compile(r"[a-z0-9_]+")


@lru_cache(maxsize=512)
def _statement(
    verb: Verb, table: str, key: tuple[str, ...], columns: tuple[str, ...], statuses: frozenset[str] | None = None
) -> tuple[str, tuple[str, ...]]:
    """The statement, and the order in which it takes the values: one for the same columns in any order.

    A fact comes from a command in the order of its fields, and from the log in that of the alphabet; to prepare a statement
    costs ten times as much as to carry it out.
    """
    if not all(map(_COLUMN.fullmatch, columns)):  # they come from the log, which may be the shared store's
        raise ValueError("no column has such a name")
    columns = tuple(sorted(columns))
    if verb is Verb.CREATES:
        names = (*key, *columns)
        return f"INSERT INTO {table} ({', '.join(names)}) VALUES ({', '.join('?' * len(names))})", columns
    sets = ", ".join(f"{column}=?" for column in columns)
    where = " AND ".join(f"{column}=?" for column in key)
    if statuses is not None:
        where += f" AND status IN ({', '.join(repr(str(status)) for status in sorted(statuses))})"
    return f"UPDATE {table} SET {sets} WHERE {where}", columns


class LostRowError(Exception):
    """An event alters a row that is not there: the log and the projections disagree."""


NOT_FOLDABLE = (LostRowError, sqlite3.IntegrityError, LookupError, ValueError, TypeError, AttributeError, OverflowError)
"""What an entry raises that was not written by Outrider, or not for this log."""


def apply(connection: DatabaseConnection, changes: Iterable[RowChange]) -> None:
    """Make or alter the rows. Raises `sqlite3.IntegrityError` for a row made twice, `LostRowError` for one not there."""
    for change in changes:
        sql, values = _bound(change)
        if not connection.execute(sql, values).rowcount:
            raise LostRowError(f"{change.table} {change.key}")


def change_status(connection: DatabaseConnection, change: RowChange, statuses: frozenset[str], noun: str) -> None:
    """Alter a row of one of these statuses, raising `OutriderError("illegal_status")` for another, without reading it first."""
    sql, columns = _statement(change.verb, change.table, tuple(change.key), tuple(change.values), statuses)
    values = (*map(change.values.__getitem__, columns), *change.key.values())
    if connection.execute(sql, values).rowcount:
        return
    row = find(connection, change)
    if row is None:
        raise LostRowError(f"{change.table} {change.key}")
    noun = noun.replace("_", " ")
    raise OutriderError("illegal_status", noun=noun, state=row["status"], target=change.values["status"])


def apply_many(connection: DatabaseConnection, changes: Iterable[RowChange]) -> None:
    """The same for many facts, with as few statements as can be."""
    for verb, run in groupby(changes, key=itemgetter(0)):
        for sql, rows in _by_table(run) if verb is Verb.CREATES else _in_order(run):
            if connection.executemany(sql, rows).rowcount != len(rows):
                raise LostRowError(f"one of {len(rows)}: {sql}")


_Statements = Iterator[tuple[str, list[tuple[Any, ...]]]]
"""Each with the values of all rows that it writes."""


def _by_table(changes: Iterable[RowChange]) -> _Statements:
    """For new rows, which do not touch each other: one for each shape, the tables in the order in which they come.

    A table's first row comes behind that of the table it refers to, so all of its rows do.
    """
    tables: dict[str, dict[str, list[tuple[Any, ...]]]] = {}
    for change in changes:
        sql, values = _bound(change)
        tables.setdefault(change.table, {}).setdefault(sql, []).append(values)
    for statements in tables.values():
        yield from statements.items()


def _in_order(changes: Iterable[RowChange]) -> _Statements:
    """For changes, of which several may be of one row: one for those of one shape that follow each other."""
    for sql, run in groupby(map(_bound, changes), key=itemgetter(0)):
        yield sql, [values for _, values in run]


def find(connection: DatabaseConnection, change: RowChange) -> Row | None:
    """The row of this change as it stands, if it does."""
    return _first(connection, change.table, _where(change), tuple(change.key.values()))


def find_named(connection: DatabaseConnection, made: RowChange, names: Sequence[str]) -> Row | None:
    """The row of the same stream that has these values in these columns, which no two rows share."""
    values = {**made.key, **made.values}
    columns = [name for name in ("campaign_id", *names) if name in values]
    where = " AND ".join(f"{name}=?" for name in columns)
    return _first(connection, made.table, where, [values[name] for name in columns])


def _first(connection: DatabaseConnection, table: str, where: str, values: Sequence[Any]) -> Row | None:
    cursor = connection.execute(f"SELECT * FROM {table} WHERE {where}", values)
    row = cursor.fetchone()
    return dict(zip((column[0] for column in cursor.description), row, strict=True)) if row else None


def remove(connection: DatabaseConnection, change: RowChange) -> None:
    """Take the row of this change away: what remains of the log says what becomes of it."""
    connection.execute(f"DELETE FROM {change.table} WHERE {_where(change)}", tuple(change.key.values()))


def _where(change: RowChange) -> str:
    return " AND ".join(f"{column}=?" for column in change.key)


def _bound(change: RowChange) -> tuple[str, tuple[Any, ...]]:
    verb, table, key, values = change
    if not key.keys().isdisjoint(values):
        raise ValueError("which row it is about is said by its entity alone")
    if verb is not Verb.CREATES:
        values = values or key  # sets nothing anew, but the row must be there
    sql, columns = _statement(verb, table, tuple(key), tuple(values))
    ordered = map(values.__getitem__, columns)
    return sql, (*key.values(), *ordered) if verb is Verb.CREATES else (*ordered, *key.values())
