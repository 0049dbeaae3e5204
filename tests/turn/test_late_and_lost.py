"""What turns up later than anybody looked, what is lost, and what stood there before us: nobody gets anything twice."""

import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import pairwise

import pytest

from backend.adapters.llm.scripted import ScriptedProposer
from backend.domain.contact.sends import SendContext, outcome_events
from backend.domain.events.events import Event
from backend.domain.events.facts.lead import LeadAdvanced, LeadBlocked, LeadFinished
from backend.domain.events.facts.message import (
    ActionIntended,
    ActionSettled,
    MessageApproved,
    MessageSending,
    MessageSent,
)
from backend.domain.events.facts.statuses import QuestionStatus
from backend.domain.events.facts.task import InputAnswered, InputRequested, TaskBlocked
from backend.domain.model.campaign import DAY, HOUR, MINUTE, Limits, Settings
from backend.domain.model.message import SendOutcome
from backend.domain.model.sequence import Sequence, Step
from backend.domain.model.site import Attempt, IncidentKind, SiteAnswer, SitePerson, Thread, ThreadMessage
from backend.domain.model.task import TaskStatus
from backend.domain.turn.snapshot import Snapshot
from backend.domain.values.errors import OutriderError
from backend.ports.proposer import OnText, OnUsage, ignore_text, ignore_usage
from backend.ports.site import SiteIncident, SiteUnavailable
from backend.runtime.run.campaign_runner import RunEnd
from backend.situation.situations import lead_situation
from backend.situation.unsettled_acts import act_of, open_actions
from backend.store.queries.campaign import campaigns
from backend.turn.known_elsewhere import KnownElsewhere
from backend.turn.recovery import RecoveredAction, ask_about_all
from tests.fakes.campaign import MESSAGE_ONLY, ONE_STEP, QUICK, Killed, Stage

TWO_MESSAGES = Settings(
    sequence=Sequence(
        steps=(*MESSAGE_ONLY.sequence.steps, Step(key="again", kind="message", after_days=3, template="Hi again."))
    ),
    limits=MESSAGE_ONLY.limits,
)
OnRecovered = Callable[[list[RecoveredAction]], None]
Send = Callable[..., Attempt]


def the_first_arrives_too_late(stage: Stage, monkeypatch: pytest.MonkeyPatch, tool: str) -> OnRecovered:
    """The first request arrives when it is already taken for lost: later than its site says (hand this to `on_recovered`)."""
    real: Send = getattr(stage.site, tool)
    tried: list[tuple[SitePerson, str]] = []
    under_way: list[tuple[SitePerson, str]] = []

    def send(person: SitePerson, text: str, *_: object) -> Attempt:
        tried.append((person, text))
        if len(tried) > 1:
            return real(person, text)
        under_way.append((person, text))
        return Attempt(SiteAnswer.NO_ANSWER, "The site gave no answer.")

    def arrive(recovered: list[RecoveredAction]) -> None:
        if under_way and [action.outcome for action in recovered] == ["not_sent"]:
            real(*under_way.pop())

    monkeypatch.setattr(stage.site, tool, send)
    return arrive


def settlements(stage: Stage, campaign: str) -> list[str]:
    return [json.loads(payload)["status"] for _, _, payload in stage.events(campaign, "ActionSettled")]


def question(stage: Stage) -> str:
    ((question_id,),) = stage.query("SELECT id FROM input_requests WHERE status='open'")
    return str(question_id)


# --- late ---


