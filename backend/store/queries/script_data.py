"""What a script may read: this campaign's rows of a few tables, in a database of their own that has nothing else in it.

Rows are copied, with the columns that a query reads when it first reads them, from one reading of the store or of its past. Another
campaign's rows, a secret or a log are not behind a rule there: they are not there.
"""

import json
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from typing import NamedTuple

from backend.domain.script import TABLES
from backend.ports.script_sandbox import Answer, QueryDeniedError, QueryFailedError
from backend.store.database import DatabaseConnection
from backend.store.queries import attributions

MOST_ROWS = 500_000
MOST_BYTES = 200_000_000
"""Of all text in an answer, about."""
MOST_SECONDS = 20.0
_LONGEST_VALUE = 1_000_000
_LONGEST_SQL = 50_000
_SOURCES = {name: ("campaigns", "id") if name == "campaign" else (name, "campaign_id") for name in TABLES}

_ATTRIBUTED = "replied_at"
"""The column that is not read from the table but from the conversation."""

_READS = frozenset({sqlite3.SQLITE_SELECT, sqlite3.SQLITE_RECURSIVE})
_FUNCTIONS = frozenset({
    # of a value
    "abs", "char", "coalesce", "format", "hex", "if", "ifnull", "iif", "instr", "length", "lower", "ltrim", "nullif",
    "octet_length", "printf", "quote", "replace", "round", "rtrim", "sign", "substr", "substring", "trim", "typeof", "unhex",
    "unicode", "upper", "glob", "like", "concat", "concat_ws",
    # of numbers
    "acos", "asin", "atan", "atan2", "ceil", "ceiling", "cos", "degrees", "exp", "floor", "ln", "log", "log10", "log2", "mod",
    "pi", "pow", "power", "radians", "sin", "sqrt", "tan", "trunc",
    # of many rows
    "avg", "count", "cume_dist", "dense_rank", "first_value", "group_concat", "lag", "last_value", "lead", "max", "min",
    "nth_value", "ntile", "percent_rank", "rank", "row_number", "string_agg", "sum", "total",
    # of JSON and of times
    "->", "->>", "json", "json_array", "json_array_length", "json_each", "json_extract", "json_group_array",
    "json_group_object", "json_object", "json_tree", "json_type", "json_valid",
    "date", "datetime", "julianday", "strftime", "time", "unixepoch",
})  # fmt: skip
"""All that a query may call. None reads a file, a clock or chance."""
_ORDERS = {"leads": "position, id", "messages": "created_at, id", "tasks": "created_at, id"}
_JSON_COLUMNS = {"leads": ("extra", "tags")}
"""What a script is given unpacked when it takes the whole table: here that is cheap, in the sandbox it is not."""
_READABLE = frozenset({*TABLES, "json_each", "json_tree"})
_SCHEMA = ("sqlite_", "pragma_", "dbstat")
"""How the names of tables begin that tell about the database itself."""
_CLOCK = ("date", "datetime", "julianday", "strftime", "time", "unixepoch")
_LIMITS = {
    sqlite3.SQLITE_LIMIT_LENGTH: _LONGEST_VALUE,
    sqlite3.SQLITE_LIMIT_SQL_LENGTH: _LONGEST_SQL,
    sqlite3.SQLITE_LIMIT_ATTACHED: 0,
    sqlite3.SQLITE_LIMIT_EXPR_DEPTH: 100,
    sqlite3.SQLITE_LIMIT_COMPOUND_SELECT: 50,
    sqlite3.SQLITE_LIMIT_FUNCTION_ARG: 50,
    sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER: 1_000,
}


class Moment(NamedTuple):
    """Where a campaign's log stood, and when (ms UTC): what a script sees is of that moment.

    `entry` is the id of the log's entry there: after a rebase another one may stand at that position.
    """

    log_position: int
    now: int
    entry: str


