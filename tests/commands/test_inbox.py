"""What the user says of a conversation moves the lead, and is a decision like any other."""

from functools import partial

import pytest

from backend.domain.contact.inbox import LABELLED, Suggestion, suggestion
from backend.domain.events.facts.lead import LeadAdvanced
from backend.domain.model.campaign import DAY, MINUTE
from backend.domain.model.lead import LABEL_ENDS, LABELS, Label
from backend.domain.model.reply_kind import ReplyKind
from backend.domain.model.send_word import SessionAsk, Word
from backend.domain.values.errors import OutriderError
from backend.runtime.run.campaign_runner import RunEnd
from backend.store.queries.reports import today
from tests.fakes.campaign import ONE_STEP, Stage
from tests.fakes.send_desk import EVERY_DAY, MESSAGES, Desk, desk

pytestmark = pytest.mark.usefixtures("sound_log")


def replied(it: Desk, text: str = "Maybe later") -> str:
    lead = it.state().people[0].lead.id
    it.say(lead, Word.REPLIED, text)
    return str(lead)


def asked(it: Desk) -> list[str]:
    return [person.lead.id for person in it.state().people]


def test_that_somebody_accepted_can_be_said_before_it_is_asked_and_their_message_comes(stage: Stage) -> None:
    it = desk(stage, limits=EVERY_DAY)
    lead = it.hand_over()
    words, now = stage.commands().send_words, it.clock.now()
    accepted = partial(words.say, it.campaign, lead, Word.CONNECTED, ask=SessionAsk.ACCEPTED, action_id="")
    with pytest.raises(OutriderError, match="no longer waiting"):
        accepted(at=now)  # their invitation is in the user's hands
    it.say(lead, Word.SENT)
    it.leave()
    assert lead not in asked(it)
    other = next(person.lead.id for person in it.state().people if person.lead.id != lead)
    with pytest.raises(OutriderError, match="no longer waiting"):
        words.say(it.campaign, other, Word.CONNECTED, ask=SessionAsk.ACCEPTED, action_id="", at=now)
    accepted(at=it.clock.now())
    assert (it.lead(lead, "relation"), it.lead(lead, "accepted_at")) == ("connected", it.clock.now())
    accepted(at=it.clock.now())  # once more changes nothing
    stage.clock.jump(5 * DAY)
    it.run()
    assert stage.one("SELECT count(*) FROM messages WHERE lead_id=? AND kind='message'", lead) == 1


def test_a_label_moves_the_lead_and_can_be_corrected(stage: Stage) -> None:
    it = desk(stage, MESSAGES, limits=EVERY_DAY)
    lead, replies = replied(it), stage.commands().replies
    replies.label(it.campaign, lead, Label.NO)
    assert (it.lead(lead, "label"), it.lead(lead, "status")) == ("no", "rejected")
    assert stage.one("SELECT count(*) FROM do_not_contact") == 0, "that is proposed, and the user's to decide"
    replies.label(it.campaign, lead, Label.INTERESTED)
    assert (it.lead(lead, "label"), it.lead(lead, "status")) == ("interested", "responded")
    replies.label(it.campaign, lead, None)
    assert it.lead(lead, "label") == ""


def test_a_wrong_person_ends_a_sequence_that_was_going_on(stage: Stage) -> None:
    it = desk(stage, MESSAGES, limits=EVERY_DAY)
    lead = it.state().people[0].lead.id
    stage.commands().replies.label(it.campaign, lead, Label.WRONG_PERSON)
    assert (it.lead(lead, "finished"), it.lead(lead, "status")) == ("wrong person", "rejected")
    assert stage.one("SELECT status FROM messages WHERE lead_id=?", lead) == "cancelled"
    assert lead not in asked(it)


UNPLANNED, PLANNED, UNDER_WAY = "unplanned", "planned", "under way"


