"""What one campaign learns of a person counts at once in every other campaign of the account."""

from collections.abc import Callable

import pytest

from backend.commands.user_commands import Commands
from backend.domain.events.events import Event
from backend.domain.events.facts.lead import LeadBlocked
from backend.domain.events.facts.task import TaskAdvanced, TaskBlocked
from backend.domain.leads.lead_merge import GONE
from backend.domain.model.campaign import DAY
from backend.domain.model.lead import ANSWERED_ELSEWHERE, NOT_ON_RECORD, Label
from backend.domain.model.send_word import SessionAsk, Word
from backend.domain.model.site import Relation
from backend.domain.model.task import NEVER, ActionFamily
from backend.ports.sync_status import LocalOnly
from backend.situation import situations
from backend.turn.execute.execution import present
from backend.turn.known_elsewhere import KnownElsewhere
from tests.fakes.by_hand import by_hand
from tests.fakes.campaign import ONE_STEP, Stage
from tests.fakes.send_desk import EVERY_DAY, Desk, desk

Fact = Callable[[Desk, str], None]
"""Something that the user learns of a person in campaign A, whose lead that is."""


@pytest.fixture
def campaigns(stage: Stage) -> tuple[Desk, Desk]:
    """Two campaigns with the same person; both may write to them, and B has its invitation approved."""
    a = desk(stage, people=1, limits=EVERY_DAY, name="A")
    stage.clock.jump(1)
    b = Desk(stage, by_hand(stage, people=1, limits=EVERY_DAY, name="B"), LocalOnly())
    stage.commands().people.contact_anyway(b.campaign, lead_of(b), "we met at a fair")
    b.run()
    assert a.asks() == b.asks() == [SessionAsk.INVITE]
    return a, b


def lead_of(desk: Desk) -> str:
    return str(desk.stage.one("SELECT id FROM leads WHERE campaign_id=?", desk.campaign))


def is_invited(a: Desk, lead_id: str) -> None:
    a.hand_over()
    a.say(lead_id, Word.SENT)
    a.leave()


def is_connected(a: Desk, lead_id: str) -> None:
    a.say(lead_id, Word.CONNECTED)
    a.leave()


def accepts(a: Desk, lead_id: str) -> None:
    is_invited(a, lead_id)
    a.stage.clock.jump(3 * DAY)
    assert a.asks() == [SessionAsk.ACCEPTED]
    is_connected(a, lead_id)


def replies(a: Desk, lead_id: str) -> None:
    a.say(lead_id, Word.REPLIED, "Thank you, please call me.")


def says_no(a: Desk, lead_id: str) -> None:
    a.stage.commands().replies.label(a.campaign, lead_id, Label.NO)


def is_the_wrong_person(a: Desk, lead_id: str) -> None:
    a.say(lead_id, Word.WRONG_PERSON)
    a.leave()


def is_invited_and_says_no(a: Desk, lead_id: str) -> None:
    is_invited(a, lead_id)
    says_no(a, lead_id)


def is_withdrawn(a: Desk, lead_id: str) -> None:
    is_invited(a, lead_id)
    a.stage.clock.jump(DAY)
    a.stage.commands().leads.invitation_withdrawn(a.campaign, lead_id)


NO_INVITATION: list[SessionAsk] = []


@pytest.mark.parametrize(
    ("fact", "asks", "finished"),
    [
        (is_invited, [SessionAsk.ACCEPTED], ""),  # three days later, when it is time to look
        (is_connected, [SessionAsk.WRITE], ""),
        (accepts, [SessionAsk.WRITE], ""),
        (replies, NO_INVITATION, ANSWERED_ELSEWHERE),
        (says_no, NO_INVITATION, ANSWERED_ELSEWHERE),
        (is_invited_and_says_no, NO_INVITATION, ANSWERED_ELSEWHERE),
        (is_the_wrong_person, NO_INVITATION, ANSWERED_ELSEWHERE),
        (is_withdrawn, NO_INVITATION, ""),
    ],
)
def test_a_fact_of_one_campaign_decides_what_the_other_does(
    campaigns: tuple[Desk, Desk], fact: Fact, asks: list[SessionAsk], finished: str
) -> None:
    a, b = campaigns
    fact(a, lead_of(a))
    assert b.asks() == NO_INVITATION, "before anything runs"
    b.run()
    assert b.asks() == asks
    assert b.lead(lead_of(b), "finished") == finished
    invitations = b.stage.query(
        "SELECT status FROM messages WHERE lead_id=? AND kind='invitation' AND status='approved'", lead_of(b)
    )
    assert bool(invitations) == (fact is is_withdrawn), "what is not to be sent any more does not go on waiting"
    assert b.stage.one("SELECT count(*) FROM actions WHERE lead_id=?", lead_of(b)) == 0


