"""A label that is taken back lets the sequence that it had ended go on where it stood, unless something else has ended it."""

import json
from collections.abc import Callable

import pytest

from backend.domain.events.events import Event
from backend.domain.gates.person import IN_TOUCH_ELSEWHERE
from backend.domain.model.campaign import DAY, CampaignStatus
from backend.domain.model.lead import ANSWERED_ELSEWHERE, LABEL_ENDS, Label
from backend.domain.model.send_word import SessionAsk, Word
from backend.domain.people.past_contact import PAST_CONTACT, WRITTEN_TO
from backend.runtime.run.campaign_runner import RunEnd
from backend.turn.planner import NOT_BEGUN_WITH
from tests.fakes.by_hand import by_hand
from tests.fakes.campaign import QUICK, Stage
from tests.fakes.send_desk import EVERY_DAY, MESSAGES, Desk, desk

ENDS = [Label(label) for label in LABEL_ENDS]


pytestmark = pytest.mark.usefixtures("sound_log")


@pytest.fixture
def it(stage: Stage) -> Desk:
    """One person, to whom the first message waits to be sent by hand."""
    return desk(stage, MESSAGES, limits=EVERY_DAY, people=1)


def lead_of(it: Desk) -> str:
    return str(it.stage.one("SELECT id FROM leads WHERE campaign_id=?", it.campaign))


def run(it: Desk) -> None:
    """As long as there is something to do."""
    if it.stage.status(it.campaign) != CampaignStatus.COMPLETED:
        it.run()


def label(it: Desk, value: Label | None, until: int | None = None) -> None:
    it.stage.commands().replies.label(it.campaign, lead_of(it), value, until)


def texts(it: Desk) -> list[str]:
    rows = it.stage.query("SELECT status FROM messages WHERE lead_id=? AND kind='message' ORDER BY id", lead_of(it))
    return [status for (status,) in rows]


def task(it: Desk) -> str:
    return str(it.stage.one("SELECT status FROM tasks WHERE lead_id=? AND kind='reach_lead'", lead_of(it)))


@pytest.mark.parametrize("reply_label", ENDS)
def test_by_hand_it_goes_on_where_it_stood_with_a_message_that_needs_a_new_approval(
    it: Desk, reply_label: Label
) -> None:
    it.say(it.hand_over(no_reply=True), Word.SENT)
    it.leave()
    it.stage.clock.jump(3 * DAY)
    run(it)
    label(it, reply_label)
    assert (it.lead(lead_of(it), "finished"), it.asks()) == (LABEL_ENDS[reply_label], [])
    label(it, None)
    assert (it.lead(lead_of(it), "finished"), it.lead(lead_of(it), "status")) == ("", "contacted")
    assert (task(it), texts(it), it.asks()) == ("in_progress", ["sent", "cancelled"], [])
    run(it)
    assert (it.asks(), texts(it)) == ([SessionAsk.WRITE], ["sent", "cancelled", "approved"])
    assert it.stage.one("SELECT count(*) FROM approvals WHERE status='open'") == 1


@pytest.mark.parametrize("reply_label", ENDS)
def test_where_outrider_acts_it_goes_on_too_in_a_campaign_that_was_done(stage: Stage, reply_label: Label) -> None:
    campaign = stage.campaign(1, settings=QUICK)
    lead = str(stage.one("SELECT id FROM leads"))
    stage.run(campaign, approve=False)
    stage.commands().replies.label(campaign, lead, reply_label)
    assert stage.run(campaign).halt is RunEnd.COMPLETED
    assert stage.received() == []
    stage.commands().replies.label(campaign, lead, None)
    assert stage.status(campaign) == CampaignStatus.PAUSED, "the user continues it"
    assert stage.one("SELECT status FROM tasks WHERE kind='reach_lead'") == "in_progress"
    stage.activate(campaign)
    stage.run(campaign)
    assert stage.delivered()
    assert (stage.duplicates(), stage.missing(), stage.unapproved()) == (0, [], [])


@pytest.mark.parametrize("first", ENDS)
@pytest.mark.parametrize("second", [*Label, None])
def test_what_the_last_label_says_holds_whatever_was_said_before(it: Desk, first: Label, second: Label | None) -> None:
    back = it.clock.now() + 7 * DAY
    label(it, first)
    label(it, second, back if second is Label.LATER else None)
    assert it.lead(lead_of(it), "finished") == LABEL_ENDS.get(second or "", "")
    assert (it.lead(lead_of(it), "status") == "rejected") == (second in (Label.NO, Label.WRONG_PERSON))
    run(it)
    goes_on = second not in LABEL_ENDS
    assert (it.asks() == [SessionAsk.WRITE]) == goes_on
    assert second is not Label.LATER or it.clock.now() >= back, "not before"


