"""The ramp in plain words: what is told is what the gates allow, on the days on which they allow it."""

import re
from datetime import date

import pytest

from backend.domain.contact.ramp_words import ramp_sentences
from backend.domain.gates.gates import AccountFacts, allowance_today
from backend.domain.model.campaign import DAY, HOUR, Limits
from backend.domain.model.days import in_utc
from backend.domain.model.task import ActionFamily
from tests.fakes.clock import always

INVITE, MESSAGE = ActionFamily.INVITE, ActionFamily.MESSAGE
EPOCH = date(1970, 1, 1).toordinal()
MONDAY = date(2026, 11, 30).toordinal() - EPOCH


def told(limits: Limits, begun: int | None = None, family: ActionFamily = INVITE, day: int = MONDAY) -> str:
    (sentence,) = ramp_sentences(limits, {family: begun}, day * DAY + 8 * HOUR, in_utc)
    return sentence


def test_the_ramp_is_told_week_by_week_with_dates() -> None:
    assert ramp_sentences(Limits(), {INVITE: None, MESSAGE: None}, MONDAY * DAY, in_utc) == [
        "If you begin on Mon 30 Nov: up to 6 invitations a day (2 on the first day), up to 13 from Mon 7 Dec,"
        " up to 15 from Mon 14 Dec.",
        "If you begin on Mon 30 Nov: up to 9 messages a day (2 on the first day), up to 22 from Mon 7 Dec,"
        " up to 25 from Mon 14 Dec.",
    ]
    assert told(Limits(ramp_days=3)) == "If you begin on Mon 30 Nov: up to 15 invitations a day (5 on the first day)."
    assert told(Limits(ramp_days=30)) == (
        "If you begin on Mon 30 Nov: up to 3 invitations a day (1 on the first day), up to 6 from Mon 7 Dec,"
        " up to 15 from Mon 28 Dec."
    )


def test_it_begins_with_the_next_working_hours_by_the_local_clock() -> None:
    for sentence in (told(Limits(), day=MONDAY - 2), told(Limits(day_starts=0, day_ends=60))):
        assert sentence.startswith("If you begin on ")
    assert "begin on Mon 30 Nov" in told(Limits(), day=MONDAY - 2), "not at the weekend"
    assert "begin on Tue 1 Dec" in told(Limits(day_starts=0, day_ends=60)), "not after today's hours"
    (sentence,) = ramp_sentences(Limits(), {INVITE: None}, MONDAY * DAY - HOUR, always(2 * HOUR))
    assert "begin on Mon 30 Nov" in sentence, "Sunday 23:00 in UTC is Monday 01:00"
    assert told(Limits(work_days=(2,))).startswith(
        "If you begin on Wed 2 Dec: up to 2 invitations a day, up to 9 from Wed 9 Dec"
    )


def test_an_account_that_has_begun_is_told_of_from_today_on() -> None:
    assert told(Limits(), 4) == "Up to 10 invitations a day (6 today), up to 15 from Mon 7 Dec."
    assert told(Limits(), 2, day=MONDAY + 5) == (
        "Up to 10 invitations a day (6 on Mon 7 Dec), up to 15 from Mon 14 Dec."
    )
    assert told(Limits(), 20) == "Up to 15 invitations a day."
    assert told(Limits(), -3) == told(Limits(), 0), "a first day that is still to come counts as today"


def test_without_a_ramp_or_without_room_that_is_told() -> None:
    assert told(Limits(ramp_days=0)) == "Up to 15 invitations a day."
    assert told(Limits(invitations_a_day=1)) == "Up to 1 invitation a day."
    assert told(Limits(messages_a_day=0), family=MESSAGE) == "No messages: their limit is 0."
    assert ramp_sentences(Limits(work_days=()), {INVITE: None}, 0, in_utc) == []


@pytest.mark.parametrize("ramp_days", [0, 1, 5, 14, 15, 60])
@pytest.mark.parametrize("limit", [1, 2, 15, 100])
def test_every_number_that_is_told_is_what_the_gate_allows_until_the_next_date(limit: int, ramp_days: int) -> None:
    limits = Limits(invitations_a_day=limit, ramp_days=ramp_days, work_days=tuple(range(7)))
    facts = AccountFacts(now=MONDAY * DAY, offset_at=in_utc, family=INVITE, campaign_status="active", limits=limits)

    def allowed(day: int) -> int:
        return allowance_today(facts._replace(first_ever=facts.now - (day - MONDAY) * DAY))

    sentence = told(limits)
    first = re.search(r"\((\d+) on", sentence)
    most = [int(n) for n in re.findall(r"p to (\d+)", sentence)]
    dates = [_day(*match) for match in re.findall(r"from \w+ (\d+) (\w+)", sentence)]
    assert allowed(MONDAY) == (int(first[1]) if first else most[0])
    assert most[-1] == limit
    for n, day in zip(most, [MONDAY, *dates], strict=True):
        sunday = day + 6 - (day - MONDAY) % 7
        assert allowed(day - 1) < n <= allowed(sunday) or day == MONDAY
        assert allowed(min(sunday, *dates) if dates and day == MONDAY else sunday) == n


def _day(day: str, month: str) -> int:
    number = {"Nov": 11, "Dec": 12, "Jan": 1, "Feb": 2}[month]
    return date(2026 + (number < 11), number, int(day)).toordinal() - EPOCH
