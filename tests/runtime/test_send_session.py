"""The send session: nothing counts as sent before the user says so, each text is handed over once, and every gate holds."""

from collections.abc import Callable
from typing import Any

import pytest

from backend.domain.events.events import Event
from backend.domain.events.facts.lead import LeadAdvanced
from backend.domain.model.campaign import DAY, HOUR, MINUTE, CampaignStatus, Limits
from backend.domain.model.days import local_midnight
from backend.domain.model.lead import Label, LeadStatus
from backend.domain.model.message import Message
from backend.domain.model.send_word import SessionAsk, Word
from backend.domain.model.sequence import DEFAULT_SEQUENCE, Sequence
from backend.domain.model.site import Relation
from backend.domain.reports.campaign_state import CampaignState, StateName
from backend.domain.values.errors import OutriderError
from backend.ports.sync_status import LocalOnly
from backend.situation import send_people, situations
from backend.situation.send_queue import MOST_PEOPLE, handed_again
from backend.situation.situations import TurnInputs
from backend.situation.state_of_campaign import needs_of, state_of
from backend.store.queries.campaign import campaigns
from backend.turn import load as loading
from backend.turn.loop import NothingEligible
from tests.fakes.by_hand import by_hand
from tests.fakes.campaign import QUICK, Killed, Stage
from tests.fakes.clock import START
from tests.fakes.send_desk import BRANCHES, EVERY_DAY, MESSAGES, Desk, desk, session_state

pytestmark = pytest.mark.usefixtures("sound_log")


def some(message: Message | None) -> Message:
    assert message is not None
    return message


def refused(code: str, act: Any) -> OutriderError:
    with pytest.raises(OutriderError) as refusal:
        act()
    assert refusal.value.code == code
    return refusal.value


# --- nothing counts as sent by itself ---


def test_a_text_that_was_handed_over_is_intended_and_not_sent_until_the_user_says_so(stage: Stage) -> None:
    it = desk(stage)
    lead = it.hand_over()
    assert it.sent() == 0
    assert stage.query("SELECT status FROM actions") == [("intended",)]
    stage.clock.advance(9 * MINUTE)
    it.run()  # a run looks at nothing here, and settles nothing by itself
    assert (it.sent(), stage.query("SELECT status FROM actions")) == (0, [("intended",)])
    assert it.asks()[0] is SessionAsk.OUTCOME
    it.say(lead, Word.SENT)
    it.leave()
    assert it.sent() == 1
    report, evidence = stage.query("SELECT said, evidence FROM actions")[0]
    assert report == "you reported: sent"
    assert "user_word" in evidence


@pytest.mark.parametrize("word", [Word.SENT, Word.NOT_SENT])
def test_who_is_labelled_while_a_text_is_handed_over_gets_nothing_more_once_that_is_settled(
    stage: Stage, word: Word
) -> None:
    it = desk(stage)
    lead = it.hand_over()
    stage.commands().replies.label(it.campaign, lead, Label.NO)
    assert it.asks()[0] is SessionAsk.OUTCOME, "what became of the text is asked all the same"
    it.say(lead, word)
    it.leave()
    it.run()
    assert it.sent() == (word is Word.SENT)
    assert (it.lead(lead, "finished"), it.lead(lead, "label")) == ("said no", "no")
    ended = "sent" if word is Word.SENT else "cancelled"
    assert stage.one("SELECT status FROM messages WHERE lead_id=?", lead) == ended
    assert stage.one("SELECT status FROM tasks WHERE lead_id=?", lead) == "done"


class HeldElsewhere(LocalOnly):
    """The shared store, while another device may act."""

    def describe(self) -> str:
        return "held by another device"


def test_the_intent_is_on_disk_before_the_text_is_handed_over_and_a_kill_hands_over_no_second_one(
    stage: Stage,
) -> None:
    class Dies(LocalOnly):
        def push_and_confirm(self, _: str) -> bool:
            raise Killed

    it = desk(stage)
    it.sync = Dies()
    with pytest.raises(Killed):
        it.hand_over()
    stage.reopen()
    it.sync = LocalOnly()
    first = it.state().people[0]
    assert (first.ask, first.sending is not None) == (SessionAsk.OUTCOME, True)
    hand_over_again = it.shown()
    for _ in range(2):
        hand_over_again()
    assert stage.query("SELECT count(*) FROM actions") == [(1,)]


class Elsewhere(LocalOnly):
    """The shared store, where nothing is confirmed."""

    def push_and_confirm(self, _: str) -> bool:
        return False


def test_what_is_not_confirmed_is_called_off_whatever_was_said_of_another(stage: Stage) -> None:
    it = desk(stage)
    another = it.hand_over()
    it.say(another, Word.SENT)
    it.sync = Elsewhere()
    refused("send_held", it.hand_over)
    it.leave()
    assert [status for (status,) in stage.query("SELECT status FROM actions ORDER BY id")] == ["sent", "not_sent"]


def test_what_the_shared_store_does_not_confirm_is_not_handed_over_and_waits_as_before(stage: Stage) -> None:
    it = desk(stage)
    it.sync = Elsewhere()
    refused("send_held", it.hand_over)
    assert stage.query("SELECT status FROM actions") == [("not_sent",)]
    assert it.asks() == [SessionAsk.INVITE] * 2  # the third comes back a little later
    it.sync = LocalOnly()
    stage.clock.advance(2 * MINUTE)
    assert it.asks() == [SessionAsk.INVITE] * 3


