"""What may be concluded from a campaign's numbers, and no more than that."""

import math
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

from backend.domain.gates.gates import ramp_allowance
from backend.domain.model.campaign import DAY, HOUR, Limits
from backend.domain.model.days import OffsetAt, day_start, weekday

SMALL_SAMPLE = 20
"""With fewer contacted leads than this a rate says little, and is marked."""

_Z = 1.959964  # two-sided 95 %


class Interval(NamedTuple):
    """Where a share probably lies; both between 0 and 1."""

    low: float
    high: float


def wilson_interval(responded: int, contacted: int) -> Interval:
    """The 95 % interval of a response rate by Wilson's score; of nobody nothing is known."""
    if contacted == 0:
        return Interval(0.0, 1.0)
    share, z2 = responded / contacted, _Z * _Z
    middle = (share + z2 / (2 * contacted)) / (1 + z2 / contacted)
    spread = _Z / (1 + z2 / contacted) * math.sqrt(share * (1 - share) / contacted + z2 / (4 * contacted * contacted))
    return Interval(max(0.0, middle - spread), min(1.0, middle + spread))


class FunnelStep(StrEnum):
    """How far a lead came; `interested` by the user's label."""

    PENDING = "pending"
    CONTACTED = "contacted"
    RESPONDED = "responded"
    INTERESTED = "interested"
    REJECTED = "rejected"


def allowed(limits: Limits, limit: int, day: int, first_day: int | None) -> int:
    """How many acts of a family this local day allows, the ramp included; on a day off there are none."""
    if weekday(day) not in limits.work_days:
        return 0
    since = 0 if first_day is None else day - first_day
    return min(limit, ramp_allowance(limits, limit, since))


class LimitsSince(NamedTuple):
    """The limits that held from that moment on (ms UTC)."""

    since: int
    limits: Limits


def limits_on(history: Sequence[LimitsSince], day: int, offset_at: OffsetAt) -> list[Limits]:
    """The limits that held at any time of that local day; before the first of them, the first. `history` is in order."""
    begins, ends = day_start(day, offset_at), day_start(day + 1, offset_at)
    before = [entry.limits for entry in history if entry.since <= begins][-1:]
    during = [entry.limits for entry in history if begins < entry.since < ends]
    return [*before, *during] or [history[0].limits]


class Periods(NamedTuple):
    """Stretches of `days` local days each, the last one ending with today; `first` is the day on which the first begins."""

    first: int
    days: int
    stretches: int

    def of(self, day: int) -> int:
        """The place of the stretch to which that day belongs."""
        return (day - self.first) // self.days

    def sums(self, by_day: Mapping[int, int]) -> list[int]:
        """A count of each stretch; days before the first one are left out."""
        counts = [0] * self.stretches
        for day, n in by_day.items():
            if 0 <= (index := self.of(day)) < self.stretches:
                counts[index] += n
        return counts


MOST_DAYS, MOST_WEEKS = 14, 12


def periods(begun: int, today: int) -> Periods:
    """Days since it began, or weeks once it has gone on for more than fourteen days: at most twelve of them."""
    since = today - begun + 1
    if since <= MOST_DAYS:
        return Periods(begun, 1, max(1, since))
    weeks = min(MOST_WEEKS, -(-since // 7))
    return Periods(today + 1 - 7 * weeks, 7, weeks)


class ReplyDelay(NamedTuple):
    """Replies that came within `until` ms of our text, and after the span before; None: all that came later."""

    until: int | None
    replies: int


_SPANS = (HOUR, 4 * HOUR, DAY, 2 * DAY, 4 * DAY, 7 * DAY, 14 * DAY)


def reply_delays(times: Sequence[int]) -> list[ReplyDelay]:
    """Times to reply (ms), counted by span."""
    counts = [0] * (len(_SPANS) + 1)
    for time in times:
        counts[bisect_right(_SPANS, time)] += 1
    return [ReplyDelay(until, count) for until, count in zip((*_SPANS, None), counts, strict=True)]


def median(times: Sequence[int]) -> int | None:
    """The time (ms) within which half of them replied; None without any."""
    ordered = sorted(times)
    middle = len(ordered) // 2
    if not ordered:
        return None
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) // 2
