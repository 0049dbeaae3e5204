"""The ramp in plain words: what is told is what the gates allow."""

import re

import pytest

from backend.domain.campaign import DAY, Limits
from backend.domain.gates import AccountFacts, allowance_today
from backend.domain.ramp_words import ramp_sentences
from backend.domain.task import ActionFamily

INVITE, MESSAGE = ActionFamily.INVITE, ActionFamily.MESSAGE


def told(limits: Limits, begun: int | None = None, family: ActionFamily = INVITE) -> str:
    (sentence,) = ramp_sentences(limits, {family: begun})
    return sentence


def test_the_ramp_is_told_week_by_week() -> None:
    assert ramp_sentences(Limits(), {INVITE: None, MESSAGE: None}) == [
        "In the first week up to 8 invitations a day (2 on the first day), in the second week up to 15.",
        "In the first week up to 13 messages a day (2 on the first day), in the second week up to 25.",
    ]
    assert told(Limits(ramp_days=6)) == "In the first week up to 15 invitations a day (3 on the first day)."
    assert told(Limits(ramp_days=30)) == (
        "In the first week up to 4 invitations a day (1 on the first day), in the second week up to 7,"
        " and 15 from day 29 of the ramp-up on."
    )


def test_an_account_that_has_begun_is_told_of_from_today_on() -> None:
    assert told(Limits(), 4) == "In the next 7 days up to 12 invitations a day (6 today), in the 7 days after up to 15."
    assert told(Limits(), 20) == "Up to 15 invitations a day."
    assert told(Limits(), -3) == told(Limits(), 0), "a first day that is still to come counts as today"


def test_without_a_ramp_or_without_room_that_is_told() -> None:
    assert told(Limits(ramp_days=0)) == "Up to 15 invitations a day."
    assert told(Limits(invitations_a_day=1)) == "Up to 1 invitation a day."
    assert told(Limits(messages_a_day=0), family=MESSAGE) == "No messages: their limit is 0."


@pytest.mark.parametrize("ramp_days", [0, 1, 5, 14, 15, 60])
@pytest.mark.parametrize("limit", [1, 2, 15, 100])
def test_every_number_that_is_told_is_what_the_gate_allows(limit: int, ramp_days: int) -> None:
    limits = Limits(invitations_a_day=limit, ramp_days=ramp_days)
    facts = AccountFacts(now=100 * DAY, offset=0, family=INVITE, campaign_status="active", limits=limits)

    def allowed(day: int) -> int:
        return allowance_today(facts._replace(first_ever=facts.now - day * DAY))

    sentence = told(limits)
    if "week" not in sentence:
        assert allowed(0) == limit
        return
    (first,) = re.findall(r"\((\d+) on", sentence)
    weeks = [int(most) for most in re.findall(r"up to (\d+)", sentence)]
    assert (int(first), weeks) == (allowed(0), [allowed(7 * week + 6) for week in range(len(weeks))])
    if full := re.search(r"(\d+) from day (\d+) of", sentence):
        assert int(full[1]) == allowed(int(full[2]) - 1) == limit > allowed(int(full[2]) - 2)
    else:
        assert weeks[-1] == limit