@pytest.mark.parametrize("takes_effect", [True, False])
@pytest.mark.parametrize("word", [Word.SENT, Word.NOT_SENT, Word.SKIP, Word.REPLIED])
def test_what_the_user_says_of_an_act_while_it_is_being_confirmed_is_not_overruled_by_its_calling_off(
    stage: Stage, word: Word, takes_effect: bool
) -> None:
    it = desk(stage)
    lead = it.state().people[0].lead.id

    class InAnotherWindow(LocalOnly):
        def push_and_confirm(self, _: str) -> bool:
            it.say(lead, word, "No, thanks" if word is Word.REPLIED else "")
            if takes_effect:
                it.leave()
            return False

    it.sync = InAnotherWindow()
    refused("send_held", it.hand_over)
    it.sync = LocalOnly()
    it.leave()
    assert stage.query("SELECT status, said FROM actions") == [
        ("sent" if word is Word.SENT else "not_sent", f"you reported: {word.replace('_', ' ')}")
    ]
    assert it.sent() == (word is Word.SENT)


@pytest.mark.parametrize("answer", ["push_and_confirm", "may_still_act"])
def test_a_text_that_the_user_has_already_is_never_called_off_by_asking_for_it_again(stage: Stage, answer: str) -> None:
    it = desk(stage)
    lead = it.hand_over()

    class Elsewhere(LocalOnly):
        def push_and_confirm(self, _: str) -> bool:
            return answer != "push_and_confirm"

        def may_still_act(self) -> bool:
            return answer != "may_still_act"

    it.sync = Elsewhere()
    refused("send_held", it.hand_over)
    assert stage.query("SELECT status FROM actions") == [("intended",)]
    it.sync = LocalOnly()
    assert it.asks()[0] is SessionAsk.OUTCOME
    it.say(lead, Word.SENT)
    it.leave()
    assert it.sent() == 1


def test_another_device_acts_so_nothing_is_handed_over(stage: Stage) -> None:
    it = desk(stage)
    it.sync = HeldElsewhere()
    assert it.asks() == []
    assert "held by another device" in it.state().hold_reasons[0]


def test_while_another_device_acts_it_is_clear_beforehand_that_a_text_is_not_handed_again(stage: Stage) -> None:
    it = desk(stage)
    lead = it.hand_over()
    it.sync = HeldElsewhere()
    inputs = TurnInputs.at(it.clock, it.clock.now(), present=True, sync_status=it.sync.describe())
    with stage.database.read() as connection:
        campaign = send_people.campaign_by_hand(connection, it.campaign)
        person = send_people.person(connection, campaign, lead, inputs.now)
        assert person is not None
        verdict = handed_again(connection, person, inputs)
    assert verdict.refusal is not None
    assert verdict.refusal.code == "in_sync"
    refused("send_held", it.hand_over)
    assert it.asks()[0] is SessionAsk.OUTCOME, "what became of it is still asked"


def test_damaged_logs_show_and_hand_over_nothing_more_and_what_was_handed_over_is_still_answered(stage: Stage) -> None:
    damage = OutriderError("log_broken", log="event_log", campaign="c", seq=3, detail="its hash differs")

    def refuse() -> None:
        raise damage

    it = desk(stage)
    lead = it.hand_over()
    other = it.state().people[1]
    assert other.message is not None
    it.refuse = refuse
    assert (it.asks(), it.state().hold_reasons) == ([SessionAsk.OUTCOME], (damage.sentence,))
    digest = situations.digest_of(other.campaign, other.lead, other.message)
    refused(
        "log_broken",
        lambda: it.session.hand_over(it.campaign, other.lead.id, stage.clock, shown_digest=digest, no_reply=False),
    )
    assert stage.query("SELECT count(*) FROM actions") == [(1,)]
    it.say(lead, Word.SENT)
    it.leave()
    assert (it.sent(), it.asks()) == (1, [])


# --- the words ---


def test_three_people_take_two_words_each_and_the_counters_say_how_many(stage: Stage) -> None:
    it = desk(stage)
    for _ in range(3):
        it.say(it.hand_over(), Word.SENT)
    it.leave()
    assert (it.sent(), it.asks()) == (3, [])
    (invite, message) = it.state().allowances
    assert (invite.used, message.used, invite.limit) == (3, 0, QUICK.limits.invitations_a_day)


def test_not_sent_comes_back_later_with_the_same_approval_and_counts_as_nothing(stage: Stage) -> None:
    it = desk(stage, people=1)
    it.say(it.hand_over(), Word.NOT_SENT)
    it.leave()
    assert (it.sent(), it.asks(), it.state().allowances[0].used) == (0, [], 0)
    stage.clock.advance(61 * MINUTE)
    assert it.asks() == [SessionAsk.INVITE]
    it.say(it.hand_over(), Word.SENT)
    it.leave()
    assert it.sent() == 1
    assert stage.query("SELECT count(*) FROM approvals") == [(1,)]


def test_a_text_whose_step_was_counted_as_done_meanwhile_does_not_come_back(stage: Stage) -> None:
    """The user said of a message in an export that it was this step's, while this one was in their hands."""
    it = desk(stage, MESSAGES, people=1, connected_on="2024-03-15", limits=EVERY_DAY)
    lead = it.hand_over(no_reply=True)
    counted = [LeadAdvanced(lead, sequence_step=1, last_sent_at=stage.clock.now())]
    stage.journal.record(it.campaign, events=counted, actor="user", cause="answer", at=stage.clock.now())
    it.say(lead, Word.NOT_SENT)
    it.leave()
    assert stage.query("SELECT step, status FROM messages") == [("hello", "cancelled")]
    stage.clock.advance(3 * DAY)
    it.run()
    assert stage.query("SELECT step FROM messages WHERE status='approved'") == [("again",)]


