"""Days of the user's calendar as stretches of time."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable
from datetime import date
from functools import lru_cache
from typing import Literal

from backend.domain.model.campaign import DAY, MINUTE
from backend.domain.values.shapes import Shape

RelativeDay = Literal["today", "yesterday", "this_week", "last_week", "this_month"]
OffsetAt = Callable[[int], int]
"""Local time minus UTC (ms) at a moment (ms UTC): clocks are changed, so what is told about another day needs that day's own."""
_EPOCH = date(1970, 1, 1).toordinal()
_EVER = 2**53


def in_utc(_: int) -> int:
    """The offset of UTC, for who tells nobody a day."""
    return 0


def local_time(at: int, offset_at: OffsetAt) -> int:
    """What the local clock shows at a moment (ms UTC), in ms as if it were UTC."""
    return at + offset_at(at)


def local_day(at: int, offset_at: OffsetAt) -> int:
    """The local day of a moment (ms UTC), in days since the epoch."""
    return local_time(at, offset_at) // DAY


def moment_of(local: int, offset_at: OffsetAt) -> int:
    """The first moment (ms UTC) at which the local clock shows this time (as `local_time` has it) or has skipped it."""
    # No offset exceeds 14 hours, so the one that holds is that of a day before or of a day after. Asked for whole days, a cache
    # has both for all that is asked of a day and of the next.
    day = local // DAY * DAY
    before, after = offset_at(day - DAY), offset_at(day + 2 * DAY)
    early, late = local - max(before, after), local - min(before, after)
    if before == after or local_time(early, offset_at) >= local:
        return early
    return early + bisect_left(range(early, late), True, key=lambda at: local_time(at, offset_at) >= local)


def day_start(day: int, offset_at: OffsetAt) -> int:
    """When a local day (in days since the epoch) begins (ms UTC)."""
    return moment_of(day * DAY, offset_at)


def local_midnight(now: int, offset_at: OffsetAt) -> int:
    """When the local day began (ms UTC)."""
    return day_start(local_day(now, offset_at), offset_at)


def local_month(now: int, offset_at: OffsetAt) -> int:
    """When the local calendar month began (ms UTC)."""
    today = local_day(now, offset_at)
    return day_start(today + 1 - date.fromordinal(_EPOCH + today).day, offset_at)


def weekday(day: int) -> int:
    """The weekday of a local day (in days since the epoch); Monday is 0."""
    return (day + 3) % 7  # day 0 was a Thursday


class OffsetSince(Shape):
    """Local time minus UTC (ms) from a moment on (ms UTC)."""

    since: int
    ms: int


@lru_cache(maxsize=16)  # a list of conversations shows them on each line
def utc_offsets(now: int, offset_at: OffsetAt) -> list[OffsetSince]:
    """The offsets of the last and the next three years, in order; the first and the last also count for what is beyond them."""
    step = 14 * DAY  # no zone changes its clocks twice in that time
    sample_times = range(now - 3 * 365 * DAY, now + 3 * 366 * DAY, step)
    offsets = [OffsetSince(since=0, ms=offset_at(sample_times[0]))]
    for at in sample_times:
        if offset_at(at + step) != offsets[-1].ms:
            minutes = range(at - at % MINUTE, at + step, MINUTE)
            changed = minutes[bisect_left(minutes, True, key=lambda at: offset_at(at) != offsets[-1].ms)]
            offsets.append(OffsetSince(since=changed, ms=offset_at(changed)))
    return offsets


def count_by_day(times: Iterable[int], offset_at: OffsetAt) -> Counter[int]:
    """How many of these moments (ms UTC) fall on each local day."""
    counts = Counter[int]()
    day, ends = 0, -_EVER
    for at in sorted(times):
        if at >= ends:  # asked once a day, not for each of thousands
            day = local_day(at, offset_at)
            ends = day_start(day + 1, offset_at)
        counts[day] += 1
    return counts


def day_range(
    relative: RelativeDay | None, since: str | None, until: str | None, now: int, offset_at: OffsetAt
) -> tuple[int, int]:
    """From (included) and to (excluded), ms UTC; whole days (YYYY-MM-DD) narrow what `relative` says. A week begins on Monday."""
    today = local_day(now, offset_at)
    monday = today - weekday(today)
    first, last = {
        "today": (today, today),
        "yesterday": (today - 1, today - 1),
        "this_week": (monday, today),
        "last_week": (monday - 7, monday - 1),
        "this_month": (today + 1 - date.fromordinal(_EPOCH + today).day, today),
        None: (None, None),
    }[relative]
    start = 0 if first is None else day_start(first, offset_at)
    end = _EVER if last is None else day_start(last + 1, offset_at)
    if since is not None:
        start = max(start, day_start(_day(since), offset_at))
    if until is not None:
        end = min(end, day_start(_day(until) + 1, offset_at))
    return start, end


def iso_day(at: int) -> str:
    """The day of a moment (ms UTC) in UTC, as YYYY-MM-DD."""
    return date.fromordinal(_EPOCH + at // DAY).isoformat()


def local_date(at: int, offset_at: OffsetAt) -> str:
    """The local day of a moment (ms UTC), as YYYY-MM-DD: by it people are told a day."""
    return iso_day(local_time(at, offset_at))


def day_and_month(at: int) -> str:
    """The day of a moment (ms UTC) in UTC, as people write it: `12 Nov`."""
    day = date.fromordinal(_EPOCH + at // DAY)
    return f"{day.day} {day:%b}"


def named_day(at: int) -> str:
    """The same with its weekday: `Mon 30 Nov`."""
    return f"{date.fromordinal(_EPOCH + at // DAY):%a} {day_and_month(at)}"


def day_and_time(at: int, now: int, offset_at: OffsetAt) -> str:
    """A moment (ms UTC) by the local clock: `09:00` on the day of `now`, else `Mon 30 Nov, 09:00`."""
    local = local_time(at, offset_at)
    minutes = local % DAY // MINUTE
    time = f"{minutes // 60:02}:{minutes % 60:02}"
    return time if local // DAY == local_day(now, offset_at) else f"{named_day(local)}, {time}"


def _day(iso: str) -> int:
    return date.fromisoformat(iso).toordinal() - _EPOCH
