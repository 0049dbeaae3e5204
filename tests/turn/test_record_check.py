"""A message or an invitation of ours that is not on record stops everything for that person, and the user is asked."""

import json
import shutil
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

from backend.domain.contact.conversation_check import COUNTS_AS_STEP, GO_ON, INVITED_BY_HAND, STOP, WRITTEN_BY_HAND
from backend.domain.model.campaign import HOUR
from backend.domain.model.lead import LABEL_ENDS, Label
from backend.domain.model.site import SitePerson, Thread, ThreadMessage
from backend.runtime.run.campaign_runner import RunEnd
from backend.store.queries.contact import account_record
from tests.fakes.campaign import MESSAGE_ONLY, QUICK, Stage
from tests.fakes.stages import Stages


def by_hand(stage: Stage, text: str, position: int = 0) -> None:
    """The user writes to a person on the site, without Outrider."""
    slug = stage.cards(1, skip=position)[0].slug
    stage.exchange.record(lambda network: network.message(slug, text, network.now))


def invite_by_hand(stage: Stage, slug: str) -> None:
    stage.exchange.record(lambda network: network.invite(slug, "", network.now))


def question(stage: Stage) -> tuple[str, str, list[str]]:
    ((id_, text, choices),) = stage.query("SELECT id, question, choices FROM input_requests WHERE status='open'")
    return id_, text, json.loads(choices)


def put_back(stage: Stage, older: Path) -> None:
    """The user copies an older database over the one there is; nothing beside it tells of the loss."""
    stage.outside.close()
    stage.database.close()
    for file in stage.path.parent.glob("outrider.*"):
        file.unlink()
    shutil.copy(older, stage.path)
    stage.outside = sqlite3.connect(stage.path, isolation_level=None, check_same_thread=False)
    stage.reopen()


def messaging(stage: Stage, leads: int = 1) -> str:
    return stage.campaign(leads, settings=MESSAGE_ONLY, connected=True)


def sent(stage: Stage, by_hand: int = 0) -> int:
    return len(stage.delivered()) - by_hand


def test_an_older_database_put_back_does_not_send_the_first_message_again_in_other_words(
    stage: Stage, tmp_path: Path
) -> None:
    campaign = messaging(stage)
    stage.run(campaign, approve=False)
    draft = stage.one("SELECT id FROM messages")
    older = tmp_path / "older.db"
    stage.outside.execute("VACUUM INTO ?", (str(older),))
    stage.run(campaign)
    assert sent(stage) == 1

    put_back(stage, older)
    user = stage.commands()
    user.review.edit(campaign, draft, "A wholly different text")
    assert stage.run(campaign).halt is RunEnd.NEEDS_YOU
    assert sent(stage) == 1
    assert stage.query("SELECT blocked FROM leads") == [("not_on_record",)]
    assert "no record of" in question(stage)[1]


@pytest.mark.parametrize("moment", ["before the first look", "between approval and send"])
def test_a_message_written_by_hand_blocks_this_person_and_nobody_else(stage: Stage, moment: str) -> None:
    campaign = messaging(stage, 3)
    if moment == "between approval and send":
        stage.run(campaign, approve=False)
        for draft in stage.query("SELECT id FROM messages ORDER BY id"):
            user = stage.commands()
            user.review.approve(campaign, draft[0], shown_digest=user.review.digest(campaign, draft[0]))
    by_hand(stage, "Lunch on Friday?")
    assert stage.run(campaign).halt is RunEnd.NEEDS_YOU
    assert sent(stage, by_hand=1) == 2
    id_, asked, choices = question(stage)
    assert "Lunch on Friday?" in asked
    assert choices == [WRITTEN_BY_HAND, COUNTS_AS_STEP, STOP]
    stage.run(campaign)
    assert question(stage)[0] == id_, "asked once"
    assert sent(stage, by_hand=1) == 2


def test_after_the_users_word_the_text_is_on_record_and_the_campaign_goes_on(stage: Stage) -> None:
    campaign = messaging(stage)
    by_hand(stage, "Lunch on Friday?")
    stage.run(campaign)
    assert stage.query("SELECT text FROM messages WHERE status='found'") == [("Lunch on Friday?",)]
    stage.commands().questions.answer(campaign, question(stage)[0], WRITTEN_BY_HAND)
    assert stage.run(campaign).halt is RunEnd.COMPLETED
    assert sent(stage, by_hand=1) == 1


def test_another_message_by_hand_after_the_users_word_is_asked_about_again(stage: Stage) -> None:
    campaign = messaging(stage)
    by_hand(stage, "Lunch on Friday?")
    stage.run(campaign)
    stage.commands().questions.answer(campaign, question(stage)[0], WRITTEN_BY_HAND)
    by_hand(stage, "Lunch on Friday?")
    assert stage.run(campaign).halt is RunEnd.NEEDS_YOU, "the same text once more is one more message"
    assert sent(stage, by_hand=2) == 0