@pytest.mark.parametrize("handed", [True, False])
def test_who_was_skipped_comes_back_tomorrow(stage: Stage, handed: bool) -> None:
    it = desk(stage, people=1)
    lead = it.hand_over() if handed else it.state().people[0].lead.id
    it.say(lead, Word.SKIP)
    it.leave()
    stage.clock.advance(5 * 60 * MINUTE)
    assert it.asks() == []
    stage.clock.advance(DAY - 5 * 60 * MINUTE)
    assert it.asks() == [SessionAsk.INVITE]
    midnight = local_midnight(stage.clock.now(), stage.clock.offset)
    opens = midnight + QUICK.limits.day_starts * MINUTE
    assert stage.query("SELECT ready_at FROM tasks WHERE lead_id=?", lead) == [(opens,)], "as Today says"


@pytest.mark.parametrize("answer", [Word.SKIP, Word.REPLIED, None])
@pytest.mark.parametrize("handed", [True, False])
def test_who_was_skipped_stands_in_send_on_another_day_though_nothing_ran_since(
    stage: Stage, handed: bool, answer: Word | None
) -> None:
    it = desk(stage, people=1, limits=EVERY_DAY)
    lead = it.hand_over() if handed else it.state().people[0].lead.id
    it.say(lead, Word.SKIP)  # and the app was closed
    assert (it.asks(), it.state().last is None) == ([], False), "it can be taken back on the same day"
    stage.clock.advance(DAY)
    assert (it.asks(), it.state().last) == ([SessionAsk.OUTCOME if handed else SessionAsk.INVITE], None)
    if answer is None:
        it.leave()  # as when the campaign continues
        assert it.asks() == [SessionAsk.INVITE]
        return
    it.say(lead, answer)
    it.leave()
    assert it.asks() == []
    stage.clock.advance(DAY)
    assert it.asks() == ([SessionAsk.INVITE] if answer is Word.SKIP else [])


def test_who_was_skipped_with_their_text_at_hand_gets_it_once_more_on_another_day(stage: Stage) -> None:
    it = desk(stage, people=1, limits=EVERY_DAY)
    lead = it.hand_over()
    it.say(lead, Word.SKIP)
    stage.clock.advance(DAY)
    assert it.hand_over() == lead
    it.say(lead, Word.SENT)
    it.leave()
    assert it.sent() == 1


@pytest.mark.parametrize("handed", [True, False])
def test_a_reply_ends_the_sequence_at_once_and_is_kept_word_by_word(stage: Stage, handed: bool) -> None:
    it = desk(stage)
    lead = it.hand_over() if handed else it.state().people[0].lead.id
    it.say(lead, Word.REPLIED, " Thanks, but no.\nBest, C. ")
    assert (it.lead(lead, "finished"), it.lead(lead, "status")) == ("replied", "responded")
    assert stage.query("SELECT text FROM messages WHERE lead_id=? AND status='received'", lead) == [
        (" Thanks, but no.\nBest, C. ",)
    ]
    assert stage.query("SELECT status FROM messages WHERE lead_id=? AND kind='invitation'", lead) == [("cancelled",)]
    assert stage.query("SELECT count(*) FROM approvals WHERE status IN ('open', 'used')") == [(2,)]
    assert stage.query("SELECT status FROM tasks WHERE lead_id=?", lead) == [("done",)]
    assert it.sent() == 0


@pytest.mark.parametrize("reported", [False, True])
def test_the_users_own_message_is_not_kept_as_a_reply_to_it(stage: Stage, reported: bool) -> None:
    words = "Hi {first_name}, would you like to give a talk at our meeting in May?"
    sequence = Sequence(steps=(MESSAGES.steps[0].model_copy(update={"template": words}),))
    it = desk(stage, sequence, people=1, connected_on="2024-03-15", limits=EVERY_DAY)
    text = some(it.state().people[0].message).text
    lead = it.hand_over(no_reply=True)
    if reported:
        it.say(lead, Word.SENT)
        it.leave()
        stage.clock.advance(5 * DAY)
    before = stage.dump()
    refused("reply_is_yours", lambda: it.say(lead, Word.REPLIED, text))
    assert stage.dump() == before
    it.say(lead, Word.REPLIED, f"You wrote: {text} Yes!")
    assert it.lead(lead, "finished") == "replied"


def test_who_is_connected_already_gets_no_invitation_and_the_message_is_written_next(stage: Stage) -> None:
    it = desk(stage, people=1)
    it.say(it.hand_over(), Word.CONNECTED)
    it.leave()
    it.run()
    assert stage.query("SELECT step, status FROM messages ORDER BY created_at") == [
        ("invite", "cancelled"),
        ("hello", "approved"),
    ]


@pytest.mark.parametrize(("word", "why"), [(Word.WRONG_PERSON, "wrong person"), (Word.NOT_CONNECTED, "not connected")])
@pytest.mark.parametrize("handed", [True, False])
def test_a_message_to_the_wrong_person_or_a_stranger_ends_their_sequence(
    stage: Stage, word: Word, why: str, handed: bool
) -> None:
    it = desk(stage, MESSAGES, people=1)
    lead = it.hand_over(no_reply=True) if handed else it.state().people[0].lead.id
    it.say(lead, word)
    it.leave()
    assert it.lead(lead, "finished") == why
    assert stage.query("SELECT status FROM tasks WHERE lead_id=?", lead) == [("done",)]
    assert it.sent() == 0


