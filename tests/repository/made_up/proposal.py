"""Lets a campaign's proposer celebrate a task of its own."""

import json
import sys
from pathlib import Path

from backend.adapters.llm.schema import proposal_schema
from backend.adapters.llm.scripted import ScriptedProposer
from backend.domain.model.task import TaskKind, TaskStatus
from backend.domain.turn.snapshot import Snapshot
from tests.fakes.campaign import MESSAGE_ONLY, Stage
from tests.fakes.proposers import MockProposer


def main(folder: str) -> None:
    stage = Stage(Path(folder))
    campaign = stage.campaign(1, settings=MESSAGE_ONLY, connected=True)
    offered: list[bool] = []
    made: list[str] = []

    def propose(snapshot: Snapshot) -> str:
        task = snapshot.focus.task
        if not made and task.kind is TaskKind.REACH_LEAD:
            made.append(task.id)
            promise = {"type": "leads_scored"}
            new = {"description": "Celebrate", "commitments": [promise]}
            return json.dumps({"type": "create_task", "justification": "It went well.", "params": new})
        if task.kind is TaskKind.CUSTOM and task.status is TaskStatus.IN_PROGRESS and not offered:
            offered.append("celebrate" in json.dumps(proposal_schema(snapshot)))
            return json.dumps({"type": "celebrate", "task_id": task.id})
        return ScriptedProposer().propose(snapshot)

    stage.run(campaign, proposer=MockProposer([propose] * 100))
    verdicts = [turn.verdict for turn in stage.turns if turn.proposal == "celebrate"]
    status = stage.one("SELECT status FROM tasks WHERE kind='custom'")
    print(json.dumps({"offered": offered == [True], "verdicts": verdicts, "task": status}))
    stage.close()


if __name__ == "__main__":
    main(sys.argv[1])
