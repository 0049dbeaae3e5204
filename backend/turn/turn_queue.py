"""The queue that lets one turn at a time run in a workspace: whoever wants one waits for those who came before."""

import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from backend.domain.errors import OutriderError

STOP_POLL_SECONDS = 0.2
"""Seconds between two looks at whether the wait was stopped."""


class TurnQueue:
    """First come, first served; shared by the background runner and the assistant."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._line: deque[object] = deque()
        self._inside: int | None = None

    @property
    def waiting(self) -> int:
        """How many are in it or before it."""
        return len(self._line)

    @contextmanager
    def turn(self, stopped: Callable[[], bool] = lambda: False) -> Iterator[None]:
        """Wait for one's turn, and let the next one through at the end, however it ends.

        Raises `OutriderError("proposer_stopped")` when the wait was stopped, and `turn_in_flight` for who is in it already
        and would wait for itself.
        """
        if self._inside == threading.get_ident():
            raise OutriderError("turn_in_flight")
        ticket = object()
        with self._changed:
            self._line.append(ticket)
        try:
            with self._changed:
                while not self._changed.wait_for(lambda: self._line[0] is ticket, STOP_POLL_SECONDS):
                    if stopped():
                        raise OutriderError("proposer_stopped")
            self._inside = threading.get_ident()
            yield
        finally:
            with self._changed:
                if self._line[0] is ticket:
                    self._inside = None
                self._line.remove(ticket)  # it is not at the head if waiting itself was broken off
                self._changed.notify_all()