@pytest.mark.parametrize("sequence", [MESSAGES, DEFAULT_SEQUENCE])
def test_what_was_sent_already_is_not_handed_over_and_the_sequence_goes_on_from_there(
    stage: Stage, sequence: Sequence
) -> None:
    it = desk(stage, sequence, people=1, limits=EVERY_DAY, connected_on="2024-03-15" if sequence is MESSAGES else "")
    (person,) = it.state().people
    assert person.message is not None
    lead, text = person.lead.id, person.message.text
    it.say(lead, Word.ALREADY_SENT)
    assert it.lead(lead, "sequence_step") == 0, "it can still be taken back"
    it.leave()
    now = stage.clock.now()
    assert stage.query("SELECT status FROM messages WHERE id=?", person.message.id) == [("cancelled",)]
    assert stage.query("SELECT status FROM approvals") == [("revoked",)]
    assert stage.query("SELECT count(*) FROM actions") == [(0,)], "no limit counts it: nobody knows when it was"
    assert (it.lead(lead, "sequence_step"), it.lead(lead, "status")) == (1, "contacted")
    if sequence is MESSAGES:
        assert stage.query("SELECT text, status FROM messages WHERE status='found'") == [(text, "found")]
        assert it.lead(lead, "last_sent_at") == now
        stage.clock.advance(3 * DAY)
        it.run()
        assert it.state().people[0].message.step == "again"  # type: ignore[union-attr]
    else:
        assert (it.lead(lead, "invited_at"), it.lead(lead, "relation")) == (now, "pending")
        stage.clock.advance(3 * DAY)
        assert it.asks() == [SessionAsk.ACCEPTED]
    it.leave()
    assert it.sent() == 0


def test_a_word_that_was_not_offered_is_refused_and_changes_nothing(stage: Stage) -> None:
    it = desk(stage)
    before = stage.dump()
    lead = it.state().people[0].lead.id
    refused("answer_not_offered", lambda: it.say(lead, Word.SENT))  # nothing was handed over
    refused("person_not_waiting", lambda: it.say("nobody", Word.SKIP))
    refused("reply_too_long", lambda: it.say(lead, Word.REPLIED, "x" * 8_001))
    assert stage.dump() == before


def test_acceptance_is_asked_after_its_time_and_not_yet_asks_again_until_the_wait_is_over(stage: Stage) -> None:
    it = desk(stage, people=1, limits=EVERY_DAY)
    lead = it.hand_over()
    it.say(lead, Word.SENT)
    it.leave()
    for _ in range(7):  # every three days, for three weeks
        stage.clock.advance(3 * DAY)
        assert it.asks() == [SessionAsk.ACCEPTED]
        it.say(lead, Word.NOT_CONNECTED)
        it.leave()
    assert it.lead(lead, "finished") == "not accepted"


def test_an_old_invitation_is_taken_back_in_the_session_and_ends_the_sequence(stage: Stage) -> None:
    it = desk(stage, people=4, limits=EVERY_DAY.model_copy(update={"withdraw_after_days": 7}))
    leads = []
    for _ in range(4):
        leads.append(it.hand_over())
        it.say(leads[-1], Word.SENT)
    it.leave()
    taken, accepted, put_off, waiting = leads
    stage.clock.advance(7 * DAY + 1)
    for lead in leads:  # who is asked about anyway is not asked twice
        it.say(lead, Word.NOT_CONNECTED)
    it.leave()
    assert asked_back(it) == []
    stage.clock.advance(DAY)
    assert asked_back(it) == leads
    assert it.asks() == [], "what is left to send is not more by it"
    it.say(taken, Word.WITHDRAWN)
    assert asked_back(it) == [accepted, put_off, waiting]
    assert asked_back(it, most=2) == [accepted, put_off], "as many as there is room for"
    it.session.take_back(it.campaign, stage.clock)
    assert asked_back(it) == leads
    it.say(taken, Word.WITHDRAWN)
    it.say(accepted, Word.CONNECTED)
    it.say(put_off, Word.SKIP)
    it.leave()
    assert (it.lead(taken, "finished"), it.lead(taken, "relation")) == ("invitation withdrawn", "none")
    assert (it.lead(accepted, "finished"), it.lead(accepted, "relation")) == ("", "connected")
    assert asked_back(it) == [waiting]
    stage.clock.advance(DAY)
    assert asked_back(it) == [put_off, waiting]


MEANWHILE: dict[str, Callable[[str], Event]] = {
    "they replied": lambda lead: LeadAdvanced(lead, replied_at=START, status=LeadStatus.RESPONDED),
    "they accepted": lambda lead: LeadAdvanced(lead, relation=Relation.CONNECTED),
}


@pytest.mark.parametrize("learnt", MEANWHILE)
def test_an_invitation_that_was_answered_meanwhile_is_not_asked_back(stage: Stage, learnt: str) -> None:
    it = desk(stage, people=1, limits=EVERY_DAY.model_copy(update={"withdraw_after_days": 7}))
    lead = it.hand_over()
    it.say(lead, Word.SENT)
    it.leave()
    stage.clock.advance(7 * DAY + 1)
    it.say(lead, Word.NOT_CONNECTED)
    it.leave()
    stage.clock.advance(DAY)
    it.say(lead, Word.WITHDRAWN)  # which takes effect with the next word only
    event, now = MEANWHILE[learnt](lead), stage.clock.now()
    stage.journal.record(it.campaign, events=[event], actor="controller", cause="read elsewhere", at=now)
    refused("person_not_waiting", lambda: it.say(lead, Word.WITHDRAWN))
    it.leave()
    assert asked_back(it) == []
    assert (it.lead(lead, "withdrawn_at"), it.lead(lead, "finished")) == (None, "")


def asked_back(it: Desk, most: int = MOST_PEOPLE) -> list[str]:
    """Whose invitation the session would have taken back."""
    return [person.lead.id for person in it.state(most, withdrawals=True).people if person.ask is SessionAsk.WITHDRAW]


# --- conditions ---


def test_whether_they_are_connected_is_asked_before_the_first_step_that_hangs_on_it(stage: Stage) -> None:
    it = desk(stage, BRANCHES, people=2)
    contact, stranger = (person.lead.id for person in it.state().people)
    assert it.asks() == [SessionAsk.CONNECTED] * 2
    it.say(contact, Word.CONNECTED)
    it.say(stranger, Word.NOT_CONNECTED)
    it.leave()
    it.run()
    assert dict(stage.query("SELECT lead_id, step FROM messages")) == {contact: "hello", stranger: "invite"}


