"""Dates as LinkedIn writes them, and as a spreadsheet or another tool saves them again, in seven languages.

A date that can be read in two ways, `04/03/2024`, is read only if another date of its column shows which comes first.
"""

import re
import unicodedata
from collections.abc import Iterable
from datetime import UTC, date, datetime, time, timedelta, timezone
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple


class DateOrder(StrEnum):
    """What comes first in the numeric dates of a column."""

    DAY_FIRST = "day_first"
    MONTH_FIRST = "month_first"


# Any beginning of at least three letters is understood, too, where it is that of one month only; accents do not matter.
_MONTH_NAMES = (
    "january januar janvier enero januari janeiro gennaio jänner",
    "february februar fevrier febrero februari fevereiro febbraio feber",
    "march märz mars marzo maart março mrz mrt",
    "april avril abril aprile",
    "may mai mayo mei maio maggio",
    "june juni juin junio junho giugno",
    "july juli juillet julio julho luglio",
    "august août agosto augustus",
    "september septembre septiembre setiembre setembro settembre",
    "october oktober octobre octubre outubro ottobre",
    "november novembre noviembre novembro",
    "december dezember décembre diciembre dezembro dicembre",
)
_SHORTEST_BEGINNING = 3


def _folded(text: str) -> str:
    """In lower case, without accents and what is not seen."""
    parts = unicodedata.normalize("NFKD", text.lower())
    return "".join(letter for letter in parts if not unicodedata.combining(letter))


def _month_numbers() -> dict[str, int]:
    beginnings: dict[str, set[int]] = {}
    for number, names in enumerate(_MONTH_NAMES, 1):
        for name in _folded(names).split():
            for end in range(_SHORTEST_BEGINNING, len(name) + 1):
                beginnings.setdefault(name[:end], set()).add(number)
    return {beginning: min(numbers) for beginning, numbers in beginnings.items() if len(numbers) == 1}


_MONTHS = _month_numbers()

_AS_LINKEDIN_WRITES = re.compile(r"([0-9]{1,2}) ([A-Za-z]{3}) ([0-9]{4})")
# As messages have it, a hundred thousand times.
_UTC = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2} UTC")
_TIME = re.compile(
    r"(?P<day>.*?)(?:,? +(?:um |a las |à |at )?|,|t)"
    r"(?P<hour>[0-9]{1,2})[:.h](?P<minute>[0-9]{2})(?:[:.](?P<second>[0-9]{2})(?:[.,][0-9]+)?)?"
    r" ?(?P<half>[ap]\.? ?m\.?)?(?: uhr)? ?(?P<zone>utc|gmt|z|[+-][0-9]{2}:?[0-9]{2})?"
)
_WEEKDAY = re.compile(r"[a-z]{2,10}\.?(?:-feira)?,? +(?=[0-9])")
_YEAR_FIRST = re.compile(r"([0-9]{4})([0-9]{2})([0-9]{2})|([0-9]{4})\u5e74 ?([0-9]{1,2})\u6708 ?([0-9]{1,2})\u65e5")
_SEPARATORS = re.compile(r"[ .,/-]+")
_FILLERS = {"de", "of", "del", "den", "d", "le"}
_ORDINAL = re.compile(r"([0-9]{1,2})(?:st|nd|rd|th|er|e|o)")
_NUMBER = re.compile(r"[0-9]{1,4}")
# A day as Excel counts it, from the year LinkedIn opened on.
_SERIAL = re.compile(r"(3[89]|[4-6][0-9])[0-9]{3}(?:[.,][0-9]+)?")
_SERIAL_BEGINS = date(1899, 12, 30)
# LinkedIn opened in 2003: two digits never mean the 1900s.
_CENTURY = 2000
_NOON = 12


class _Readings(NamedTuple):
    """The dates that a text can be, by what comes first in it; both are the same where it can only be one."""

    day_first: date | None
    month_first: date | None


_NO_DATE = _Readings(None, None)


@lru_cache(maxsize=8192)
def linkedin_date(text: str, order: DateOrder | None = None) -> str | None:
    """`15 Mar 2024`, `15.03.2024` or `15-Mär-24` as an ISO date; None when it is none, or could be two of them.

    A time of day is allowed behind it. `order` is that of its column, None where that does not tell.
    """
    if match := _AS_LINKEDIN_WRITES.fullmatch(text):
        day = _from_numbers(match[3], _MONTHS.get(match[2].lower()), match[1])
        return day.isoformat() if day else None
    day_first, month_first = _readings(_parts_of(text)[0])
    if order is DateOrder.DAY_FIRST:
        chosen = day_first
    elif order is DateOrder.MONTH_FIRST:
        chosen = month_first
    elif day_first and month_first and day_first != month_first:
        chosen = None
    else:
        chosen = day_first or month_first
    return chosen.isoformat() if chosen else None


