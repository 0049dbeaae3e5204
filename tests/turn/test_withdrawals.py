"""Old invitations that Outrider takes back by itself: only where the user said so, once, and never beyond any gate."""

import json
from collections.abc import Callable
from itertools import pairwise

import pytest

from backend.domain.contact.withdrawals import LAST_DAY_OVER, withdraw_from
from backend.domain.events.events import Event
from backend.domain.model.campaign import DAY, HOUR, Settings
from backend.domain.model.sequence import Sequence, Step
from backend.domain.model.site import Relation
from backend.practice.ledger import Entry
from backend.runtime.run.campaign_runner import RunEnd
from backend.situation import situations
from backend.store.log import replay
from backend.store.queries.contact import pending_invitations
from tests.fakes.campaign import MONDAY_NOON, QUICK, Killed, Stage, When

LIMITS = QUICK.limits.model_copy(
    update={"withdraw_after_days": 7, "withdrawals_a_day": 2, "work_days": tuple(range(7))}
)
INVITES = Sequence(
    steps=(Step(key="visit", kind="visit"), Step(key="invite", kind="invitation", template="Hello {first_name}"))
)


def settings(sequence: Sequence, **limits: int) -> Settings:
    return QUICK.model_copy(update={"sequence": sequence, "limits": LIMITS.model_copy(update=limits)})


def silent(stage: Stage, count: int) -> int:
    """Where so many people in a row begin of whom nobody ever accepts."""
    cards = stage.cards(200)
    return next(
        position
        for position in range(len(cards))
        if all(stage.behaviour(card.slug).accepts == "never" for card in cards[position : position + count])
    )


def invited(stage: Stage, count: int = 1, **limits: int) -> str:
    """A campaign all of whose people were invited and did not accept."""
    return stage.campaign(count, skip=silent(stage, count), settings=settings(INVITES, **limits))


def withdrawn(stage: Stage) -> list[Entry]:
    return [entry for entry in stage.exchange.entries() if entry.kind == "withdraw"]


def agrees(stage: Stage) -> None:
    assert replay.find_differences(stage.database) == []
    assert stage.query("SELECT id FROM actions WHERE status='intended'") == []


