"""What every cycle keeps true of tasks and of the campaign: only what is eligible is selected, and nothing is lost or skipped."""

import json
from typing import Any

import pytest

from backend.adapters.llm.scripted import ScriptedProposer
from backend.domain.events.events import Event
from backend.domain.events.facts.task import TaskAdvanced, TaskBlocked, TaskStarted
from backend.domain.model.campaign import HOUR, CampaignStatus
from backend.domain.model.task import NEVER
from backend.domain.turn.snapshot import Snapshot
from backend.domain.values.errors import OutriderError
from backend.runtime.run.campaign_runner import RunEnd
from backend.store.log import replay
from backend.store.queries.turn import artifacts
from backend.turn import planner
from backend.turn.loop import TurnReport
from backend.turn.recovery import recover
from backend.turn.verifier import verify_waiting
from tests.fakes.campaign import MESSAGE_ONLY, ONE_STEP, Noted, Stage
from tests.fakes.proposers import MockProposer


def note_task(stage: Stage, campaign: str, task_id: str, **columns: Any) -> None:
    """A task of the user's, in the state that the columns say."""
    made = {
        "kind": "custom",
        "description": task_id,
        "status": "pending",
        "needs": "think",
        "source": "user",
        "created_at": stage.clock.now(),
        **columns,
    }
    promise = {"type": "leads_scored"}
    stage.note_elsewhere(
        campaign,
        Event("TaskCreated", task_id, made),
        Event("CommitmentMade", f"{task_id}-c", {"task_id": task_id, "params": promise, "source": "user"}),
    )


def test_only_tasks_whose_status_preconditions_and_time_allow_it_are_selected_or_offered(stage: Stage) -> None:
    campaign = stage.campaign(3)
    note_task(stage, campaign, "later", ready_at=stage.clock.now() + HOUR)
    note_task(stage, campaign, "never", ready_at=NEVER, preconditions=["blocked"])
    note_task(stage, campaign, "blocked")
    stage.note_elsewhere(campaign, TaskBlocked("blocked", reason="no"))
    wrong: list[str] = []
    offered: set[str] = set()

    def look(snapshot: Snapshot) -> None:
        for task in (snapshot.focus.task, *snapshot.tasks):
            offered.add(task.id)
            status, ready_at, before = stage.query(
                "SELECT status, ready_at, preconditions FROM tasks WHERE id=?", task.id
            )[0]
            done = {id_ for (id_,) in stage.query("SELECT id FROM tasks WHERE status='done'")}
            if (
                status not in ("pending", "in_progress")
                or ready_at > stage.clock.now()
                or set(json.loads(before)) - done
            ):
                wrong.append(task.id)

    stage.run(campaign, proposer=Noted(ScriptedProposer(), look), stop_after=80)
    assert len(stage.turns) > 15
    assert wrong == []
    assert "later" in offered, "when its time had come"
    assert not {"never", "blocked"} & offered


def test_the_task_that_is_selected_is_begun_and_not_the_one_that_comes_first(stage: Stage) -> None:
    campaign = stage.campaign(1)
    stage.activate(campaign)
    note_task(stage, campaign, "second")

    def select(snapshot: Snapshot) -> str:
        assert snapshot.focus.task.kind == "score_leads"
        return json.dumps({"type": "select_next_task", "task_id": "second"})

    turn = stage.loop(MockProposer([select])).run_turn(campaign)
    assert isinstance(turn, TurnReport)
    assert (turn.verdict, turn.task_id) == ("accepted", "second")
    assert stage.query("SELECT kind FROM tasks WHERE status='in_progress'") == [("custom",)]


def test_after_every_cycle_the_tasks_in_the_database_are_what_the_log_says_and_what_the_next_cycle_is_told(
    stage: Stage,
) -> None:
    campaign = stage.campaign(2, settings=MESSAGE_ONLY, connected=True)
    counts: list[dict[str, int]] = []
    differing: list[Any] = []

    def statuses() -> dict[str, int]:
        return dict(stage.query("SELECT status, count(*) FROM tasks WHERE campaign_id=? GROUP BY 1", campaign))

    def look(snapshot: Snapshot) -> None:
        counts.append(snapshot.task_counts)
        rows = dict(stage.query("SELECT id, status FROM tasks WHERE campaign_id=?", campaign))
        shown = {task.id: task.status for task in (*snapshot.tasks, *snapshot.other_tasks)}
        if snapshot.task_counts != statuses() or any(rows[id_] != status for id_, status in shown.items()):
            differing.append(shown)

    def replayed(turn: TurnReport) -> None:
        status = stage.query("SELECT status FROM tasks WHERE id=?", turn.task_id)
        if (differences := replay.find_differences(stage.database)) or not status:
            differing.append((turn.number, differences))

    stage.run(campaign, proposer=Noted(ScriptedProposer(), look), on_turn=replayed)
    assert len(counts) == len(stage.turns) > 8
    assert differing == []
    stage.reopen()
    assert statuses() == {"done": 3}, "and it outlives the process"


