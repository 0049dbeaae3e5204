"""The user's own words to somebody who wrote: approved by being sent, through the same gates, intent and look as every text."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from backend.domain.model.message import text_mark
from backend.domain.values.errors import OutriderError
from backend.practice.behaviour import PracticeReply
from backend.runtime.run.campaign_runner import RunEnd
from backend.store.log import replay
from tests.fakes.campaign import MESSAGE_ONLY, Stage

WORDS = "Thank you! Would Tuesday suit you?"


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    made = Stage(tmp_path)
    yield made
    assert replay.find_differences(made.database) == []
    assert (made.duplicates(), made.missing(), made.unapproved()) == (0, [], [])
    made.close()


def somebody_replied(stage: Stage) -> tuple[str, str]:
    """A completed campaign, and a lead of it who has replied."""
    campaign = stage.campaign(4, settings=MESSAGE_ONLY, connected=True, skip=16)
    assert stage.run(campaign).halt is RunEnd.COMPLETED
    return campaign, str(stage.one("SELECT id FROM leads WHERE replied_at IS NOT NULL ORDER BY id LIMIT 1"))


def texts_to(stage: Stage, lead: str) -> list[str]:
    key = stage.one("SELECT member_key FROM leads WHERE id=?", lead)
    return [entry.text for entry in stage.delivered() if entry.to == key]


def refusal(stage: Stage, campaign: str, lead: str, text: str = WORDS) -> str:
    with pytest.raises(OutriderError) as refused:
        stage.commands().replies.answer(campaign, lead, text)
    return refused.value.code


def test_an_answer_is_sent_once_by_a_campaign_that_had_completed(stage: Stage) -> None:
    campaign, lead = somebody_replied(stage)
    before = texts_to(stage, lead)
    stage.commands().replies.answer(campaign, lead, WORDS)
    assert stage.status(campaign) == "paused"
    assert refusal(stage, campaign, lead) == "answer_waiting"
    assert stage.run(campaign).halt is RunEnd.COMPLETED
    assert texts_to(stage, lead) == [*before, WORDS]
    assert stage.query("SELECT step, status FROM messages WHERE text=?", WORDS) == [("answer:1", "sent")]
    assert stage.query(
        "SELECT status, given_by FROM approvals a WHERE message_id IN (SELECT id FROM messages WHERE text=?)", WORDS
    ) == [("used", "user")]
    assert stage.one(
        "SELECT json_extract(params, '$.text_mark') FROM actions WHERE message_id IN (SELECT id FROM messages WHERE text=?)",
        WORDS,
    ) == text_mark(WORDS)
    assert stage.query("SELECT DISTINCT status FROM tasks WHERE kind='answer'") == [("done",)]


def test_an_answer_waits_for_no_working_hours_but_counts_against_the_limit(stage: Stage) -> None:
    campaign, lead = somebody_replied(stage)
    stage.clock.advance(9 * 3_600_000)  # night
    stage.commands().replies.answer(campaign, lead, WORDS)
    night = stage.clock.now()
    stage.run(campaign)
    at, family = stage.query("SELECT intended_at, family FROM actions ORDER BY intended_at DESC LIMIT 1")[0]
    assert (at - night < 60_000, family) == (True, "message")


def test_who_wrote_again_meanwhile_is_not_answered_unread(stage: Stage) -> None:
    campaign, lead = somebody_replied(stage)
    key = stage.one("SELECT member_key FROM leads WHERE id=?", lead)
    stage.commands().replies.answer(campaign, lead, WORDS)
    stage.exchange.read(
        lambda network: network.history(key).replies.append(PracticeReply(network.now, "One more thing.", "friendly"))
    )
    stage.run(campaign)
    assert WORDS not in texts_to(stage, lead)
    assert stage.query("SELECT status, reason FROM messages WHERE text=?", WORDS) == [
        ("cancelled", "they wrote again first")
    ]
    assert stage.one("SELECT count(*) FROM messages WHERE kind='reply' AND text='One more thing.'") == 1
    assert stage.query("SELECT status FROM tasks WHERE kind='answer'") == [("cancelled",)]


def test_what_they_write_back_is_found_by_the_looks_after_the_answer(stage: Stage) -> None:
    campaign, _ = somebody_replied(stage)
    answered = stage.query("SELECT id, member_key FROM leads WHERE replied_at IS NOT NULL ORDER BY id")
    lead = next(id_ for id_, key in answered if stage.behaviour(key).tone == "friendly")
    stage.commands().replies.answer(campaign, lead, WORDS)
    assert stage.run(campaign).halt is RunEnd.COMPLETED
    assert stage.one("SELECT count(*) FROM messages WHERE kind='reply' AND lead_id=?", lead) == 2


def test_an_answer_that_was_taken_back_is_not_sent_and_gives_its_text_back(stage: Stage) -> None:
    campaign, lead = somebody_replied(stage)
    stage.commands().replies.answer(campaign, lead, WORDS)
    assert stage.commands().replies.take_back(campaign, lead) == WORDS
    assert stage.run(campaign).halt is RunEnd.COMPLETED
    assert WORDS not in texts_to(stage, lead)
    with pytest.raises(OutriderError) as refused:
        stage.commands().replies.take_back(campaign, lead)
    assert refused.value.code == "answer_not_waiting"
    stage.commands().replies.answer(campaign, lead, WORDS)
    assert stage.one("SELECT max(step) FROM messages WHERE lead_id=? AND kind='message'", lead) == "hello"
    assert stage.one("SELECT count(*) FROM messages WHERE step='answer:2'") == 1


def test_do_not_contact_stops_an_answer_that_waits_and_forbids_another(stage: Stage) -> None:
    campaign, lead = somebody_replied(stage)
    stage.commands().replies.answer(campaign, lead, WORDS)
    stage.commands().leads.do_not_contact(campaign, lead)
    stage.run(campaign)
    assert WORDS not in texts_to(stage, lead)
    assert refusal(stage, campaign, lead) == "answer_forbidden"


def test_only_who_wrote_can_be_answered_and_only_with_a_text_that_can_be_sent(stage: Stage) -> None:
    campaign, lead = somebody_replied(stage)
    silent = stage.one("SELECT id FROM leads WHERE replied_at IS NULL ORDER BY id LIMIT 1")
    assert refusal(stage, campaign, silent) == "nothing_to_answer"
    assert refusal(stage, campaign, lead, "  ") == "text_not_sendable"
    assert refusal(stage, campaign, lead, "Hi [first name]") == "text_not_sendable"
    assert refusal(stage, campaign, lead, "x" * 10_000) == "text_too_long"
    assert refusal(stage, campaign, lead, "Thank\u200byou") == "text_hides"
    assert stage.status(campaign) == "completed"


def test_a_send_that_is_not_confirmed_is_looked_for_and_never_repeated(stage: Stage) -> None:
    campaign, lead = somebody_replied(stage)
    stage.commands().replies.answer(campaign, lead, WORDS)
    stage.arm("accepts_but_says_failed", "message")
    assert stage.run(campaign).halt is RunEnd.COMPLETED
    assert texts_to(stage, lead).count(WORDS) == 1
