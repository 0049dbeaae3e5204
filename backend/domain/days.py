"""Days of the user's calendar as stretches of time."""

from collections.abc import Callable
from datetime import date
from typing import Literal

from backend.domain.campaign import DAY, MINUTE

RelativeDay = Literal["today", "yesterday", "this_week", "last_week", "this_month"]
_EPOCH = date(1970, 1, 1).toordinal()
_EVER = 2**53


def local_midnight(now: int, offset: Callable[[int], int]) -> int:
    """When the local day began (ms UTC), by the offset that was in force then: clocks may have been changed since."""
    day = (now + offset(now)) // DAY * DAY
    return day - offset(day - offset(now))


def local_month(now: int, offset: Callable[[int], int]) -> int:
    """When the local calendar month began (ms UTC), by the offset that was in force then."""
    day = date.fromordinal(_EPOCH + (now + offset(now)) // DAY).day
    noon = local_midnight(now, offset) + DAY // 2  # so that an hour more or less is the same day
    return local_midnight(noon - (day - 1) * DAY, offset)


def day_range(
    relative: RelativeDay | None, since: str | None, until: str | None, now: int, offset: int
) -> tuple[int, int]:
    """From (included) and to (excluded), ms UTC; `since` and `until` are whole days (YYYY-MM-DD) and narrow what `relative` says.

    `offset` is local time minus UTC in ms. A week begins on Monday.
    """
    today = (now + offset) // DAY
    monday = today - (today + 3) % 7  # day 0 was a Thursday
    first, last = {
        "today": (today, today),
        "yesterday": (today - 1, today - 1),
        "this_week": (monday, today),
        "last_week": (monday - 7, monday - 1),
        "this_month": (today + 1 - date.fromordinal(_EPOCH + today).day, today),
        None: (None, None),
    }[relative]
    start, end = 0 if first is None else first * DAY - offset, _EVER if last is None else (last + 1) * DAY - offset
    if since is not None:
        start = max(start, _day(since) * DAY - offset)
    if until is not None:
        end = min(end, (_day(until) + 1) * DAY - offset)
    return start, end


def iso_day(at: int) -> str:
    """The day of a moment (ms UTC) in UTC, as YYYY-MM-DD."""
    return date.fromordinal(_EPOCH + at // DAY).isoformat()


def day_and_month(at: int) -> str:
    """The day of a moment (ms UTC) in UTC, as people write it: `12 Nov`."""
    day = date.fromordinal(_EPOCH + at // DAY)
    return f"{day.day} {day:%b}"


def named_day(at: int) -> str:
    """The same with its weekday: `Mon 30 Nov`."""
    return f"{date.fromordinal(_EPOCH + at // DAY):%a} {day_and_month(at)}"


def day_and_time(at: int, now: int, offset: int) -> str:
    """A moment (ms UTC) by the local clock: `09:00` on the day of `now`, else `Mon 30 Nov, 09:00`."""
    local, minutes = at + offset, (at + offset) % DAY // MINUTE
    time = f"{minutes // 60:02}:{minutes % 60:02}"
    return time if local // DAY == (now + offset) // DAY else f"{named_day(local)}, {time}"


def _day(iso: str) -> int:
    return date.fromisoformat(iso).toordinal() - _EPOCH
