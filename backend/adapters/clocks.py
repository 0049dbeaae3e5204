"""The real clock, the rehearsal's, which jumps over waiting, and those that nobody sets.

Python's own monotonic clock stands still in sleep on Linux and macOS, and goes on on Windows.
"""

import ctypes
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from backend.domain.values.errors import OutriderError
from backend.domain.values.real_time import RealTime
from backend.ports.clock import Wake

_POSIX = {
    "darwin": ("CLOCK_UPTIME_RAW", "CLOCK_MONOTONIC_RAW"),
    "linux": ("CLOCK_MONOTONIC", "CLOCK_BOOTTIME"),
}
_TICK_NS = 100
_MS_NS = 1_000_000


class AwakeClocks(NamedTuple):
    """Two clocks that nobody sets, in ns: `awake` stands still while the machine sleeps, `always` goes on."""

    awake: Callable[[], int]
    always: Callable[[], int]


def clocks_of(system: str, times: Any, kernel32: Any) -> AwakeClocks:
    """Those of a system (`sys.platform`), by the module `time` there, or by Windows's library of that name."""
    if system == "win32":
        return _clocks_of_windows(kernel32)
    awake, always = _POSIX.get(system, _POSIX["linux"])
    return AwakeClocks(
        lambda: int(times.clock_gettime_ns(getattr(times, awake))),
        lambda: int(times.clock_gettime_ns(getattr(times, always))),
    )


def _clocks_of_windows(kernel32: Any) -> AwakeClocks:
    """By the count of interrupts, without and with sleep and hibernation; as fine as its tick, some 16 ms."""
    kernel32.GetTickCount64.restype = ctypes.c_uint64

    def awake() -> int:
        counted = ctypes.c_uint64()
        if not kernel32.QueryUnbiasedInterruptTime(ctypes.byref(counted)):
            raise OSError("Windows does not tell its interrupt time")
        return counted.value * _TICK_NS

    return AwakeClocks(awake, lambda: int(kernel32.GetTickCount64()) * _MS_NS)


@cache
def clocks_here() -> AwakeClocks:
    """Those of this system."""
    if sys.platform == "win32":
        return clocks_of(sys.platform, time, ctypes.WinDLL("kernel32"))
    return clocks_of(sys.platform, time, None)


_SLICE_SECONDS = 1.0
_ZONE_SECONDS = 5.0
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


EARLIEST = 1_704_067_200_000
"""1 January 2024 in ms UTC: no Outrider is older than that, and a computer that forgot the time shows 1970 or so."""
LATEST = 32_503_680_000_000
"""1 January 3000 in ms UTC."""


def plausible(now: int) -> int:
    """That moment (ms UTC); raises `clock_wrong` for one that cannot be now."""
    if EARLIEST <= now < LATEST:
        return now
    raise OutriderError(
        "clock_wrong", said=str(EPOCH + timedelta(milliseconds=now)) if now < LATEST else "a year after 2999"
    )