# --- reply freshness ---


def test_a_message_is_handed_over_only_after_the_user_looked_for_a_reply(stage: Stage) -> None:
    it = desk(stage, MESSAGES, people=1, connected_on="2024-03-15")
    assert it.asks() == [SessionAsk.WRITE]
    assert "not read" in refused("send_held", it.hand_over).sentence
    lead = it.hand_over(no_reply=True)
    assert it.lead(lead, "thread_read_at") == stage.clock.now()
    it.say(lead, Word.SENT)
    it.leave()
    stage.clock.advance(3 * DAY)
    it.run()  # the second text is written, without a look
    assert "not read" in refused("send_held", it.hand_over).sentence  # three days ago is not now
    it.hand_over(no_reply=True)


def test_after_the_last_message_the_user_is_asked_once_more_and_no_reply_ends_it(stage: Stage) -> None:
    sequence = Sequence(steps=MESSAGES.steps[:1])
    it = desk(stage, sequence, people=1, connected_on="2024-03-15", limits=EVERY_DAY)
    it.say(it.hand_over(no_reply=True), Word.SENT)
    it.leave()
    stage.clock.advance(5 * DAY)
    (person,) = it.state().people
    assert person.ask is SessionAsk.REPLIED
    it.say(person.lead.id, Word.NO_REPLY)
    it.leave()
    assert it.lead(person.lead.id, "finished") == "no reply"


# --- taking back ---


def test_a_slip_is_taken_back_and_leaves_no_trace_in_what_counts(stage: Stage) -> None:
    it = desk(stage)
    lead = it.hand_over()
    before = stage.dump(skip=("event_log", "audit_log", "log_heads", "config_kv"))
    it.say(lead, Word.SENT)
    last = it.state().last
    assert last is not None
    assert (last.word.lead_id, last.word.word) == (lead, Word.SENT)
    it.session.take_back(it.campaign, stage.clock)
    assert stage.dump(skip=("event_log", "audit_log", "log_heads", "config_kv")) == before
    assert it.state().people[0].lead.id == lead
    it.say(lead, Word.NOT_SENT)
    it.leave()
    assert it.sent() == 0
    refused("nothing_to_take_back", lambda: it.session.take_back(it.campaign, stage.clock))


def test_over_all_campaigns_the_last_word_is_the_latest_wherever_it_was_said(stage: Stage) -> None:
    desks = [desk(stage, limits=EVERY_DAY, people=1, name=name) for name in ("A", "B")]
    stage.contact_anyway(desks[1].campaign)
    desks[1].run()

    def last() -> tuple[str, Word] | None:
        among = [it.campaign for it in desks]
        last_word = session_state(stage.database, desks[0].session, among, stage.clock, MOST_PEOPLE).last
        return None if last_word is None else (last_word.campaign_id, last_word.word.word)

    for first, second in (desks, desks[::-1]):
        for it, word in ((first, Word.NOT_SENT), (second, Word.SENT)):
            stage.clock.advance(MINUTE)
            it.say(it.hand_over(), word)
            assert last() == (it.campaign, word)
        second.session.take_back(second.campaign, stage.clock)
        assert last() == (first.campaign, Word.NOT_SENT), "the one before it is the last again"
        first.session.take_back(first.campaign, stage.clock)
        assert last() is None


def test_campaigns_take_turns_so_that_none_starves(stage: Stage) -> None:
    desks = [desk(stage, limits=EVERY_DAY, people=2, name=name) for name in ("A", "B")]
    stage.contact_anyway(desks[1].campaign)
    desks[1].run()
    among = [it.campaign for it in desks]
    state = session_state(stage.database, desks[0].session, among, stage.clock, MOST_PEOPLE)
    assert [person.campaign.name for person in state.people] == ["A", "B", "A", "B"]


def test_a_reason_to_wait_names_its_campaign_where_there_are_several(stage: Stage) -> None:
    made = [desk(stage, limits=EVERY_DAY, people=1, name=name).campaign for name in ("A", "B")]
    stage.commands().campaigns.change_status(made[0], CampaignStatus.PAUSED, "stopped")
    session = Desk(stage, made[0], LocalOnly()).session
    (alone,), (beside,) = (
        session_state(stage.database, session, among, stage.clock, MOST_PEOPLE).hold_reasons
        for among in (made[:1], made)
    )
    assert beside == f"A: {alone}"


def test_whoever_leaves_by_a_page_that_knows_the_last_word_alone_has_said_the_others_too(stage: Stage) -> None:
    """A page that was loaded anew, or the other tab: only there was it known in which campaigns something was said."""
    first, second = [desk(stage, limits=EVERY_DAY, people=1, name=name) for name in ("A", "B")]
    stage.contact_anyway(second.campaign)
    second.run()
    for it in (first, second):
        it.say(it.hand_over(), Word.SENT)
    second.leave()
    assert stage.query("SELECT DISTINCT status FROM actions") == [("sent",)]
    for it in (first, second):
        refused("nothing_to_take_back", lambda it=it: it.session.take_back(it.campaign, stage.clock))


@pytest.mark.parametrize("word", [Word.SENT, Word.NOT_SENT, Word.SKIP, Word.REPLIED])
@pytest.mark.parametrize("reply", ["Thank you, tell me more.", "Automatic reply: I am out of the office."])
def test_what_a_file_shows_while_a_text_is_out_waits_for_the_users_word(stage: Stage, word: Word, reply: str) -> None:
    it = desk(stage, MESSAGES, people=1, connected_on="2024-03-15", limits=EVERY_DAY)
    lead = it.hand_over(no_reply=True)
    stage.commands().replies.found(it.campaign, lead, reply, at=stage.clock.now(), answers=True)
    it.say(lead, word)
    it.leave()
    assert stage.query("SELECT question FROM input_requests") == []
    assert it.sent() == (word is Word.SENT)
    answered = reply.startswith("Thank") or word is Word.REPLIED
    assert (it.lead(lead, "finished") == "replied") is answered


