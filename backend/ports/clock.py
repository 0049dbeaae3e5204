"""Time, as a recorded input."""

from typing import Protocol

from backend.domain.values.real_time import RealTime


class Clock(Protocol):
    """Where `now` comes from; the domain never asks by itself. With `skips_waiting` time jumps, as in a rehearsal."""

    skips_waiting: bool

    def now(self) -> int:
        """Milliseconds since the epoch, UTC."""

    def ticks(self) -> int:
        """Microseconds of a clock that never goes back, for durations."""

    def offset(self, now: int) -> int:
        """Local time minus UTC at `now`, in milliseconds."""

    def real_time(self) -> RealTime:
        """The moment outside, which no rehearsal moves."""

    def wait(self, seconds: float, wake: "Wake") -> None:
        """Wait in real time for so long or for `wake`, whichever is first; also in a rehearsal."""

    def wait_for_user(self, seconds: float, wake: "Wake") -> None:
        """The same for a user who is to decide or to read. A rehearsal's clock stands still until `wake` or its next jump."""

    def sleep_until(self, at: int, wake: "Wake") -> None:
        """Return when `now() >= at` or `wake` is set, whichever is first. A rehearsal's clock jumps."""


class Wake(Protocol):
    """Something that can end a sleep early (`threading.Event` does)."""

    def is_set(self) -> bool:
        """Whether to wake."""

    def wait(self, timeout: float | None = None) -> bool:
        """Block until set, at most `timeout` seconds."""
