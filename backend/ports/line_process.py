"""A process that is asked line by line, and that may be hostile: bounded in time and size, ended at any moment."""

from typing import Protocol


class AnswerTimeoutError(Exception):
    """No answer in time. `processor_seconds` is what it had used since its start; None where the system does not tell."""

    def __init__(self, processor_seconds: float | None) -> None:
        super().__init__("no answer in time")
        self.processor_seconds = processor_seconds


class ProcessEndedError(Exception):
    """The process is over without an answer."""


class ExcessAnswerError(Exception):
    """More than one line, or a longer one than is taken."""


class LineProcess(Protocol):
    """One such process, which is ended by whatever it raises."""

    def ask(self, line: bytes, seconds: float) -> bytes:
        """The one line that answers, without its end. Raises `AnswerTimeoutError`, `ProcessEndedError` and `ExcessAnswerError`."""
        ...

    def first_line(self, seconds: float) -> bytes:
        """What it says before it is asked anything; raises the same."""
        ...

    def finish(self, seconds: float) -> None:
        """Nothing more is asked: let it end by itself. Raises `ExcessAnswerError` if it still says something."""
        ...

    def end(self) -> None:
        """End it now; twice is once."""
        ...
