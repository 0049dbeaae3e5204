"""Numbered schema steps, each applied in one transaction: an upgrade that is killed leaves the old schema or the new one."""

import re
import sqlite3
import threading
from contextlib import closing
from functools import cache, lru_cache
from pathlib import Path

from backend.domain.values.errors import OutriderError
from backend.store.functions import add_functions

_FOLDER = Path(__file__).parent


@cache  # asked whenever a database is opened
def known() -> tuple[tuple[int, str], ...]:
    """(number, SQL) of every step, in order."""
    files = sorted(_FOLDER.glob("[0-9][0-9][0-9][0-9]_*.sql"))
    return tuple((int(re.match(r"\d+", file.name)[0]), file.read_text("utf-8")) for file in files)  # type: ignore[index]


def look(connection: sqlite3.Connection, path: Path) -> int:
    """The file's schema; raises `OutriderError` for a later one and for a file that is not ours. Changes nothing."""
    # Both in one statement see one moment, or another process's migration in between looks foreign.
    schema_version, has_tables = connection.execute(
        "SELECT (SELECT user_version FROM pragma_user_version), EXISTS (SELECT 1 FROM sqlite_master)"
    ).fetchone()
    newest = known()[-1][0]
    if schema_version > newest:
        raise OutriderError("database_newer", path=path, found=schema_version, known=newest)
    if schema_version == 0 and has_tables:
        raise OutriderError("database_corrupt", path=path, detail="it is not an Outrider database")
    return int(schema_version)


def first_difference(connection: sqlite3.Connection) -> str:
    """The first table, trigger, view or index that is not as its schema's steps make it, by its name; "" if there is none."""
    (schema_version,) = connection.execute("PRAGMA user_version").fetchone()
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as made:
        add_functions(made)
        for number, sql in known():
            if number <= schema_version:
                made.executescript(sql)
        expected_schema = set(made.execute(_SCHEMA))
    return min(
        (str(name) for name, *_ in expected_schema.symmetric_difference(connection.execute(_SCHEMA))), default=""
    )


_SCHEMA = "SELECT name, type, tbl_name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite~_%' ESCAPE '~'"


_copying = threading.Lock()


def copy_schema(scratch: sqlite3.Connection) -> None:
    """Give a database that has nothing in it the newest schema: pages are copied, because to make them takes ten times as long."""
    with _copying:
        _made(tuple(known())).backup(scratch)
    add_functions(scratch)


@lru_cache(maxsize=1)
def _made(_: tuple[tuple[int, str], ...]) -> sqlite3.Connection:
    """By these steps."""
    connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    upgrade(connection, Path("scratch"))
    return connection


# Another process may have made the step between our look and our lock. A step that can be made twice would take the number back.
_FAIL_IF_MADE = (
    "SELECT CASE WHEN user_version >= {number} THEN abs(-9223372036854775807 - 1) END FROM pragma_user_version"
)


def upgrade(connection: sqlite3.Connection, path: Path) -> bool:
    """Bring the schema up to date, and say whether it was not; raises `OutriderError("database_newer")` for a later one."""
    steps, schema_version = known(), look(connection, path)
    for number, sql in steps:
        if number > schema_version:
            add_functions(connection)  # only then, because it discards every prepared statement
            try:
                unmade = _FAIL_IF_MADE.format(number=number)
                connection.executescript(f"BEGIN IMMEDIATE; {unmade}; {sql}; PRAGMA user_version={number}; COMMIT;")
            except sqlite3.OperationalError:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                if connection.execute("PRAGMA user_version").fetchone()[0] < number:
                    raise
    return steps[-1][0] > schema_version
