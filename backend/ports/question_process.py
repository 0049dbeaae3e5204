"""A process in which somebody else's SQL is asked, and which may be killed: no function of SQLite can be interrupted."""

from collections.abc import Callable
from typing import Protocol

SCRIPT, IMAGE, QUESTION = b"S", b"I", b"Q"
"""What it is told: the tables there are and the time; rows (a description, and a database); a script's question."""
CONDITION = b"C"
"""A condition of the user's: the database's file, the query, its campaign, and how long it may take."""
ANSWER, MISSING = b"R", b"M"
"""What it says: an answer in JSON; the columns that a question reads and that are not there yet."""


class QuestionProcess(Protocol):
    """One question after the other. Both errors end it."""

    def ask(
        self, kind: bytes, *parts: bytes, seconds: float, stopped: Callable[[], bool] = lambda: False
    ) -> tuple[bytes, bytes]:
        """What it answers, with its kind. Raises `AnswerTimeoutError`, and `ProcessEndedError`, also once it is `stopped`."""
        ...

    def stop(self) -> None:
        """From another thread: whoever is asking has a `ProcessEndedError` at once."""
        ...

    def end(self) -> None:
        """End it now; twice is once."""
        ...


StartQuestions = Callable[[], QuestionProcess]
