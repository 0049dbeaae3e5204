"""What the oracle calls a broken limit, a stale look and an invitation too early, and what it leaves free."""

from contextlib import nullcontext
from dataclasses import replace

import pytest

from tests.simulation.contact_oracle import ContactOracle
from tests.simulation.oracle import DAY, Act, Click, Oracle, Paused, Received, Rules, Said, Sent, Violation

MONDAY_TEN = 20_003 * DAY + 10 * 3_600_000
RULES = Rules(
    invitations_a_day=3, messages_a_day=3, withdrawals_a_day=1, withdraw_after_days=5, day_starts=9, day_ends=18,
    clocks_are_right=True, logs_are_whole=True, spacing_seconds=90,
)  # fmt: skip


class Story:
    """What was sent so far; all of it arrived."""

    def __init__(self, **rules: object) -> None:
        unclaimed = ContactOracle(judges=False)
        self.oracle = Oracle([replace(RULES, **rules)], contacts=unclaimed)  # type: ignore[arg-type]
        self.received: list[Received] = []

    def sends(
        self, person: str, at: int, kind: str = "invitation", text: str = "step 1: Hi", campaign: str = ""
    ) -> None:
        self.oracle.heard(Click("approve", person, kind, text, at, "desk 1"))
        sent = Sent(person, kind, "" if kind == "withdraw" else text, at, "desk 1", person, campaign=campaign)
        self.oracle.leaves(sent, replied_at=None, received=self.received)
        self.received.append((kind, person, sent.text))

    def reads_and_sends(self, person: str, at: int, text: str) -> None:
        self.oracle.looked(person, at - 120_000)
        self.oracle.looked(person, at - 1_000)
        self.sends(person, at, "message", text)


def test_the_first_days_allow_fewer() -> None:
    story = Story(ramp_days=3)
    story.sends("ann", MONDAY_TEN)
    with pytest.raises(Violation, match="more than 1 invitations on one day"):
        story.sends("bo", MONDAY_TEN + 60_000)
    story = Story(ramp_days=3)
    story.sends("ann", MONDAY_TEN)
    story.sends("bo", MONDAY_TEN + DAY)
    story.sends("cy", MONDAY_TEN + DAY + 60_000)


def test_a_week_has_its_limit_whoever_sends() -> None:
    story = Story(invitations_a_week=2)
    story.sends("ann", MONDAY_TEN)
    story.sends("bo", MONDAY_TEN + DAY)
    with pytest.raises(Violation, match="more than 2 invitations in a week"):
        story.sends("cy", MONDAY_TEN + 2 * DAY)
    story.sends("cy", MONDAY_TEN + 7 * DAY)


def test_nobody_is_invited_again_within_three_weeks_of_a_withdrawal_whatever_campaign_does() -> None:
    story = Story()
    story.sends("ann", MONDAY_TEN)
    story.sends("ann", MONDAY_TEN + 7 * DAY, "withdraw")
    with pytest.raises(Violation, match=r"again 14\.0 days after a withdrawal"):
        story.sends("ann", MONDAY_TEN + 21 * DAY, campaign="wind")
    story.sends("ann", MONDAY_TEN + 28 * DAY, campaign="wind")


def test_a_message_rests_on_two_looks_of_which_the_last_is_right_before_it() -> None:
    story = Story()
    with pytest.raises(Violation, match="not read right before"):
        story.sends("ann", MONDAY_TEN, "message")
    story.oracle.looked("ann", MONDAY_TEN - 1_000)
    with pytest.raises(Violation, match="by an old look"):
        story.sends("ann", MONDAY_TEN, "message")
    story.reads_and_sends("ann", MONDAY_TEN, "step 2: Hi")


def test_a_step_waits_for_its_days() -> None:
    story = Story(days_before_step={"step 3": 2})
    story.reads_and_sends("ann", MONDAY_TEN, "step 2b: Hi")
    with pytest.raises(Violation, match="ms after the message before it"):
        story.reads_and_sends("ann", MONDAY_TEN + DAY, "step 3b: Hi")
    story.reads_and_sends("ann", MONDAY_TEN + 2 * DAY, "step 3b: Hi")


def test_acts_of_a_device_keep_their_distance() -> None:
    oracle = Oracle([RULES])
    oracle.begins("desk", "message", MONDAY_TEN)
    oracle.begins("desk", "message", MONDAY_TEN + 1_000)  # the first was called off
    oracle.acts("desk", MONDAY_TEN + 1_000)
    oracle.begins("laptop 1", "message", MONDAY_TEN + 1_000)
    oracle.begins("desk", "message", MONDAY_TEN + 91_000)
    oracle.acts("desk", MONDAY_TEN + 91_000)
    with pytest.raises(Violation, match="an act begins"):
        oracle.begins("desk", "message", MONDAY_TEN + 100_000)


@pytest.mark.parametrize(("launch", "whole", "is_known"), [("desk 2", True, True), ("desk 2", False, False)])
def test_a_later_launch_knows_who_is_not_to_be_contacted(launch: str, whole: bool, is_known: bool) -> None:
    oracle = Oracle([replace(RULES, looks_are_whole=whole)])
    oracle.heard(Click("do not contact", "ann", "", "", MONDAY_TEN - DAY, "desk 1"))
    oracle.heard(Click("approve", "ann", "invitation", "step 1: Hi", MONDAY_TEN, launch))
    sent = Sent("ann", "invitation", "step 1: Hi", MONDAY_TEN, launch, "ann")
    if is_known:
        with pytest.raises(Violation, match="not to be contacted"):
            oracle.leaves(sent, replied_at=None, received=[])
    else:
        oracle.leaves(sent, replied_at=None, received=[])


@pytest.mark.parametrize(
    ("launch", "since", "goes_on"), [("desk 1", DAY, False), ("desk 1", 0, True), ("desk 2", DAY, True)]
)
def test_nothing_leaves_a_campaign_long_after_it_was_paused_there(launch: str, since: int, goes_on: bool) -> None:
    oracle = Oracle([RULES], paused={"talk": Paused(MONDAY_TEN - since, launch)})
    oracle.heard(Click("approve", "ann", "invitation", "step 1: Hi", MONDAY_TEN, "desk 1"))
    sent = Sent("ann", "invitation", "step 1: Hi", MONDAY_TEN, "desk 1", "ann", campaign="talk")
    with nullcontext() if goes_on else pytest.raises(Violation, match="that the user paused"):
        oracle.leaves(sent, replied_at=None, received=[])


def test_a_word_may_go_with_the_campaign_that_another_device_deleted_and_with_no_other() -> None:
    oracle, act = Story().oracle, Act("act", "message")
    oracle.said(act, Said("sent", "desk"))
    oracle.judge_words({act: ("sent", 1)})
    oracle.judge_words({act: ("intended", 0)}, {act})
    with pytest.raises(Violation, match="act was sent, as the user said"):
        oracle.judge_words({act: ("intended", 0)})
    with pytest.raises(Violation, match="act was sent, as the user said"):
        oracle.judge_words({act: ("not_sent", 1)}, {act})
