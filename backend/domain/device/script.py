"""A script: Python that looks at a campaign's data and leaves one answer, run only as it was approved (spec 000 §20.4; 001 US4)."""

import hashlib
import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple

from backend.domain.erasure.erasure import ERASED
from backend.domain.values.canonical_json import Json
from backend.domain.values.errors import OutriderError
from backend.domain.values.hidden_characters import unsendable_character

MAX_SOURCE_BYTES = 100_000
MAX_LINE = 400
"""Characters: what is beyond the edge of a screen is not read by whoever approves."""
MAX_SECONDS = 60
"""Spec 001: a script runs at most so long."""
MAX_RESULT_BYTES = 500_000
MAX_OUTPUT = 64_000
"""Characters that a run may print."""
SEED = 20_240_101
"""What chance begins with in every run."""
MAX_MESSAGE = 500

TABLES: Mapping[str, tuple[str, ...]] = {
    "campaign": ("name", "goal", "status", "created_at"),
    "leads": (
        "id", "full_name", "job_title", "company", "headline", "email", "profile_url", "connected_on", "extra", "position",
        "status", "weight_score", "priority_override", "relation", "sequence_step", "visited_at", "invited_at", "accepted_at",
        "last_sent_at", "replied_at", "finished", "blocked", "notes", "tags",
    ),
    "messages": (
        "id", "lead_id", "step", "kind", "text", "status", "attempts", "reason", "from_template", "sent_at", "created_at",
        "replied_at",
    ),
    "tasks": ("id", "kind", "description", "status", "reason", "source", "lead_id", "rank", "created_at"),
    "imports": ("id", "file", "format", "accepted", "merged", "unchanged", "rejected", "created_at", "finished_at"),
}  # fmt: skip
"""All that a script may read: the campaign's own rows of these, and no other column. Times are ms UTC.

A lead's `replied_at` is when they first replied; a message's, when they wrote the reply that it earned
(`domain/reports/attribution.py`).
"""


class ScriptStatus(StrEnum):
    """How a run ended."""

    OK = "ok"
    DENIED = "denied"
    KILLED = "killed"
    FAILED = "failed"


class ScriptLimits(NamedTuple):
    """What a run may use. `fuel` counts the machine code that it executes, the same on every machine."""

    seconds: float = MAX_SECONDS
    fuel: int = 600_000_000_000
    memory_bytes: int = 512 * 1024 * 1024
    output: int = MAX_OUTPUT


@dataclass(frozen=True, slots=True)
class ScriptOutcome:
    """How one run ended: `result` is its answer in JSON, `line` the script's own; `code` is empty when it went well."""

    status: ScriptStatus
    code: str = ""
    message: str = ""
    line: int | None = None
    result: str = "null"
    output: str = ""
    ms: int = 0
    layers: tuple[str, ...] = ()

    @property
    def told(self) -> str:
        """Line and message."""
        return f"Line {self.line}: {self.message}" if self.line else self.message


def script_sha256(source: str) -> str:
    """What an approval is bound to. Another byte is another script."""
    return hashlib.sha256(source.encode()).hexdigest()


def read_source(raw: bytes) -> str:
    """The script in these bytes, if it can be shown as it is. Raises `script_…`."""
    if not raw.strip():
        raise OutriderError("script_empty")
    if len(raw) > MAX_SOURCE_BYTES:
        raise OutriderError("script_too_large", bytes=len(raw), limit=MAX_SOURCE_BYTES)
    try:
        source = raw.decode()
    except UnicodeDecodeError as error:
        raise OutriderError("script_not_text", at=error.start) from error
    check_source(source)
    return source


def check_source(source: str) -> None:
    """Refuse what nobody could read whole: controls, text that turns around, lines beyond the screen. Raises `script_…`."""
    if not source.strip():
        raise OutriderError("script_empty")
    try:
        size = len(source.encode())
    except UnicodeEncodeError as error:
        raise OutriderError("script_not_text", at=error.start) from error
    if size > MAX_SOURCE_BYTES:
        raise OutriderError("script_too_large", bytes=size, limit=MAX_SOURCE_BYTES)
    for number, line in enumerate(source.replace("\r\n", "\n").split("\n"), start=1):
        if len(line) > MAX_LINE:
            raise OutriderError("script_line_too_long", line=number, limit=MAX_LINE)
        hidden = unsendable_character(line)
        if hidden is not None:
            raise OutriderError("script_hides", line=number, point=hidden.code_point)


_MOST_PARTS, _MOST_LEVELS = 250_000, 60