@pytest.mark.parametrize("label", Label)
@pytest.mark.parametrize("at", [UNPLANNED, PLANNED, UNDER_WAY])
def test_each_label_ends_a_sequence_or_makes_it_wait_wherever_it_stands(stage: Stage, label: Label, at: str) -> None:
    campaign = stage.campaign(3, settings=ONE_STEP)
    if at != UNPLANNED:
        stage.run(campaign, approve=False, stop_after=2 if at == PLANNED else None)
    begun_last = "SELECT l.id FROM leads l LEFT JOIN tasks t ON t.lead_id = l.id ORDER BY t.status DESC, t.rank DESC"
    lead = str(stage.one(begun_last))
    states = stage.query("SELECT status FROM tasks WHERE lead_id=?", lead)
    assert states == {UNPLANNED: [], PLANNED: [("pending",)], UNDER_WAY: [("in_progress",)]}[at]
    until = stage.clock.now() + 4 * DAY if label is Label.LATER else None
    stage.commands().replies.label(campaign, lead, label, until)
    assert stage.run(campaign).halt is RunEnd.COMPLETED
    finished, blocked, status, invited = stage.query(
        "SELECT finished, blocked, status, invited_at FROM leads WHERE id=?", lead
    )[0]
    if until is not None:
        assert invited >= until
        assert (blocked, status) == ("", "contacted")
    else:
        assert invited is None
        assert (finished, blocked) == (("", LABELLED) if at == UNPLANNED else (LABEL_ENDS[label], ""))
        assert status == ("rejected" if LABELS[label].refuses else "pending")
    assert len(stage.delivered()) == (3 if until else 2)
    assert stage.query("SELECT 1 FROM tasks WHERE strikes>0 OR status='blocked'") == []


def test_a_label_taken_away_before_the_first_contact_lets_them_begin(stage: Stage) -> None:
    campaign = stage.campaign(1, settings=ONE_STEP)
    lead, replies = str(stage.one("SELECT id FROM leads")), stage.commands().replies
    for label, until in ((None, None), (Label.LATER, stage.clock.now() + DAY)):
        replies.label(campaign, lead, Label.NO)
        assert stage.one("SELECT blocked FROM leads") == LABELLED
        replies.label(campaign, lead, label, until)
        assert stage.one("SELECT blocked FROM leads") == ""


def test_a_reply_is_open_until_it_is_labelled_or_answered_and_whatever_they_write_after_that_is_open_again(
    stage: Stage,
) -> None:
    it = desk(stage, MESSAGES, limits=EVERY_DAY)
    lead, replies = replied(it), stage.commands().replies
    first = it.clock.now()

    def count(after: int = 0) -> int:
        return stage.database.query(today.count_open_replies, it.campaign, after)

    def they_write_again() -> None:
        stage.clock.advance(MINUTE)
        written = [LeadAdvanced(lead, replied_at=it.clock.now())]
        stage.journal.record(it.campaign, events=written, actor="controller", cause="turn", at=it.clock.now())
        stage.clock.advance(MINUTE)

    assert (count(), count(first)) == (1, 0)
    for settle in (
        partial(replies.label, it.campaign, lead, Label.INTERESTED),
        partial(replies.answer, it.campaign, lead, "Gladly."),
        partial(replies.label, it.campaign, lead, Label.NO),
    ):
        settle()
        assert count() == 0
        they_write_again()
        assert (count(), count(first)) == (1, 1)


def test_later_makes_a_sequence_wait_and_the_conversation_comes_back(stage: Stage) -> None:
    it = desk(stage, MESSAGES, limits=EVERY_DAY)
    lead, until = it.state().people[0].lead.id, stage.clock.now() + 4 * DAY
    stage.commands().replies.label(it.campaign, lead, Label.LATER, until)
    assert (it.lead(lead, "label"), it.lead(lead, "snoozed_until")) == ("later", until)
    assert lead not in asked(it)
    stage.clock.advance(4 * DAY)
    assert lead in asked(it)
    for wrong in (None, stage.clock.now()):
        with pytest.raises(OutriderError) as refused:
            stage.commands().replies.label(it.campaign, lead, Label.LATER, wrong)
        assert refused.value.code == "date_has_passed"


def test_a_sequence_waits_no_more_once_later_is_taken_back(stage: Stage) -> None:
    it = desk(stage, MESSAGES, limits=EVERY_DAY)
    lead = it.state().people[0].lead.id
    for _ in range(2):
        stage.commands().replies.label(it.campaign, lead, Label.LATER, stage.clock.now() + 4_000 * DAY)
        assert lead not in asked(it)
        stage.commands().replies.label(it.campaign, lead, None)
        assert lead in asked(it)


def test_a_label_that_ends_a_sequence_that_was_put_off_wakes_it_no_more(stage: Stage) -> None:
    it = desk(stage, MESSAGES, limits=EVERY_DAY)
    lead = it.state().people[0].lead.id
    for label in (Label.NO, Label.INTERESTED):
        stage.commands().replies.label(it.campaign, lead, Label.LATER, stage.clock.now() + 4 * DAY)
        stage.commands().replies.label(it.campaign, lead, label)
        assert stage.one("SELECT kind FROM event_log ORDER BY seq DESC LIMIT 1") == "TaskClaimed"
        stage.commands().replies.label(it.campaign, lead, None)