@pytest.mark.parametrize(
    "end",
    [
        lambda user, b, lead: user.replies.label(b, lead, Label.NO),
        lambda user, b, lead: user.leads.do_not_contact(b, lead),
        lambda user, b, lead: user.leads.invitation_withdrawn(b, lead),
        lambda user, b, lead: user.replies.found(b, lead, "Thank you, no.", at=user.clock.now(), answers=True),
    ],
    ids=["labelled", "do not contact", "invitation withdrawn", "reply found"],
)
def test_whoever_ends_here_takes_along_a_text_that_another_campaign_made_moot(
    campaigns: tuple[Desk, Desk], end: Callable[[Commands, str, str], object]
) -> None:
    a, b = campaigns
    is_invited(a, lead_of(a))
    end(b.stage.commands(), b.campaign, lead_of(b))
    waiting = "SELECT status FROM messages WHERE lead_id=? AND kind='invitation'"
    assert b.stage.one(waiting, lead_of(b)) == "cancelled"
    b.run()
    assert b.stage.one("SELECT strikes FROM tasks WHERE lead_id=?", lead_of(b)) == 0
    assert b.asks() == []


def test_nobody_is_invited_again_before_linkedin_allows_it_and_then_they_are(campaigns: tuple[Desk, Desk]) -> None:
    a, b = campaigns
    is_withdrawn(a, lead_of(a))
    b.run()
    reason = "The invitation was withdrawn on 2 Jun; LinkedIn allows another only three weeks after that."
    assert b.state().hold_reasons == (reason,)
    b.stage.clock.jump(21 * DAY)
    b.leave()
    b.run()  # the approval has expired meanwhile, and is given again
    assert b.asks() == [SessionAsk.INVITE]


def test_what_is_waiting_for_an_acceptance_goes_on_when_the_other_campaign_sees_it(
    campaigns: tuple[Desk, Desk],
) -> None:
    a, b = campaigns
    is_invited(a, lead_of(a))
    b.run()
    b.stage.clock.jump(3 * DAY)
    assert (a.asks(), b.asks()) == ([SessionAsk.ACCEPTED], [SessionAsk.ACCEPTED])
    is_connected(a, lead_of(a))
    assert b.asks() == NO_INVITATION, "nobody is asked twice whether they accepted"
    b.run()
    assert b.asks() == [SessionAsk.WRITE]


@pytest.mark.parametrize(
    ("fact", "word", "relation"),
    [
        (is_invited, Word.NOT_CONNECTED, Relation.PENDING),
        (is_invited, Word.CONNECTED, Relation.CONNECTED),
        (is_connected, Word.SKIP, Relation.CONNECTED),
        (is_connected, Word.ALREADY_SENT, Relation.CONNECTED),
    ],
)
def test_a_word_in_one_campaign_keeps_what_the_other_knows_unless_it_says_otherwise(
    campaigns: tuple[Desk, Desk], fact: Fact, word: Word, relation: Relation
) -> None:
    a, b = campaigns
    fact(a, lead_of(a))
    b.run()
    b.stage.clock.jump(3 * DAY)
    b.say(lead_of(b), word)
    b.leave()
    now = b.stage.clock.now()
    assert present(b.stage.database.query(situations.known_lead, b.campaign, lead_of(b), now)).relation is relation


def test_who_never_accepted_is_given_up_by_every_campaign_that_asked(campaigns: tuple[Desk, Desk]) -> None:
    a, b = campaigns
    is_invited(a, lead_of(a))
    b.run()
    for _ in range(20):
        b.stage.clock.jump(3 * DAY)
        for asked in (b, a):
            if asked.asks() == [SessionAsk.ACCEPTED]:
                asked.say(lead_of(asked), Word.NOT_CONNECTED)
                asked.leave()
    assert [asked.lead(lead_of(asked), "finished") for asked in (a, b)] == ["not accepted", "not accepted"]


