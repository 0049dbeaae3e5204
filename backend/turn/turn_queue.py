"""The queue that lets one turn at a time run in a workspace: whoever wants one waits for those who came before."""

import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from backend.domain.values.errors import OutriderError

STOP_POLL_SECONDS = 0.2
"""Seconds between two looks at whether the wait was stopped."""

_INSIDE: ContextVar[frozenset["TurnQueue"]] = ContextVar("the queues whose turn this is", default=frozenset())
"""Of a thread or task. A set, because leaving one queue must say nothing about another one."""


class TurnQueue:
    """First come, first served; shared by the background runner and the assistant."""

    def __init__(self, wait: Callable[[threading.Event, float], bool] = threading.Event.wait) -> None:
        """`wait` is the scheduler's."""
        self._wait = wait
        self._lock = threading.Lock()
        self._line: deque[threading.Event] = deque()
        """For each who wants a turn what is set when it is theirs."""

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
        if self in _INSIDE.get():
            raise OutriderError("turn_in_flight")
        own_event = threading.Event()
        with self._lock:
            self._line.append(own_event)
            self._line[0].set()
        try:
            while not own_event.is_set() and not self._wait(own_event, STOP_POLL_SECONDS):
                if stopped():
                    raise OutriderError("proposer_stopped")
            _INSIDE.set(_INSIDE.get() | {self})
            yield
        finally:
            _INSIDE.set(_INSIDE.get() - {self})
            with self._lock:
                self._line.remove(own_event)  # it is not at the head if waiting itself was broken off
                if self._line:
                    self._line[0].set()
