"""What a model is shown of a campaign is enough to plan and to repeat nothing: every kind of task, and what came of what."""

import json

from backend.adapters.llm.scripted import ScriptedProposer
from backend.domain.model.sequence import DueAction
from backend.domain.turn.snapshot import MAX_AUDIT, MAX_OTHER_TASKS, Snapshot
from tests.fakes.campaign import QUICK, Noted, Stage
from tests.fakes.proposers import MockProposer


def shown(stage: Stage, campaign: str) -> list[dict[str, object]]:
    proposer = Noted(ScriptedProposer())
    stage.run(campaign, proposer=proposer, approve=False)
    return [json.loads(text) for text in proposer.shown]


def test_the_task_list_has_what_is_blocked_done_and_waiting(stage: Stage) -> None:
    campaign = stage.campaign(4, settings=QUICK)
    stage.activate(campaign)
    promise = {"type": "artifact_exists", "artifact_type": "note", "artifact_key": "never"}
    made = {"description": "Look up tea", "commitments": [promise]}
    create = json.dumps({"type": "create_task", "justification": "It helps.", "params": made})
    loop = stage.loop(MockProposer([create]))
    loop.run_turn(campaign)
    task = stage.one("SELECT id FROM tasks WHERE kind='custom'")
    for_ever = json.dumps({"type": "no_op", "task_id": task, "params": {}})
    select = json.dumps({"type": "select_next_task", "task_id": task})
    # Three times nothing: the task is blocked.
    blocking = stage.loop(MockProposer([select, for_ever, for_ever, for_ever]))
    for _ in range(4):
        blocking.run_turn(campaign)
    snapshots = shown(stage, campaign)
    last = snapshots[-1]["other_tasks"]
    assert isinstance(last, list)
    assert {task["status"] for task in last} >= {"blocked", "done", "in_progress"}
    (blocked,) = (task for task in last if task["status"] == "blocked")
    assert "Look up tea" in blocked["data"]
    assert "without success" in blocked["data"]
    assert any(task["status"] == "done" and "Score the leads" in task["data"] for task in last)
    assert all(len(snapshot["other_tasks"]) <= MAX_OTHER_TASKS for snapshot in snapshots)  # type: ignore[arg-type]


def test_recent_audit_says_what_came_of_it(stage: Stage) -> None:
    campaign = stage.campaign(2, settings=QUICK)
    snapshots = shown(stage, campaign)
    audit = [entry for snapshot in snapshots for entry in snapshot["recent_audit"]]  # type: ignore[attr-defined]
    looks = [entry for entry in audit if entry["action"] == "browser.read_profile"]
    leads = {row[0] for row in stage.query("SELECT id FROM leads")}
    assert looks
    assert all(
        entry["data"] == "ok" and entry["lead_id"] in leads and entry["verdict"] == "accepted" for entry in looks
    )
    assert all(len(snapshot["recent_audit"]) <= MAX_AUDIT <= 10 for snapshot in snapshots)  # type: ignore[arg-type]


def test_requests_of_the_user_are_no_part_of_the_task_list(stage: Stage) -> None:
    campaign = stage.campaign(1, settings=QUICK)
    stage.commands().requests.begin(campaign, "How is it going?", (), key="k")
    stage.commands().requests.begin(campaign, "Which one was it?", (), key="l")
    stage.outside.execute("UPDATE tasks SET needs='input' WHERE kind='assist' AND description LIKE 'Which%'")
    snapshot_text = json.dumps(shown(stage, campaign))
    assert not any(words in snapshot_text for words in ("How is it going?", "Which one was it?"))


def test_what_came_of_a_request_is_not_told_in_the_campaigns_own_turns(stage: Stage) -> None:
    campaign = stage.campaign(1, settings=QUICK)
    stage.activate(campaign)
    request = stage.commands().requests.begin(campaign, "How is it going?", (), key="k")
    assert stage.loop(MockProposer(["{"])).run_turn(campaign, "request", request).verdict == "reply_not_json"  # type: ignore[union-attr]
    assert shown(stage, campaign)[0]["last"] is None


class ReadsAllToDraft(Noted):
    """Reads the overview only to write a text."""

    def reads_overview(self, snapshot: Snapshot) -> bool:
        return snapshot.focus.need is not None and snapshot.focus.need.due is DueAction.DRAFT


def test_the_overview_is_loaded_only_for_a_proposer_that_reads_it(stage: Stage) -> None:
    campaign = stage.campaign(2, settings=QUICK)
    seen: list[Snapshot] = []
    proposer = ReadsAllToDraft(ScriptedProposer(), seen.append)
    stage.run(campaign, proposer=proposer, approve=False)
    assert {proposer.reads_overview(snapshot) for snapshot in seen} == {True, False}
    for snapshot in seen:
        overview = (snapshot.lead_counts, snapshot.recent_audit, snapshot.soul)
        assert all(overview) if proposer.reads_overview(snapshot) else not any(overview)
