"""Real time, for what happens outside, and how much of it passed.

A rehearsal's clock jumps, a wall clock can be set, a machine can sleep or be started anew: so a moment is what several
clocks show, and where they disagree each question here errs on its own safe side.
"""

from typing import NamedTuple

TOLERANCE_SECONDS = 1.0
"""Clocks that differ by more did not count the same time: the machine slept, or the clock was set."""


class RealTime(NamedTuple):
    """A moment by two clocks: `wall` (ms UTC), and `monotonic` (ms), which only counts and only within one `boot`.

    `boot` names the start of the machine; it is empty where the system gives it no name. `slept` is for how long (ms) the
    machine has slept since then, 0 where nobody tells; the monotonic clock stands still meanwhile.
    """

    wall: int
    monotonic: int
    boot: str = ""
    slept: int = 0


def elapsed_seconds(since: RealTime, now: RealTime) -> float | None:
    """Seconds between two moments of one process, by the clock that shows most; None if they disagree: nobody can say."""
    by_wall, counted = now.wall - since.wall, now.monotonic - since.monotonic
    if max(abs(by_wall - counted), abs(now.slept - since.slept)) > TOLERANCE_SECONDS * 1_000:
        return None
    return max(by_wall, counted) / 1_000


def certainly_elapsed(since: RealTime, now: RealTime) -> int | None:
    """How many ms have passed at least, maybe in another process; None if that cannot be told.

    It cannot after another start of the machine, nor after a clock went backwards. Where the clocks disagree, the
    smaller of the two counts: one may have been set forward.
    """
    if not since.boot or since.boot != now.boot:
        return None
    passed = min(now.wall - since.wall, now.monotonic - since.monotonic)
    return passed if passed >= 0 else None


def possibly_elapsed(since: RealTime, now: RealTime) -> int | None:
    """How many ms may have passed, by the larger of two clocks; None if one went backwards: any number."""
    counted = now.monotonic - since.monotonic if since.boot and since.boot == now.boot else 0
    passed = now.wall - since.wall
    return max(passed, counted) if passed >= 0 and counted >= 0 else None
