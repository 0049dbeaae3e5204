"""Blocked tasks hold a campaign until the user mends or drops them."""

from typing import Any

import pytest

from backend.commands.agent_tasks import AgentTaskCommands
from backend.domain.device.passive_agent import AgentInputs
from backend.domain.erasure.erasure import ERASED
from backend.domain.events.events import Event
from backend.domain.values.errors import OutriderError
from backend.runtime.run.campaign_runner import RunEnd
from backend.store.log import replay
from backend.store.queries.device.agent_runs import open_tasks
from tests.fakes.campaign import ONE_STEP, Stage
from tests.fakes.proposers import MockProposer


def statuses(stage: Stage) -> dict[str, str]:
    return dict(stage.query("SELECT kind, status FROM tasks"))


def with_blocked_scoring(stage: Stage) -> tuple[str, str]:
    """A campaign whose scoring three useless replies have blocked, and that task."""
    campaign = stage.campaign(1, settings=ONE_STEP)
    stage.activate(campaign)
    loop = stage.loop(MockProposer(["nonsense"] * 3))
    for _ in range(3):
        loop.run_turn(campaign)
    return campaign, stage.one("SELECT id FROM tasks")


def without_question(stage: Stage, campaign: str) -> None:
    """As a rebase or an older version may leave it: blocked, and nobody is asked."""
    (question,) = (row[0] for row in stage.query("SELECT id FROM input_requests WHERE status='open'"))
    moot = Event("InputAnswered", question, {"status": "withdrawn", "answer": "moot"})
    stage.note_elsewhere(campaign, moot)


def test_a_campaign_with_a_blocked_task_does_not_call_itself_completed_and_says_what_is_left(stage: Stage) -> None:
    campaign, _ = with_blocked_scoring(stage)
    without_question(stage, campaign)
    ended = stage.run(campaign)
    assert ended.halt is RunEnd.NEEDS_YOU
    (reason,) = ended.reasons
    assert "“Score the leads” is blocked: Tried 3 times without success: " in reason
    assert stage.status(campaign) == "active"


@pytest.mark.parametrize("asked", [True, False])
def test_a_mended_task_goes_on_and_the_campaign_completes(stage: Stage, asked: bool) -> None:
    campaign, task = with_blocked_scoring(stage)
    if not asked:
        without_question(stage, campaign)
    stage.commands().tasks.retry(campaign, task)
    assert stage.query("SELECT 1 FROM input_requests WHERE status='open'") == []
    assert stage.run(campaign).halt is RunEnd.COMPLETED
    assert statuses(stage) == {"score_leads": "done", "reach_lead": "done"}


def test_to_try_again_with_somebody_who_was_left_out_meanwhile_ends_their_plan(stage: Stage) -> None:
    campaign = stage.campaign(1, settings=ONE_STEP)
    stage.run(campaign, approve=False)
    stage.commands().review.reject(campaign, stage.one("SELECT id FROM messages"))
    stage.run(campaign, approve=False)
    question = stage.one("SELECT id FROM input_requests WHERE status='open'")
    lead = stage.one("SELECT id FROM leads")
    stage.note_elsewhere(campaign, Event("LeadBlocked", lead, {"blocked": "invited_before"}))
    stage.commands().questions.answer(campaign, question, "try again")
    assert statuses(stage)["reach_lead"] == "cancelled"
    assert stage.run(campaign).halt is RunEnd.COMPLETED


def test_a_yes_to_what_was_erased_on_another_device_ends_the_request(stage: Stage) -> None:
    campaign = stage.campaign(1, settings=ONE_STEP)
    columns = {"kind": "assist", "description": ERASED, "status": "in_progress", "needs": "input", "created_at": 1}
    asked = {
        "task_id": "t",
        "kind": "approve_blueprint",
        "question": ERASED,
        "choices": [],
        "payload": {},
        "status": "open",
    }
    stage.note_elsewhere(campaign, Event("TaskCreated", "t", columns))
    stage.note_elsewhere(campaign, Event("InputRequested", "q", asked | {"created_at": 1}))
    stage.commands().questions.answer(campaign, "q", "yes")
    assert stage.query("SELECT status FROM input_requests") == [("answered",)]
    assert stage.one("SELECT status FROM tasks WHERE id='t'") == "cancelled"


