"""What many servitors cost: summoned, listed for the page and for a connected program, and verified."""

import time
from pathlib import Path
from typing import Annotated

import typer
from pydantic import TypeAdapter

from backend.adapters.clocks import SystemClock
from backend.api.connect import ServitorLine, servitor_lines
from backend.commands.servitors import ServitorCommands
from backend.domain.events.facts.task import TaskClaimed
from backend.domain.model.campaign import Settings
from backend.domain.turn.servitor import MOST
from backend.turn.verifier import verify_waiting
from tests.bench.reporting import report, spread
from tests.bench.sample_campaign import workspace_in

REPEATS = 5
_LINES = TypeAdapter(list[ServitorLine])


def servitors(
    servitors: Annotated[int, typer.Option(min=1, max=MOST)] = MOST,
    folder: Annotated[Path | None, typer.Option()] = None,
    json_: Annotated[bool, typer.Option("--json")] = False,
) -> None:
    """So many of one campaign, all of which say that they are done and are not."""
    with workspace_in(folder) as workspace:
        campaign_id = workspace.commands().campaigns.create(
            "Bench", "Measure.", site="practice", account="b", settings=Settings()
        )
        commands = ServitorCommands(workspace.journal, SystemClock())
        summoned, ids = [], []
        for n in range(servitors):
            started = time.perf_counter()
            ids.append(commands.summon(campaign_id, f"Look at number {n}").id)
            summoned.append(time.perf_counter() - started)
        listed, wire = [], b""
        for _ in range(REPEATS):
            started = time.perf_counter()
            wire = _LINES.dump_json(workspace.database.query(servitor_lines, {campaign_id: "Bench"}))
            listed.append(time.perf_counter() - started)
        with workspace.journal.transaction() as transaction:
            claimed = [TaskClaimed(task_id) for task_id in ids]
            transaction.record(campaign_id, claimed, actor="agent", cause="bench", at=SystemClock().now())
        started = time.perf_counter()
        verdicts = verify_waiting(workspace.journal, SystemClock(), campaign_id)
        verified = time.perf_counter() - started
        assert len(verdicts) == servitors
        figures = {
            "servitors": servitors,
            "summon_ms": spread(summoned),
            "list_ms": spread(listed),
            "list_kb": len(wire) // 1_000,
            "verify_ms_each": round(1_000 * verified / servitors, 3),
        }
        report(figures, json_)
