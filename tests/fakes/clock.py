"""The clock that tests set: time passes only when they say so, and every sleep is written down."""

from collections.abc import Callable

from backend.domain.model.days import OffsetAt
from backend.domain.values.real_time import RealTime
from backend.ports.clock import Wake

START = 1_780_272_000_000
"""Monday 1 June 2026, 00:00 UTC."""


def always(offset: int) -> OffsetAt:
    """Clocks that are never changed."""
    return lambda _: offset


class FakeClock:
    """`now` and `ticks` are settable; `sleep_until` skips_waiting there at once, unless it is woken.

    Real time passes in `wait` and `advance`, not in `sleep_until`, which jumps as a rehearsal does.
    """

    def __init__(self, now: int = START, *, offset: int = 0) -> None:
        self.time = now
        self.microseconds = 0
        self.local = offset
        self.sleeps: list[int] = []
        self.skips_waiting = True
        self.real = RealTime(now, 1_000_000, "boot")
        self.waits: list[float] = []
        self.on_wait: Callable[[], object] = lambda: None  # what others do while somebody waits

    def now(self) -> int:
        return self.time

    def ticks(self) -> int:
        return self.microseconds

    def offset(self, now: int) -> int:
        return self.local

    def real_time(self) -> RealTime:
        return self.real

    def wait(self, seconds: float, wake: Wake) -> None:
        self.waits.append(seconds)
        self.on_wait()
        if not wake.is_set():
            self.advance(round(seconds * 1_000))

    def wait_for_user(self, seconds: float, wake: Wake) -> None:
        self.wait(seconds, wake)

    def sleep_until(self, at: int, wake: Wake) -> None:
        self.sleeps.append(at)
        if not wake.is_set():
            self.jump(max(0, at - self.time))

    def advance(self, milliseconds: int) -> None:
        """Let time pass."""
        self.real = self.real._replace(wall=self.real.wall + milliseconds, monotonic=self.real.monotonic + milliseconds)
        self.jump(milliseconds)

    def jump(self, milliseconds: int) -> None:
        """Let only the campaign's time pass."""
        self.time += milliseconds
        self.microseconds += milliseconds * 1_000

    def sleep(self, milliseconds: int, *, announced: bool = True) -> None:
        """The machine sleeps: the clock that counts stands still; `announced` says whether the system tells of the sleep."""
        self.set_forward(milliseconds)
        self.real = self.real._replace(slept=self.real.slept + (milliseconds if announced else 0))

    def set_forward(self, milliseconds: int) -> None:
        """The wall's clock is set, back if that is negative."""
        self.time += milliseconds
        self.real = self.real._replace(wall=self.real.wall + milliseconds)

    def stands_still(self, milliseconds: int) -> None:
        """Time passes, and the wall's clock does not know it."""
        self.microseconds += milliseconds * 1_000
        self.real = self.real._replace(monotonic=self.real.monotonic + milliseconds)
