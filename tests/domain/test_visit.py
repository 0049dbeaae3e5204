"""Visits: one goes on while Outrider is used, and the end of the one before it is known until the next."""

from backend.domain.device.visit import KEPT_EVERY, LastUse, Visit, continued, end_of_last, is_worth_keeping
from backend.domain.model.campaign import HOUR, MINUTE


def use(at: int) -> LastUse:
    return LastUse(at=at, events={"c": at // MINUTE})


def test_a_break_is_no_absence_and_what_is_told_stays_the_same_for_the_whole_visit() -> None:
    yesterday = continued(None, use(HOUR))
    today = continued(yesterday, use(20 * HOUR))
    later = continued(today, use(20 * HOUR + 25 * MINUTE))
    assert [visit.before for visit in (yesterday, today, later)] == [None, use(HOUR), use(HOUR)]


def test_who_comes_back_is_told_of_the_last_visit_before_anything_was_clicked() -> None:
    visit = Visit(last=use(20 * HOUR), before=use(HOUR))
    assert end_of_last(visit, 20 * HOUR + 10 * MINUTE) == use(HOUR)
    assert end_of_last(visit, 44 * HOUR) == use(20 * HOUR)
    assert end_of_last(None, HOUR) is None


def test_clicks_are_not_written_one_by_one_and_a_clock_that_was_set_back_is_taken_as_it_is() -> None:
    visit = Visit(last=use(HOUR))
    clicks = (HOUR, HOUR + KEPT_EVERY - 1, HOUR + KEPT_EVERY, HOUR - 1)
    assert [is_worth_keeping(visit, at) for at in clicks] == [False, False, True, True]
    assert is_worth_keeping(None, 0)
    assert continued(visit, use(MINUTE)) == Visit(last=use(MINUTE))
