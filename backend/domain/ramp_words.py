"""What the ramp allows in the weeks to come, in plain words."""

from collections.abc import Mapping

from backend.domain.act_words import ACT_WORDS
from backend.domain.campaign import Limits
from backend.domain.gates import limit_a_day, ramp_allowance
from backend.domain.task import ActionFamily

WEEK = 7
_NEW, _BEGUN = ("In the first week", "in the second week"), ("In the next 7 days", "in the 7 days after")
"""What is told week by week; of a longer ramp only its last day is told besides."""


def ramp_sentences(limits: Limits, begun: Mapping[ActionFamily, int | None]) -> list[str]:
    """A sentence for each family: how many a day it may be, by `ramp_allowance`, which the gates ask.

    `begun`: the days since the account's first of that family, None when it has sent none.
    """
    return [_sentence(limits, family, days) for family, days in begun.items()]


def _sentence(limits: Limits, family: ActionFamily, begun: int | None) -> str:
    limit, title, today = limit_a_day(limits, family), ACT_WORDS[family].title.lower(), max(0, begun or 0)
    if limit == 0:
        return f"No {title}: their limit is 0."
    first = ramp_allowance(limits, limit, today)
    if first == limit:
        return f"Up to {_many(limit, title)} a day."
    parts: list[str] = []
    for week, name in enumerate(_NEW if begun is None else _BEGUN):
        most = ramp_allowance(limits, limit, today + WEEK * (week + 1) - 1)
        told = f"a day ({first} {'on the first day' if begun is None else 'today'})"
        parts.append(f"{name} up to {most}" if parts else f"{name} up to {_many(most, title)} {told}")
        if most == limit:
            return f"{', '.join(parts)}."
    full = next(day for day in range(today, limits.ramp_days + 1) if ramp_allowance(limits, limit, day) == limit)
    return f"{', '.join(parts)}, and {limit} from day {full + 1} of the ramp-up on."


def _many(number: int, plural: str) -> str:
    return f"{number} {plural.removesuffix('s') if number == 1 else plural}"