def test_a_new_process_goes_on_from_campaign_tasks_and_artifacts_as_they_are_stored(stage: Stage) -> None:
    with pytest.raises(OutriderError) as nothing_chosen:
        stage.run("no-campaign")
    assert nothing_chosen.value.code == "campaign_unknown"

    campaign = stage.campaign(2, settings=ONE_STEP)
    runner = stage.runner(on_turn=lambda ran: runner.stop.set() if ran.lead_id else None)
    runner.run(campaign)
    before = stage.turns[-1]
    ((other,),) = stage.query("SELECT id FROM tasks WHERE kind='reach_lead' AND id<>?", before.task_id)
    stage.note_elsewhere(campaign, TaskStarted(other), TaskAdvanced(other, rank=-10_000))
    stage.outside.execute("DELETE FROM conversations")
    stage.reopen()
    seen: list[Snapshot] = []
    stage.run(campaign, proposer=Noted(ScriptedProposer(), seen.append), approve=False, stop_after=3)
    (name, goal), *_ = stage.query("SELECT name, goal FROM campaigns WHERE id=?", campaign)
    assert [(shown.campaign.name, shown.campaign.goal) for shown in seen] == [(name, goal)] * len(seen)
    assert stage.turns[0].number == before.number + 1
    assert stage.turns[0].task_id == before.task_id, "the task that the last process was about"
    shown = {artifact.text for snapshot in seen for artifact in snapshot.artifacts}
    version = stage.database.query(artifacts.latest_version, campaign, "context", "campaign_context")
    assert version == 1
    assert any(goal in text for text in shown), "what drafting needs is there without anybody remembering it"


@pytest.mark.parametrize(
    ("status", "columns"),
    [
        *(("pending", {"ready_at": NEVER, "kind": kind}) for kind in ("custom", "answer", "withdraw")),
        ("in_progress", {"status": "in_progress", "needs": "input"}),
        ("blocked", {}),
    ],
)
def test_no_task_is_passed_over_in_silence_whatever_its_status(
    stage: Stage, status: str, columns: dict[str, Any]
) -> None:
    campaign = stage.campaign(1, settings=ONE_STEP)
    note_task(stage, campaign, "left", **columns)
    if status == "blocked":
        stage.note_elsewhere(campaign, TaskBlocked("left", reason="no"))
    assert stage.run(campaign).halt is not RunEnd.COMPLETED
    assert stage.status(campaign) != "completed"
    assert stage.query("SELECT status FROM tasks WHERE id='left'") == [(status,)]
    if status == "blocked":  # the one way past it is in the log, by the user's hand
        stage.commands().tasks.cancel(campaign, "left")
        assert stage.run(campaign).halt is RunEnd.COMPLETED


def test_a_paused_campaign_goes_on_by_the_users_act_only(stage: Stage) -> None:
    campaign = stage.campaign(2)
    stage.run(campaign, stop_after=3)
    assert stage.status(campaign) == "paused"
    hostile = stage.loop(MockProposer([json.dumps({"type": "execute_tool", "params": {"tool": "campaign.continue"}})]))
    for _ in range(3):
        with pytest.raises(OutriderError) as refused:
            hostile.run_turn(campaign)
        assert refused.value.code == "campaign_not_active"
    stage.reopen()
    recover(stage.journal, stage.loop().gateway, stage.clock, campaign)
    verify_waiting(stage.journal, stage.clock, campaign)
    with stage.journal.transaction() as transaction:
        planner.plan(transaction, campaign, cause="test", at=stage.clock.now())
    stage.clock.advance(48 * HOUR)
    assert stage.status(campaign) == "paused"
    assert stage.query("SELECT 1 FROM event_log WHERE kind='CampaignContinued'") == []

    stage.commands().campaigns.change_status(campaign, CampaignStatus.ACTIVE)
    assert stage.query("SELECT actor FROM event_log WHERE kind='CampaignContinued'") == [("user",)]


def test_a_pause_while_a_run_starts_is_not_undone_by_it(stage: Stage) -> None:
    campaign = stage.campaign(2)
    stage.activate(campaign)

    def pause(_: object) -> None:
        stage.elsewhere(lambda user: user.campaigns.change_status(campaign, CampaignStatus.PAUSED, "lunch"))

    assert stage.run(campaign, on_checked=pause).halt is RunEnd.STOPPED
    assert stage.query("SELECT status, status_reason FROM campaigns") == [("paused", "lunch")]