def moment(connection: DatabaseConnection, campaign_id: str) -> Moment | None:
    """The latest of a campaign, None if it has no log."""
    row = connection.execute(
        "SELECT seq, timestamp, id FROM event_log WHERE campaign_id=? ORDER BY seq DESC LIMIT 1", (campaign_id,)
    ).fetchone()
    return Moment(*row) if row else None


@contextmanager
def script_data(connection: DatabaseConnection, campaign_id: str, now: int) -> Iterator["ScriptData"]:
    """The data of one moment, for as long as `connection` shows that moment."""
    scratch = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    try:
        yield ScriptData(scratch, connection, campaign_id, now)
    finally:
        scratch.close()


class ScriptData:
    """Answers the queries of a script."""

    def __init__(
        self,
        scratch: sqlite3.Connection,
        source: DatabaseConnection,
        campaign_id: str,
        now: int,
        ticks: Callable[[], float] = time.monotonic,
    ) -> None:
        self._scratch = scratch
        self._source = source
        self._campaign_id = campaign_id
        self._ticks = ticks
        self._copied: dict[str, set[str]] = {}
        for name, columns in TABLES.items():
            scratch.execute(f"CREATE TABLE {name} ({', '.join(columns)})")
        for function in _CLOCK:
            scratch.create_function(function, -1, _standing_clock(function, now), deterministic=True)
        for limit, value in _LIMITS.items():
            scratch.setlimit(limit, value)

    def table(self, name: str) -> Answer:
        """The whole of one of the tables, in its usual order. Raises as `rows`."""
        if name not in TABLES:
            raise QueryDeniedError(f"there is no table {name[:40]} for scripts")
        columns, rows = self.rows(f"SELECT * FROM {name} ORDER BY {_ORDERS.get(name, 'rowid')}", [])
        for place in (columns.index(column) for column in _JSON_COLUMNS.get(name, ())):
            for row in rows:
                row[place] = _unpacked(row[place])
        return columns, rows

    def rows(self, sql: str, params: Sequence[object] | Mapping[str, object]) -> Answer:
        """Columns and rows. Raises `QueryDeniedError` and `QueryFailedError`."""
        for name, columns in self._read_by(sql, params).items():
            if name not in self._copied or not columns <= self._copied[name]:
                self._copy(name, columns | self._copied.get(name, set()))
        return self._asked(sql, params)

    def _read_by(self, sql: str, params: Sequence[object] | Mapping[str, object]) -> dict[str, set[str]]:
        """Table -> the columns that the query would read; SQLite says so while it compiles it, and nothing of it runs."""
        found: dict[str, set[str]] = {}

        def noted(action: int, first: str | None, second: str | None, *_: str | None) -> int:
            if action == sqlite3.SQLITE_READ and first and first in TABLES:
                found.setdefault(first, set()).update([second] if second else [])
            return sqlite3.SQLITE_OK if _refusal(action, first, second) is None else sqlite3.SQLITE_DENY

        if all(self._copied.get(name) == {*columns} for name, columns in TABLES.items()):
            return {}
        self._scratch.set_authorizer(noted)
        # What is wrong with the query is told when it is asked.
        with suppress(sqlite3.Error, sqlite3.Warning, ValueError, OverflowError, TypeError, MemoryError):
            self._scratch.execute(f"EXPLAIN {sql}", params).close()
        self._scratch.set_authorizer(None)
        return found

    def _copy(self, name: str, wanted: set[str]) -> None:
        table, key = _SOURCES[name]
        columns = [column for column in TABLES[name] if column in wanted] or [TABLES[name][0]]
        names, marks = ", ".join(columns), ", ".join("?" * len(columns))
        attributed = self._attributed(name) if _ATTRIBUTED in columns else None
        stored = (
            names if attributed is None else ", ".join("id" if column == _ATTRIBUTED else column for column in columns)
        )
        # In the order of the ids: which index the store reads by is its own affair, and not the script's.
        rows = self._source.execute(f"SELECT {stored} FROM {table} WHERE {key}=? ORDER BY id", (self._campaign_id,))
        place = columns.index(_ATTRIBUTED) if attributed is not None else 0
        found = (
            rows
            if attributed is None
            else ((*row[:place], attributed.get(row[place]), *row[place + 1 :]) for row in rows)
        )
        self._scratch.execute("BEGIN")
        self._scratch.execute(f"DELETE FROM {name}")
        self._scratch.executemany(f"INSERT INTO {name} ({names}) VALUES ({marks})", found)
        self._scratch.execute("COMMIT")
        self._copied[name] = {*columns}

    def _attributed(self, name: str) -> dict[str, int]:
        """By id, when they first replied, or wrote the reply that a message earned."""
        replies = attributions.first_replies if name == "leads" else attributions.earned_replies
        return {id_: reply.at for id_, reply in replies(self._source, self._campaign_id).items()}

    def _asked(self, sql: str, params: Sequence[object] | Mapping[str, object]) -> Answer:
        refused: list[str] = []

        def allowed(action: int, first: str | None, second: str | None, *_: str | None) -> int:
            what = _refusal(action, first, second)
            if what is None:
                return sqlite3.SQLITE_OK
            refused.append(what)
            return sqlite3.SQLITE_DENY

        until = self._ticks() + MOST_SECONDS
        self._scratch.set_authorizer(allowed)
        self._scratch.set_progress_handler(lambda: int(self._ticks() > until), 10_000)
        try:
            cursor = self._scratch.execute(sql, params)
            return self._fetched(cursor)
        except (sqlite3.Error, sqlite3.Warning, ValueError, OverflowError, TypeError, MemoryError) as error:
            if refused:
                raise QueryDeniedError(f"query() may not {refused[0]}") from error
            if "interrupted" in str(error):
                raise QueryFailedError(f"the query took longer than {MOST_SECONDS:g} s") from error
            raise QueryFailedError(f"the query failed: {error}") from error
        finally:
            self._scratch.set_progress_handler(None, 0)
            self._scratch.set_authorizer(None)

    def _fetched(self, cursor: sqlite3.Cursor) -> Answer:
        if cursor.description is None:
            raise QueryFailedError("a query is one SELECT")
        columns, size = [each[0] for each in cursor.description], 0
        rows: list[list[object]] = []
        for row in cursor:
            size += sum(len(value) for value in row if isinstance(value, str | bytes))
            if len(rows) >= MOST_ROWS or size > MOST_BYTES:
                raise QueryFailedError(f"the query has more than {MOST_ROWS:,} rows, or too much text")
            rows.append([value.hex() if isinstance(value, bytes) else value for value in row])
        return columns, rows