def test_stopping_for_this_person_sends_nothing_more(stage: Stage) -> None:
    campaign = messaging(stage)
    by_hand(stage, "Lunch on Friday?")
    stage.run(campaign)
    stage.commands().questions.answer(campaign, question(stage)[0], STOP)
    stage.run(campaign)
    assert sent(stage, by_hand=1) == 0
    assert stage.query("SELECT blocked FROM leads") == [("not_on_record",)]


def test_a_message_that_counts_as_the_step_is_not_followed_by_another_of_that_step(stage: Stage) -> None:
    campaign = messaging(stage)
    by_hand(stage, "Hello, this is what was sent before the record was lost")
    stage.run(campaign)
    stage.commands().questions.answer(campaign, question(stage)[0], COUNTS_AS_STEP)
    assert stage.run(campaign).halt is RunEnd.COMPLETED
    assert sent(stage, by_hand=1) == 0
    assert stage.query("SELECT status, finished FROM leads") == [("contacted", "no reply")]


@pytest.mark.parametrize(("after", "progress"), [(1, ("responded", "replied")), (-1, ("contacted", "no reply"))])
def test_what_they_wrote_after_a_message_that_counts_as_the_step_is_their_reply(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, after: int, progress: tuple[str, str]
) -> None:
    stage.connect(stage.cards(1))
    by_hand(stage, "Hello, this is what was sent before the record was lost")
    stage.clock.advance(HOUR)
    campaign = messaging(stage)  # their file is imported again
    real = stage.site.read_thread

    def with_theirs(person: SitePerson) -> Thread:
        thread = real(person)
        reply = ThreadMessage("them", "What would you need from me?", thread.messages[0].at + after)
        return replace(thread, messages=(*thread.messages, reply))

    monkeypatch.setattr(stage.site, "read_thread", with_theirs)
    stage.run(campaign)
    assert "wrote: “What would you need from me?”" in question(stage)[1], "nobody says “go on” without having read it"
    stage.commands().questions.answer(campaign, question(stage)[0], COUNTS_AS_STEP)
    assert stage.query("SELECT status, finished FROM leads") == [progress if after > 0 else ("contacted", "")]
    assert stage.run(campaign).halt is RunEnd.COMPLETED
    assert sent(stage, by_hand=1) == 0
    assert stage.query("SELECT status, finished FROM leads") == [progress]


def test_a_message_of_another_campaign_of_the_same_account_is_on_record(stage: Stage) -> None:
    assert stage.run(messaging(stage)).halt is RunEnd.COMPLETED
    other = replace_template(stage)
    stage.contact_anyway(other)
    assert stage.run(other).halt is RunEnd.COMPLETED
    assert sent(stage) == 2
    assert stage.query("SELECT count(*) FROM input_requests") == [(0,)]


