"""What it costs to take over what another device recorded, and to step back behind it with one's own."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from backend.app.wiring import Workspace
from backend.domain.events.events import Event
from backend.ports.shared_store import Batch
from backend.store.replication import replica
from backend.store.replication.replica import AttachedProject
from tests.bench.leads import varied_lead
from tests.bench.reporting import report
from tests.bench.sample_campaign import empty_campaign, fill, workspace_in

_PAGE = 5_000
_PAGE_BYTES = 8_000_000
_PROJECT = AttachedProject("https://project.test", "key", "user", "", "device", "This device", 0)


def adopt_(
    leads: Annotated[int, typer.Option(min=1_000)] = 100_000,
    own: Annotated[int, typer.Option(min=1, help="Events of this device that are rebased.")] = 10_000,
    folder: Annotated[Path | None, typer.Option()] = None,
    json_: Annotated[bool, typer.Option("--json")] = False,
) -> None:
    """Taking over another device's import, page by page; then setting own events aside and recording them again."""
    with workspace_in(folder) as there, workspace_in(folder) as here:
        campaign_id = empty_campaign(there)
        fill(there, campaign_id, leads, lambda n: varied_lead(there, n))
        for workspace in (there, here):
            with workspace.journal.transaction() as transaction:
                replica.attach(transaction, _PROJECT)
        adopted, seconds = _take_over(there, here, campaign_id)
        fill(here, campaign_id, own, lambda n: varied_lead(here, leads + n))
        edited = Event("CampaignEdited", campaign_id, {"goal": "another"})
        there.journal.record(campaign_id, events=[edited], actor="user", cause="bench", at=0)
        aside = _timed(here, lambda transaction: replica.roll_back_unacknowledged(transaction, campaign_id, 0))
        _take_over(there, here, campaign_id)
        again = _timed(here, lambda transaction: replica.reapply(transaction, campaign_id, 0))
        figures = {
            "adopted": adopted,
            "adopted_a_second": round(adopted / seconds),
            "own": own,
            "roll_back_s": aside,
            "followed_s": again,
        }
        report(figures, json_)


def _take_over(there: Workspace, here: Workspace, campaign_id: str) -> tuple[int, float]:
    """Everything that the other has more; how many events, in how many seconds of this device's own work."""
    count, spent = 0, 0.0
    while batch := _page(there, campaign_id):
        began = time.perf_counter()
        with here.journal.transaction() as transaction:
            replica.adopt(transaction, campaign_id, batch.events, batch.audits)
        spent += time.perf_counter() - began
        count += len(batch.events)
        with there.journal.transaction() as transaction:
            heads = batch.event_seq + len(batch.events), batch.audit_seq + len(batch.audits)
            replica.acknowledge(transaction, campaign_id, *heads)
    return count, spent


def _page(workspace: Workspace, campaign_id: str) -> Batch | None:
    return workspace.database.query(replica.next_batch, campaign_id, most=_PAGE, most_bytes=_PAGE_BYTES)


def _timed(workspace: Workspace, step: Callable[[Any], object]) -> float:
    began = time.perf_counter()
    with workspace.journal.transaction() as transaction:
        step(transaction)
    return round(time.perf_counter() - began, 3)
