"""What stands on the page that an act itself opens counts: news calls the act off, and is on record with that."""

from dataclasses import replace

import pytest

from backend.domain.contact.sends import MAX_ATTEMPTS
from backend.domain.model.campaign import DAY
from backend.domain.model.site import Thread, ThreadMessage
from backend.runtime.run.campaign_runner import RunEnd
from tests.fakes.campaign import MESSAGE_ONLY, ONE_STEP, Stage, When

MOMENTS: tuple[When, ...] = ("page", "click")
TEXT = "Hi {}, shall we talk?"


def messaging(stage: Stage) -> str:
    return stage.campaign(1, settings=MESSAGE_ONLY, connected=True)


class Meanwhile:
    """From one moment of the first act on a conversation shows one message more."""

    def __init__(self, stage: Stage, moment: When, message: ThreadMessage) -> None:
        self._moment, self._message, self._shown = moment, message, False
        stage.site.during = self._at
        stage.site.as_shown = self._add

    def _at(self, tool: str, when: When) -> None:
        self._shown = self._shown or (tool == "send_message" and when == self._moment)

    def _add(self, thread: Thread) -> Thread:
        return replace(thread, messages=(*thread.messages, self._message)) if self._shown else thread


@pytest.mark.parametrize("moment", MOMENTS)
def test_nothing_goes_to_somebody_who_wrote_between_look_and_act(stage: Stage, moment: When) -> None:
    campaign, reply = messaging(stage), "No thanks. Please do not write to me again."
    Meanwhile(stage, moment, ThreadMessage("them", reply, stage.clock.now()))
    acts: list[str] = []
    stage.run(campaign, on_turn=lambda turn: acts.append(turn.verdict) if turn.effect else None)
    assert stage.received() == []
    assert stage.query("SELECT status FROM actions") == [("not_sent",)]
    assert stage.query("SELECT text FROM messages WHERE kind='reply'") == [(reply,)]
    assert stage.query("SELECT status FROM messages WHERE kind='message'") == [("cancelled",)]
    assert acts == ["superseded"], "the turn of the act has it on record, without another look"
    assert stage.one("SELECT attempts FROM messages WHERE kind='message'") == 0, "the site did not fail"


@pytest.mark.parametrize("moment", MOMENTS)
def test_what_the_user_has_just_sent_by_phone_is_not_sent_again(stage: Stage, moment: When) -> None:
    campaign = messaging(stage)
    first_name = stage.cards(1)[0].name.split()[0]
    Meanwhile(stage, moment, ThreadMessage("you", TEXT.format(first_name), stage.clock.now()))
    assert stage.run(campaign).halt is RunEnd.NEEDS_YOU
    assert stage.received() == []
    assert stage.query("SELECT status FROM actions") == [("not_sent",)]


@pytest.mark.parametrize("moment", MOMENTS)
def test_another_message_of_the_users_own_is_asked_about_before_anything_goes(stage: Stage, moment: When) -> None:
    campaign = messaging(stage)
    Meanwhile(stage, moment, ThreadMessage("you", "Lunch on Friday?", stage.clock.now()))
    assert stage.run(campaign).halt is RunEnd.NEEDS_YOU
    assert stage.received() == []
    assert stage.query("SELECT kind FROM input_requests") == [("not_on_record",)]
    assert stage.one("SELECT attempts FROM messages WHERE kind='message'") == 0, "the site did not fail"


def test_an_invitation_that_waits_on_the_page_of_the_act_is_on_record_by_the_turn_of_the_act(stage: Stage) -> None:
    campaign, slug = stage.campaign(1, settings=ONE_STEP), stage.cards(1)[0].slug

    def by_hand(tool: str, when: When) -> None:
        if (tool, when) == ("send_invitation", "before"):
            stage.exchange.record(lambda network: network.invite(slug, "", network.now))

    stage.site.during = by_hand
    acts: list[str] = []
    stage.run(campaign, on_turn=lambda turn: acts.append(turn.verdict) if turn.effect else None)
    assert acts == ["superseded"], "the turn of the act has it on record, without another look"
    assert [entry.kind for entry in stage.delivered()] == ["invitation"]
    assert stage.query("SELECT status, attempts FROM messages") == [("cancelled", 0)]
    assert stage.query("SELECT status FROM actions") == [("not_sent",)]
    assert stage.one("SELECT invited_at FROM leads") is not None


def test_a_page_that_shows_more_each_time_of_which_nothing_follows_is_not_opened_for_ever(stage: Stage) -> None:
    campaign = messaging(stage)
    old = ThreadMessage("them", "Merry Christmas!", stage.clock.now() - 365 * DAY)
    shown = True

    def at(tool: str, _: When) -> None:
        nonlocal shown
        shown = tool == "send_message" or stage.query("SELECT 1 FROM approvals") == []

    stage.site.during = at
    stage.site.as_shown = lambda thread: replace(thread, messages=(old, *thread.messages)) if shown else thread
    assert stage.run(campaign).halt is RunEnd.NEEDS_YOU
    assert stage.received() == []
    assert stage.query("SELECT status FROM actions") == [("not_sent",)] * MAX_ATTEMPTS
