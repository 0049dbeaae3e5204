"""Time while the machine is awake, and time with its sleep: by the clocks of each system that mean just that.

Python's own monotonic clock stands still in sleep on Linux and macOS, and goes on on Windows.
"""

import ctypes
import sys
import time
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

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
