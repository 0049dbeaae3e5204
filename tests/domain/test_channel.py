"""Channels: what each can do and by whose hand, and what a campaign on it begins with. Every rule holds of every channel."""

from typing import get_args

import pytest

from backend.domain.model.campaign import Limits
from backend.domain.model.channel import (
    ASSIST,
    CHANNELS,
    DRIVE,
    PRACTICE,
    Channel,
    Hand,
    LookKind,
    Settlement,
    find_channel,
    is_settled_by_user,
    needs_consent,
    user_families,
)
from backend.domain.model.sequence import DEFAULT_SEQUENCE, Sequence, Step
from backend.domain.model.task import ACTING, ActKind
from backend.domain.values.errors import OutriderError

every = pytest.mark.parametrize("channel", CHANNELS.values(), ids=list(CHANNELS))


@every
def test_a_channel_says_of_each_look_and_act_whose_hand_does_it(channel: Channel) -> None:
    assert set(channel.looks) == set(get_args(LookKind))
    assert set(channel.acts) == set(get_args(ActKind))


@every
def test_what_the_user_does_is_settled_by_the_users_word_and_nothing_else_is(channel: Channel) -> None:
    for act in channel.acts.values():
        assert (act.performer is Hand.USER) == (act.settlement is Settlement.TOLD)
    assert is_settled_by_user(channel.id) == (channel.user_families != frozenset())


@every
def test_all_of_a_channel_is_in_one_hand(channel: Channel) -> None:
    assert channel.user_families in (frozenset(), frozenset(ACTING))
    assert user_families(channel.id) == channel.user_families


@every
def test_a_campaign_begins_with_the_channels_limits_and_lengths(channel: Channel) -> None:
    settings = channel.settings(DEFAULT_SEQUENCE)
    assert settings.limits == channel.limits
    assert settings.note_limit == channel.acts["invitation"].most_characters
    assert settings.message_limit == channel.acts["message"].most_characters
    assert settings.sequence.user_reads == channel.user_reads
    assert any(step.kind == "visit" for step in settings.sequence.steps) != channel.user_reads


@every
def test_no_channel_begins_with_more_than_the_default_counts(channel: Channel) -> None:
    usual = Limits()
    for name in ("invitations_a_day", "invitations_a_week", "messages_a_day", "notes_a_month"):
        assert getattr(channel.limits, name) <= getattr(usual, name)
    for name in ("ramp_days", "day_starts", "day_ends"):
        assert getattr(channel.limits, name) == getattr(usual, name)


def test_driving_linkedin_begins_with_less_than_any_other_channel() -> None:
    drive, assist = CHANNELS[DRIVE].limits, CHANNELS[ASSIST].limits
    assert drive.invitations_a_day < assist.invitations_a_day
    assert drive.invitations_a_week < assist.invitations_a_week
    assert drive.messages_a_day < assist.messages_a_day
    assert drive.spacing_seconds > CHANNELS[PRACTICE].limits.spacing_seconds


def test_real_people_are_reached_by_the_users_own_hand_unless_they_consent() -> None:
    assert next(iter(CHANNELS)) == ASSIST, "what is offered first"
    assert all(way.user_reads or way.needs_consent or way.id == PRACTICE for way in CHANNELS.values())
    assert needs_consent(DRIVE)
    assert not needs_consent(ASSIST)
    assert CHANNELS[ASSIST].account == CHANNELS[DRIVE].account != ""


def test_a_channel_that_is_none_is_refused_with_those_that_are() -> None:
    with pytest.raises(OutriderError) as refused:
        find_channel("carrier_pigeon")
    assert refused.value.code == "channel_unknown"
    assert ASSIST in refused.value.remedy


def test_a_sequence_of_which_nothing_is_left_is_refused() -> None:
    looks = Sequence(steps=(Step(key="visit", kind="visit"),))
    with pytest.raises(OutriderError) as refused:
        CHANNELS[ASSIST].settings(looks)
    assert refused.value.code == "sequence_invalid"
