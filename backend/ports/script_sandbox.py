"""Where a script runs, away from everything."""

import threading
from collections.abc import Mapping
from typing import Any, Protocol

from backend.domain.device.script import ScriptLimits, ScriptOutcome
from backend.ports.question_process import QuestionProcess


class ScriptRows(Protocol):
    """What a script may read."""

    def ask(self, question: Mapping[str, Any]) -> bytes:
        """The answer to a query, to a whole table or to `more`, as the guest reads it: JSON with `columns`, `rows` and `more`.

        With `error` or `denied` instead, why there is none.
        """
        ...

    def stop(self) -> None:
        """From another thread: whatever is being asked ends at once, and nothing is asked any more."""
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

    def questions(self) -> QuestionProcess:
        """Another world, in which a script's questions are asked."""
        ...

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
