"""Dates as LinkedIn writes them, in English whatever the language of the account."""

import re
from datetime import date
from functools import lru_cache

_MONTHS = {
    "jan": 1, "feb": 2, "mar": 3, "apr": 4, "may": 5, "jun": 6,
    "jul": 7, "aug": 8, "sep": 9, "oct": 10, "nov": 11, "dec": 12,
    "january": 1, "february": 2, "march": 3, "april": 4, "june": 6, "july": 7,
    "august": 8, "sept": 9, "september": 9, "october": 10, "november": 11, "december": 12,
}  # fmt: skip

# The hyphen is what a spreadsheet makes of the blank when it saves the file again.
_DATE = re.compile(r"([0-9]{1,2})[ -]([A-Za-z]{3,9})[ -]([0-9]{4}|[0-9]{2})")
# LinkedIn opened in 2003: two digits never mean the 1900s.
_CENTURY = 2000


@lru_cache(maxsize=8192)
def linkedin_date(text: str) -> str | None:
    """`15 Mar 2024` or `12 Mar 19` as an ISO date; None when it is no date."""
    match = _DATE.fullmatch(text)
    if match is None:
        return None
    day, month, year = match.groups()
    try:
        return date(
            int(year) + (_CENTURY if len(year) == len("19") else 0), _MONTHS[month.lower()], int(day)
        ).isoformat()
    except (KeyError, ValueError):
        return None
