"""How long a server asks to be left alone, in all the ways in which servers say it."""

import re
from collections.abc import Mapping
from email.utils import parsedate_to_datetime

from backend.domain.values.errors import OutriderError

LONGEST_WAIT = 3_600.0
"""Seconds: a run waits no longer, whatever a server asks for."""

SECONDS_ASKED = "seconds_asked"
"""The fact of an error that holds what was asked for."""

_IN_WORDS = re.compile(
    r"(?:\"retryDelay\"\s*:\s*\"|(?:retry|try again) (?:after|in) )"
    r"(?:(\d{1,4})h)?(?:(\d{1,4})m(?!s))?(?:(\d{1,9}(?:\.\d{1,9})?)\s*(ms|min|s)?)?",
    re.IGNORECASE,
)
_SECONDS_IN = {"ms": 0.001, "min": 60.0}
_NUMBER = re.compile(r"\d{1,12}(\.\d{1,9})?")


def seconds_asked(headers: Mapping[str, str], now: float) -> float | None:
    """Seconds from `now` (seconds UTC) by headers whose names are in lower case; None if nothing sensible is said."""
    if (exact := headers.get("retry-after-ms", "").strip()) and _NUMBER.fullmatch(exact):
        return float(exact) / 1_000
    header = headers.get("retry-after", "").strip()
    if _NUMBER.fullmatch(header):
        return float(header)
    try:
        return max(0.0, parsedate_to_datetime(header).timestamp() - now)
    except (TypeError, ValueError, OverflowError, IndexError):
        return None


def seconds_in_words(text: str) -> float | None:
    """Seconds that an error's own words ask for: `Please try again in 6m12.5s`, `"retryDelay": "34s"`; None if none do."""
    for hours, minutes, number, unit in _IN_WORDS.findall(text):
        if hours or minutes or number:
            seconds = float(number or 0) * _SECONDS_IN.get(unit.lower(), 1.0)
            return 3_600.0 * int(hours or 0) + 60.0 * int(minutes or 0) + seconds
    return None


def wait_words(seconds: float | None) -> str:
    """What people are told of it, within a sentence; "" if nothing was asked."""
    if seconds is None:
        return ""
    most = f"; Outrider waits {LONGEST_WAIT:,.0f} s at most" if seconds > LONGEST_WAIT else ""
    return f", and asks to wait {seconds:,.0f} s{most}"


def wait_of(error: OutriderError) -> float:
    """Seconds that a run leaves the server alone because it asked for that."""
    asked = error.facts.get(SECONDS_ASKED)
    return min(asked, LONGEST_WAIT) if isinstance(asked, float) else 0.0
