"""The real clock, and the rehearsal's, which jumps over waiting."""

import time
from collections.abc import Callable
from datetime import UTC, datetime

from backend.ports.clock import Wake

_SLICE_SECONDS = 1.0


class SystemClock:
    """Wall-clock time. Sleeps in short slices, so that a decision made in another process is noticed."""

    jumps = False

    def now(self) -> int:
        """Milliseconds since the epoch, UTC."""
        return time.time_ns() // 1_000_000

    def ticks(self) -> int:
        """Microseconds of the monotonic clock."""
        return time.perf_counter_ns() // 1_000

    def offset(self, now: int) -> int:
        """Local time minus UTC in ms, as the system's time zone has it at `now`."""
        local = datetime.fromtimestamp(now / 1_000, UTC).astimezone()
        shift = local.utcoffset()
        return 0 if shift is None else int(shift.total_seconds() * 1_000)

    def sleep_until(self, at: int, wake: Wake) -> None:
        """Wait for `at` or for `wake`, at most one slice; the caller looks again."""
        remaining = (at - self.now()) / 1_000
        if remaining > 0:
            wake.wait(min(remaining, _SLICE_SECONDS))


class RehearsalClock(SystemClock):
    """Runs with real time, a fixed lead ahead of it; instead of waiting it grows the lead and says so."""

    jumps = True

    def __init__(self, ahead: int, on_jump: Callable[[int, int], None]) -> None:
        self._ahead = ahead
        self._on_jump = on_jump

    def now(self) -> int:
        """Rehearsal time, ms UTC."""
        return super().now() + self._ahead

    def offset(self, now: int) -> int:
        """A rehearsal's working day is the same everywhere."""
        return 0

    def sleep_until(self, at: int, wake: Wake) -> None:
        """Jump to `at`; `on_jump(now, ahead)` makes the jump durable before anything is decided by it."""
        missing = at - self.now()
        if missing > 0:
            self._ahead += missing
            self._on_jump(self.now(), self._ahead)
