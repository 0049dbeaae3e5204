"""One vocabulary of states: what waits for the user is never hidden, and nothing stands still without a way on."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.domain.model.campaign import DAY, HOUR, STOPPED_BY_USER, CampaignStatus
from backend.domain.model.days import in_utc
from backend.domain.reports.campaign_state import NEED_WORDS, Need, StateFacts, StateName, campaign_state, needs_said
from tests.domain.samples import NOON
from tests.fakes.clock import always

FACTS = st.builds(
    StateFacts,
    status=st.sampled_from(CampaignStatus),
    now=st.just(NOON),
    offset_at=st.sampled_from([-5 * HOUR, 0, 2 * HOUR]).map(always),
    status_reason=st.sampled_from(["", STOPPED_BY_USER, "the model's budget is spent"]),
    is_archived=st.booleans(),
    incident=st.sampled_from(["", "a warning on the page"]),
    needs=st.dictionaries(st.sampled_from(Need), st.integers(0, 3)),
    next_at=st.none() | st.integers(NOON - DAY, NOON + 90 * DAY),
    wait_reason=st.sampled_from(["", "Outside your working hours."]),
    unreachable=st.sampled_from(["", "no usable profile address"]),
)


@given(FACTS)
def test_what_waits_for_the_user_is_said_wherever_the_campaign_can_go_on(facts: StateFacts) -> None:
    state = campaign_state(facts)
    if state.name in (StateName.ARCHIVED, StateName.STOPPED):
        return
    assert needs_said(facts.needs) in state.detail
    if any(facts.needs.values()):
        assert state.name not in (StateName.DONE, StateName.WAITING, StateName.NOT_STARTED)


@given(FACTS)
def test_a_campaign_stands_still_only_with_a_reason_and_a_way_on(facts: StateFacts) -> None:
    state = campaign_state(facts)
    if state.name in (StateName.STOPPED, StateName.PAUSED, StateName.NOT_STARTED, StateName.ARCHIVED):
        assert state.remedy
    if state.name is StateName.WAITING:
        assert state.until is not None
        assert state.until > facts.now
        assert state.detail.startswith("Until ")
    else:
        assert state.until is None
    if state.name is StateName.WAITING_FOR_YOU:
        assert state.detail
    if state.name is StateName.ON:
        assert facts.status is CampaignStatus.ACTIVE
    if facts.status is CampaignStatus.ACTIVE and not (facts.is_archived or facts.incident):
        assert state.name in (StateName.ON, StateName.WAITING_FOR_YOU, StateName.WAITING)


@pytest.mark.parametrize(
    ("facts", "sentence"),
    [
        ({"needs": {Need.READ: 1, Need.APPROVE: 3}}, "Waiting for you: 1 reply to read, 3 messages to approve."),
        ({"next_at": NOON - 1, "needs": {Need.APPROVE: 1}}, "On: 1 message to approve."),
        ({"next_at": NOON - 1}, "On"),
        ({"next_at": NOON + HOUR, "wait_reason": "The pause is not over."}, "Waiting: Until 13:00: The pause is not over."),
        ({"next_at": NOON + 3 * DAY}, "Waiting: Until Thu 4 Jun, 12:00."),
        (
            {"status": CampaignStatus.PAUSED, "status_reason": STOPPED_BY_USER, "needs": {Need.SEND: 2}},
            "Paused: By you. 2 people to write to. Continue it when you want it to go on.",
        ),
        (
            {"status": CampaignStatus.ERROR, "status_reason": "the disk was full"},
            "Stopped: The disk was full. Say why it is safe to continue.",
        ),
        (
            {"status_reason": "Outrider was closed", "next_at": NOON - 1, "needs": {Need.READ: 1}},
            "Waiting for you: Outrider was closed. 1 reply to read. Continue it when you want it to go on.",
        ),
        (
            {"unreachable": "no usable profile address"},
            "Waiting for you: Nobody can be written to: no usable profile address. Look at them in Leads.",
        ),
        ({"unreachable": "skipped", "needs": {Need.READ: 1}}, "Waiting for you: 1 reply to read."),
        ({"status": CampaignStatus.COMPLETED}, "Done"),
        ({"status": CampaignStatus.COMPLETED, "needs": {Need.READ: 1}}, "Waiting for you: 1 reply to read."),
        ({"status": CampaignStatus.INITIALIZING, "needs": {Need.ADD_LEADS: 1}}, "Waiting for you: no leads yet."),
    ],
)  # fmt: skip
def test_each_state_reads_as_people_say_it(facts: dict[str, Any], sentence: str) -> None:
    usual = StateFacts(CampaignStatus.ACTIVE, NOON, in_utc)
    assert campaign_state(usual._replace(**facts)).sentence == sentence


def test_every_need_has_words() -> None:
    assert NEED_WORDS.keys() == set(Need)
