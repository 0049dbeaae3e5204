"""When to try again after a failure: later each time, never all devices at once, never before the other side allows it."""

from collections.abc import Callable

FIRST, LONGEST = 1.0, 60.0
"""Seconds."""


class Backoff:
    """`chance` gives numbers from 0 to 1; `first` and `longest` (seconds) are the most that it waits by itself."""

    def __init__(
        self, chance: Callable[[], float], longest: float | None = None, *, first: float | None = None
    ) -> None:
        self._chance = chance
        self._first = FIRST if first is None else first
        self._longest = LONGEST if longest is None else longest
        self._failures = 0

    def next_delay(self, at_least: float = 0.0) -> float:
        """How many seconds to wait after one more failure in a row; `at_least` is what the other side asked for."""
        most = min(self._longest, self._first * 2.0 ** min(self._failures, 10))
        self._failures += 1
        return max(at_least, most * (0.5 + self._chance() / 2))

    def reset(self) -> None:
        """It went well: the next failure is the first one."""
        self._failures = 0
