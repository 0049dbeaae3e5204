"""One turn in flight in a workspace: whoever wants one waits for those who came before, and for nobody else."""

import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager


class Turnstile:
    """First come, first served; shared by the background runner and the assistant."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._line: deque[object] = deque()

    @property
    def waiting(self) -> int:
        """How many are in it or before it."""
        return len(self._line)

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Wait for one's turn, and let the next one through at the end, however it ends."""
        ticket = object()
        with self._changed:
            self._line.append(ticket)
        try:
            with self._changed:
                self._changed.wait_for(lambda: self._line[0] is ticket)
            yield
        finally:
            with self._changed:
                self._line.remove(ticket)  # it is not at the head if waiting itself was broken off
                self._changed.notify_all()
