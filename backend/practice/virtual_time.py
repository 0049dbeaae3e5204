"""Points in virtual time, as milliseconds since 1970 UTC."""

from datetime import UTC, datetime

MINUTE = 60_000
HOUR = 60 * MINUTE
DAY = 24 * HOUR

WAKES_UP_AT = 7 * HOUR
GOES_TO_SLEEP_AT = 22 * HOUR

AGO = ((365 * DAY, "year"), (30 * DAY, "month"), (7 * DAY, "week"), (DAY, "day"), (HOUR, "hour"), (MINUTE, "minute"))


def to_datetime(at: int) -> datetime:
    return datetime.fromtimestamp(at / 1000, UTC)


def iso(at: int) -> str:
    """For a <time datetime>: milliseconds and a Z, so that it reads back to the same number."""
    return to_datetime(at).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def format_time(at: int) -> str:
    moment = to_datetime(at)
    return f"{moment.day} {moment:%B %Y, %H:%M} UTC"


def format_day(at: int) -> str:
    moment = to_datetime(at)
    return f"{moment.day} {moment:%B %Y}"


def ago(at: int, now: int) -> str:
    """The largest whole unit: "3 days ago"."""
    for size, unit in AGO:
        if count := (now - at) // size:
            return f"{count} {unit}{'s' if count > 1 else ''} ago"
    return "just now"


def next_waking_hour(at: int) -> int:
    """The same moment, or the next one at which people are up: nobody answers at three in the night."""
    hour = at % DAY
    if hour < WAKES_UP_AT:
        return at - hour + WAKES_UP_AT + hour % HOUR
    if hour >= GOES_TO_SLEEP_AT:
        return at - hour + DAY + WAKES_UP_AT + hour % HOUR
    return at
