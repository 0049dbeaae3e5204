"""Dates as other tools and spreadsheets write them, in six languages: which day is meant, or that it cannot be told."""

import re
import unicodedata
from datetime import UTC, date, datetime
from functools import lru_cache
from typing import NamedTuple

from backend.domain.values.hidden_characters import as_it_looks

_MONTHS = {
    "jan": 1, "ene": 1, "feb": 2, "fev": 2, "mar": 3, "maa": 3, "mrt": 3, "apr": 4, "avr": 4, "abr": 4,
    "may": 5, "mai": 5, "mei": 5, "jun": 6, "juin": 6, "jul": 7, "juil": 7, "aug": 8, "aou": 8, "ago": 8,
    "sep": 9, "set": 9, "oct": 10, "okt": 10, "out": 10, "nov": 11, "dec": 12, "dez": 12, "dic": 12,
}  # fmt: skip
"""How the months begin in English, German, French, Spanish, Dutch and Portuguese, without accents."""

_REST = r"(?:[ t,;(].*)?"
_YEAR_FIRST = re.compile(rf"(\d{{4}})[-/.](\d{{1,2}})[-/.](\d{{1,2}}){_REST}")
_COMPACT = re.compile(rf"((?:19|20)\d\d)(\d\d)(\d\d)(?:t\d{{4,6}}z?)?{_REST}")
_NUMBERS = re.compile(rf"(\d{{1,2}})([./-])(\d{{1,2}})\2(\d{{4}}|\d\d){_REST}")
_WEEKDAY = r"(?:[a-z]{2,10}[.,]*(?:[- ]feira)?,? )?"
_DAY_MONTH = re.compile(
    rf"{_WEEKDAY}(\d{{1,2}})(?:st|nd|rd|th|er|o)?[. -]+(?:de )?([a-z]{{3,10}})[.,]?[ -]+(?:de )?(\d{{4}}|\d\d){_REST}"
)
_MONTH_DAY = re.compile(rf"{_WEEKDAY}([a-z]{{3,10}})[.]? (\d{{1,2}})(?:st|nd|rd|th)?,? (\d{{4}}){_REST}")
_MONTH_ONLY = re.compile(r"(?:(\d{4})[-/.](\d\d?)|([a-z]{3,10})[.]? (?:de )?(\d{4}))")
_SECONDS, _MILLISECONDS = re.compile(r"\d{10}(?:\.\d+)?"), re.compile(r"\d{13}")
_AGO = re.compile(
    r"\d+ ?[a-z]+ (?:ago|geleden|atras)|(?:an?|one) [a-z]+ ago|(?:vor|il y a|hace|ha) (?:\d+|einem|einer|une?|una?|um|uma) .+"
    r"|just now|today|yesterday|last week|last month|heute|gestern|aujourd'?hui|hier|hoy|ayer|vandaag|gisteren|hoje|ontem"
)
_CENTURY = 2000
_IN_EVERY_MONTH = 28


class WrittenDate(NamedTuple):
    """The first and the last day (ISO) that a text can mean; both empty for one such as “2 days ago”."""

    first: str
    last: str

    @property
    def day(self) -> str:
        """The day, empty where the text can mean several."""
        return self.first if self.first == self.last else ""


@lru_cache(maxsize=1024)
def written_date(text: str) -> WrittenDate | None:
    """The date in a cell, or None. `04/03/2024` can mean two days; with full stops the day comes first everywhere."""
    plain = without_accents(as_it_looks(text)).casefold().strip()
    if _AGO.fullmatch(plain):
        return WrittenDate("", "")
    days = sorted({day for day in _readings(plain) if day})
    return WrittenDate(days[0], days[-1]) if days else None


def without_accents(text: str) -> str:
    """`Réponse` as `Reponse`."""
    if text.isascii():
        return text
    return "".join(part for part in unicodedata.normalize("NFKD", text) if not unicodedata.combining(part))


def _readings(plain: str) -> list[str]:
    """Each day that the text can mean; empty texts for readings that are no day."""
    if match := _YEAR_FIRST.fullmatch(plain) or _COMPACT.fullmatch(plain):
        return [_day(match[1], int(match[2]), int(match[3]))]
    if match := _NUMBERS.fullmatch(plain):
        first, mark, second, year = int(match[1]), match[2], int(match[3]), match[4]
        return [_day(year, second, first)] + ([] if mark == "." else [_day(year, first, second)])
    if match := _DAY_MONTH.fullmatch(plain):
        return [_day(match[3], _month(match[2]), int(match[1]))]
    if match := _MONTH_DAY.fullmatch(plain):
        return [_day(match[3], _month(match[1]), int(match[2]))]
    if match := _MONTH_ONLY.fullmatch(plain):
        year, month = match[1] or match[4], int(match[2] or 0) or _month(match[3] or "")
        return [_day(year, month, 1), _day(year, month, _IN_EVERY_MONTH)]
    if _SECONDS.fullmatch(plain):
        return [_moment(float(plain))]
    return [_moment(int(plain) / 1_000)] if _MILLISECONDS.fullmatch(plain) else []


def _day(year: str, month: int, day: int) -> str:
    try:
        return date(int(year) + (_CENTURY if len(year) == len("26") else 0), month, day).isoformat()
    except ValueError:
        return ""


def _month(word: str) -> int:
    return _MONTHS.get(word[:4]) or _MONTHS.get(word[:3], 0)


def _moment(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).date().isoformat()
