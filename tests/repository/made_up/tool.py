"""A tool that does not exist, added as CONTRIBUTING.md says: its parameters, its row, its handler. Run as a process of its own."""

import json
import sys
from pathlib import Path
from typing import Literal

from backend.domain.model import tools
from backend.domain.model.task import ActionFamily, TaskKind, TaskStatus


class WaveHello(tools.LeadParams):
    """Wave at the lead."""

    tool: Literal["browser.wave_hello"]


tools.TOOLS["browser.wave_hello"] = tools.ToolSpec(
    WaveHello, ActionFamily.LOOK, tools.Reconcile.RETRY_SAFE, (TaskKind.REACH_LEAD,), "wave_hello"
)

# What is derived from the table is built when it is first imported, so that all of this comes after the row.
from backend.adapters.llm.scripted import ScriptedProposer  # noqa: E402
from backend.domain.turn.proposal_check import ProposalFacts  # noqa: E402
from backend.domain.turn.snapshot import Snapshot  # noqa: E402
from backend.turn.execute import carry_out  # noqa: E402
from backend.turn.execute.execution import Execution, TurnOutcome, outcome_for, present  # noqa: E402
from backend.turn.load import TurnContext  # noqa: E402
from tests.fakes.campaign import MESSAGE_ONLY, Stage  # noqa: E402
from tests.fakes.proposers import MockProposer  # noqa: E402


def wave_hello(_: Execution, __: TurnContext, facts: ProposalFacts, call: tools.ToolParams) -> TurnOutcome:
    return outcome_for(present(facts.task), "accepted", f"{call.tool} at {present(facts.lead).full_name}", [])


carry_out.HANDLERS["wave_hello"] = wave_hello


def main(folder: str) -> None:
    stage = Stage(Path(folder))
    campaign = stage.campaign(1, settings=MESSAGE_ONLY, connected=True)
    offered: list[str] = []

    def propose(snapshot: Snapshot) -> str:
        focus = snapshot.focus
        if focus.lead is None or focus.task.status is TaskStatus.PENDING or offered:
            return ScriptedProposer().propose(snapshot)
        offered.extend(snapshot.tools)
        call = {"tool": "browser.wave_hello", "lead_id": focus.lead.id}
        return json.dumps({"type": "execute_tool", "task_id": focus.task.id, "params": call})

    stage.run(campaign, proposer=MockProposer([propose] * 100))
    waved = [turn.detail for turn in stage.turns if "wave_hello" in turn.raw and turn.verdict == "accepted"]
    status = stage.status(campaign)
    print(json.dumps({"offered": "browser.wave_hello" in offered, "said": waved, "campaign": status}))
    stage.close()


if __name__ == "__main__":
    main(sys.argv[1])
