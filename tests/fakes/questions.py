"""A script's questions asked in our own process, and their answers whole."""

import json
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from backend.ports.line_process import ProcessEndedError
from backend.ports.question_process import ANSWER, SCRIPT
from backend.ports.script_sandbox import ScriptRows
from backend.store.script_database import ScriptDatabase

Answer = tuple[list[str], list[list[object]]]
"""Columns and rows."""


class QueryDeniedError(Exception):
    """No script may have that."""


class QueryFailedError(Exception):
    """It makes no sense, or takes too much."""


def rows(data: ScriptRows, sql: str, params: Sequence[object] | Mapping[str, object] = ()) -> Answer:
    """The whole answer to a query."""
    return _whole(data, {"op": "query", "sql": sql, "params": params if isinstance(params, Mapping) else list(params)})


def table(data: ScriptRows, name: str) -> Answer:
    """A whole table."""
    return _whole(data, {"op": "table", "name": name})


def _whole(data: ScriptRows, question: Mapping[str, Any]) -> Answer:
    columns: list[str] = []
    rows: list[list[object]] = []
    more = True
    while more:
        answer = json.loads(data.ask(question))
        if "denied" in answer:
            raise QueryDeniedError(answer["denied"])
        if "error" in answer:
            raise QueryFailedError(answer["error"])
        columns, more = columns or answer["columns"], answer["more"]
        rows += answer["rows"]
        question = {"op": "more"}
    return columns, rows


class QuestionsHere:
    """A `QuestionProcess` that is none: it is asked at once, and cannot be stopped."""

    def __init__(self, ticks: Callable[[], float] = time.monotonic) -> None:
        self._ticks = ticks
        self._database: ScriptDatabase | None = None

    def ask(
        self, kind: bytes, *parts: bytes, seconds: float, stopped: Callable[[], bool] = lambda: False
    ) -> tuple[bytes, bytes]:
        """As the program does."""
        if kind == SCRIPT:
            self._database = ScriptDatabase(**json.loads(b"".join(parts)), ticks=self._ticks)
            return ANSWER, b"{}"
        if self._database is None:
            raise ProcessEndedError
        return self._database.answer(kind, b"".join(parts))

    def stop(self) -> None:
        """What is being asked here is answered first."""

    def end(self) -> None:
        """Its database is closed."""
        if self._database is not None:
            self._database.close()
            self._database = None
