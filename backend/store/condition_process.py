"""The processes in which the user's SQL conditions are asked; one that answered waits for the next condition."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from backend.ports.line_process import AnswerTimeoutError, ProcessEndedError
from backend.ports.question_process import CONDITION, QuestionProcess, StartQuestions
from backend.store.queries.turn.user_query import QueryRefusedError, plan_of

_GRACE_SECONDS = 1.0
"""A query that can be interrupted ends by itself before its process is killed."""
PLAN_SECONDS = 5.0
"""For reading a query: some take longer to be compiled than anybody lives, and nothing interrupts that either."""


def _never() -> bool:
    return False


class ConditionProcesses:
    """Of one database: its file, or the `image` of one that has none. A process is used by one thread at a time."""

    def __init__(self, path: Path, start: StartQuestions, image: Callable[[], bytes] | None = None) -> None:
        self._path = path
        self._start = start
        self._image = image
        self._idle: list[QuestionProcess] = []

    def of_copy(self, image: Callable[[], bytes]) -> "ConditionProcesses":
        """Those of a copy that no file holds; each question takes the rows that are there then along."""
        return ConditionProcesses(self._path, self._start, image)

    def impossibility(self, select: str, campaign_id: str) -> str:
        """Why it can never be answered; "" if it can. It is read and not asked."""
        try:
            self.first_value(plan_of(select), campaign_id, PLAN_SECONDS, _never)
        except QueryRefusedError as refused:
            return f"the query was refused: {refused}"
        except AnswerTimeoutError:
            return f"the query takes longer than {PLAN_SECONDS:g} s to be read"
        except ProcessEndedError:
            return "the query ended the process that was to read it"
        return ""

    def first_value(self, select: str, campaign_id: str, seconds: float, stopped: Callable[[], bool]) -> object:
        """As `user_query.first_value`. Raises `QueryRefusedError`, `AnswerTimeoutError`, and `ProcessEndedError` if `stopped`."""
        question = {"path": str(self._path.absolute()), "select": select, "campaign": campaign_id, "seconds": seconds}
        described = json.dumps(question | {"in_image": self._image is not None}).encode()
        image = b"" if self._image is None else self._image()
        raw = (len(described).to_bytes(4, "little"), described, image)
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
        self, process: QuestionProcess, raw: tuple[bytes, ...], seconds: float, stopped: Callable[[], bool]
    ) -> dict[str, Any]:
        _, raw_answer = process.ask(CONDITION, *raw, seconds=seconds + _GRACE_SECONDS, stopped=stopped)
        self._idle.append(process)
        answer: dict[str, Any] = json.loads(raw_answer)
        return answer
