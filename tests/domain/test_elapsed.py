"""Clocks that disagree count nothing: then nobody knows how much time passed."""

import pytest

from backend.domain.elapsed import Moment, elapsed_seconds

BEGAN = Moment(1_000_000, 5_000_000, 70_000_000)


def after(wall: float, ticks: float, slept: float = 0.0) -> float | None:
    """Seconds by each clock."""
    now = Moment(BEGAN.wall + round(wall * 1e3), BEGAN.ticks + round(ticks * 1e6), BEGAN.slept + round(slept * 1e6))
    return elapsed_seconds(BEGAN, now)


@pytest.mark.parametrize(("wall", "ticks"), [(0, 0), (10, 10), (10, 10.9), (10.9, 10), (300, 300)])
def test_time_is_what_the_clock_says_that_shows_most(wall: float, ticks: float) -> None:
    assert after(wall, ticks) == pytest.approx(max(wall, ticks))


@pytest.mark.parametrize(
    ("wall", "ticks", "slept"),
    [(10, 8.9, 0), (8.9, 10, 0), (-86_400, 10, 0), (86_400, 10, 0), (10, 10, 1.1), (3_600, 0.1, 3_599.9)],
)
def test_after_a_sleep_or_when_a_clock_was_set_nobody_knows(wall: float, ticks: float, slept: float) -> None:
    assert after(wall, ticks, slept) is None


def test_short_sleeps_count_together() -> None:
    assert after(10, 10, 0.6) is not None
    assert after(10, 10, 0.6 + 0.6) is None
