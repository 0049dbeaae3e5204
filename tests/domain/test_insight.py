"""What may be concluded from few and from many, and what a day allows."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.domain.model.campaign import DAY, HOUR, Limits
from backend.domain.model.days import in_utc, local_day
from backend.domain.reports.insight import (
    LimitsSince,
    Periods,
    allowed,
    limits_on,
    median,
    periods,
    reply_delays,
    wilson_interval,
)  # fmt: skip
from tests.fakes.clock import always

MONDAY = 4  # days after 1 January 1970, a Thursday


@given(st.integers(0, 5_000), st.integers(1, 5_000))
def test_the_observed_rate_lies_in_its_interval(responded: int, more: int) -> None:
    contacted = responded + more
    low, high = wilson_interval(responded, contacted)
    assert 0 <= low <= responded / contacted + 1e-9
    assert responded / contacted - 1e-9 <= high <= 1


def test_the_interval_is_wilsons() -> None:
    low, high = wilson_interval(3, 10)
    assert (round(low, 4), round(high, 4)) == (0.1078, 0.6032)
    assert wilson_interval(0, 0) == (0, 1)


def test_more_leads_narrow_the_interval() -> None:
    widths = [wilson_interval(n, 4 * n) for n in (1, 10, 100, 1_000)]
    assert sorted((high - low for low, high in widths), reverse=True) == [high - low for low, high in widths]


def test_a_day_off_allows_nothing_and_the_ramp_grows_to_the_limit() -> None:
    limits = Limits(ramp_days=14)
    days = [allowed(limits, 15, day, MONDAY) for day in range(MONDAY, MONDAY + 21)]
    assert days[:7] == [2, 3, 4, 5, 6, 0, 0]
    assert days[14:] == [15, 15, 15, 15, 15, 0, 0]


def test_before_the_first_act_the_ramp_stands_at_its_beginning() -> None:
    assert allowed(Limits(), 15, MONDAY, None) == allowed(Limits(), 15, MONDAY, MONDAY + 5) == 2


def test_a_day_is_the_campaigns_own() -> None:
    assert [local_day(at, always(2 * HOUR)) for at in (0, 22 * HOUR - 1, 22 * HOUR)] == [0, 0, 1]


@given(st.lists(st.integers(0, 60 * DAY)))
def test_every_reply_is_in_one_span(times: list[int]) -> None:
    spans = reply_delays(times)
    assert sum(span.replies for span in spans) == len(times)
    assert spans[-1] == (None, sum(time >= 14 * DAY for time in times))


@pytest.mark.parametrize(("times", "middle"), [([], None), ([7], 7), ([9, 1, 5], 5), ([1, 2, 3, 10], 2)])
def test_the_median_of_times(times: list[int], middle: int | None) -> None:
    assert median(times) == middle


def test_the_limits_of_a_day_are_all_that_held_on_it() -> None:
    first, second, third = (Limits(invitations_a_day=n) for n in (1, 2, 3))
    history = [
        LimitsSince(10 * DAY, first),
        LimitsSince(12 * DAY + HOUR, second),
        LimitsSince(12 * DAY + 2 * HOUR, third),
    ]
    limits_by_day = {
        day: [limits.invitations_a_day for limits in limits_on(history, day, in_utc)] for day in (5, 10, 11, 12, 13)
    }
    assert limits_by_day == {5: [1], 10: [1], 11: [1], 12: [1, 2, 3], 13: [3]}
    assert [limits.invitations_a_day for limits in limits_on(history, 12, always(-3 * HOUR))] == [3]


@pytest.mark.parametrize(("begun", "spread"), [(99, (99, 1, 2)), (87, (87, 1, 14)), (86, (80, 7, 3)), (0, (17, 7, 12))])
def test_a_trend_is_told_by_days_then_by_weeks_that_end_with_today(begun: int, spread: tuple[int, int, int]) -> None:
    assert periods(begun, 100) == Periods(*spread)
    sums = periods(begun, 100).sums({100: 2, spread[0]: 1, spread[0] - 1: 5})
    assert sum(sums) == 3
    assert sums[-1] >= 2