def test_a_word_takes_effect_with_the_next_one_and_outlives_a_kill(stage: Stage) -> None:
    it = desk(stage)
    it.say(it.hand_over(), Word.SENT)
    assert it.sent() == 0
    stage.reopen()
    it.say(it.hand_over(), Word.SENT)
    assert it.sent() == 1
    stage.reopen()
    it.leave()
    assert it.sent() == 2


# --- gates ---


def test_the_days_limit_holds_and_says_why(stage: Stage) -> None:
    it = desk(stage, limits=Limits(ramp_days=0, spacing_seconds=0, invitations_a_day=2))
    for _ in range(2):
        it.say(it.hand_over(), Word.SENT)
    assert it.state().people == ()
    (waits,) = it.state().later
    full = "Today's limit of 2 invitations leaves no room for more."
    assert ([reason.sentence for reason in waits.verdict.asks], it.state().hold_reasons) == ([full], ())
    digest = situations.digest_of(waits.person.campaign, waits.person.lead, some(waits.person.message))

    def hand_over(*despite: str) -> None:
        it.session.hand_over(
            it.campaign, waits.person.lead.id, it.clock, shown_digest=digest, no_reply=False, despite=despite
        )

    refused("send_asks_first", hand_over)
    refused("send_asks_first", lambda: hand_over("ramp"))
    hand_over("daily_limit")
    assert stage.query("SELECT json_extract(params, '$.despite') FROM actions ORDER BY intended_at, id") == [
        (None,), (None,), ('["daily_limit"]',),
    ]  # fmt: skip


@pytest.mark.parametrize("limit", ["invitations_a_day", "invitations_a_week"])
def test_nobody_is_shown_as_due_beyond_what_is_left_of_the_day_or_the_week(stage: Stage, limit: str) -> None:
    it = desk(stage, limits=EVERY_DAY)
    lowered(**{limit: 2})(stage, it, "")
    assert (len(it.asks()), len(it.state().later)) == (2, 1)
    it.hand_over()
    assert (len(it.asks()), len(it.state().later)) == (2, 1)  # one of them is asked about


def test_a_text_that_was_handed_over_counts_against_the_limit_until_the_user_says_it_was_not_sent(
    stage: Stage,
) -> None:
    it = desk(stage, limits=Limits(ramp_days=0, spacing_seconds=0, invitations_a_day=1))
    lead = it.hand_over()
    assert it.asks() == [SessionAsk.OUTCOME]
    it.say(lead, Word.NOT_SENT)
    it.leave()
    assert (it.asks(), len(it.state().later)) == ([SessionAsk.INVITE], 1)


def test_the_account_is_one_for_all_campaigns_on_it(stage: Stage) -> None:
    limits = Limits(ramp_days=0, spacing_seconds=0, invitations_a_day=1)
    it, other = desk(stage, limits=limits), Desk(stage, by_hand(stage, limits=limits, name="Other"), LocalOnly())
    stage.contact_anyway(other.campaign)
    other.run()
    it.say(it.hand_over(), Word.SENT)
    it.leave()
    assert (other.asks(), bool(other.state().later)) == ([], True)


@pytest.mark.parametrize("limits", [(2, 5), (5, 2)])
def test_what_is_left_is_told_of_the_campaign_that_may_most(stage: Stage, limits: tuple[int, int]) -> None:
    made = [
        by_hand(stage, limits=EVERY_DAY.model_copy(update={"invitations_a_day": limit}), name=str(limit))
        for limit in limits
    ]
    state = session_state(stage.database, Desk(stage, made[0], LocalOnly()).session, made, stage.clock, 0)
    invite, _ = state.allowances
    assert (invite.used, invite.limit) == (0, 5)


def test_hours_and_ramp_advise_the_hand_and_an_act_despite_them_is_on_record(stage: Stage) -> None:
    it = desk(stage, limits=Limits(ramp_days=14, invitations_a_day=14, spacing_seconds=0))
    stage.clock.advance(10 * 60 * MINUTE)
    assert (it.asks(), it.state().hold_reasons) == ([], ())
    assert {tuple(reason.code for reason in waits.verdict.advises) for waits in it.state().later} == {
        ("within_working_hours",)
    }
    for waits in it.state().later[:2]:
        digest = situations.digest_of(waits.person.campaign, waits.person.lead, some(waits.person.message))
        it.session.hand_over(it.campaign, waits.person.lead.id, it.clock, shown_digest=digest, no_reply=False)
    assert stage.query("SELECT json_extract(params, '$.despite') FROM actions ORDER BY intended_at, id") == [
        ('["within_working_hours"]',), ('["within_working_hours","ramp"]',),
    ]  # fmt: skip


def test_a_campaign_says_that_people_wait_only_while_the_session_shows_them(stage: Stage) -> None:
    it = desk(stage)

    def told() -> tuple[str, ...]:
        with stage.database.read() as connection:
            where = campaigns.position(connection, it.campaign)
            assert where is not None
            now = stage.clock.now()
            inputs = situations.TurnInputs(now, stage.clock.offset, present=True)
            return loading.held_reasons(loading.load(connection, where, inputs))

    def waits_for_user() -> bool:
        ran = stage.loop().run_turn(it.campaign)
        assert isinstance(ran, NothingEligible)
        return ran.for_user

    assert (told(), waits_for_user()) == ((loading.FOR_USER,), True)
    stage.clock.advance(10 * 60 * MINUTE)
    assert (told(), waits_for_user()) == (("It is outside working hours.",), False)


