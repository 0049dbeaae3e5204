"""What a dry run costs: so many days of a campaign of so many leads, by the usual limits."""

import time
from pathlib import Path
from typing import Annotated

import typer

from backend.adapters.clocks import SystemClock
from backend.domain.model.campaign import Settings
from backend.domain.turn.assumption import Assumption
from backend.runtime.run.dry_run import dry_run
from tests.bench.leads import varied_lead
from tests.bench.reporting import report
from tests.bench.sample_campaign import fill, workspace_in


def dry_run_(
    leads: Annotated[int, typer.Option(min=10)] = 10_000,
    days: Annotated[int, typer.Option(min=1, max=90)] = 30,
    accept: Annotated[float, typer.Option(min=0, max=1)] = 0.4,
    reply: Annotated[float, typer.Option(min=0, max=1)] = 0.3,
    folder: Annotated[Path | None, typer.Option()] = None,
    json_: Annotated[bool, typer.Option("--json")] = False,
) -> None:
    """The next days of a campaign, worked out by the controller on a copy in memory; the leads are scored within it."""
    with workspace_in(folder) as workspace:
        campaign = workspace.commands().campaigns.create(
            "Bench", "Measure.", site="practice", account="b", settings=Settings()
        )
        fill(workspace, campaign, leads, lambda n: varied_lead(workspace, n))
        began, of_processor = time.perf_counter(), time.process_time()
        forecast = dry_run(workspace.database, campaign, SystemClock(), days, Assumption(accept, reply, "1"))
        took = {"seconds": time.perf_counter() - began, "cpu_seconds": time.process_time() - of_processor}
        seconds = {name: round(value, 2) for name, value in took.items()}
        report({"leads": leads, "days": days, "acts": len(forecast.acts), **seconds}, json_)
