"""How long a server asks to be left alone, in its own words."""

import pytest

from backend.domain.device.retry_after import seconds_in_words

ASKED = {
    "Rate limit reached. Please try again in 7s.": 7.0,
    "Please try again in 2500ms. Visit the page.": 2.5,
    "Please try again in 2 minutes.": 120.0,
    "Please try again in 1m30.5s.": 90.5,
    "Please try again in 1h2m3s.": 3_723.0,
    "Please try again in 20h.": 72_000.0,
    "Requests have exceeded the call rate limit. Please retry after 12 seconds.": 12.0,
    '{"retryDelay": "34s"}': 34.0,
    "You exceeded your current quota for the minute": None,
    "Please try again in a while.": None,
}
"""The tests of a whole call wait no longer than a pause; this is what was asked for."""


@pytest.mark.parametrize("words", ASKED)
def test_hours_minutes_and_seconds_are_understood_in_words(words: str) -> None:
    assert seconds_in_words(words) == ASKED[words]