def column_order(texts: Iterable[str]) -> DateOrder | None:
    """What comes first in a column's dates, by those that fit in one way only; None if none does, or they disagree."""
    orders: set[DateOrder] = set()
    for text in texts:
        if _UTC.fullmatch(text):
            continue
        day_first, month_first = _readings(_parts_of(text)[0])
        if day_first != month_first and None in (day_first, month_first):
            orders.add(DateOrder.DAY_FIRST if day_first else DateOrder.MONTH_FIRST)
    return orders.pop() if len(orders) == 1 else None


def moment(text: str, order: DateOrder | None = None) -> int | None:
    """A date with its time of day as ms UTC; None without either. Times that name no zone are taken for UTC, as LinkedIn's are."""
    if _UTC.fullmatch(text):
        try:
            return int(datetime.fromisoformat(text[:-4] + "+00:00").timestamp()) * 1_000
        except ValueError:
            return None
    day, at = linkedin_date(text, order), _parts_of(text)[1]
    if day is None or at is None:
        return None
    return int(datetime.combine(date.fromisoformat(day), at).timestamp()) * 1_000


@lru_cache(maxsize=8192)
def _parts_of(text: str) -> tuple[str, time | None]:
    """The text of the day, folded, and the time of day behind it."""
    folded = _folded(text).strip()
    match = _TIME.fullmatch(folded)
    if match is None:
        return folded, None
    hour = int(match["hour"])
    if match["half"]:
        if not 1 <= hour <= _NOON:
            return folded, None
        hour = hour % _NOON + (_NOON if match["half"].startswith("p") else 0)
    try:
        return match["day"], time(hour, int(match["minute"]), int(match["second"] or 0), tzinfo=_zone(match["zone"]))
    except ValueError:
        return folded, None


def _zone(text: str | None) -> timezone:
    if not text or text[0] not in "+-":
        return UTC
    digits = text[1:].replace(":", "")
    offset = timedelta(hours=int(digits[:2]), minutes=int(digits[2:]))
    return timezone(-offset if text[0] == "-" else offset)


def _readings(text: str) -> _Readings:
    """The dates that a folded text without a time can be."""
    text = _WEEKDAY.sub("", text, count=1) if not text[:1].isdigit() and _month_of(text) is None else text
    if _SERIAL.fullmatch(text):
        return _only(_SERIAL_BEGINS + timedelta(days=int(text[:5])))
    if match := _YEAR_FIRST.fullmatch(text):
        year, month, day = filter(None, match.groups())
        return _only(_from_numbers(year, int(month), day))
    parts = [_ORDINAL.sub(r"\1", part) if _ORDINAL.fullmatch(part) else part for part in _SEPARATORS.split(text)]
    parts = [part for part in parts if part and part not in _FILLERS]
    if len(parts) != 3:  # noqa: PLR2004  day, month and year
        return _NO_DATE
    if not all(map(_NUMBER.fullmatch, parts)):
        return _only(_with_month_name(parts))
    if len(parts[0]) == 4:  # noqa: PLR2004  a year
        return _only(_from_numbers(parts[0], int(parts[1]), parts[2]))
    day_first = _from_numbers(parts[2], int(parts[1]), parts[0])
    if "." in text:  # nowhere written with the month first
        return _only(day_first)
    return _Readings(day_first, _from_numbers(parts[2], int(parts[0]), parts[1]))


def _month_of(text: str) -> int | None:
    return _MONTHS.get(re.split(r"[^a-z]", text, maxsplit=1)[0])


def _with_month_name(parts: list[str]) -> date | None:
    first, second, third = parts
    if month := _MONTHS.get(second):
        year, day = (first, third) if len(first) == 4 else (third, first)  # noqa: PLR2004
        return _from_numbers(year, month, day)
    return _from_numbers(third, _MONTHS.get(first), second)


def _from_numbers(year: str, month: int | None, day: str) -> date | None:
    if month is None or not _NUMBER.fullmatch(year) or not _NUMBER.fullmatch(day) or len(year) not in (2, 4):
        return None
    try:
        return date(int(year) + (_CENTURY if len(year) == len("24") else 0), month, int(day))
    except ValueError:
        return None


def _only(day: date | None) -> _Readings:
    return _Readings(day, day)