def test_what_the_hand_does_later_is_waited_for_until_then_and_what_it_can_do_now_waits_for_the_user(
    stage: Stage,
) -> None:
    it = desk(stage, people=1, limits=EVERY_DAY)

    def state() -> CampaignState:
        with stage.database.read() as connection:
            campaign = send_people.campaign_by_hand(connection, it.campaign)
            inputs = situations.TurnInputs(stage.clock.now(), stage.clock.offset, present=True)
            return state_of(connection, campaign, inputs, needs_of(connection, campaign, inputs))

    assert (state().name, state().until) == (StateName.WAITING_FOR_YOU, None)
    it.say(it.hand_over(), Word.SENT)
    it.leave()
    at = stage.one("SELECT ready_at FROM tasks WHERE status='in_progress' AND lead_id IS NOT NULL")
    assert at > stage.clock.now()
    assert (state().name, state().until) == (StateName.WAITING, at)
    stage.clock.advance(at - stage.clock.now())
    assert (state().name, state().detail, state().until) == (StateName.WAITING_FOR_YOU, "1 person to write to.", None)


def test_who_is_not_to_be_contacted_is_not_shown_and_gets_nothing(stage: Stage) -> None:
    it = desk(stage)
    first, second = it.state().people[:2]
    stage.commands().leads.do_not_contact(it.campaign, first.lead.id, "They said no.")
    assert first.lead.id not in [person.lead.id for person in it.state().people]
    lead = it.hand_over()
    assert lead == second.lead.id
    stage.commands().leads.do_not_contact(it.campaign, lead, "They said no.")  # while the text is on the clipboard
    it.say(lead, Word.NOT_SENT)
    it.leave()
    assert stage.query("SELECT status FROM messages WHERE lead_id=?", lead) == [("cancelled",)]


def last_day_over(stage: Stage, it: Desk, _: str) -> None:
    stage.clock.advance(DAY)
    over = EVERY_DAY.model_copy(update={"ends_at": stage.clock.now() - HOUR})
    stage.commands().campaigns.edit(it.campaign, version=None, limits=over)


def labelled(label: Label) -> Callable[[Stage, Desk, str], None]:
    def decide(stage: Stage, it: Desk, lead: str) -> None:
        until = stage.clock.now() + DAY if label is Label.LATER else None
        stage.commands().replies.label(it.campaign, lead, label, until)

    return decide


def lowered(**limits: int) -> Callable[[Stage, Desk, str], None]:
    def decide(stage: Stage, it: Desk, _: str) -> None:
        stage.commands().campaigns.edit(it.campaign, version=None, limits=EVERY_DAY.model_copy(update=limits))

    return decide


def replied(stage: Stage, it: Desk, lead: str) -> None:
    stage.commands().replies.found(it.campaign, lead, "Tell me more.", at=stage.clock.now(), answers=True)


WHILE_OUT: dict[str, Callable[[Stage, Desk, str], object]] = {
    "paused": lambda stage, it, _: stage.commands().campaigns.change_status(
        it.campaign, CampaignStatus.PAUSED, "stopped"
    ),
    "on the list": lambda stage, it, lead: stage.commands().leads.do_not_contact(it.campaign, lead, "They said no."),
    "replied": replied,
    "its approval expired": lambda stage, *_: stage.clock.advance(30 * DAY),
    "its last day is over": last_day_over,
    "skipped": lambda stage, it, lead: stage.commands().lead_groups.skip(it.campaign, [lead]),
    **{f"labelled {label}": labelled(label) for label in Label},
}
"""What refuses the machine and the user's hand alike."""

ASKED_FIRST: dict[str, tuple[str, Callable[[Stage, Desk, str], object]]] = {
    "no invitations a day": ("daily_limit", lowered(invitations_a_day=0)),
    "no invitations a week": ("weekly_limit", lowered(invitations_a_week=0)),
    "no notes a month": ("note_quota", lowered(notes_a_month=0)),
}
"""What refuses the machine, and asks the user's hand once more."""

NIGHT = "within_working_hours"


@pytest.mark.parametrize("meanwhile", WHILE_OUT)
def test_a_text_that_was_shown_is_not_handed_over_once_nothing_would_be_sent(stage: Stage, meanwhile: str) -> None:
    it = desk(stage, people=1, limits=EVERY_DAY)
    take = it.shown()
    WHILE_OUT[meanwhile](stage, it, it.state().people[0].lead.id)
    with pytest.raises(OutriderError) as refusal:
        take()
    assert refusal.value.code in ("send_held", "person_not_waiting")
    assert stage.query("SELECT * FROM actions") == []


@pytest.mark.parametrize("meanwhile", WHILE_OUT)
def test_a_text_that_is_out_is_not_handed_again_once_nothing_would_be_sent(stage: Stage, meanwhile: str) -> None:
    it = desk(stage, people=1, limits=EVERY_DAY)
    lead = it.hand_over()
    assert it.hand_over() == lead
    WHILE_OUT[meanwhile](stage, it, lead)
    refused("send_held", it.hand_over)
    assert it.asks() == [SessionAsk.OUTCOME], "what became of it is still asked"
    it.say(lead, Word.NOT_SENT)
    it.leave()
    stage.clock.advance(2 * HOUR)
    assert (it.asks(), it.sent()) == ([], 0)


@pytest.mark.parametrize("meanwhile", WHILE_OUT)
def test_what_the_user_says_of_a_text_that_is_out_is_on_record_whatever_was_decided_meanwhile(
    stage: Stage, meanwhile: str
) -> None:
    it = desk(stage, people=1, limits=EVERY_DAY)
    lead = it.hand_over()
    WHILE_OUT[meanwhile](stage, it, lead)
    it.say(lead, Word.SENT)
    it.leave()
    assert (it.sent(), stage.query("SELECT status, said FROM actions")) == (1, [("sent", "you reported: sent")])