def read_result(value: object) -> str:
    """The one spelling of an answer, byte for byte. Raises ValueError for what is no plain data or too much of it."""
    _refuse_odd(value)
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    if len(text.encode()) > MAX_RESULT_BYTES:
        raise ValueError("the result is too large")
    return text


def _refuse_odd(value: object) -> None:
    waiting, parts = [(value, 0)], 0
    while waiting:
        part, level = waiting.pop()
        parts += 1
        if parts > _MOST_PARTS or level > _MOST_LEVELS:
            raise ValueError("the result has too many parts or levels")
        if isinstance(part, dict):
            waiting += [(child, level + 1) for child in part.values()]
        elif isinstance(part, list):
            waiting += [(child, level + 1) for child in part]
        elif isinstance(part, float) and not math.isfinite(part):
            raise ValueError("the result holds what is no number")


class ResultShape(StrEnum):
    """As what an answer is shown."""

    NUMBER = "number"
    TEXT = "text"
    TABLE = "table"
    CHART = "chart"
    NOTHING = "nothing"


_MOST_BARS = 60
_MOST_COLUMNS, _MOST_CELLS = 500, MAX_RESULT_BYTES
"""A full table within a result's bytes has fewer cells; rows of ever other columns could have billions."""


def shape_of(value: Json | Any) -> ResultShape:
    """Numbers by name are a chart, rows a table, a number a number, and all else a text."""
    if value is None:
        return ResultShape.NOTHING
    if _is_number(value):
        return ResultShape.NUMBER
    if isinstance(value, dict) and value and all(map(_is_number, value.values())):
        return ResultShape.CHART if len(value) <= _MOST_BARS else ResultShape.TABLE
    if isinstance(value, list) and value and all(isinstance(row, (dict, list)) for row in value):
        columns = _column_count(value)
        return ResultShape.TABLE if columns <= min(_MOST_COLUMNS, _MOST_CELLS // len(value)) else ResultShape.TEXT
    return ResultShape.TEXT


def _column_count(rows: Sequence[Any]) -> int:
    names = {name for row in rows if isinstance(row, dict) for name in row}
    return len(names) + max((len(row) for row in rows if isinstance(row, list)), default=0)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


@dataclass(frozen=True, slots=True)
class AnalysisResult:
    """An answer with all that it takes to find it again: which script, on which data (the log's position), at what time.

    `entry` is the id of the log's entry there, until it is kept: a rebase may put another one in its place.
    """

    script_sha256: str
    log_position: int
    now: int
    result: str
    output: str
    reproducible: bool
    entry: str = ""

    @property
    def result_sha256(self) -> str:
        """Of the answer and what was printed with it."""
        return hashlib.sha256(f"{self.result}\0{self.output}".encode()).hexdigest()

    def text(self) -> str:
        """As it is kept."""
        fields = {
            "script_sha256": self.script_sha256,
            "log_position": self.log_position,
            "now": self.now,
            "result_sha256": self.result_sha256,
            "reproducible": self.reproducible,
            "result": json.loads(self.result),
            "output": self.output,
        }
        return json.dumps(fields, ensure_ascii=False)


def kept_result(text: str) -> AnalysisResult:
    """What `AnalysisResult.text` keeps. Raises `script_result_unreadable`, also if the answer is not the one it was, and
    `script_result_erased` if it named somebody whose data was erased since.
    """
    try:
        fields = json.loads(text)
        result = AnalysisResult(
            str(fields["script_sha256"]), int(fields["log_position"]), int(fields["now"]), read_result(fields["result"]),
            str(fields["output"]), bool(fields["reproducible"]),
        )  # fmt: skip
        is_unchanged = result.result_sha256 == fields["result_sha256"]
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError) as error:
        raise OutriderError("script_result_unreadable") from error
    if not is_unchanged:
        raise OutriderError("script_result_erased" if ERASED in text else "script_result_unreadable")
    return result


_KEY = re.compile(r"[^a-z0-9_.-]+")


def script_key(name: str) -> str:
    """The key of the artifact for a file of this name."""
    stem = _KEY.sub("-", name.lower().removesuffix(".py")).strip("-._")[:64]
    return stem or "script"


def table_rows(value: Sequence[Any]) -> tuple[list[str], list[list[Any]]]:
    """Columns and rows of an answer that is shown as a table."""
    named = [row if isinstance(row, dict) else {str(at): part for at, part in enumerate(row, 1)} for row in value]
    columns = list(dict.fromkeys(name for row in named for name in row))
    return columns, [[row.get(name) for name in columns] for row in named]
