"""What a script may read: this campaign's rows of a few tables, in a database of their own that has nothing else in it.

Rows are copied, with the columns that a query reads when it first reads them, from one reading of the store or of its past. Another
campaign's rows, a secret or a log are not behind a rule there: they are not there. The copy is asked in a process of its own
(`store/script_database.py`), which is killed when a question takes too long.
"""

import json
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

from backend.domain.device.script import TABLES
from backend.ports.line_process import AnswerTimeoutError, ProcessEndedError
from backend.ports.question_process import ANSWER, IMAGE, MISSING, QUESTION, SCRIPT, QuestionProcess, StartQuestions
from backend.store.database import DatabaseConnection
from backend.store.queries.reports import attributions
from backend.store.script_database import MOST_SECONDS, create_tables

_SOURCES = {name: ("campaigns", "id") if name == "campaign" else (name, "campaign_id") for name in TABLES}
_ATTRIBUTED = "replied_at"
"""The column that is not read from the table but from the conversation."""
_KILLED_AFTER = MOST_SECONDS + 1.0
"""Seconds: a question that can be interrupted ends by itself before."""
_START_SECONDS = 30.0
_IMAGE_SECONDS = 60.0


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
def script_data(
    connection: DatabaseConnection, campaign_id: str, now: int, start: StartQuestions
) -> Iterator["ScriptData"]:
    """The data of one moment, for as long as `connection` shows that moment; asked in a process that `start` begins."""
    data = ScriptData(connection, campaign_id, now, start)
    try:
        yield data
    finally:
        data.close()


class ScriptData:
    """Answers the questions of a script; the process that is asked is there from the beginning, so that nobody waits for it."""

    def __init__(self, source: DatabaseConnection, campaign_id: str, now: int, start: StartQuestions) -> None:
        self._source = source
        self._campaign_id = campaign_id
        self._start = start
        self._job = json.dumps({"tables": TABLES, "now": now}).encode()
        self._copied: dict[str, set[str]] = {}
        self._stopped = self._is_told = False
        self._process: QuestionProcess | None = start()
        self._scratch = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        create_tables(self._scratch, TABLES)

    def ask(self, question: Mapping[str, Any]) -> bytes:
        """An answer's first rows, or `more` of them, in JSON; or why there is none."""
        raw_question = json.dumps(question).encode()
        try:
            kind, answer = self._asked(QUESTION, raw_question)
            if kind == MISSING:
                self._copy_all(json.loads(answer))
                kind, answer = self._asked(QUESTION, raw_question)
        except AnswerTimeoutError:
            return _error(f"the query took longer than {MOST_SECONDS:g} s")
        except ProcessEndedError:
            return _error("the query ended the process that it was asked in")
        return answer if kind == ANSWER else _error("the query reads what is not there")

    def stop(self) -> None:
        """From another thread: whatever is being asked ends at once, and nothing is asked any more."""
        self._stopped = True
        process = self._process
        if process is not None:
            process.stop()

    def close(self) -> None:
        """The script is over."""
        self._end()
        self._scratch.close()

    def _asked(self, kind: bytes, *parts: bytes, seconds: float = 0.0) -> tuple[bytes, bytes]:
        """Of the process, or of another one if a question ended the last."""
        try:
            if self._process is None:
                self._process = self._start()
            if self._stopped:
                self._process.stop()
            if not self._is_told:
                self._process.ask(SCRIPT, self._job, seconds=_START_SECONDS)
                self._is_told = True
            return self._process.ask(kind, *parts, seconds=seconds or _KILLED_AFTER)
        except BaseException:
            self._end()
            raise

    def _end(self) -> None:
        process, self._process, self._is_told = self._process, None, False
        if process is not None:
            process.end()

    def _copy_all(self, missing: Mapping[str, list[str]]) -> None:
        """Have these columns here, and then there."""
        for name, columns in missing.items():
            if name not in self._copied or not {*columns} <= self._copied[name]:
                self._copy(name, {*columns} | self._copied.get(name, set()))
        copied = json.dumps({name: sorted(columns) for name, columns in self._copied.items()}).encode()
        parts = (len(copied).to_bytes(4, "little"), copied, self._scratch.serialize())
        self._asked(IMAGE, *parts, seconds=_IMAGE_SECONDS)

    def _copy(self, name: str, requested_columns: set[str]) -> None:
        table, key = _SOURCES[name]
        columns = [column for column in TABLES[name] if column in requested_columns] or [TABLES[name][0]]
        names, marks = ", ".join(columns), ", ".join("?" * len(columns))
        attributed = self._attributed(name) if _ATTRIBUTED in columns else None
        stored = (
            names if attributed is None else ", ".join("id" if column == _ATTRIBUTED else column for column in columns)
        )
        # In the order of the ids: which index the store reads by is its own affair, and not the script's.
        rows = self._source.execute(f"SELECT {stored} FROM {table} WHERE {key}=? ORDER BY id", (self._campaign_id,))
        attributed_index = columns.index(_ATTRIBUTED) if attributed is not None else 0
        copied_rows = (
            rows
            if attributed is None
            else (
                (*row[:attributed_index], attributed.get(row[attributed_index]), *row[attributed_index + 1 :])
                for row in rows
            )
        )
        self._scratch.execute("BEGIN")
        self._scratch.execute(f"DELETE FROM {name}")
        self._scratch.executemany(f"INSERT INTO {name} ({names}) VALUES ({marks})", copied_rows)
        self._scratch.execute("COMMIT")
        self._copied[name] = {*columns}

    def _attributed(self, name: str) -> dict[str, int]:
        """By id, when they first replied, or wrote the reply that a message earned."""
        replies = attributions.first_replies if name == "leads" else attributions.earned_replies
        return {id_: reply.at for id_, reply in replies(self._source, self._campaign_id).items()}


def _error(why: str) -> bytes:
    return json.dumps({"error": why}).encode()
