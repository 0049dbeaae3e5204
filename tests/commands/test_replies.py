"""An automatic reply pauses and ends nothing; the user may say that it is none."""

import pytest

from backend.domain.model.campaign import DAY
from backend.domain.model.lead import Label
from backend.domain.model.reply_kind import PAUSE, ReplyKind
from backend.domain.model.send_word import SessionAsk, Word
from backend.domain.values.errors import OutriderError
from tests.fakes.by_hand import by_hand
from tests.fakes.campaign import Stage
from tests.fakes.send_desk import EVERY_DAY, MESSAGES, Desk, desk

AWAY = "Automatic reply: I am out of office."


pytestmark = pytest.mark.usefixtures("sound_log")


def asked(it: Desk) -> list[str]:
    return [person.lead.id for person in it.state().people]


def test_an_automatic_reply_pauses_and_the_text_comes_back_when_the_time_has_come(stage: Stage) -> None:
    it = desk(stage, MESSAGES, limits=EVERY_DAY)
    lead = it.hand_over(no_reply=True)
    it.say(lead, Word.REPLIED, AWAY)
    assert stage.query("SELECT reply_kind, reply_rule FROM messages WHERE kind='reply'") == [
        ("automatic", "automatic.away.en")
    ]
    assert (it.lead(lead, "replied_at"), it.lead(lead, "finished"), it.lead(lead, "status")) == (None, "", "pending")
    it.say(lead, Word.NOT_SENT)
    it.leave()
    assert lead not in asked(it)
    stage.clock.advance(PAUSE - DAY)
    assert lead not in asked(it)
    stage.clock.advance(DAY)
    assert lead in asked(it)
    assert next(person for person in it.state().people if person.lead.id == lead).ask is SessionAsk.WRITE


def test_an_automatic_reply_to_the_message_that_was_just_sent_does_not_say_that_it_was_not(stage: Stage) -> None:
    it = desk(stage, MESSAGES, limits=EVERY_DAY)
    lead = it.hand_over(no_reply=True)
    it.say(lead, Word.REPLIED, AWAY)
    it.say(lead, Word.REPLIED, AWAY)  # a second click
    assert len(stage.query("SELECT id FROM messages WHERE kind='reply'")) == 1
    assert next(person for person in it.state().people if person.lead.id == lead).ask is SessionAsk.OUTCOME
    it.say(lead, Word.SENT)
    it.leave()
    assert stage.query("SELECT status FROM actions WHERE family='message'") == [("sent",)]
    stage.clock.advance(PAUSE + DAY)
    assert SessionAsk.WRITE not in [person.ask for person in it.state().people if person.lead.id == lead]


def test_an_automatic_reply_puts_off_and_stops_no_other_campaign_and_a_correction_stops_all(stage: Stage) -> None:
    it = desk(stage, MESSAGES, limits=EVERY_DAY)
    other = Desk(stage, by_hand(stage, MESSAGES, name="Other", limits=EVERY_DAY), it.sync)
    stage.contact_anyway(other.campaign)
    other.run()
    lead = it.state().people[0].lead
    it.say(lead.id, Word.REPLIED, AWAY)
    assert lead.member_key not in [person.lead.member_key for person in other.state().people]
    stage.clock.advance(it.lead(lead.id, "paused_until") - stage.clock.now())
    assert lead.member_key in [person.lead.member_key for person in other.state().people]
    reply = stage.one("SELECT id FROM messages WHERE kind='reply'")
    stage.commands().replies.classify(it.campaign, reply, ReplyKind.HUMAN)
    assert (it.lead(lead.id, "finished"), it.lead(lead.id, "status")) == ("replied", "responded")
    assert lead.member_key not in [person.lead.member_key for person in other.state().people]
    assert stage.query("SELECT reply_kind, reply_rule FROM messages WHERE id=?", reply) == [("human", "user")]


def test_what_has_ended_is_not_taken_up_again_by_a_correction(stage: Stage) -> None:
    it = desk(stage, MESSAGES, limits=EVERY_DAY)
    lead = it.state().people[0].lead.id
    it.say(lead, Word.REPLIED, "No thanks")
    reply = stage.one("SELECT id FROM messages WHERE kind='reply'")
    assert stage.one("SELECT reply_kind FROM messages WHERE id=?", reply) == "no"
    stage.commands().replies.classify(it.campaign, reply, ReplyKind.AUTOMATIC)
    assert it.lead(lead, "finished") == "replied"


def test_whoever_is_moved_is_left_in_peace_there_as_long_as_here_and_back_again(stage: Stage) -> None:
    it = desk(stage, MESSAGES, limits=EVERY_DAY)
    other = Desk(stage, by_hand(stage, MESSAGES, people=0, name="Other", limits=EVERY_DAY), it.sync)
    first, groups = it.state().people[0].lead.id, stage.commands().lead_groups
    it.say(first, Word.REPLIED, AWAY)
    until = it.lead(first, "paused_until")
    (moved,) = groups.move(it.campaign, [first], other.campaign).changed
    assert it.lead(moved.moved_to, "paused_until") == until
    stage.commands().replies.label(other.campaign, moved.moved_to, Label.LATER, until + DAY)
    groups.move(other.campaign, [moved.moved_to], it.campaign)
    assert it.lead(first, "paused_until") == until + DAY
    assert stage.query("SELECT status, ready_at FROM tasks WHERE lead_id=?", first) == [("in_progress", until + DAY)]


def test_only_a_reply_can_be_said_to_be_something(stage: Stage) -> None:
    it = desk(stage, MESSAGES, limits=EVERY_DAY)
    our_message = stage.one("SELECT id FROM messages LIMIT 1")
    with pytest.raises(OutriderError) as refused:
        stage.commands().replies.classify(it.campaign, our_message, ReplyKind.NO)
    assert refused.value.code == "reply_unknown"
