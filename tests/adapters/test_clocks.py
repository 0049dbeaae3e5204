"""A computer that does not know what day it is, is told so."""

import time

import pytest

from backend.adapters.clocks import EARLIEST, LATEST, RehearsalClock, SystemClock, plausible
from backend.domain.errors import OutriderError

FAR = (-1, 0, -62_135_596_800_000, EARLIEST - 1, LATEST, 10**18)


@pytest.mark.parametrize("now", FAR)
def test_a_moment_that_cannot_be_now_is_told_as_the_clocks_fault(now: int) -> None:
    with pytest.raises(OutriderError) as refused:
        plausible(now)
    assert refused.value.code == "clock_wrong"
    assert "clock" in refused.value.sentence


def test_both_clocks_ask(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "time_ns", lambda: -1)
    for clock in (SystemClock(), RehearsalClock(0, lambda *_: None)):
        with pytest.raises(OutriderError) as refused:
            clock.now()
        assert refused.value.code == "clock_wrong"


def test_today_is_possible() -> None:
    assert plausible(SystemClock().now())