def _unpacked(text: object) -> object:
    """The value of a column that holds JSON; None for what holds none."""
    try:
        return json.loads(text) if isinstance(text, str) and text else None
    except (ValueError, RecursionError):
        return None


def _refusal(action: int, first: str | None, second: str | None) -> str | None:
    """What a statement would do that none may, None if it may."""
    if action in _READS:
        return None
    if action == sqlite3.SQLITE_READ:
        # Without a column no value is read: rows are counted, or they are those of the query's own WITH.
        if first in _READABLE or (not second and not (first or "").startswith(_SCHEMA)):
            return None
        return f"read {first}"
    if action == sqlite3.SQLITE_FUNCTION:
        return None if (second or "").lower() in _FUNCTIONS else f"call {second}()"
    return "do anything but SELECT"


def _standing_clock(function: str, now: int) -> Callable[..., str | int | float | None]:
    """SQLite's own function of that name, for which it is always now."""
    clock = sqlite3.connect(":memory:", check_same_thread=False)
    at = datetime.fromtimestamp(now / 1_000, UTC).strftime("%Y-%m-%d %H:%M:%S.%f")[:-3]
    first = 1 if function == "strftime" else 0

    def call(*given: object) -> str | int | float | None:
        values = [at if isinstance(value, str) and value.strip().lower() == "now" else value for value in given]
        if len(values) == first:
            values.append(at)
        marks = ", ".join("?" * len(values))
        found: str | int | float | None = clock.execute(f"SELECT {function}({marks})", values).fetchone()[0]
        return found

    return call