def answered(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    """They answer the first message of ours right away."""
    real = stage.site.read_thread

    def read(person: SitePerson) -> Thread:
        thread = real(person)
        our_message, *later = thread.messages
        return replace(thread, messages=(our_message, ThreadMessage("them", "Gladly!", our_message.at + 1), *later))

    monkeypatch.setattr(stage.site, "read_thread", read)


def test_what_they_answer_to_a_message_by_hand_ends_their_sequence(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever the user would say of that message, nothing is sent on top of an answer."""
    campaign = messaging(stage)
    stage.clock.advance(HOUR)
    by_hand(stage, "Lunch on Friday?")
    answered(stage, monkeypatch)
    assert stage.run(campaign).halt is RunEnd.COMPLETED
    assert sent(stage, by_hand=1) == 0
    assert stage.query("SELECT status, finished FROM leads") == [("responded", "replied")]


def test_so_does_what_they_answered_before_they_were_moved_here(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = messaging(stage), stage.campaign(0, settings=MESSAGE_ONLY, name="Second")
    stage.clock.advance(HOUR)
    by_hand(stage, "Lunch on Friday?")
    stage.clock.advance(HOUR)
    stage.commands().lead_groups.move(first, [stage.one("SELECT id FROM leads")], second)
    answered(stage, monkeypatch)
    assert stage.run(second).halt is RunEnd.COMPLETED
    assert sent(stage, by_hand=1) == 0
    assert stage.query("SELECT blocked, finished FROM leads ORDER BY id") == [("moved", ""), ("", "replied")]


def test_so_does_what_they_answered_to_another_campaign_that_has_not_read_it(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One reply ends every campaign's sequence for a person, whichever campaign reads it."""
    assert stage.run(messaging(stage)).halt is RunEnd.COMPLETED
    answered(stage, monkeypatch)
    other = replace_template(stage)
    stage.contact_anyway(other)
    assert stage.run(other).halt is RunEnd.COMPLETED
    assert sent(stage) == 1
    assert stage.query("SELECT finished FROM leads WHERE campaign_id=?", other) == [("replied",)]


@pytest.mark.parametrize("label", [Label.NO, Label.WRONG_PERSON, Label.INTERESTED])
def test_who_was_labelled_while_the_user_was_asked_gets_nothing_after_the_answer(stage: Stage, label: Label) -> None:
    campaign = messaging(stage)
    by_hand(stage, "Lunch on Friday?")
    stage.run(campaign)
    user = stage.commands()
    user.replies.label(campaign, stage.one("SELECT id FROM leads"), label)
    user.questions.answer(campaign, question(stage)[0], WRITTEN_BY_HAND)
    assert stage.run(campaign).halt is RunEnd.COMPLETED
    assert sent(stage, by_hand=1) == 0
    assert stage.query("SELECT finished FROM leads") == [(LABEL_ENDS[label],)]


def replace_template(stage: Stage) -> str:
    step = MESSAGE_ONLY.sequence.steps[1].model_copy(update={"template": "Hello {first_name}, about something else."})
    sequence = MESSAGE_ONLY.sequence.model_copy(update={"steps": (MESSAGE_ONLY.sequence.steps[0], step)})
    return stage.campaign(1, settings=MESSAGE_ONLY.model_copy(update={"sequence": sequence}), name="Other")


def test_a_message_of_another_account_is_not_on_record(stage: Stage) -> None:
    assert stage.run(messaging(stage)).halt is RunEnd.COMPLETED
    other = stage.campaign(1, settings=MESSAGE_ONLY, account="somebody else")
    assert stage.run(other).halt is RunEnd.NEEDS_YOU
    assert sent(stage) == 1


def test_an_invitation_that_is_not_on_record_is_asked_about_and_never_repeated(stage: Stage) -> None:
    campaign = stage.campaign(1)
    slug = stage.cards(1)[0].slug
    invite_by_hand(stage, slug)
    assert stage.run(campaign).halt is RunEnd.NEEDS_YOU
    id_, asked, choices = question(stage)
    assert "no record of an invitation" in asked
    assert choices == [INVITED_BY_HAND, STOP]
    stage.commands().questions.answer(campaign, id_, INVITED_BY_HAND)
    stage.run(campaign)
    assert [entry.kind for entry in stage.delivered()].count("invitation") == 1


@pytest.mark.parametrize(
    ("answer", "blocked"), [("", "in_touch_elsewhere"), (STOP, "in_touch_elsewhere"), (WRITTEN_BY_HAND, "")]
)
def test_no_other_campaign_writes_to_whom_the_user_is_asked_about_or_has_stopped(
    stage: Stage, answer: str, blocked: str
) -> None:
    first = stage.campaign(1, settings=MESSAGE_ONLY, connected=True)
    by_hand(stage, "Hello from my phone")
    stage.run(first)
    if answer:
        stage.commands().questions.answer(first, question(stage)[0], answer)
    second = stage.campaign(1, settings=MESSAGE_ONLY, name="Second")
    stage.run(second)
    assert stage.query("SELECT blocked FROM leads WHERE campaign_id=?", second) == [(blocked,)]
    assert len(stage.delivered()) == 1 + (not blocked)


def test_an_invitation_by_hand_between_approval_and_send_is_asked_about(stage: Stage) -> None:
    campaign = stage.campaign(1)
    assert stage.run(campaign, approve=False).halt is RunEnd.NEEDS_APPROVAL
    invite_by_hand(stage, stage.cards(1)[0].slug)
    assert stage.run(campaign).halt is RunEnd.NEEDS_YOU
    assert [entry.kind for entry in stage.delivered()] == ["invitation"]
    assert stage.query("SELECT status FROM messages") == [("cancelled",)]
    assert "no record of an invitation" in question(stage)[1]


def test_a_message_that_was_seen_and_is_gone_from_the_conversation_is_asked_about_once(stage: Stage) -> None:
    steps = QUICK.sequence.steps
    sequence = QUICK.sequence.model_copy(update={"steps": (steps[0], *steps[2:])})
    campaign = stage.campaign(1, settings=QUICK.model_copy(update={"sequence": sequence}), connected=True)
    gone = False
    stage.site.as_shown = lambda thread: replace(thread, messages=()) if gone else thread

    def vanish(_turn: object) -> None:
        nonlocal gone
        gone = bool(stage.query("SELECT 1 FROM messages WHERE status='sent'"))

    assert stage.run(campaign, on_turn=vanish).halt is RunEnd.NEEDS_YOU
    id_, asked, choices = question(stage)
    assert "no longer shows" in asked
    assert choices == [GO_ON, STOP]
    stage.commands().questions.answer(campaign, id_, GO_ON)
    stage.run(campaign)
    assert stage.query("SELECT count(*) FROM input_requests WHERE kind='not_on_record'") == [(1,)]


OF_THE_PERSON = ("SCAN c", "SCAN p", "SCAN l", "SCAN CONSTANT ROW")
"""The few campaigns, and the few leads that a person is."""


def test_no_statement_of_the_comparison_reads_a_whole_table(stages: Stages) -> None:
    stage = stages()
    seen: list[str] = []
    campaign = messaging(stage)
    stage.run(campaign)
    with stage.database.read() as connection:
        connection.set_trace_callback(seen.append)
        account_record.texts_to(connection, "x")
        account_record.is_invitation_recorded(connection, "x")
        account_record.in_touch_since(connection, "x")
        connection.set_trace_callback(None)
        plans = [row[3] for statement in seen for row in connection.execute(f"EXPLAIN QUERY PLAN {statement}")]
    assert [plan for plan in plans if plan.startswith("SCAN") and plan not in OF_THE_PERSON] == []