def test_a_message_that_arrives_too_late_counts_as_sent_and_is_not_sent_again(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    campaign = stage.campaign(1, settings=MESSAGE_ONLY, connected=True)
    arrive = the_first_arrives_too_late(stage, monkeypatch, "send_message")
    assert stage.run(campaign, on_recovered=arrive).halt is RunEnd.COMPLETED
    assert (len(stage.received()), stage.duplicates(), stage.missing()) == (1, 0, [])
    assert stage.query("SELECT status FROM messages WHERE kind='message'") == [("sent",)]
    assert stage.query("SELECT status FROM approvals") == [("used",)]
    assert stage.query("SELECT status FROM actions") == [("sent",)], "the attempt that seemed lost was the one"
    assert settlements(stage, campaign) == ["outcome_unknown", "not_sent", "sent"]


def test_an_invitation_that_arrives_too_late_counts_as_sent(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    campaign = stage.campaign(1, settings=ONE_STEP)
    arrive = the_first_arrives_too_late(stage, monkeypatch, "send_invitation")
    assert stage.run(campaign, on_recovered=arrive).halt is RunEnd.COMPLETED
    assert (len(stage.received()), stage.missing()) == (1, [])
    assert stage.query("SELECT status FROM messages") == [("sent",)]
    assert stage.query("SELECT status FROM actions") == [("sent",)]
    assert stage.query("SELECT status, finished FROM leads") == [("contacted", "invited")]


def test_an_invitation_that_arrives_too_late_counts_against_the_limits(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    one_a_day = ONE_STEP.model_copy(update={"limits": Limits(ramp_days=0, spacing_seconds=0, invitations_a_day=1)})
    arrive = the_first_arrives_too_late(stage, monkeypatch, "send_invitation")
    stage.run(stage.campaign(1, settings=one_a_day), on_recovered=arrive)
    stage.run(stage.campaign(1, skip=1, settings=one_a_day, name="Next"))
    days = [entry.at // (24 * HOUR) for entry in stage.delivered()]
    assert len(days) == 2
    assert days[0] < days[1], "the day's only one was used"


def test_what_the_user_thinks_was_not_sent_but_is_there_is_not_sent_again(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    campaign = stage.campaign(1, settings=MESSAGE_ONLY, connected=True)
    real, sent = stage.site.send_message, list[str]()

    def send(person: SitePerson, text: str, *_: object) -> Attempt:
        sent.append(text)
        real(person, text)
        return Attempt(SiteAnswer.NO_ANSWER, "The site gave no answer.")

    def blind(tool: str, when: str) -> None:
        if (tool, when) == ("read_thread", "before") and sent:
            raise SiteUnavailable("the thread does not load")

    monkeypatch.setattr(stage.site, "send_message", send)
    stage.site.during = blind
    assert stage.run(campaign).halt is RunEnd.NEEDS_YOU
    stage.site.during = lambda _tool, _when: None
    stage.commands().questions.answer(campaign, question(stage), "it was not sent")
    assert stage.run(campaign).halt is RunEnd.COMPLETED
    assert (len(sent), stage.duplicates(), stage.missing()) == (1, 0, [])
    assert stage.query("SELECT status FROM messages WHERE kind='message'") == [("sent",)]
    assert settlements(stage, campaign) == ["outcome_unknown", "not_sent", "sent"]


@pytest.mark.parametrize(
    ("written", "delivered"),
    [("Hi, shall we talk?\n", "Hi, shall we talk?"), ("Hi,  shall\n\nwe talk?", "Hi, shall we talk?")],
    ids=["trimmed", "folded"],
)
@pytest.mark.parametrize("claim", [SiteAnswer.CONFIRMED, SiteAnswer.NO_ANSWER])
def test_a_text_whose_blanks_the_site_changes_is_recognised_and_delivered_once(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, written: str, delivered: str, claim: SiteAnswer
) -> None:
    campaign = stage.campaign(1, settings=MESSAGE_ONLY, connected=True)
    real, scripted = stage.site.send_message, ScriptedProposer()

    def send(person: SitePerson, text: str, *_: object) -> Attempt:
        real(person, " ".join(text.split()))
        return Attempt(claim, "")

    class Blanks:
        name = "blanks"

        def propose(self, snapshot: Snapshot, on_text: OnText = ignore_text, on_usage: OnUsage = ignore_usage) -> str:
            reply: dict[str, object] = json.loads(scripted.propose(snapshot))
            if reply["type"] == "generate_message":
                reply["params"] = {**dict(reply["params"]), "text": written}  # type: ignore[call-overload]
            return json.dumps(reply)

    monkeypatch.setattr(stage.site, "send_message", send)
    assert stage.run(campaign, proposer=Blanks()).halt is RunEnd.COMPLETED
    assert [entry.text for entry in stage.received()] == [delivered]
    assert stage.query("SELECT status, text FROM messages WHERE kind='message'") == [("sent", written)]


# --- lost ---


@pytest.mark.parametrize("answer", ["it was sent", "it was not sent"])
def test_the_users_answer_and_recovery_about_the_same_outcome_settle_it_once(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, answer: str
) -> None:
    campaign = asked_what_became_of_it(stage, monkeypatch)
    ((action,),) = stage.query("SELECT id FROM actions WHERE status='outcome_unknown'")
    asked = [question(stage)]

    def answered(tool: str, when: str) -> None:
        if asked and (tool, when) == ("read_profile", "before"):
            request = asked.pop()
            stage.elsewhere(lambda user: user.questions.answer(campaign, request, answer))

    stage.site.during = answered
    assert stage.run(campaign).halt is RunEnd.COMPLETED
    of_it = [json.loads(payload) for _, entity, payload in stage.events(campaign, "ActionSettled") if entity == action]
    assert [each["status"] for each in of_it] == ["outcome_unknown", "sent" if answer == "it was sent" else "not_sent"]
    assert of_it[-1]["said"] == f"the user says: {answer}"
    assert stage.query("SELECT answer, status FROM input_requests") == [(answer, "answered")]
    assert len(stage.received()) == (answer == "it was not sent")


def asked_what_became_of_it(
    stage: Stage,
    monkeypatch: pytest.MonkeyPatch,
    meanwhile: Callable[[str], None] = lambda _: None,
    settings: Settings = ONE_STEP,
) -> str:
    """A campaign whose one invitation was lost, and looking cannot tell; `meanwhile` happens while it is being sent."""
    campaign = stage.campaign(1, settings=settings)
    real = stage.site.send_invitation
    tried: list[str] = []

    def lose(person: SitePerson, text: str, *_: object) -> Attempt:
        tried.append(text)
        meanwhile(campaign)
        return Attempt(SiteAnswer.NO_ANSWER, "The site gave no answer.")

    def blind(tool: str, when: str) -> None:
        if tried and (tool, when) == ("read_profile", "before"):
            raise SiteUnavailable("the profile does not load")

    monkeypatch.setattr(stage.site, "send_invitation", lose)
    stage.site.during = blind
    assert stage.run(campaign).halt is RunEnd.NEEDS_YOU
    monkeypatch.setattr(stage.site, "send_invitation", real)
    stage.site.during = lambda *_: None
    return campaign


@pytest.mark.parametrize("answer", ["it was sent", "it was not sent"])
def test_who_is_not_to_be_contacted_while_the_user_is_asked_holds_up_nothing(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, answer: str
) -> None:
    def forbidden(campaign: str) -> None:
        """By another device, whose log came first; a task is not dropped in the middle of its act."""
        events = [LeadBlocked(stage.one("SELECT id FROM leads"), blocked="do_not_contact")]
        stage.journal.record(campaign, events=events, actor="user", cause="people.erase", at=stage.clock.now())

    campaign = asked_what_became_of_it(stage, monkeypatch, forbidden)
    assert stage.query("SELECT blocked FROM leads") == [("do_not_contact",)]
    stage.commands().questions.answer(campaign, question(stage), answer)
    while stage.run(campaign).halt is not RunEnd.COMPLETED:
        stage.commands().questions.answer(campaign, question(stage), "leave it")
    assert stage.received() == []


@pytest.mark.parametrize(("outcome", "needs"), [(SendOutcome.SENT, "look"), (SendOutcome.NOT_SENT, "invite")])
def test_what_became_of_it_by_the_record_of_the_device_that_sent_ends_the_wait_and_the_question(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, outcome: SendOutcome, needs: str
) -> None:
    campaign = asked_what_became_of_it(stage, monkeypatch, settings=QUICK)
    with stage.journal.transaction() as transaction:
        (action,) = open_actions(transaction.connection, campaign)
        act = act_of(transaction.connection, campaign, action)
        assert isinstance(act, SendContext)
        # Recorded there before anything was unknown here, and reapplied behind what this device made of it.
        there = replace(
            act, lead=act.lead._replace(blocked=""), task=replace(act.task, status=TaskStatus.IN_PROGRESS, ready_at=0)
        )
        now = stage.clock.now()
        events = outcome_events(there, outcome, Attempt(SiteAnswer.NO_ANSWER, "as seen there"), now, transaction.new_id)
        transaction.record(campaign, events, actor="controller", cause="t9", at=now)
    assert stage.query("SELECT blocked FROM leads") == [("outcome_unknown",)]
    look = KnownElsewhere(stage.journal, stage.clock, campaign)
    assert [look.end_sequences(), look.end_sequences()] == [True, False]
    assert stage.query("SELECT blocked FROM leads") == [("",)]
    assert stage.query("SELECT status FROM input_requests") == [("withdrawn",)]
    assert stage.query("SELECT status, needs FROM tasks WHERE kind='reach_lead'") == [("in_progress", needs)]


@pytest.mark.parametrize("first", ["it was sent", "it was not sent"])
@pytest.mark.parametrize("second", ["it was sent", "it was not sent"])
def test_of_two_acts_with_one_text_by_two_devices_each_is_settled(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, first: str, second: str
) -> None:
    """As when the project forgot the one, and its device brought it back behind the other's."""
    campaign = asked_what_became_of_it(stage, monkeypatch, settings=QUICK)
    columns = "turn, task_id, lead_id, message_id, approval_id, account, family, tool, params, seen_before, intended_at"
    (row,) = stage.query(f"SELECT {columns} FROM actions")
    act = {**dict(zip(columns.split(", "), row, strict=True)), "params": json.loads(row[8])}
    unknown = ActionSettled("act-2", status=SendOutcome.OUTCOME_UNKNOWN, said="cut off", settled_at=stage.clock.now())
    stage.note_elsewhere(campaign, ActionIntended("act-2", **act), unknown)
    stage.commands().questions.answer(campaign, question(stage), first)
    ask_about_all(stage.journal, stage.clock, campaign)
    stage.commands().questions.answer(campaign, question(stage), second)
    status = {"it was sent": "sent", "it was not sent": "not_sent"}
    assert sorted(stage.query("SELECT status FROM actions")) == sorted([(status[first],), (status[second],)])
    sent = "it was sent" in (first, second)
    assert stage.query("SELECT status FROM messages") == [("sent" if sent else "approved",)]
    assert stage.query("SELECT blocked FROM leads") == [("",)]
    needs = "look" if sent else "invite"
    assert stage.query("SELECT status, needs FROM tasks WHERE kind='reach_lead'") == [("in_progress", needs)]


def test_whose_task_another_device_left_blocked_without_a_question_goes_on(stage: Stage) -> None:
    campaign = stage.campaign(1, settings=QUICK)
    stage.run(campaign, approve=False)
    ((task,),) = stage.query("SELECT id FROM tasks WHERE kind='reach_lead'")
    blocked = TaskBlocked(task, reason="it is not known whether “hello” was sent")
    asked = InputRequested("asked", kind="unblock", question="?", task_id=task, choices=[], payload={}, created_at=1)
    stage.note_elsewhere(campaign, blocked, asked)
    look = KnownElsewhere(stage.journal, stage.clock, campaign)
    assert not look.end_sequences(), "the user is asked"
    stage.note_elsewhere(campaign, InputAnswered("asked", status=QuestionStatus.ANSWERED, answer="it was sent"))
    look = KnownElsewhere(stage.journal, stage.clock, campaign)
    assert [look.end_sequences(), look.end_sequences()] == [True, False]
    assert stage.query("SELECT status, needs FROM tasks WHERE kind='reach_lead'") == [("in_progress", "approval")]


@pytest.mark.parametrize("end", [partial(LeadBlocked, blocked="skipped"), partial(LeadFinished, finished="said no")])
def test_whom_the_user_leaves_alone_is_not_taken_up_by_a_blocked_task_without_a_question(
    stage: Stage, end: Callable[[str], Event]
) -> None:
    campaign = stage.campaign(1, settings=QUICK)
    stage.run(campaign, approve=False)
    ((task, lead),) = stage.query("SELECT id, lead_id FROM tasks WHERE kind='reach_lead'")
    stage.note_elsewhere(campaign, TaskBlocked(task, reason="no"), end(lead))
    assert not KnownElsewhere(stage.journal, stage.clock, campaign).end_sequences()


@pytest.mark.parametrize("later", [0, MINUTE // 2])
@pytest.mark.parametrize(("settings", "connected"), [(TWO_MESSAGES, True), (QUICK, False)])
def test_a_step_whose_message_is_on_record_as_sent_is_done_whatever_the_progress_says(
    stage: Stage, settings: Settings, connected: bool, later: int
) -> None:
    campaign = stage.campaign(1, settings=settings, connected=connected)
    stage.run(campaign, approve=False)
    ((message, lead, first),) = stage.query("SELECT id, lead_id, step FROM messages")
    sent_at = stage.clock.now() - MINUTE
    sent = MessageSent(message, sent_at=sent_at, evidence=[])
    written = [LeadAdvanced(lead, last_sent_at=sent_at + later)] if later else []  # the user wrote themselves
    stage.note_elsewhere(campaign, MessageApproved(message), MessageSending(message), sent, *written)
    with stage.database.read() as connection:
        record = campaigns.existing_campaign(connection, campaign)
        situation = lead_situation(connection, record, lead, stage.clock.now())
    assert situation is not None
    assert situation.message is None
    assert situation.due_step.step is not None
    assert situation.due_step.step.key != first
    if connected:
        assert (situation.lead.last_sent_at, situation.due_step.at) == (sent_at + later, sent_at + later + 3 * DAY)
    else:
        assert (situation.lead.relation, situation.lead.invited_at) == ("pending", sent_at)


def cut_off(stage: Stage, campaign: str, boundary: str) -> None:
    def die(name: str) -> None:
        if name == boundary:
            raise Killed

    with pytest.raises(Killed):
        stage.run(campaign, boundary=die)
    stage.reopen()


@pytest.mark.parametrize("boundary", ["intent", "acted"])
def test_an_invitation_cut_off_more_than_an_hour_ago_and_not_there_is_unknown_and_never_sent_again_by_itself(
    stage: Stage, boundary: str
) -> None:
    campaign = stage.campaign(1, settings=ONE_STEP)
    cut_off(stage, campaign, boundary)
    received = len(stage.received())
    assert received == (boundary == "acted")
    if received:  # delivered and declined meanwhile looks just like never sent
        slug = stage.cards(1)[0].slug
        stage.exchange.record(lambda network: network.withdraw(slug, network.now))
    stage.clock.advance(HOUR + MINUTE)
    for _ in range(3):
        assert stage.run(campaign).halt is RunEnd.NEEDS_YOU
        stage.reopen()
        stage.clock.advance(24 * HOUR)
    assert len(stage.received()) == received
    assert stage.query("SELECT status FROM messages") == [("outcome_unknown",)]
    assert stage.query("SELECT status FROM actions") == [("outcome_unknown",)]
    stage.commands().questions.answer(campaign, question(stage), "it was sent")
    assert stage.run(campaign).halt is RunEnd.COMPLETED
    assert len(stage.received()) == received


def test_an_invitation_cut_off_a_moment_ago_and_not_there_is_sent_once(stage: Stage) -> None:
    campaign = stage.campaign(1, settings=ONE_STEP)
    cut_off(stage, campaign, "intent")
    stage.clock.advance(10 * MINUTE)
    assert stage.run(campaign).halt is RunEnd.COMPLETED
    assert len(stage.received()) == 1


# --- a site that fails ---


def failing(stage: Stage, monkeypatch: pytest.MonkeyPatch, failure: str) -> list[int]:
    """Every invitation fails; when each was tried."""
    tried: list[int] = []

    def fail(person: SitePerson, text: str, *_: object) -> Attempt:
        tried.append(stage.clock.now())
        if failure == "refused":
            return Attempt(SiteAnswer.REFUSED, "Please try again later.")
        raise SiteUnavailable("500")

    monkeypatch.setattr(stage.site, "send_invitation", fail)
    return tried


@pytest.mark.parametrize("failure", ["refused", "unavailable"])
@pytest.mark.parametrize(("spacing", "least"), [(90, 90_000), (0, 30_000)])
def test_after_an_attempt_that_the_site_failed_the_next_one_waits_at_least_the_spacing(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, failure: str, spacing: int, least: int
) -> None:
    limits = Limits(ramp_days=0, spacing_seconds=spacing)
    campaign = stage.campaign(1, settings=ONE_STEP.model_copy(update={"limits": limits}))
    tried = failing(stage, monkeypatch, failure)
    assert stage.run(campaign).halt is RunEnd.NEEDS_YOU
    assert len(tried) == 3
    assert min(b - a for a, b in pairwise(tried)) >= least


@pytest.mark.parametrize("failure", ["refused", "unavailable"])
def test_after_an_attempt_that_the_site_failed_the_next_leads_waits_too(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, failure: str
) -> None:
    limits = Limits(ramp_days=0, spacing_seconds=90)
    campaign = stage.campaign(2, settings=ONE_STEP.model_copy(update={"limits": limits}))
    tried = failing(stage, monkeypatch, failure)
    with suppress(OutriderError):  # a site that is silent again and again ends the run
        stage.run(campaign)
    assert len(tried) >= 4
    assert min(b - a for a, b in pairwise(tried)) >= 90_000


# --- what stood there before us ---


def with_theirs(stage: Stage, their_messages: Callable[[], list[ThreadMessage]]) -> None:
    """They wrote this, says the site, whoever else wrote what."""

    def shown(thread: Thread) -> Thread:
        messages = sorted((*their_messages(), *thread.messages), key=lambda message: message.at)
        return replace(thread, messages=tuple(messages))

    stage.site.as_shown = shown


OLD = ThreadMessage("them", "Happy new year 2019", 1_546_300_800_000)
REPLIED = "SELECT status, finished, replied_at IS NOT NULL FROM leads"


def test_an_old_conversation_is_history_and_not_a_reply(stage: Stage) -> None:
    campaign = stage.campaign(1, settings=MESSAGE_ONLY, connected=True)
    with_theirs(stage, lambda: [OLD])
    assert stage.run(campaign).halt is RunEnd.COMPLETED
    assert len(stage.delivered()) == 1
    assert stage.query(REPLIED) == [("contacted", "no reply", 0)]
    assert stage.query("SELECT text FROM messages WHERE status='received'") == [(OLD.text,)], "kept once"


def an_accepting_stranger(stage: Stage) -> int:
    for position, card in enumerate(stage.cards(60)):
        temperament = stage.behaviour(card.slug)
        if temperament.accepts == "always" and temperament.answers_from is None:
            return position
    raise AssertionError("nobody accepts")


@pytest.mark.parametrize(("after", "replied"), [(MINUTE, True), (-MINUTE, False)], ids=["after it", "before it"])
def test_what_they_write_after_our_invitation_answers_its_note_and_what_they_wrote_before_does_not(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, after: int, replied: bool
) -> None:
    campaign = stage.campaign(1, settings=QUICK, skip=an_accepting_stranger(stage))
    with_theirs(
        stage,
        lambda: [
            ThreadMessage("them", "About the note", invited + after)
            for (invited,) in stage.query("SELECT invited_at FROM leads WHERE invited_at IS NOT NULL")
        ],
    )
    assert stage.run(campaign).halt is RunEnd.COMPLETED
    kinds = [entry.kind for entry in stage.delivered()]
    if replied:
        assert kinds == ["invitation"]
        assert stage.query(REPLIED) == [("responded", "replied", 1)]
    else:
        assert kinds == ["invitation", "message", "message"]
        assert stage.query(REPLIED) == [("contacted", "no reply", 0)]


def test_something_new_after_our_first_look_is_a_reply(stage: Stage) -> None:
    campaign = stage.campaign(1, settings=MESSAGE_ONLY, connected=True)
    their_messages = [OLD]
    with_theirs(stage, lambda: their_messages)
    assert stage.run(campaign, approve=False).halt is RunEnd.NEEDS_APPROVAL
    assert stage.query(REPLIED) == [("pending", "", 0)]
    their_messages.append(ThreadMessage("them", "I was going to write to you", stage.clock.now()))
    assert stage.run(campaign).halt is RunEnd.COMPLETED
    assert stage.received() == []
    assert stage.query(REPLIED) == [("responded", "replied", 1)]
    assert stage.query("SELECT status FROM messages WHERE kind='message'") == [("cancelled",)]
    assert stage.query("SELECT status FROM approvals") == [("revoked",)]


def test_a_reply_in_a_conversation_of_which_the_site_shows_only_the_latest_messages_is_seen(stage: Stage) -> None:
    """As many of theirs are shown as before, while the oldest is not any more."""
    campaign = stage.campaign(1, settings=MESSAGE_ONLY, connected=True)
    their_messages = [replace(OLD, text=text) for text in ("Happy new year", "Good to hear from you", "See you")]
    with_theirs(stage, lambda: their_messages[-3:])
    assert stage.run(campaign, approve=False).halt is RunEnd.NEEDS_APPROVAL
    their_messages.append(ThreadMessage("them", "Please do not write to me", stage.clock.now()))
    assert stage.run(campaign).halt is RunEnd.COMPLETED
    assert stage.received() == []
    assert stage.query(REPLIED) == [("responded", "replied", 1)]


def test_a_text_that_is_in_the_conversation_already_is_not_sent_again_and_the_user_is_asked(stage: Stage) -> None:
    first = stage.campaign(1, settings=MESSAGE_ONLY, connected=True)
    assert stage.run(first).halt is RunEnd.COMPLETED
    second = stage.campaign(1, settings=MESSAGE_ONLY, name="Again")
    stage.contact_anyway(second)
    assert stage.run(second).halt is RunEnd.NEEDS_YOU
    assert (len(stage.received()), stage.duplicates()) == (1, 0)
    ((asked,),) = stage.query("SELECT question FROM input_requests WHERE status='open'")
    assert "this exact message is already in the conversation" in asked
    assert stage.query("SELECT status FROM messages WHERE campaign_id=? AND kind='message'", second) == [("cancelled",)]
    assert stage.query("SELECT status FROM approvals WHERE campaign_id=?", second) == [("revoked",)]
    assert stage.query("SELECT count(*) FROM actions WHERE campaign_id=?", second) == [(0,)]
    stage.commands().questions.answer(second, question(stage), "try again")
    assert stage.run(second).halt is RunEnd.NEEDS_YOU, "the same text again is asked about again"
    assert len(stage.received()) == 1


def test_a_message_that_arrived_too_late_and_was_answered_counts_as_sent_too(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    campaign = stage.campaign(1, settings=MESSAGE_ONLY, connected=True)
    arrive = the_first_arrives_too_late(stage, monkeypatch, "send_message")
    their_messages: list[ThreadMessage] = []
    with_theirs(stage, lambda: their_messages)

    def answered(recovered: list[RecoveredAction]) -> None:
        arrive(recovered)
        if recovered and not their_messages:
            their_messages.append(ThreadMessage("them", "Thank you", stage.clock.now() + MINUTE))
            stage.clock.advance(5 * HOUR)  # by then the thread must be read anew

    assert stage.run(campaign, on_recovered=answered).halt is RunEnd.COMPLETED
    assert len(stage.received()) == 1
    assert stage.query(REPLIED) == [("responded", "replied", 1)]
    assert stage.query("SELECT status FROM messages WHERE kind='message'") == [("sent",)]
    assert stage.query("SELECT status FROM actions") == [("sent",)]


@pytest.mark.parametrize("words", ["Another text entirely", "Hi, shall we talk? Soon?"])
def test_a_lost_text_that_arrives_after_the_user_changed_it_is_not_followed_by_the_new_one(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, words: str
) -> None:
    campaign = stage.campaign(1, settings=MESSAGE_ONLY, connected=True)
    arrive = the_first_arrives_too_late(stage, monkeypatch, "send_message")

    def changed(recovered: list[RecoveredAction]) -> None:
        if recovered and stage.query("SELECT status FROM messages WHERE kind='message'") == [("approved",)]:
            user, message = stage.commands(), stage.one("SELECT id FROM messages WHERE kind='message'")
            user.review.withdraw(campaign, message)
            user.review.edit(campaign, message, words)
            user.review.approve(campaign, message, shown_digest=user.review.digest(campaign, message))
        arrive(recovered)

    assert stage.run(campaign, on_recovered=changed).halt is RunEnd.NEEDS_YOU
    assert len(stage.received()) == 1
    assert stage.query("SELECT status FROM actions") == [("sent",)], "it counts against the limits"
    assert stage.query("SELECT status FROM messages WHERE kind='message'") == [("cancelled",)]
    ((asked,),) = stage.query("SELECT question FROM input_requests WHERE status='open'")
    assert "has arrived after all" in asked


# --- what shows it ---


@pytest.mark.parametrize("at", ["check_selectors", "read_thread"])
def test_the_picture_of_what_stopped_the_account_is_in_the_log(stage: Stage, at: str) -> None:
    campaign = stage.campaign(1, settings=MESSAGE_ONLY, connected=True)
    file = f"ab/ab{'0' * 62}.png"

    def stop(tool: str, when: str) -> None:
        if (tool, when) == (at, "before"):
            raise SiteIncident(IncidentKind.UNUSUAL_ACTIVITY, "Please stop", file)

    stage.site.during = stop
    with suppress(OutriderError):  # at the start a site in trouble is an error, later it holds the campaign
        stage.run(campaign)
    assert stage.query("SELECT said, evidence FROM incidents") == [("Please stop", file)]
