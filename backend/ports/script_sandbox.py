"""Where a script runs, away from everything."""

import threading
from collections.abc import Mapping, Sequence
from typing import Protocol

from backend.domain.script import ScriptLimits, ScriptOutcome


class QueryDeniedError(Exception):
    """The query asks for what no script may have."""


class QueryFailedError(Exception):
    """The query makes no sense, or takes too long."""


Answer = tuple[list[str], list[list[object]]]
"""Columns and rows."""


class ScriptRows(Protocol):
    """What a script may read. Each raises `QueryDeniedError` and `QueryFailedError`."""

    def rows(self, sql: str, params: Sequence[object] | Mapping[str, object]) -> Answer:
        """The answer to a query of its own."""
        ...

    def table(self, name: str) -> Answer:
        """A whole table, in its usual order."""
        ...


class ScriptChecks(Protocol):
    """What a turn asks about a script that is proposed."""

    def builtin(self, key: str) -> str | None:
        """The text of a script that comes with Outrider, None if there is none with this key."""
        ...

    def check(self, source: str) -> ScriptOutcome:
        """Whether it is Python that may run; nothing of it runs. Raises `script_…` for what nobody could read."""
        ...


class ScriptSandbox(Protocol):
    """Runs one script at a time, each in a world of its own."""

    def check(self, source: str) -> ScriptOutcome:
        """Whether it is Python that may run; nothing of it runs."""
        ...

    def run(
        self,
        source: str,
        rows: ScriptRows,
        *,
        now: int,
        limits: ScriptLimits | None = None,
        cancelled: threading.Event | None = None,
    ) -> ScriptOutcome:
        """Run it, with a clock that stands at `now` (ms UTC). Never raises for what the script does."""
        ...
