"""Days of the user's calendar as stretches of time."""

import pytest

from backend.domain.model.campaign import DAY, HOUR
from backend.domain.model.days import RelativeDay, day_range, in_utc, local_midnight, local_month
from tests.fakes.clock import always

MONDAY = 4
"""5 January 1970, in days; what is asked is where a week begins."""


@pytest.mark.parametrize("weeks", [0, 1, 2_900])
@pytest.mark.parametrize("weekday", range(7))
def test_a_week_begins_on_its_monday_and_ends_with_today(weeks: int, weekday: int) -> None:
    monday = MONDAY + 7 * weeks
    today = monday + weekday
    assert day_range("this_week", None, None, today * DAY + HOUR, in_utc) == (monday * DAY, (today + 1) * DAY)


@pytest.mark.parametrize("weekday", range(7))
def test_last_week_is_the_seven_days_before_this_one(weekday: int) -> None:
    now = (MONDAY + 7 + weekday) * DAY
    assert day_range("last_week", None, None, now, in_utc) == (MONDAY * DAY, (MONDAY + 7) * DAY)


@pytest.mark.parametrize("day", [1, 2, 31])
def test_a_month_begins_on_its_first(day: int) -> None:
    first = 31  # 1 February 1970, in days; 1 March comes 28 days later
    assert day_range("this_month", None, None, (day - 1) * DAY, in_utc) == (0, day * DAY)
    assert day_range("this_month", None, None, (first + 28) * DAY, in_utc)[0] == (first + 28) * DAY


@pytest.mark.parametrize(("relative", "back"), [("today", 0), ("yesterday", 1)])
@pytest.mark.parametrize("offset", [-5 * HOUR, 0, 9 * HOUR])
def test_a_day_is_one_where_the_user_is(relative: RelativeDay, back: int, offset: int) -> None:
    begins = (20_000 - back) * DAY - offset
    for now in (20_000 * DAY - offset, 20_001 * DAY - offset - 1):
        assert day_range(relative, None, None, now, always(offset)) == (begins, begins + DAY)


def test_two_days_narrow_what_is_asked_and_are_whole() -> None:
    assert day_range(None, "1970-01-02", "1970-01-03", 0, always(HOUR)) == (DAY - HOUR, 3 * DAY - HOUR)
    assert day_range("this_week", "1970-01-06", None, 7 * DAY, in_utc) == (5 * DAY, 8 * DAY)


@pytest.mark.parametrize(("before", "after"), [(2 * HOUR, HOUR), (HOUR, 2 * HOUR), (-4 * HOUR, -5 * HOUR)])
def test_a_day_begins_by_the_clocks_of_its_midnight(before: int, after: int) -> None:
    begins = 20_000 * DAY - before
    change = begins + 3 * HOUR
    for now in (begins, change - 1, change, 20_001 * DAY - after - 1):
        assert local_midnight(now, lambda at: before if at < change else after) == begins
    for now in (20_001 * DAY - after, 20_002 * DAY - after - 1):
        assert local_midnight(now, lambda at: before if at < change else after) == 20_001 * DAY - after


def test_a_month_begins_at_its_first_midnight_by_the_clock_of_that_day() -> None:
    changed = 20_541 * DAY + HOUR  # 29 March 2026, 01:00 UTC: where the user is, an hour is left out

    def offset(now: int) -> int:
        return 2 * HOUR if now >= changed else HOUR

    march, april = 20_513 * DAY - HOUR, 20_544 * DAY - 2 * HOUR
    for now in (march, march + HOUR, changed, april - DAY, april - DAY + HOUR // 2, april - 1):
        assert local_month(now, offset) == march
    assert [local_month(now, offset) for now in (march - 1, april)] == [20_485 * DAY - HOUR, april]
