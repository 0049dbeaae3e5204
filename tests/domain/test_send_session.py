"""What the user may say of a person of the day, and what follows: over every question and every word."""

from dataclasses import replace
from itertools import count

import pytest

from backend.domain.contact.send_session import QueuedPerson, ask_for, skipped_until, word_events, words_for
from backend.domain.contact.sends import SendContext
from backend.domain.gates.approval import Approval, ApprovalStatus
from backend.domain.model.campaign import DAY, HOUR
from backend.domain.model.channel import ASSIST, CHANNELS
from backend.domain.model.days import in_utc
from backend.domain.model.message import MessageStatus
from backend.domain.model.send_word import SessionAsk, Word
from backend.domain.model.sequence import DEFAULT_SEQUENCE, DueAction, DueStep
from backend.domain.model.site import Relation
from backend.domain.model.task import ActionFamily, TaskKind
from tests.domain import samples
from tests.domain.samples import NOON

SETTINGS = CHANNELS[ASSIST].settings(DEFAULT_SEQUENCE)
INVITE, HELLO = 0, 1
KINDS = {
    SessionAsk.ACCEPTED: "message",
    SessionAsk.CONNECTED: "invitation",
    SessionAsk.WITHDRAW: "message",
    SessionAsk.REPLIED: "message",
    SessionAsk.INVITE: "invitation",
    SessionAsk.WRITE: "message",
}
CASES = [
    (ask, kind, word)
    for ask in SessionAsk
    for kind in ([KINDS[ask]] if ask is not SessionAsk.OUTCOME else ["invitation", "message"])
    for word in words_for(ask, kind)
]


def person(ask: SessionAsk, kind: str) -> QueuedPerson:
    campaign = samples.campaign(settings=SETTINGS, site=ASSIST)
    relation = {SessionAsk.ACCEPTED: Relation.PENDING, SessionAsk.WITHDRAW: Relation.PENDING}.get(
        ask, Relation.NONE if kind == "invitation" else Relation.CONNECTED
    )
    lead = samples.lead(
        sequence_step=INVITE if kind == "invitation" else HELLO, relation=relation, invited_at=NOON - DAY
    )
    handed = ask is SessionAsk.OUTCOME
    text = samples.message(
        kind=kind,
        step="invite" if kind == "invitation" else "hello",
        status=MessageStatus.SENDING if handed else MessageStatus.APPROVED,
    )
    message = (
        None if ask in (SessionAsk.WITHDRAW, SessionAsk.ACCEPTED, SessionAsk.CONNECTED, SessionAsk.REPLIED) else text
    )
    approval = Approval("a1", text.id, "d", ApprovalStatus.USED if handed else ApprovalStatus.OPEN, NOON + DAY)
    sending = SendContext("act-1", campaign, samples.task(), lead, text, approval.id, 0, NOON) if handed else None
    return QueuedPerson(campaign, samples.task(), lead, message, approval if message else None, ask, sending)


FRIDAY = NOON + 4 * DAY
MORNING = 9 * HOUR - 12 * HOUR


@pytest.mark.parametrize(("ask", "kind"), dict.fromkeys((ask, kind) for ask, kind, _ in CASES))
def test_who_is_skipped_on_a_friday_comes_back_on_monday(ask: SessionAsk, kind: str) -> None:
    """Only an old invitation is withdrawn on any day."""
    who = person(ask, kind)
    back = FRIDAY - 12 * HOUR + DAY if ask is SessionAsk.WITHDRAW else FRIDAY + 3 * DAY + MORNING
    assert skipped_until(who, FRIDAY, in_utc) == back
    skipped = word_events(who, Word.SKIP, FRIDAY, lambda: "id", offset_at=in_utc)
    deferred = [event.changes["ready_at"] for event in skipped if event.kind == "TaskDeferred"]
    assert deferred[-1:] == ([] if ask is SessionAsk.WITHDRAW else [back])


@pytest.mark.parametrize("kind", [TaskKind.REACH_LEAD, TaskKind.ANSWER])
def test_whoever_waits_for_an_answer_waits_for_no_working_day(kind: TaskKind) -> None:
    who = replace(person(SessionAsk.WRITE, "message"), task=samples.task(kind=kind))
    assert skipped_until(who, FRIDAY, in_utc) == FRIDAY + MORNING + (DAY if kind is TaskKind.ANSWER else 3 * DAY)


@pytest.mark.parametrize(("after", "back"), [(HOUR, 2 * HOUR), (5 * HOUR + HOUR // 2, 3 * DAY + MORNING)])
def test_what_was_not_sent_comes_back_later_in_working_hours(after: int, back: int) -> None:
    events = word_events(
        person(SessionAsk.OUTCOME, "message"), Word.NOT_SENT, FRIDAY + after, lambda: "id", offset_at=in_utc
    )
    assert [event.changes["ready_at"] for event in events if event.kind == "TaskDeferred"][-1] == FRIDAY + back


@pytest.mark.parametrize(("reply", "is_read"), [("Does Tuesday suit you?", False), ("", False), ("No thanks.", True)])
def test_a_reply_that_the_user_pasted_is_to_be_read_only_if_it_needs_an_answer(reply: str, is_read: bool) -> None:
    events = word_events(
        person(SessionAsk.WRITE, "message"), Word.REPLIED, NOON, lambda: "id", offset_at=in_utc, reply=reply
    )
    assert ("RepliesRead" in [event.kind for event in events]) == is_read


@pytest.mark.parametrize(("ask", "kind", "word"), CASES)
def test_every_word_that_is_offered_leads_somewhere_and_only_sent_is_sent(
    ask: SessionAsk, kind: str, word: Word
) -> None:
    ids = count()
    events = word_events(person(ask, kind), word, NOON, lambda: f"id{next(ids)}", offset_at=in_utc, reply="No.")
    kinds = [event.kind for event in events]
    assert kinds
    assert ("MessageSent" in kinds) == (word is Word.SENT)
    assert ("ReplyReceived" in kinds) == (word is Word.REPLIED)
    assert ("ActionSettled" in kinds) == (ask is SessionAsk.OUTCOME)
    if word in (Word.REPLIED, Word.WRONG_PERSON):
        assert "LeadFinished" in kinds


@pytest.mark.parametrize("ask", SessionAsk)
def test_a_person_can_always_be_skipped_or_be_the_wrong_one(ask: SessionAsk) -> None:
    always = {Word.SKIP} if ask is SessionAsk.WITHDRAW else {Word.SKIP, Word.WRONG_PERSON}
    for kind in ("invitation", "message"):
        assert always <= set(words_for(ask, kind))


@pytest.mark.parametrize("ask", [ask for ask in SessionAsk if ask is not SessionAsk.OUTCOME])
def test_nothing_can_be_called_sent_that_was_not_handed_over(ask: SessionAsk) -> None:
    assert Word.SENT not in words_for(ask)


def test_at_the_act_it_may_turn_out_how_they_are_connected() -> None:
    assert Word.CONNECTED in words_for(SessionAsk.OUTCOME, "invitation")
    assert Word.NOT_CONNECTED in words_for(SessionAsk.OUTCOME, "message")


def test_whoever_was_not_invited_is_not_asked_about_an_acceptance() -> None:
    look = DueStep(DueAction.CHECK, ActionFamily.LOOK)
    assert ask_for(look, samples.lead(relation=Relation.PENDING), None) is SessionAsk.ACCEPTED
    assert ask_for(look, samples.lead(relation=Relation.NONE), None) is SessionAsk.CONNECTED
