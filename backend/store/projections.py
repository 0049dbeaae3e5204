"""Applies the domain's row changes to SQLite: the same fold for a live commit and for replay."""

import sqlite3
from functools import lru_cache

from backend.domain.events import RowChange, Verb


@lru_cache(maxsize=512)
def _statement(verb: Verb, table: str, key: tuple[str, ...], columns: tuple[str, ...]) -> str:
    if verb is Verb.CREATES:
        names = (*key, *columns)
        return f"INSERT INTO {table} ({', '.join(names)}) VALUES ({', '.join('?' * len(names))})"
    sets = ", ".join(f"{column}=?" for column in columns)
    where = " AND ".join(f"{column}=?" for column in key)
    return f"UPDATE {table} SET {sets} WHERE {where}"


class LostRowError(Exception):
    """An event alters a row that is not there: the log and the projections disagree."""


def apply(connection: sqlite3.Connection, changes: list[RowChange]) -> None:
    """Make or alter the rows. Raises `sqlite3.IntegrityError` for a row made twice, `LostRowError` for one not there."""
    for verb, table, key, values in changes:
        if verb is Verb.CHANGES and not values:
            values = key  # noqa: PLW2901 - sets nothing anew, but the row must be there
        sql = _statement(verb, table, tuple(key), tuple(values))
        if verb is Verb.CREATES:
            connection.execute(sql, (*key.values(), *values.values()))
        elif not connection.execute(sql, (*values.values(), *key.values())).rowcount:
            raise LostRowError(f"{table} {key}")
