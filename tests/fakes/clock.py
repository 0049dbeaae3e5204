"""The clock that tests set: time passes only when they say so, and every sleep is written down."""

from backend.ports.clock import Wake

START = 1_780_272_000_000
"""Monday 1 June 2026, 00:00 UTC."""


class FakeClock:
    """`now` and `ticks` are settable; `sleep_until` jumps there at once, unless it is woken."""

    def __init__(self, now: int = START, *, offset: int = 0) -> None:
        self.time = now
        self.microseconds = 0
        self.local = offset
        self.sleeps: list[int] = []
        self.jumps = True

    def now(self) -> int:
        return self.time

    def ticks(self) -> int:
        return self.microseconds

    def offset(self, now: int) -> int:
        return self.local

    def sleep_until(self, at: int, wake: Wake) -> None:
        self.sleeps.append(at)
        if not wake.is_set():
            self.advance(max(0, at - self.time))

    def advance(self, milliseconds: int) -> None:
        """Let time pass."""
        self.time += milliseconds
        self.microseconds += milliseconds * 1_000