def replies(it: Desk) -> None:
    it.stage.commands().replies.found(it.campaign, lead_of(it), "Call me.", at=it.clock.now(), answers=True)


def forbids(it: Desk) -> None:
    it.stage.commands().leads.do_not_contact(it.campaign, lead_of(it))


def is_claimed(it: Desk) -> None:
    other = Desk(it.stage, by_hand(it.stage, MESSAGES, people=1, name="Other", limits=EVERY_DAY), it.sync)
    run(other)
    other.say(other.hand_over(no_reply=True), Word.SENT)
    other.leave()


def answers_elsewhere(it: Desk) -> None:
    is_claimed(it)
    there = it.stage.one("SELECT id FROM leads WHERE campaign_id<>?", it.campaign)
    other = it.stage.one("SELECT campaign_id FROM leads WHERE id=?", there)
    it.stage.commands().replies.found(other, there, "Call me.", at=it.clock.now(), answers=True)


@pytest.mark.parametrize(
    ("meanwhile", "finished", "blocked"),
    [
        (replies, "replied", ""),
        (forbids, "", "do_not_contact"),
        (is_claimed, "", IN_TOUCH_ELSEWHERE),
        (answers_elsewhere, ANSWERED_ELSEWHERE, ""),
    ],
)
def test_what_else_ended_it_meanwhile_still_does(
    it: Desk, meanwhile: Callable[[Desk], None], finished: str, blocked: str
) -> None:
    label(it, Label.INTERESTED)
    run(it)
    meanwhile(it)
    label(it, None)
    assert it.stage.status(it.campaign) == CampaignStatus.COMPLETED, "there is nobody to continue it for"
    run(it)
    assert (it.lead(lead_of(it), "finished"), it.lead(lead_of(it), "blocked")) == (finished, blocked)
    assert (it.asks(), task(it)) == ([], "cancelled" if blocked else "done")
    assert texts(it) == ["cancelled"]


def test_whoever_may_be_contacted_again_goes_on(it: Desk) -> None:
    label(it, Label.NO)
    forbids(it)
    label(it, None)
    it.stage.commands().leads.contact_again(it.campaign, lead_of(it))
    run(it)
    assert it.asks() == [SessionAsk.WRITE]


def test_what_it_ended_in_another_campaign_goes_on_there(stage: Stage, it: Desk) -> None:
    other = Desk(stage, by_hand(stage, MESSAGES, people=1, name="Other", limits=EVERY_DAY), it.sync)
    stage.contact_anyway(other.campaign)
    run(other)
    label(it, Label.NO)
    run(other)
    assert other.lead(lead_of(other), "finished") == ANSWERED_ELSEWHERE
    label(it, None)
    assert other.lead(lead_of(other), "finished") == ""
    run(other)
    assert other.asks() == [SessionAsk.WRITE]


@pytest.mark.parametrize(
    ("past", "anyway", "blocked"),
    [("", True, ""), ("", False, IN_TOUCH_ELSEWHERE), ("you wrote", False, WRITTEN_TO)],
)
def test_a_campaign_that_is_done_goes_on_only_for_somebody_who_may_be_begun_with(
    stage: Stage, it: Desk, past: str, anyway: bool, blocked: str
) -> None:
    other = Desk(stage, by_hand(stage, MESSAGES, people=1, name="Other", limits=EVERY_DAY), it.sync)
    there = lead_of(other)
    merged = Event("LeadMerged", there, {"extra": json.dumps({PAST_CONTACT: past})})
    stage.journal.record(other.campaign, events=[merged], actor="user", cause="import", at=stage.clock.now())
    if anyway:
        stage.contact_anyway(other.campaign)
    label(it, Label.NO)
    run(other)
    assert (other.lead(there, "blocked"), stage.status(other.campaign)) == (NOT_BEGUN_WITH, CampaignStatus.COMPLETED)
    label(it, None)
    status = CampaignStatus.COMPLETED if blocked else CampaignStatus.PAUSED
    assert (other.lead(there, "blocked"), stage.status(other.campaign)) == (blocked, status)
