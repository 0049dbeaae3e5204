"""What it costs to say everything that a model must know, at any size of the campaign."""

import time
from pathlib import Path
from typing import Annotated, Any

import typer

from backend.adapters.llm.prompt import compose
from backend.app.wiring import Workspace
from backend.domain.model.days import in_utc
from backend.domain.turn.proposals import PROPOSAL
from backend.situation.situations import TurnInputs
from backend.store.queries.campaign import campaigns
from backend.turn import load
from tests.bench.reporting import report, spread
from tests.bench.sample_campaign import filled_campaign, workspace_in


def prompt(
    leads: Annotated[int, typer.Option(min=1)] = 100_000,
    events: Annotated[int, typer.Option(min=0, help="Prior events in the log, besides those of the leads.")] = 0,
    times: Annotated[int, typer.Option(min=1)] = 300,
    folder: Annotated[Path | None, typer.Option()] = None,
    json_: Annotated[bool, typer.Option("--json")] = False,
) -> None:
    """From the database to the prompt's last byte: state loaded, snapshot built, prompt composed."""
    results: dict[str, Any] = {}
    for size in (100, leads):
        with workspace_in(folder) as workspace:
            results[f"{size}_leads"] = _measured(workspace, filled_campaign(workspace, size, events), times)
    report(results, json_)


def _measured(workspace: Workspace, campaign_id: str, times: int) -> dict[str, Any]:
    schema, now = PROPOSAL.json_schema(), workspace.commands().clock.now()
    spent: list[float] = []
    size = 0
    for _ in range(times):
        started = time.perf_counter()
        with workspace.database.read() as connection:
            position = campaigns.position(connection, campaign_id)
            if position is None:
                raise LookupError(campaign_id)
            state = load.load(connection, position, TurnInputs(now, in_utc, present=True))
            snapshot = load.snapshot(connection, state)
        composed = compose(snapshot, schema, within=100_000)
        spent.append(time.perf_counter() - started)
        size = composed.tokens
    return {"ms": spread(spent), "tokens": size}
