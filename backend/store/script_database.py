"""The database that a script's questions are asked of: copies of its campaign's rows, and nothing else.

It is asked in a process of its own (`store/question_program.py`), which has to start at once: little is imported here.
"""

import json
import sqlite3
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from backend.ports.question_process import ANSWER, IMAGE, MISSING
from backend.store.foreign_sql import JSON_TABLES, Parameters, bound, opened_pages

MOST_ROWS = 500_000
MOST_BYTES = 200_000_000
"""Of all text in an answer, about."""
MOST_SECONDS = 20.0
"""For a question, without the time in which the script looks at a part of its answer."""
_PAGE_ROWS = 2_000
_PAGE_BYTES = 4_000_000
_LARGEST_PAGE = 15_000_000
"""Bytes in JSON: less than what one frame takes to the script."""

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
_JSON_COLUMNS: Mapping[str, Sequence[str]] = {"leads": ("extra", "tags")}
"""What a script is given unpacked when it takes the whole table: here that is cheap, in the sandbox it is not."""
_SCHEMA = ("sqlite_", "pragma_", "dbstat")
"""How the names of tables begin that tell about the database itself."""
_CLOCK = ("date", "datetime", "julianday", "strftime", "time", "unixepoch")
_ERRORS = (sqlite3.Error, sqlite3.Warning, ValueError, OverflowError, TypeError, MemoryError)


def create_tables(connection: sqlite3.Connection, tables: Mapping[str, Sequence[str]]) -> None:
    """The tables that a script may read, without rows."""
    for name, columns in tables.items():
        connection.execute(f"CREATE TABLE {name} ({', '.join(columns)})")


class _DeniedError(Exception):
    """No script may have that."""


class _FailedError(Exception):
    """It makes no sense, or takes too much."""


class ScriptDatabase:
    """Answers questions one after the other; `tables` has the columns of each, and it is always `now` (ms UTC)."""

    def __init__(
        self, tables: Mapping[str, Sequence[str]], now: int, ticks: Callable[[], float] = time.monotonic
    ) -> None:
        self._tables = tables
        self._readable = {*tables, *JSON_TABLES}
        self._ticks = ticks
        self._copied: dict[str, set[str]] = {}
        self._refused: list[str] = []
        self._until = self._seconds_left = 0.0
        self._cursor: sqlite3.Cursor | None = None
        self._packed: list[int] = []
        self._rows = self._bytes = 0
        self._clock = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        self._functions = {function: _standing_clock(self._clock, function, now) for function in _CLOCK}
        self._open(lambda connection: create_tables(connection, tables))

    def answer(self, kind: bytes, raw: bytes) -> tuple[bytes, bytes]:
        """What is said to an image or a question; raises what a question of another shape raises."""
        if kind == IMAGE:
            size = int.from_bytes(raw[:4], "little")
            self._load(json.loads(raw[4 : 4 + size]), raw[4 + size :])
            return ANSWER, b"{}"
        question = json.loads(raw)
        self._refused.clear()
        try:
            if question["op"] == "more":
                return ANSWER, self._page([])
            return self._first(question)
        except _ERRORS as error:
            self._cursor = None
            if self._refused:
                return _said(denied=f"query() may not {self._refused[0]}")
            if "interrupted" in str(error):
                return _said(error=f"the query took longer than {MOST_SECONDS:g} s")
            return _said(error=f"the query failed: {str(error) or 'it needs more memory than it may have'}")
        except _DeniedError as error:
            return _said(denied=str(error))
        except _FailedError as error:
            self._cursor = None
            return _said(error=str(error))

    def close(self) -> None:
        """Nothing follows."""
        self._connection.close()
        self._clock.close()

    def _load(self, copied: Mapping[str, Sequence[str]], image: bytes) -> None:
        """Ask a database from now on in which these columns of these tables have their rows."""
        self._cursor = None
        self._connection.close()
        self._open(lambda connection: connection.deserialize(image))
        self._copied = {name: {*columns} for name, columns in copied.items()}

    def _open(self, fill: Callable[[sqlite3.Connection], object]) -> None:
        """Ask a new database on a connection of its own: in one that is put in the place of another, SQLite's JSON tables refer
        to what is gone, and it crashes."""
        self._connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        fill(self._connection)
        self._pages: dict[int, str] = dict(self._connection.execute("SELECT rootpage, name FROM sqlite_master"))
        for name, function in self._functions.items():
            self._connection.create_function(name, -1, function, deterministic=True)
        bound(self._connection)
        self._connection.set_progress_handler(lambda: int(self._ticks() > self._until), 10_000)
        self._connection.set_authorizer(self._allowed)

    def _first(self, question: Mapping[str, Any]) -> tuple[bytes, bytes]:
        """The first rows of an answer, or which columns are missing for it."""
        sql, params, name = question.get("sql", ""), question.get("params", []), str(question.get("name", ""))
        if question["op"] == "table":
            if name not in self._tables:
                raise _DeniedError(f"there is no table {name[:40]} for scripts")
            sql = f"SELECT * FROM {name} ORDER BY {_ORDERS.get(name, 'rowid')}"
        self._until = self._ticks() + MOST_SECONDS
        self._cursor, self._seconds_left, self._rows, self._bytes = None, MOST_SECONDS, 0, 0
        _check_question(sql, params)
        missing = self._missing(sql, params)
        if missing:
            return MISSING, json.dumps(missing).encode()
        self._cursor = self._connection.execute(sql, params)
        if self._cursor.description is None:
            raise _FailedError("a query is one SELECT")
        columns = [column[0] for column in self._cursor.description]
        doubled = sorted({column for column in columns if columns.count(column) > 1})
        if doubled:  # a row is a dict, which would keep the last of them
            raise _FailedError(f"the query has two columns named {doubled[0][:40]}: name each with AS")
        self._packed = (
            [columns.index(column) for column in _JSON_COLUMNS.get(name, ())] if question["op"] == "table" else []
        )
        return ANSWER, self._page(columns)

    def _missing(self, sql: str, params: Parameters) -> dict[str, list[str]]:
        """Table -> columns that the query would read and that are not copied yet, with those that are, as SQLite compiles it."""
        if all(self._copied.get(name) == {*columns} for name, columns in self._tables.items()):
            return {}
        try:
            opened = opened_pages(self._connection, sql, params)
        except _ERRORS:  # what is wrong with it is told when it is asked
            self._refused.clear()
            return {}
        read = {
            name: {self._tables[name][column] for column in columns}
            for page, columns in opened.items()
            if (name := self._pages.get(page, ""))
        }
        return {
            name: sorted(columns | self._copied.get(name, set()))
            for name, columns in read.items()
            if name not in self._copied or not columns <= self._copied[name]
        }

    def _page(self, columns: list[str]) -> bytes:
        """The next rows of the answer; nothing if there is none."""
        rows: list[list[object]] = []
        began, size = self._ticks(), 0
        self._until = began + self._seconds_left
        while self._cursor is not None and len(rows) < _PAGE_ROWS and size < _PAGE_BYTES:
            row = next(self._cursor, None)
            if row is None:
                self._cursor = None
                break
            size += sum(len(value) for value in row if isinstance(value, str | bytes))
            if self._rows + len(rows) >= MOST_ROWS or self._bytes + size > MOST_BYTES:
                raise _FailedError(f"the query has more than {MOST_ROWS:,} rows, or too much text")
            rows.append([value.hex() if isinstance(value, bytes) else value for value in row])
            for index in self._packed:
                rows[-1][index] = _unpacked(rows[-1][index])
        self._seconds_left -= self._ticks() - began
        self._rows += len(rows)
        self._bytes += size
        raw = json.dumps({"columns": columns, "rows": rows, "more": self._cursor is not None}).encode()
        if len(raw) > _LARGEST_PAGE:
            raise _FailedError("the query has a row with too much text")
        return raw

    def _allowed(self, action: int, first: str | None, second: str | None, *_: str | None) -> int:
        what = self._refusal(action, first, second)
        if what is None:
            return sqlite3.SQLITE_OK
        self._refused.append(what)
        return sqlite3.SQLITE_DENY

    def _refusal(self, action: int, first: str | None, second: str | None) -> str | None:
        """What a statement would do that none may, None if it may."""
        if action in _READS:
            return None
        if action == sqlite3.SQLITE_READ:
            # Without a column no value is read: rows are counted, or they are those of the query's own WITH.
            if first in self._readable or (not second and not (first or "").startswith(_SCHEMA)):
                return None
            return f"read {first}"
        if action == sqlite3.SQLITE_FUNCTION:
            return None if (second or "").lower() in _FUNCTIONS else f"call {second}()"
        return "do anything but SELECT"