@pytest.mark.parametrize("ends", [None, Label.NO, Label.INTERESTED])
def test_later_that_is_taken_back_after_its_day_is_no_news(stage: Stage, ends: Label | None) -> None:
    it = desk(stage, MESSAGES, limits=EVERY_DAY)
    lead, until = it.state().people[0].lead.id, stage.clock.now() + 4 * DAY
    stage.commands().replies.label(it.campaign, lead, Label.LATER, until)
    stage.clock.advance(4 * DAY)
    stage.commands().replies.label(it.campaign, lead, ends)
    assert it.lead(lead, "paused_until") == until
    stage.commands().replies.label(it.campaign, lead, Label.LATER, until + DAY)
    stage.commands().replies.label(it.campaign, lead, ends)
    assert it.lead(lead, "paused_until") == stage.clock.now()


def test_what_an_automatic_answer_put_off_stays_so_whatever_label_is_taken_away(stage: Stage) -> None:
    it = desk(stage, MESSAGES, limits=EVERY_DAY)
    lead, until = it.state().people[0].lead.id, stage.clock.now() + 4 * DAY
    paused = [LeadAdvanced(lead, paused_until=until)]
    stage.journal.record(it.campaign, events=paused, actor="controller", cause="turn", at=stage.clock.now())
    for label in (Label.INTERESTED, None):
        stage.commands().replies.label(it.campaign, lead, label)
        assert it.lead(lead, "paused_until") == until


def test_an_answer_on_assist_goes_through_the_send_session(stage: Stage) -> None:
    it = desk(stage, MESSAGES, limits=EVERY_DAY)
    lead = replied(it)
    stage.clock.advance(9 * 3_600_000)  # at night: the user writes now
    stage.commands().replies.answer(it.campaign, lead, "Gladly, in January.")
    person = it.state().people[0]
    assert (person.lead.id, person.ask, person.message and person.message.text) == (
        lead,
        SessionAsk.WRITE,
        "Gladly, in January.",
    )
    it.hand_over(no_reply=True)
    it.say(lead, Word.SENT)
    it.leave()
    assert stage.query("SELECT status FROM messages WHERE text='Gladly, in January.'") == [("sent",)]
    assert stage.one("SELECT family FROM actions ORDER BY intended_at DESC LIMIT 1") == "message"
    stage.clock.advance(5 * DAY + 12 * 3_600_000)  # at nine in the morning
    again = next(person for person in it.state().people if person.lead.id == lead)
    assert again.ask is SessionAsk.REPLIED
    it.say(lead, Word.REPLIED, "January is fine.")
    assert stage.one("SELECT status FROM tasks WHERE kind='answer'") == "done"


def test_who_wrote_again_first_is_not_sent_the_answer(stage: Stage) -> None:
    it = desk(stage, MESSAGES, limits=EVERY_DAY)
    lead = replied(it)
    stage.commands().replies.answer(it.campaign, lead, "Gladly.")
    it.hand_over(no_reply=True)
    it.say(lead, Word.REPLIED, "Forget it.")
    assert stage.query("SELECT status FROM messages WHERE text='Gladly.'") == [("cancelled",)]
    assert stage.one("SELECT status FROM tasks WHERE kind='answer'") == "cancelled"


@pytest.mark.parametrize(
    ("label", "last", "them", "expected"),
    [
        ("", ReplyKind.NO, True, Suggestion.DO_NOT_CONTACT),
        ("no", ReplyKind.HUMAN, True, Suggestion.DO_NOT_CONTACT),
        ("", ReplyKind.HUMAN, True, Suggestion.ANSWER),
        ("interested", ReplyKind.HUMAN, False, Suggestion.WAIT_FOR_THEM),
        ("", ReplyKind.HUMAN, False, Suggestion.LABEL),
        ("", ReplyKind.GONE, True, Suggestion.LABEL),
        ("wrong_person", ReplyKind.HUMAN, True, Suggestion.NOTHING),
        ("", ReplyKind.AUTOMATIC, True, Suggestion.WAIT_FOR_THEM),
        ("", None, False, Suggestion.WAIT_FOR_THEM),
    ],
)
def test_one_next_step_is_suggested(label: str, last: ReplyKind | None, them: bool, expected: Suggestion) -> None:
    asked = {"snoozed": False, "they_wrote_last": them, "waiting": False, "do_not_contact": False}
    assert suggestion(label, last, **asked) is expected
    assert suggestion(label, last, **(asked | {"waiting": True})) is Suggestion.WAIT_TO_BE_SENT
    assert suggestion(label, last, **(asked | {"do_not_contact": True})) is Suggestion.NOTHING
