"""What the ramp allows in the weeks to come, in plain words and with dates."""

from collections.abc import Mapping

from backend.domain.gates.gates import limit_a_day, ramp_allowance, working_time
from backend.domain.model.campaign import DAY, Limits
from backend.domain.model.days import OffsetAt, day_start, local_day, named_day
from backend.domain.model.task import ACT_WORDS, ActionFamily

WEEK = 7
WEEKS_TOLD = 2
"""Of a longer ramp only the day is told besides from which on all that the limit allows may be sent."""


def ramp_sentences(
    limits: Limits, begun: Mapping[ActionFamily, int | None], now: int, offset_at: OffsetAt
) -> list[str]:
    """A sentence for each family: how many a day it may be at most, from which day on, by `ramp_allowance`, which the gates ask.

    `begun`: the days since the account's first of that family, None when it has sent none: then it begins with the next working
    hours. Nothing where there are none.
    """
    days = _working_days(limits, now, offset_at)
    return [
        _sentence(limits, family, since, days, local_day(now, offset_at)) for family, since in begun.items() if days
    ]


def _working_days(limits: Limits, now: int, offset_at: OffsetAt) -> list[int]:
    """The local days with working hours from now on, until the longest ramp is over."""
    days: list[int] = []
    at = working_time(limits, now, offset_at)
    while at is not None and (not days or local_day(at, offset_at) <= days[0] + limits.ramp_days + WEEK):
        days.append(local_day(at, offset_at))
        at = working_time(limits, day_start(days[-1] + 1, offset_at), offset_at)
    return days


def _sentence(limits: Limits, family: ActionFamily, begun: int | None, days: list[int], today: int) -> str:
    limit, title = limit_a_day(limits, family), ACT_WORDS[family].title.lower()
    if limit == 0:
        return f"No {title}: their limit is 0."
    first_act = days[0] if begun is None else today - max(0, begun)
    allowed = {day: ramp_allowance(limits, limit, day - first_act) for day in days}
    if allowed[days[0]] == limit:
        return f"Up to {_many(limit, title)} a day."
    weeks = [[day for day in days if _week(day) == week] for week in dict.fromkeys(map(_week, days))]
    most_by_day = {week[0]: allowed[week[-1]] for week in weeks[:WEEKS_TOLD]}
    most_by_day[next(day for day in days if allowed[day] == limit)] = limit
    rises = [
        (day, n)
        for day, n in sorted(most_by_day.items())
        if all(n > other for at, other in most_by_day.items() if at < day)
    ]
    (first, at_first), *later = rises
    start_day = "on the first day" if begun is None else "today" if first == today else f"on {_named(first)}"
    start_note = f" ({allowed[first]} {start_day})" if allowed[first] < at_first else ""
    opening = "Up" if begun is not None else f"If you begin on {_named(first)}: up"
    phrases = [
        f"{opening} to {_many(at_first, title)} a day{start_note}",
        *(f"up to {n} from {_named(day)}" for day, n in later),
    ]
    return f"{', '.join(phrases)}."


def _week(day: int) -> int:
    return (day + 3) // WEEK  # weeks begin on Monday, and day 0 was a Thursday


def _named(day: int) -> str:
    return named_day(day * DAY)


def _many(number: int, plural: str) -> str:
    return f"{number} {plural.removesuffix('s') if number == 1 else plural}"
