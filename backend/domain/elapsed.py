"""How much time passed between two moments, by every clock there is; clocks that disagree tell that the machine slept."""

from typing import NamedTuple

TOLERANCE_SECONDS = 1.0
"""Clocks that differ by more did not count the same time: the machine slept, or the clock was set."""


class Moment(NamedTuple):
    """What the clocks show: the wall's (ms UTC), one that only counts (µs), and how long the machine has slept (µs).

    The counting clock stands still while some systems sleep; the time slept is 0 where the system does not tell it.
    """

    wall: int
    ticks: int
    slept: int


def elapsed_seconds(since: Moment, now: Moment) -> float | None:
    """Seconds from one moment to the other, by the clock that shows most; None if nobody can say."""
    by_wall = (now.wall - since.wall) / 1e3
    by_ticks = (now.ticks - since.ticks) / 1e6
    slept = (now.slept - since.slept) / 1e6
    if abs(by_wall - by_ticks) > TOLERANCE_SECONDS or abs(slept) > TOLERANCE_SECONDS:
        return None
    return max(by_wall, by_ticks)