def _check_question(sql: str, params: Parameters) -> None:
    """Refuse what SQLite cannot take: `sqlite3` may report it in the words of the last error, whatever that was of."""
    values = params.items() if isinstance(params, Mapping) else enumerate(params, 1)
    parts = [("the text of the query", sql), *((f"parameter {name!a:.40}", value) for name, value in values)]
    for place, value in parts:
        match value:
            case list() | dict():
                raise _FailedError(f"{place} is of type {type(value).__name__}: a query takes numbers, texts and None")
            case int() if not -(2**63) <= value < 2**63:
                raise _FailedError(f"{place} is a number of more than 64 bits")
            case str() if any("\ud800" <= character <= "\udfff" for character in value):
                raise _FailedError(f"{place} holds half a character")


def _said(**answer: str) -> tuple[bytes, bytes]:
    return ANSWER, json.dumps(answer).encode()


def _unpacked(text: object) -> object:
    """The value of a column that holds JSON; None for what holds none."""
    try:
        return json.loads(text) if isinstance(text, str) and text else None
    except (ValueError, RecursionError):
        return None


def _standing_clock(clock: sqlite3.Connection, function: str, now: int) -> Callable[..., str | int | float | None]:
    """SQLite's own function of that name, asked on `clock`, for which it is always now."""
    at = datetime.fromtimestamp(now / 1_000, UTC).strftime("%Y-%m-%d %H:%M:%S.%f")[:-3]
    first = 1 if function == "strftime" else 0

    def call(*arguments: object) -> str | int | float | None:
        values = [at if isinstance(value, str) and value.strip().lower() == "now" else value for value in arguments]
        if len(values) == first:
            values.append(at)
        marks = ", ".join("?" * len(values))
        result: str | int | float | None = clock.execute(f"SELECT {function}({marks})", values).fetchone()[0]
        return result

    return call