@pytest.mark.parametrize("asked", [True, False])
def test_a_dropped_scoring_lets_the_people_be_reached_as_they_are(stage: Stage, asked: bool) -> None:
    campaign, task = with_blocked_scoring(stage)
    if not asked:
        without_question(stage, campaign)
    stage.commands().tasks.cancel(campaign, task)
    assert stage.run(campaign).halt is RunEnd.COMPLETED
    assert statuses(stage) == {"score_leads": "cancelled", "reach_lead": "done"}
    assert stage.one("SELECT count(*) FROM messages WHERE status='sent'") == 1
    assert replay.find_differences(stage.database) == []


def test_to_leave_a_task_is_to_drop_it(stage: Stage) -> None:
    campaign, _ = with_blocked_scoring(stage)
    stage.commands().questions.answer(
        campaign, stage.one("SELECT id FROM input_requests WHERE status='open'"), "leave it"
    )
    assert statuses(stage) == {"score_leads": "cancelled"}


def test_a_dropped_task_can_be_mended(stage: Stage) -> None:
    campaign, task = with_blocked_scoring(stage)
    stage.commands().tasks.cancel(campaign, task)
    stage.commands().tasks.retry(campaign, task)
    assert statuses(stage) == {"score_leads": "in_progress"}
    assert stage.run(campaign).halt is RunEnd.COMPLETED


def code_of(decide: Any, *arguments: str) -> str:
    with pytest.raises(OutriderError) as refused:
        decide(*arguments)
    return refused.value.code


def test_only_a_task_that_does_not_go_on_is_decided_about(stage: Stage) -> None:
    campaign = stage.campaign(1, settings=ONE_STEP)
    task = stage.one("SELECT id FROM tasks")
    decide = stage.commands().tasks
    assert code_of(decide.cancel, campaign, task) == "task_not_blocked"
    assert code_of(decide.retry, campaign, task) == "task_not_blocked"
    assert code_of(decide.cancel, campaign, "01NOSUCHTASK0000000000000") == "task_unknown"
    stage.run(campaign)
    assert code_of(decide.retry, campaign, task) == "task_not_blocked"
    completed = stage.campaign(2, settings=ONE_STEP, skip=5)
    stage.run(completed, approve=False)
    cancelled = stage.one("SELECT id FROM tasks WHERE campaign_id=? AND lead_id<>''", completed)
    stage.note_elsewhere(completed, Event("TaskCancelled", cancelled, {"status": "cancelled", "reason": "no"}))
    stage.note_elsewhere(completed, Event("CampaignCompleted", completed, {"status": "completed"}))
    assert code_of(decide.retry, completed, cancelled) == "campaign_not_active"
    other = stage.campaign(1, settings=ONE_STEP, skip=8)
    assert code_of(decide.cancel, other, task) == "task_unknown"


def test_an_agents_task_that_is_tried_again_is_its_supervisors_and_no_proposers(stage: Stage) -> None:
    campaign = stage.campaign(1)
    commands = AgentTaskCommands(stage.journal, stage.clock)
    assigned = commands.assign(campaign, "pending-invitations", AgentInputs(days=3))
    commands.fail(assigned, "its process ended")
    asked = stage.one("SELECT id FROM input_requests WHERE task_id=?", assigned.id)
    stage.commands().questions.answer(campaign, asked, "try again")
    assert stage.database.query(open_tasks) == [assigned]
    assert stage.one("SELECT needs FROM tasks WHERE id=?", assigned.id) == "input"