def test_what_one_device_approved_while_another_put_it_off_is_sent(stage: Stage) -> None:
    alone = desk(stage, people=1, limits=EVERY_DAY)
    (task,) = stage.query("SELECT id FROM tasks WHERE kind='reach_lead'")
    put_off = TaskAdvanced(task[0], needs=ActionFamily.APPROVAL, ready_at=NEVER)
    stage.journal.record(alone.campaign, events=[put_off], actor="user", cause="merged", at=stage.clock.now())
    assert alone.asks() == []
    alone.run()
    assert alone.asks() == [SessionAsk.INVITE]


@pytest.mark.parametrize("why", sorted(GONE))
def test_who_was_taken_away_by_one_device_while_another_planned_them_is_over(stage: Stage, why: str) -> None:
    alone = desk(stage, people=2, limits=EVERY_DAY)
    gone, stays = (str(lead) for (lead,) in stage.query("SELECT id FROM leads ORDER BY id"))
    blocked = LeadBlocked(gone, blocked=why)
    stage.journal.record(alone.campaign, events=[blocked], actor="user", cause="merged", at=stage.clock.now())
    alone.run()
    tasks = dict(stage.query("SELECT lead_id, status FROM tasks WHERE kind='reach_lead'"))
    assert tasks == {gone: "cancelled", stays: "in_progress"}
    assert stage.one("SELECT status FROM messages WHERE lead_id=?", gone) == "cancelled"


def test_a_second_task_of_somebody_about_whom_the_user_decides_by_the_first_is_over(stage: Stage) -> None:
    """Two devices had planned them, and one saw what stood there before."""
    alone = desk(stage, people=1, limits=EVERY_DAY)
    ((first, lead),) = stage.query("SELECT id, lead_id FROM tasks WHERE kind='reach_lead'")
    blocked = LeadBlocked(lead, blocked=NOT_ON_RECORD), TaskBlocked(first, reason="what stands there")
    planned = {"kind": "reach_lead", "description": "", "needs": "look", "lead_id": lead, "created_at": 1}
    second = Event("TaskCreated", "second", {**planned, "status": "pending"})
    stage.note_elsewhere(alone.campaign, *blocked, second)
    look = KnownElsewhere(stage.journal, stage.clock, alone.campaign)
    assert [look.end_sequences(), look.end_sequences()] == [True, False]
    assert dict(stage.query("SELECT id, status FROM tasks WHERE kind='reach_lead'")) == {
        first: "blocked",
        "second": "cancelled",
    }


def test_who_was_invited_while_a_campaign_was_archived_stays_with_the_one_that_did(stage: Stage) -> None:
    a = desk(stage, people=1, limits=EVERY_DAY, name="A")
    assert a.asks() == [SessionAsk.INVITE], "claimed by its approval, and not contacted"
    stage.commands().campaigns.archive(a.campaign)
    stage.clock.jump(1)
    b = Desk(stage, by_hand(stage, people=1, limits=EVERY_DAY, name="B"), LocalOnly())
    b.run()
    is_invited(b, lead_of(b))
    stage.commands().campaigns.unarchive(a.campaign)
    stage.clock.jump(3 * DAY)
    is_connected(b, lead_of(b))
    for asked in (a, b):
        asked.run()
    assert (SessionAsk.WRITE in a.asks(), b.asks()) == (False, [SessionAsk.WRITE])


def test_a_draft_does_not_wait_in_review_for_somebody_who_answered_elsewhere(stage: Stage) -> None:
    a, b = (stage.campaign(1, settings=ONE_STEP, name=name) for name in "AB")
    stage.run(a, approve=False)
    stage.run(b, approve=False)
    assert stage.query("SELECT status FROM messages WHERE campaign_id=?", b) == [("draft",)]
    lead_a, lead_b = (stage.one("SELECT id FROM leads WHERE campaign_id=?", campaign) for campaign in (a, b))
    stage.commands().replies.label(a, lead_a, Label.NO)
    stage.run(b, approve=False)
    assert stage.query("SELECT status FROM messages WHERE campaign_id=?", b) == [("cancelled",)]
    assert stage.one("SELECT finished FROM leads WHERE id=?", lead_b) == ANSWERED_ELSEWHERE
    assert stage.status(b) == "completed"
