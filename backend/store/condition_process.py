"""The processes in which the user's SQL conditions are asked; one that answered waits for the next condition."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from backend.ports.line_process import AnswerTimeoutError, ProcessEndedError
from backend.ports.question_process import CONDITION, QuestionProcess, StartQuestions
from backend.store.queries.turn.user_query import QueryRefusedError

_GRACE_SECONDS = 1.0
"""A query that can be interrupted ends by itself before its process is killed."""


class ConditionProcesses:
    """Of one database's file. A process is used by one thread at a time."""

    def __init__(self, path: Path, start: StartQuestions) -> None:
        self._path = path
        self._start = start
        self._idle: list[QuestionProcess] = []

    def first_value(self, select: str, campaign_id: str, seconds: float, stopped: Callable[[], bool]) -> object:
        """As `user_query.first_value`. Raises `QueryRefusedError`, `AnswerTimeoutError`, and `ProcessEndedError` if `stopped`."""
        question = {"path": str(self._path.absolute()), "select": select, "campaign": campaign_id, "seconds": seconds}
        raw = json.dumps(question).encode()
        try:
            answer = self._asked(self._idle.pop(), raw, seconds, stopped)
        except (IndexError, ProcessEndedError):  # there is none, or it ended since it was last asked
            if stopped():
                raise ProcessEndedError from None
            answer = self._asked(self._start(), raw, seconds, stopped)
        if "refused" in answer:
            raise QueryRefusedError(answer["refused"])
        if "late" in answer:
            raise AnswerTimeoutError(None)
        return answer["value"]

    def close(self) -> None:
        """None waits any longer."""
        while self._idle:
            self._idle.pop().end()

    def _asked(
        self, process: QuestionProcess, raw: bytes, seconds: float, stopped: Callable[[], bool]
    ) -> dict[str, Any]:
        _, raw_answer = process.ask(CONDITION, raw, seconds=seconds + _GRACE_SECONDS, stopped=stopped)
        self._idle.append(process)
        answer: dict[str, Any] = json.loads(raw_answer)
        return answer
