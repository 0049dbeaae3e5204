"""What bounds SQL that somebody else wrote, on any connection: a script's question, a condition of the user's.

No function of SQLite can be interrupted, so this bounds what is built, not the time; for that there is the process.
"""

import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing

JSON_TABLES = ("json_each", "json_tree")
LONGEST_VALUE = 1_000_000
"""Bytes of any text or row that is built."""
HEAP_BYTES = 1 << 30
"""Memory that SQLite may take in a process of its own, the rows copied for a script included."""
_LIMITS = {
    sqlite3.SQLITE_LIMIT_LENGTH: LONGEST_VALUE,
    sqlite3.SQLITE_LIMIT_SQL_LENGTH: 50_000,
    sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH: 1_000,
    sqlite3.SQLITE_LIMIT_COLUMN: 200,
    sqlite3.SQLITE_LIMIT_ATTACHED: 0,
    sqlite3.SQLITE_LIMIT_EXPR_DEPTH: 100,
    sqlite3.SQLITE_LIMIT_COMPOUND_SELECT: 50,
    sqlite3.SQLITE_LIMIT_FUNCTION_ARG: 50,
    sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER: 1_000,
    sqlite3.SQLITE_LIMIT_WORKER_THREADS: 0,
}

Parameters = Sequence[object] | Mapping[str, object]
_OPENS = frozenset({"OpenRead", "OpenWrite", "ReopenIdx"})


def opened_pages(connection: sqlite3.Connection, select: str, parameters: Parameters) -> dict[int, set[int]]:
    """What a query opens as it is compiled: the root page of each table or index, 0 for one of another database, and the numbers of
    the columns that are read there. No authorizer is told of those that NATURAL JOIN and USING compare.
    """
    explained = connection.execute(f"EXPLAIN {select}", parameters)
    if explained.description[1][0] != "opcode":  # it goes on from "EXPLAIN" otherwise than a query
        raise sqlite3.ProgrammingError("a query is one SELECT")
    steps = [step[1:5] for step in explained]
    cursors = {cursor: 0 if database else page for opcode, cursor, page, database in steps if opcode in _OPENS}
    pages: dict[int, set[int]] = {page: set() for page in cursors.values()}
    for opcode, cursor, column, _ in steps:
        if opcode == "Column" and cursor in cursors:
            pages[cursors[cursor]].add(column)
    return pages


def declare_json_tables(connection: sqlite3.Connection) -> None:
    """Each declares its columns when it is first used, which an authorizer would refuse."""
    for table in JSON_TABLES:
        connection.execute(f"SELECT 1 FROM {table}('[]')").close()


def bound(connection: sqlite3.Connection) -> None:
    """Set these limits, which hold from now on. No authorizer may be set yet."""
    declare_json_tables(connection)
    for limit, value in _LIMITS.items():
        connection.setlimit(limit, value)
    connection.execute("PRAGMA temp_store=MEMORY")  # what is sorted goes to no file


def limit_memory() -> None:
    """Of all of SQLite in this process, for one that does nothing else."""
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute(f"PRAGMA hard_heap_limit={HEAP_BYTES}")