def test_an_old_invitation_is_taken_back_once_when_it_is_old_enough_and_the_campaign_ends_then(stage: Stage) -> None:
    campaign = invited(stage, 3)
    assert stage.run(campaign).halt is RunEnd.COMPLETED
    sent = {entry.to: entry.at for entry in stage.delivered()}
    taken = withdrawn(stage)
    assert {entry.to for entry in taken} == set(sent)
    assert len(taken) == len(sent) == 3
    begun = [json.loads(payload)["tool"] for _, payload in stage.audits(campaign, "action.started")]
    assert begun == ["browser.send_invitation"] * 3 + ["browser.withdraw_invitation"] * 3
    assert all(7 * DAY <= entry.at - sent[entry.to] < 10 * DAY for entry in taken)
    days = [entry.at // DAY for entry in taken]
    assert max(days.count(day) for day in days) == 2, "by a limit of its own"
    assert stage.query("SELECT DISTINCT relation, finished FROM leads") == [("none", "invited")]
    assert stage.query("SELECT DISTINCT status, reason FROM tasks WHERE kind='withdraw'") == [("done", "")]
    assert stage.kinds(campaign)["InvitationWithdrawn"] == 3
    assert stage.query("SELECT DISTINCT family, status, message_id FROM actions WHERE family='withdraw'") == [
        ("withdraw", "sent", "")
    ]
    audited = [json.loads(payload) for _, payload in stage.audits(campaign, "browser.withdraw_invitation")]
    assert len(audited) == 3
    assert all({"action_id", "parameters", "us", "outcome"} <= set(entry) for entry in audited)
    agrees(stage)


def test_what_is_still_to_be_taken_back_on_the_last_day_is_left_until_the_user_moves_it(stage: Stage) -> None:
    campaign = invited(stage, 3, withdrawals_a_day=1, invitations_a_day=3, ends_at=MONDAY_NOON + 8 * DAY)
    assert stage.run(campaign).halt is RunEnd.COMPLETED
    assert len(withdrawn(stage)) < 3
    left = 3 - len(withdrawn(stage))
    assert (
        stage.query("SELECT reason FROM tasks WHERE kind='withdraw' AND status='cancelled'")
        == [(LAST_DAY_OVER,)] * left
    )
    agrees(stage)
    later = settings(INVITES, withdrawals_a_day=1, ends_at=MONDAY_NOON + 30 * DAY)
    stage.commands().campaigns.edit(campaign, version=None, limits=later.limits)
    assert stage.run(campaign).halt is RunEnd.COMPLETED
    assert len(withdrawn(stage)) == 3, "the user moved that day"
    agrees(stage)


def test_nothing_is_taken_back_unless_the_user_switched_it_on(stage: Stage) -> None:
    campaign = invited(stage, withdrawals_a_day=0)
    assert stage.run(campaign).halt is RunEnd.COMPLETED
    stage.clock.advance(90 * DAY)
    assert withdrawn(stage) == []
    assert stage.query("SELECT kind FROM tasks WHERE kind='withdraw'") == []


def test_a_sequence_that_waits_for_the_acceptance_ends_with_the_invitation(stage: Stage) -> None:
    campaign = stage.campaign(1, skip=silent(stage, 1), settings=settings(QUICK.sequence))
    assert stage.run(campaign).halt is RunEnd.COMPLETED
    assert len(withdrawn(stage)) == 1
    assert [entry.kind for entry in stage.delivered()] == ["invitation"], "nobody is written to after it"
    assert stage.one("SELECT finished FROM leads") == "invitation withdrawn"
    agrees(stage)


@pytest.mark.parametrize("boundary", ["step-3", "step-5", "intent", "acted", "before-commit", "after-commit"])
def test_a_kill_at_any_boundary_takes_back_nothing_twice_and_forgets_nothing(stage: Stage, boundary: str) -> None:
    campaign, acting = invited(stage), list[str]()

    def hear(_: str, number: int, what: str) -> None:
        if number == 3:
            acting[:] = [what] if "withdraw_invitation" in what else []

    def die(name: str) -> None:
        if name == boundary and acting:
            raise Killed

    with pytest.raises(Killed):
        stage.run(campaign, boundary=die, on_step=hear)
    stage.reopen()
    assert stage.run(campaign).halt is RunEnd.COMPLETED
    assert [entry.disposition for entry in withdrawn(stage)] == ["delivered"]
    assert stage.one("SELECT status FROM tasks WHERE kind='withdraw'") == "done"
    agrees(stage)


def test_one_that_arrives_late_is_looked_at_again_and_not_done_twice(stage: Stage) -> None:
    campaign = invited(stage)
    stage.arm("carried_out_later", "withdraw", ms=40_000)
    assert stage.run(campaign).halt is RunEnd.COMPLETED
    assert [entry.disposition for entry in withdrawn(stage)] == ["delivered"]
    assert stage.query("SELECT status FROM actions WHERE family='withdraw'") == [("sent",)]
    agrees(stage)


def test_a_site_that_does_not_do_it_is_asked_once_and_then_the_user(stage: Stage) -> None:
    campaign = invited(stage)
    stage.arm("error_500", "withdraw")
    assert stage.run(campaign).halt is RunEnd.NEEDS_YOU
    (question,) = stage.query("SELECT id, question, choices FROM input_requests WHERE status='open'")
    assert "not withdrawn" in question[1]
    stage.commands().questions.answer(campaign, question[0], json.loads(question[2])[0])
    assert stage.run(campaign).halt is RunEnd.COMPLETED
    assert [entry.disposition for entry in withdrawn(stage)] == ["dropped", "delivered"]
    agrees(stage)


@pytest.mark.parametrize(("answer", "again"), [("it was withdrawn", 0), ("it was not withdrawn", 1)])
def test_what_no_look_settles_the_user_is_asked(stage: Stage, answer: str, again: int) -> None:
    campaign = invited(stage)
    stage.arm("says_sent_but_dropped", "withdraw")  # "withdrawn", says the page, and the profile says "pending"
    assert stage.run(campaign).halt is RunEnd.NEEDS_YOU
    (question,) = stage.query("SELECT id, kind, choices FROM input_requests WHERE status='open'")
    assert (question[1], json.loads(question[2])) == ("outcome_unknown", ["it was withdrawn", "it was not withdrawn"])
    stage.commands().questions.answer(campaign, question[0], answer)
    assert stage.run(campaign).halt is RunEnd.COMPLETED
    assert [entry.disposition for entry in withdrawn(stage)] == ["dropped", *["delivered"] * again]
    assert stage.one("SELECT relation FROM leads") == "none"
    agrees(stage)


def test_who_accepted_before_the_click_keeps_the_invitation_and_is_written_to(stage: Stage) -> None:
    campaign = stage.campaign(1, skip=silent(stage, 1), settings=settings(QUICK.sequence))
    slug = stage.one("SELECT member_key FROM leads")

    def accept(tool: str, when: When) -> None:
        if (tool, when) == ("withdraw_invitation", "before"):
            history = stage.exchange.network._person_history(slug)
            history.connected_at = stage.clock.now()

    stage.site.during = accept
    stage.run(campaign)
    assert withdrawn(stage) == []
    assert [entry.kind for entry in stage.delivered()][:2] == ["invitation", "message"]
    assert stage.one("SELECT status FROM tasks WHERE kind='withdraw'") == "done"
    agrees(stage)


def switched_off(stage: Stage, campaign: str) -> None:
    stage.elsewhere(
        lambda user: user.campaigns.edit(campaign, version=None, limits=settings(INVITES, withdrawals_a_day=0).limits)
    )


def forbidden(stage: Stage, campaign: str) -> None:
    lead = stage.one("SELECT id FROM leads")
    stage.elsewhere(lambda user: user.leads.do_not_contact(campaign, lead, "asked"))


def taken_back_by_hand(stage: Stage, campaign: str) -> None:
    lead = stage.one("SELECT id FROM leads")
    stage.elsewhere(lambda user: user.leads.invitation_withdrawn(campaign, lead))


@pytest.mark.parametrize("decide", [switched_off, forbidden, taken_back_by_hand])
@pytest.mark.parametrize("moment", ["click", "bytes"])
def test_what_the_user_decides_in_the_last_moment_holds_it_back(
    stage: Stage, decide: Callable[[Stage, str], None], moment: When
) -> None:
    campaign, decided = invited(stage), list[str]()

    def during(tool: str, when: When) -> None:
        if (tool, when) == ("withdraw_invitation", moment) and not decided:
            decided.append(tool)
            decide(stage, campaign)

    stage.site.during = during
    stage.run(campaign)
    assert decided
    assert withdrawn(stage) == []
    assert stage.query("SELECT status FROM actions WHERE family='withdraw'") == [("not_sent",)]
    assert stage.one("SELECT status FROM tasks WHERE kind='withdraw'") in ("cancelled", "done")
    agrees(stage)


def test_it_is_held_by_hours_by_spacing_and_by_an_absent_user(stage: Stage) -> None:
    campaign = invited(stage, 3, withdrawals_a_day=9, spacing_seconds=3_600, day_starts=9 * 60, day_ends=12 * 60)
    assert stage.run(campaign).halt is RunEnd.COMPLETED
    acts = sorted(entry.at for entry in [*stage.delivered(), *withdrawn(stage)])
    assert len(acts) == 6
    assert all(later - earlier >= HOUR for earlier, later in pairwise(acts))
    assert all(9 <= at % DAY // HOUR < 12 for at in acts)


def test_switched_on_late_it_reopens_a_completed_campaign(stage: Stage) -> None:
    campaign = invited(stage, 2, withdrawals_a_day=0)
    stage.run(campaign)
    stage.clock.advance(60 * DAY)
    stage.commands().campaigns.edit(campaign, version=None, limits=settings(INVITES).limits)
    assert stage.status(campaign) == "paused"
    assert stage.run(campaign).halt is RunEnd.COMPLETED
    assert len(withdrawn(stage)) == 2
    agrees(stage)


def test_an_invitation_that_the_user_sent_by_hand_is_left_alone(stage: Stage) -> None:
    campaign = invited(stage)
    slug = stage.one("SELECT member_key FROM leads")
    stage.exchange.record(lambda network: network.invite(slug, "", network.now))
    stage.run(campaign)
    assert withdrawn(stage) == []


def wait_until(stage: Stage, day: int) -> None:
    stage.clock.advance(MONDAY_NOON + day * DAY - stage.clock.now())
    stage.exchange.record(lambda network: network.advance(stage.clock.now()))


def test_one_that_the_user_took_back_and_sent_again_by_hand_is_theirs(stage: Stage) -> None:
    steps = (
        *INVITES.steps,
        Step(key="first", kind="wait", after_days=4),
        Step(key="look", kind="visit"),
        Step(key="second", kind="wait", after_days=25),
        Step(key="look_again", kind="visit"),
    )
    campaign = stage.campaign(
        1, skip=silent(stage, 1), settings=settings(Sequence(steps=steps), withdraw_after_days=20)
    )
    slug, by_hand = stage.one("SELECT member_key FROM leads"), list[str]()

    def during(tool: str, when: When) -> None:
        days = (stage.clock.now() - MONDAY_NOON) // DAY
        if when == "before" and not by_hand and days >= 3:
            stage.exchange.record(lambda network: network.withdraw(slug, network.now))
            by_hand.append("withdrawn")
        elif when == "before" and len(by_hand) == 1 and days >= 28:
            stage.exchange.record(lambda network: network.invite(slug, "", network.now))
            by_hand.append("invited")

    stage.site.during = during
    assert stage.run(campaign).halt is RunEnd.COMPLETED
    assert by_hand == ["withdrawn", "invited"]
    assert len(withdrawn(stage)) == 1, "by the user's own hand"
    stage.clock.advance(90 * DAY)
    assert (
        stage.database.query(pending_invitations.to_withdraw, campaign, stage.clock.now(), 9, stage.clock.now()) == []
    )
    agrees(stage)


def test_one_that_another_campaign_sent_since_is_not_this_campaigns_to_take_back(stage: Stage) -> None:
    first = invited(stage, withdrawals_a_day=0)
    stage.run(first)
    slug = stage.one("SELECT member_key FROM leads")
    wait_until(stage, 1)
    stage.exchange.record(lambda network: network.withdraw(slug, network.now))
    wait_until(stage, 25)
    second = stage.campaign(1, skip=silent(stage, 1), settings=settings(INVITES, withdrawals_a_day=0), name="Other")
    stage.contact_anyway(second)
    stage.run(second)
    assert [entry.disposition for entry in stage.delivered() if entry.kind == "invitation"] == ["delivered"] * 2
    wait_until(stage, 27)
    stage.commands().campaigns.edit(first, version=None, limits=settings(INVITES).limits)
    assert stage.status(first) == "completed", "nothing of its own waits there"
    with stage.database.read() as connection:
        leads = [lead for (lead,) in connection.execute("SELECT id FROM leads ORDER BY invited_at")]
        assert [pending_invitations.is_sent_here(connection, lead) for lead in leads] == [False, True]


@pytest.mark.parametrize("relation", Relation)
@pytest.mark.parametrize("connected_on", [None, "2024-03-15"])
@pytest.mark.parametrize("withdrawn_after", [None, -HOUR, HOUR])
def test_what_is_planned_is_what_all_campaigns_know_of_the_person(
    stage: Stage, relation: Relation, connected_on: str | None, withdrawn_after: int | None
) -> None:
    """One that was accepted, as another campaign saw, was planned and given up for ever."""
    first = invited(stage, withdrawals_a_day=0)
    stage.run(first)
    other = stage.campaign(1, skip=silent(stage, 1), settings=settings(INVITES), name="Other")
    lead, their_lead = (stage.one("SELECT id FROM leads WHERE campaign_id=?", campaign) for campaign in (first, other))
    at = stage.one("SELECT invited_at FROM leads WHERE id=?", lead)
    seen = {"relation": relation, "connected_on": connected_on}
    seen |= {} if withdrawn_after is None else {"withdrawn_at": at + withdrawn_after}
    stage.note_elsewhere(other, Event("LeadAdvanced", their_lead, seen))
    with stage.database.read() as connection:
        known_lead = situations.known_lead(connection, first, lead, stage.clock.now())
        planned = pending_invitations.to_withdraw(connection, first, stage.clock.now(), 9, stage.clock.now())
        old = pending_invitations.old_invitations(connection, first, stage.clock.now() + 1, 9)
    assert known_lead is not None
    waits = withdraw_from(LIMITS, known_lead) is not None
    assert (len(planned), len(old)) == (waits, waits)
