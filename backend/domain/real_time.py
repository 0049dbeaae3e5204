"""Real time, for what happens outside: a rehearsal's clock jumps, a wall clock can be set, and a machine can be started anew."""

from typing import NamedTuple


class RealTime(NamedTuple):
    """A moment by two clocks: `wall` (ms UTC), and `monotonic` (ms), which only counts and only within one `boot`.

    `boot` names the start of the machine; it is empty where the system gives it no name.
    """

    wall: int
    monotonic: int
    boot: str = ""


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
    """How many ms may have passed; None if a clock went backwards, so that it may be any number.

    Where the clocks disagree, the larger of the two counts.
    """
    counted = now.monotonic - since.monotonic if since.boot and since.boot == now.boot else 0
    passed = now.wall - since.wall
    return max(passed, counted) if passed >= 0 and counted >= 0 else None
