"""Which step earned a reply: the first message of theirs after it, if it came before the next thing of ours."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.domain.model.campaign import HOUR, MINUTE
from backend.domain.reports.attribution import (
    Attribution,
    Conversation,
    OurMessage,
    ReplyTime,
    TheirMessage,
    attribute,
)

NOON = 1_700_000_012_345
"""No whole minute: a site that tells such times tells them exactly."""


def conversation(*turns: str, since: int | None = None) -> Conversation:
    """A word an hour: a step's key, `answer:1`, `by_hand`, `them` or `machine`."""
    our_messages: list[OurMessage] = []
    their_messages: list[TheirMessage] = []
    for hour, turn in enumerate(turns):
        at = NOON + hour * HOUR
        if turn in ("them", "machine"):
            their_messages.append(TheirMessage(at, at, automatic=turn == "machine"))
        else:
            our_messages.append(OurMessage(f"{turn}@{hour}", "" if turn == "by_hand" else turn, at))
    return Conversation(our_messages, their_messages, since)


def earned(*turns: str) -> dict[str, int]:
    """Which step earned a reply, written in which hour."""
    return {id_: (reply.at - NOON) // HOUR for id_, reply in attribute(conversation(*turns)).earned.items()}


@pytest.mark.parametrize(
    ("turns", "steps"),
    [
        (("hello", "them"), {"hello@0": 1}),
        (("hello", "again", "them"), {"again@1": 2}),
        (("hello", "them", "them"), {"hello@0": 1}),
        (("hello", "them", "answer:1", "them"), {"hello@0": 1}),
        (("hello", "them", "answer:1", "them", "answer:2", "them"), {"hello@0": 1}),
        (("hello", "them", "again", "them"), {"hello@0": 1, "again@2": 3}),
        (("hello", "by_hand", "them"), {}),
        (("hello", "machine"), {}),
        (("hello", "machine", "them"), {"hello@0": 2}),
        (("hello", "machine", "again", "them"), {"again@2": 3}),
        (("them", "hello"), {}),
        (("them", "answer:1", "them"), {}),
        (("invitation", "them"), {"invitation@0": 1}),
        (("invitation",), {}),
        ((), {}),
    ],
)
def test_a_step_earns_the_first_reply_after_it_that_came_before_our_next(
    turns: tuple[str, ...], steps: dict[str, int]
) -> None:
    assert earned(*turns) == steps


def test_a_reply_of_the_moment_of_a_step_follows_it_and_of_the_moment_of_an_answer_precedes_it() -> None:
    our_messages = (OurMessage("m2", "answer:1", NOON), OurMessage("m1", "hello", NOON))
    earned = attribute(Conversation(our_messages, (TheirMessage(NOON, NOON),))).earned
    assert earned == {"m1": ReplyTime(NOON, True)}


def test_a_site_that_tells_whole_minutes_may_show_a_reply_before_what_it_replies_to() -> None:
    minute = NOON // MINUTE * MINUTE
    first, second = OurMessage("m1", "hello", minute - HOUR), OurMessage("m2", "again", minute + 20_000)
    noticed_later = TheirMessage(minute, minute + HOUR)
    noticed_before = TheirMessage(minute, minute + 10_000)
    assert list(attribute(Conversation((first, second), (noticed_later,))).earned) == ["m2"]
    assert list(attribute(Conversation((first, second), (noticed_before,))).earned) == ["m1"]
    before_first = Conversation((second,), (TheirMessage(minute + 1, minute + 1),), in_touch_since=second.sent_at)
    assert attribute(before_first).earned == {"m2": ReplyTime(minute + 1, True)}
    assert attribute(before_first).reply_wait == 0


def test_what_they_wrote_before_we_were_in_touch_is_no_reply() -> None:
    old = conversation("by_hand", "them", "hello", since=NOON + 2 * HOUR)
    assert attribute(old) == Attribution()


def test_a_reported_reply_counts_by_the_time_of_the_report_until_its_words_are_known() -> None:
    hello, again = OurMessage("m1", "hello", NOON), OurMessage("m2", "again", NOON + 2 * HOUR)
    reported = TheirMessage(NOON + 3 * HOUR, NOON + 3 * HOUR, worded=False)
    exported = TheirMessage(NOON + HOUR, NOON + 9 * HOUR)
    by_report = Conversation((hello, again), (reported,))
    assert attribute(by_report).earned == {"m2": ReplyTime(NOON + 3 * HOUR, False)}
    assert attribute(by_report).reply_wait is None
    by_export = Conversation((hello, again), (reported, exported))
    assert attribute(by_export).earned == {"m1": ReplyTime(NOON + HOUR, True)}
    assert attribute(by_export).reply_wait == HOUR


def test_a_later_report_is_another_reply_than_the_one_that_was_known_then() -> None:
    our_messages = (OurMessage("m1", "hello", NOON), OurMessage("m2", "again", NOON + 2 * HOUR))
    earlier = TheirMessage(NOON + HOUR, NOON + HOUR)
    reported = TheirMessage(NOON + 3 * HOUR, NOON + 3 * HOUR, worded=False)
    assert list(attribute(Conversation(our_messages, (earlier, reported))).earned) == ["m1", "m2"]


def test_a_reply_without_any_message_is_known_by_when_it_was_noticed() -> None:
    our_messages = (OurMessage("m1", "hello", NOON),)
    noticed = Conversation(our_messages, (), replied_at=NOON + HOUR)
    assert attribute(noticed).earned == {"m1": ReplyTime(NOON + HOUR, False)}
    assert attribute(noticed).first_reply == ReplyTime(NOON + HOUR, False)
    machine = (TheirMessage(NOON + 1, NOON + 1, automatic=True),)
    assert attribute(Conversation(our_messages, machine, replied_at=NOON + HOUR)).first_reply is None


def test_only_steps_that_went_out_after_a_reply_are_told_and_no_answers() -> None:
    messages = attribute(conversation("hello", "them", "answer:1", "by_hand", "machine", "again")).after_reply
    assert [message.step for message in messages] == ["again"]
    assert not attribute(conversation("hello", "machine", "again", "them", "answer:1")).after_reply


_TURNS = st.lists(st.sampled_from(("hello", "again", "answer:1", "by_hand", "them", "machine")), max_size=12)


def _by_definition(turns: list[str]) -> dict[str, int]:
    """The rule, word for word."""
    our_hours = [hour for hour, turn in enumerate(turns) if turn not in ("them", "machine")]
    their_hours = [hour for hour, turn in enumerate(turns) if turn == "them"]
    steps = {}
    for hour in our_hours:
        reply = next((later for later in their_hours if later > hour), None)
        next_of_ours = next((later for later in our_hours if later > hour), len(turns))
        if turns[hour] in ("hello", "again") and reply is not None and reply < next_of_ours:
            steps[f"{turns[hour]}@{hour}"] = reply
    return steps


@given(_TURNS, st.integers())
def test_the_rule_holds_in_every_conversation_in_whatever_order_it_was_loaded(turns: list[str], seed: int) -> None:
    whole = conversation(*turns)
    shuffled = random.Random(seed)
    mixed = Conversation(
        shuffled.sample(whole.our_messages, len(whole.our_messages)),
        shuffled.sample(whole.their_messages, len(whole.their_messages)),
    )
    hours = {id_: (reply.at - NOON) // HOUR for id_, reply in attribute(mixed).earned.items()}
    assert hours == _by_definition(turns)


@given(_TURNS, _TURNS)
def test_what_comes_after_a_reply_changes_nothing_about_who_earned_it(turns: list[str], later: list[str]) -> None:
    before = earned(*turns, "them")
    assert before.items() <= earned(*turns, "them", *later).items()
    assert (
        attribute(conversation(*turns, "them")).first_reply
        == attribute(conversation(*turns, "them", *later)).first_reply
    )
