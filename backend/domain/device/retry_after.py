"""How long a server asks to be left alone, in all the ways in which servers say it."""

import re
from collections.abc import Mapping
from email.utils import parsedate_to_datetime

from backend.domain.values.errors import OutriderError

LONGEST_WAIT = 3_600.0
"""Seconds: a run waits no longer, whatever a server asks for."""

SECONDS_ASKED = "seconds_asked"
"""The fact of an error that holds what was asked for."""

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
