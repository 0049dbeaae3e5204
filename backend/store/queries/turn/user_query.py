"""A query that a user wrote: it reads, a few tables and one value, and can neither write nor grow without bound."""

import sqlite3

from backend.store.foreign_sql import JSON_TABLES, LONGEST_VALUE, declare_json_tables, opened_pages

READABLE = frozenset({
    "campaigns", "tasks", "commitments", "leads", "imports", "rejected_rows", "messages", "approvals", "actions",
    "incidents", "artifacts", "input_requests", "scorings", "rankings", "turn_projection", "execution_state", "do_not_contact",
})  # fmt: skip
"""No configuration, no log, no conversation and nothing of this device."""
_PLAN = "EXPLAIN QUERY PLAN "
_READS = frozenset({sqlite3.SQLITE_SELECT, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE})


class QueryRefusedError(Exception):
    """It is no query that may be asked, or it makes no sense."""


def _allowed(action: int, table: str | None, column: str | None, *_: str | None) -> int:
    # Without a column no value is read: rows are counted, or they are those of the query's own WITH.
    reads = action in _READS or (
        action == sqlite3.SQLITE_READ and (not column or table in READABLE or table in JSON_TABLES)
    )
    return sqlite3.SQLITE_OK if reads else sqlite3.SQLITE_DENY


def plan_of(select: str) -> str:
    """What is asked in its place where it is only to be read."""
    return f"{_PLAN}{select}"


def impossibility(connection: sqlite3.Connection, select: str) -> str:
    """Why it can never be answered; "" if it can. It is read and not asked; for as long as SQLite likes, so not in the app."""
    try:
        first_value(connection, plan_of(select), "")
    except QueryRefusedError as refused:
        return f"the query was refused: {refused}"
    return ""


def first_value(connection: sqlite3.Connection, select: str, campaign_id: str) -> object:
    """The first value of its first row, None if it has none; raises `QueryRefusedError`, and when it is interrupted."""
    declare_json_tables(connection)
    before = connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST_VALUE)
    pages = connection.execute("SELECT tbl_name, rootpage FROM sqlite_master").fetchall()
    readable = {page for table, page in pages if table in READABLE}
    connection.set_authorizer(_allowed)
    try:
        opened = opened_pages(connection, select.removeprefix(_PLAN), {"campaign": campaign_id})
        if not opened.keys() <= readable:
            raise QueryRefusedError("it reads a table that no query may read")
        row = connection.execute(select, {"campaign": campaign_id}).fetchone()
        return row[0] if row else None
    except (sqlite3.Error, sqlite3.Warning, UnicodeError, OverflowError) as error:
        if "interrupted" in str(error):
            raise
        raise QueryRefusedError(str(error)[:200]) from error
    finally:
        connection.set_authorizer(None)
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, before)