class SystemClock:
    """Wall-clock time. Sleeps in short slices, so that a decision made in another process is noticed."""

    skips_waiting = False

    def now(self) -> int:
        """Milliseconds since the epoch, UTC."""
        return plausible(time.time_ns() // 1_000_000)

    def ticks(self) -> int:
        """Microseconds of the monotonic clock."""
        return time.perf_counter_ns() // 1_000

    def offset(self, now: int) -> int:
        """Local time minus UTC in ms, as the system's time zone has it at `now`; one that was changed holds within seconds."""
        _read_zone_again(int(time.monotonic() / _ZONE_SECONDS))
        return time.localtime(now / 1_000).tm_gmtoff * 1_000

    def real_time(self) -> RealTime:
        """By the wall clock and the one that stands still while the machine sleeps, as its requests do."""
        clocks = clocks_here()
        awake, always = clocks.awake(), clocks.always()
        return RealTime(time.time_ns() // 1_000_000, awake // 1_000_000, boot_id(), (always - awake) // 1_000_000)

    def wait(self, seconds: float, wake: Wake) -> None:
        """Wait for so long or for `wake`."""
        wake.wait(seconds)

    def wait_for_user(self, seconds: float, wake: Wake) -> None:
        """The same: real time passes for everybody."""
        wake.wait(seconds)

    def sleep_until(self, at: int, wake: Wake) -> None:
        """Wait for `at` or for `wake`, at most one slice; the caller looks again."""
        remaining = (at - self.now()) / 1_000
        if remaining > 0:
            wake.wait(min(remaining, _SLICE_SECONDS))


@lru_cache(maxsize=1)
def _read_zone_again(_: int) -> None:
    """Once in each stretch of time: a process goes on with the zone it began in, and whoever travels leaves Outrider open."""
    if hasattr(time, "tzset"):  # Windows has none
        time.tzset()


@cache
def boot_id() -> str:
    """Which start of the machine this is; empty where the system does not say, so that nothing is taken for the same."""
    with suppress(OSError):
        return Path("/proc/sys/kernel/random/boot_id").read_text("ascii").strip()
    return ""


class RehearsalClock(SystemClock):
    """Runs with real time, a fixed lead ahead of it; instead of waiting it grows the lead and says so.

    While the user is waited for it stands still: however long they read, no time passes in the world that they read about.
    """

    skips_waiting = True

    def __init__(self, ahead: int, on_jump: Callable[[int, int], None]) -> None:
        self._ahead = ahead
        self._on_jump = on_jump
        self._stands_at: int | None = None

    def now(self) -> int:
        """Rehearsal time, ms UTC."""
        stands_at = self._stands_at
        return super().now() + self._ahead if stands_at is None else stands_at

    def offset(self, now: int) -> int:
        """A rehearsal's working day is the same everywhere."""
        return 0

    def wait_for_user(self, seconds: float, wake: Wake) -> None:
        """Stand still until `wake`, also between one such wait and the next."""
        self._stands_at = self.now()
        super().wait_for_user(seconds, wake)
        if wake.is_set():
            self._go_on()

    def _go_on(self) -> None:
        if self._stands_at is not None:
            self._ahead = self._stands_at - super().now()
            self._stands_at = None

    def sleep_until(self, at: int, wake: Wake) -> None:
        """Jump to `at`; `on_jump(now, ahead)` makes the jump durable before anything is decided by it."""
        self._go_on()
        missing = at - self.now()
        if missing > 0:
            self._ahead += missing
            self._on_jump(self.now(), self._ahead)


class StoppedClock(RehearsalClock):
    """That of a rehearsal that does not run: it stands where its log ends."""

    def __init__(self, at: int) -> None:
        super().__init__(0, lambda *_: None)
        self._at = at

    def now(self) -> int:
        """The time of the last entry, ms UTC."""
        return self._at


class SimulatedClock(SystemClock):
    """Time that passes only by sleeping, and ends: who would sleep beyond `until` sleeps to it, and `on_end` is told."""

    skips_waiting = True

    def __init__(self, now: int, offset: Callable[[int], int], until: int, on_end: Callable[[], None]) -> None:
        self._now, self._offset, self._until, self._on_end = now, offset, until, on_end
        self.not_beyond: int | None = None  # the next sleep ends there

    def now(self) -> int:
        """Simulated time, ms UTC."""
        return self._now

    def offset(self, now: int) -> int:
        """As where the campaign lives."""
        return self._offset(now)

    def real_time(self) -> RealTime:
        """None passes."""
        return RealTime(self._now, 0, "simulated")

    def wait(self, seconds: float, wake: Wake) -> None:
        """Nobody else is there to be waited for."""

    def wait_for_user(self, seconds: float, wake: Wake) -> None:
        """Nor a user."""

    def sleep_until(self, at: int, wake: Wake) -> None:
        """Be there at once."""
        if wake.is_set():
            return
        at = at if self.not_beyond is None else min(at, self.not_beyond)
        self.not_beyond = None
        self._now = max(self._now, min(at, self._until))
        if at >= self._until:
            self._on_end()
