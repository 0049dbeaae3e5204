"""Time, as a recorded input."""

from typing import Protocol


class Clock(Protocol):
    """Where `now` comes from; the domain never asks by itself. `jumps` says that waiting is jumped over, as in a rehearsal."""

    jumps: bool

    def now(self) -> int:
        """Milliseconds since the epoch, UTC."""

    def ticks(self) -> int:
        """Microseconds of a clock that never goes back, for durations."""

    def offset(self, now: int) -> int:
        """Local time minus UTC at `now`, in milliseconds."""

    def sleep_until(self, at: int, wake: "Wake") -> None:
        """Return when `now() >= at` or `wake` is set, whichever is first. A rehearsal's clock jumps."""


class Wake(Protocol):
    """Something that can end a sleep early (`threading.Event` does)."""

    def is_set(self) -> bool:
        """Whether to wake."""

    def wait(self, timeout: float | None = None) -> bool:
        """Block until set, at most `timeout` seconds."""
