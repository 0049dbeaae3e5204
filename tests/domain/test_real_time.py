"""Clocks that disagree count nothing: then nobody knows how much time passed."""

import pytest

from backend.domain.values.real_time import TOLERANCE_SECONDS, RealTime, elapsed_seconds

BEGAN = RealTime(1_000_000, 5_000, "boot", slept=70_000)


def after(wall: float, counted: float, slept: float = 0.0) -> float | None:
    """Seconds by each clock."""
    passed = [round(seconds * 1e3) for seconds in (wall, counted, slept)]
    now = RealTime(BEGAN.wall + passed[0], BEGAN.monotonic + passed[1], "boot", BEGAN.slept + passed[2])
    return elapsed_seconds(BEGAN, now)


@pytest.mark.parametrize(("wall", "counted"), [(0, 0), (10, 10), (10, 10.9), (10.9, 10), (300, 300)])
def test_time_is_what_the_clock_says_that_shows_most(wall: float, counted: float) -> None:
    assert after(wall, counted) == pytest.approx(max(wall, counted))


@pytest.mark.parametrize(
    ("wall", "counted", "slept"),
    [(10, 8.9, 0), (8.9, 10, 0), (-86_400, 10, 0), (86_400, 10, 0), (10, 10, 1.1), (3_600, 0.1, 3_599.9)],
)
def test_after_a_sleep_or_when_a_clock_was_set_nobody_knows(wall: float, counted: float, slept: float) -> None:
    assert after(wall, counted, slept) is None


def test_clocks_that_differ_by_exactly_what_is_tolerated_still_agree() -> None:
    assert after(10, 10 - TOLERANCE_SECONDS) == 10
    assert after(10, 10, TOLERANCE_SECONDS) == 10
    assert after(10, 10 - TOLERANCE_SECONDS - 0.001) is None


def test_short_sleeps_count_together() -> None:
    assert after(10, 10, 0.6) is not None
    assert after(10, 10, 0.6 + 0.6) is None