@pytest.mark.parametrize("out", [False, True])
@pytest.mark.parametrize("meanwhile", ASKED_FIRST)
def test_a_limit_that_was_lowered_asks_before_a_text_is_handed_over_and_before_it_is_again(
    stage: Stage, meanwhile: str, *, out: bool
) -> None:
    gate, lower = ASKED_FIRST[meanwhile]
    it = desk(stage, people=1, limits=EVERY_DAY)
    if out:
        it.hand_over()
    take = it.shown()
    lower(stage, it, "")
    refused("send_asks_first", take)
    take(despite=[gate])
    recorded = (
        "SELECT json_extract(payload, '$.despite') FROM audit_log WHERE action_type='action.handed_again'"
        if out
        else "SELECT json_extract(params, '$.despite') FROM actions"
    )
    assert stage.query(recorded) == [(f'["{gate}"]',)]
    assert stage.query("SELECT count(*) FROM actions") == [(1,)]


def test_an_act_that_filled_a_limit_does_not_ask_when_its_text_is_taken_again(stage: Stage) -> None:
    full = {"invitations_a_day": 1, "invitations_a_week": 1, "notes_a_month": 1}
    it = desk(stage, people=1, limits=EVERY_DAY.model_copy(update=full))
    assert it.hand_over() == it.hand_over()


def test_hours_advise_against_taking_a_text_again_too(stage: Stage) -> None:
    it = desk(stage, people=1, limits=EVERY_DAY)
    it.hand_over()
    stage.clock.advance(10 * 60 * MINUTE)
    it.hand_over()
    recorded = "SELECT json_extract(payload, '$.despite') FROM audit_log WHERE action_type='action.handed_again'"
    assert stage.query(recorded) == [(f'["{NIGHT}"]',)]


def test_a_card_that_shows_what_was_before_hands_nothing_over(stage: Stage) -> None:
    """In another window, or on another device: the same card, while the text is out, was said of, and waits anew."""
    it = desk(stage, people=1, limits=EVERY_DAY)
    fresh = it.shown()
    lead = it.hand_over()
    refused("already_handed_over", fresh)
    out = it.shown()
    it.say(lead, Word.SENT)  # which may still be taken back
    for card in (fresh, out):
        refused("person_not_waiting", card)
    it.session.take_back(it.campaign, it.clock)
    out()
    it.say(lead, Word.NOT_SENT)
    it.leave()
    stage.clock.advance(2 * HOUR)
    refused("person_not_waiting", out)
    fresh()
    refused("already_handed_over", out)
    assert stage.query("SELECT status FROM actions ORDER BY intended_at") == [("not_sent",), ("intended",)]


def test_whom_the_list_names_later_ends_and_does_not_wait_for_a_hand_for_ever(stage: Stage) -> None:
    it = desk(stage)
    person = it.state().people[0]
    stage.commands().workspace.add_do_not_contact(person.lead.profile_url, person.lead.full_name, "They said no.")
    it.leave()
    assert stage.query("SELECT status FROM messages WHERE lead_id=?", person.lead.id) == [("cancelled",)]
    assert it.lead(person.lead.id, "blocked") == "do_not_contact"
    assert stage.query("SELECT status FROM tasks WHERE lead_id=?", person.lead.id) == [("blocked",)]


def test_a_text_whose_approval_expired_while_it_waited_for_a_hand_is_in_review_again(stage: Stage) -> None:
    it = desk(stage)
    waiting = {person.lead.id for person in it.state().people}
    stage.clock.advance(14 * DAY)
    assert it.asks() == []
    it.leave()
    assert {lead for (lead,) in stage.query("SELECT lead_id FROM messages WHERE status='draft'")} == waiting
    assert stage.query("SELECT DISTINCT status FROM approvals") == [("expired",)]


def test_a_text_that_changed_since_it_was_shown_is_not_handed_over(stage: Stage) -> None:
    it = desk(stage)
    person = it.state().people[0]
    act = lambda: it.session.hand_over(  # noqa: E731
        it.campaign, person.lead.id, stage.clock, shown_digest="0" * 64, no_reply=False
    )
    refused("approval_text_changed", act)
    assert stage.query("SELECT count(*) FROM actions") == [(0,)]


def test_a_stopped_campaign_hands_over_nothing(stage: Stage) -> None:
    it = desk(stage)
    stage.commands().campaigns.change_status(it.campaign, CampaignStatus.PAUSED, "stopped")
    assert (it.asks(), it.state().hold_reasons) == ([], ("The campaign is paused.",))


def test_what_outrider_sends_itself_has_no_send_session(stage: Stage) -> None:
    it = Desk(stage, stage.campaign(1), LocalOnly())
    refused("not_sent_by_hand", it.state)


def test_the_users_answer_waits_for_their_hand_while_the_campaign_runs(stage: Stage) -> None:
    it = desk(stage, MESSAGES, people=1)
    lead = it.hand_over(no_reply=True)
    it.say(lead, Word.SENT)
    it.leave()
    stage.clock.advance(5 * DAY)
    it.run()
    it.say(lead, Word.REPLIED, "Happy to talk!")
    stage.commands().replies.answer(it.campaign, lead, "Thursday at three?")
    it.run()
    assert stage.status(it.campaign) == "active"
    (person,) = it.state().people
    assert (person.ask, person.message and person.message.text) == (SessionAsk.WRITE, "Thursday at three?")
    it.hand_over(no_reply=True)
    it.say(lead, Word.SENT)
    it.leave()
    it.run()
    assert stage.query("SELECT text, status FROM messages WHERE step LIKE 'answer:%'") == [
        ("Thursday at three?", "sent")
    ]
