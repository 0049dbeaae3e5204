"""What a change of a running sequence costs before it is applied: the difference, the templates over all leads, the change."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from backend.adapters.clocks import SystemClock
from backend.api.sequence import check_over_leads, sequence_view
from backend.app.wiring import Workspace
from backend.commands.sequences import difference
from backend.domain.events.events import Event
from backend.domain.model.campaign import Campaign, Settings
from backend.domain.model.condition import Condition
from backend.domain.sequence.sequence_change import RequestedSequence, RequestedStep, as_request
from backend.store.queries.campaign import campaigns
from tests.bench.leads import varied_lead
from tests.bench.reporting import report, spread
from tests.bench.sample_campaign import fill, workspace_in

REPEATS = 5


def sequence_(
    leads: Annotated[int, typer.Option(min=1_000)] = 100_000,
    running: Annotated[int, typer.Option(min=0, help="How many of them are somewhere in the sequence.")] = 20_000,
    drafts: Annotated[int, typer.Option(min=0, help="How many of those have a text that waits.")] = 1_000,
    folder: Annotated[Path | None, typer.Option()] = None,
    json_: Annotated[bool, typer.Option("--json")] = False,
) -> None:
    """The sequence of a running campaign: shown, checked over all leads, its difference, and a change applied."""
    with workspace_in(folder) as workspace:
        commands = workspace.commands()
        campaign_id = commands.campaigns.create("Bench", "Measure.", site="practice", account="b", settings=Settings())
        ids: list[str] = []

        def lead(n: int) -> Event:
            event = varied_lead(workspace, n)
            ids.append(event.entity_id)
            return event

        fill(workspace, campaign_id, leads, lead)
        steps = running + running + drafts
        fill(workspace, campaign_id, steps, lambda n: _somewhere(workspace, ids, n, running))
        report({"leads": leads, "running": running, "drafts": drafts, **_measure(workspace, campaign_id)}, json_)


def _somewhere(workspace: Workspace, ids: list[str], n: int, running: int) -> Event:
    lead = ids[n % running]
    if n < running:
        relation = ("none", "pending", "connected", "connected")[n % 4]
        return Event("LeadAdvanced", lead, {"sequence_step": 1 + n % 4, "relation": relation, "invited_at": 1})
    if n < 2 * running:
        task = {"kind": "reach_lead", "description": "Reach", "status": "in_progress", "needs": "think"}
        return Event("TaskCreated", workspace.journal.ids.new(), {**task, "lead_id": lead, "created_at": 1})
    step = ("invite", "hello", "follow_up", "follow_up")[n % 4]
    text = {"lead_id": lead, "task_id": "t", "step": step, "kind": "message", "text": "Hi.", "status": "draft"}
    return Event("MessageDrafted", workspace.journal.ids.new(), {**text, "created_at": 1})


def _measure(workspace: Workspace, campaign_id: str) -> dict[str, Any]:
    with workspace.database.read() as connection:
        campaign = campaigns.campaign(connection, campaign_id)
        assert campaign is not None
        changed = _changed(campaign)
        figures = {
            "view_ms": _timed(lambda: sequence_view(connection, campaign)),
            "difference_ms": _timed(lambda: difference(connection, campaign, changed)),
            "templates_ms": _timed(lambda: check_over_leads(connection, campaign, changed.steps)),
        }
    commands = workspace.commands(SystemClock()).sequences
    started = time.perf_counter()
    commands.change(campaign_id, requested_sequence=changed, version=None)
    return {**figures, "applied_ms": round(1_000 * (time.perf_counter() - started), 1)}


def _changed(campaign: Campaign) -> RequestedSequence:
    """Other words in one step, and one step more, for some people alone."""
    now = as_request(campaign.settings.sequence)
    *others, last = now.steps
    some = Condition(what="field", name="company", compare="contains", value="a")
    template = "Hi {first_name}, one more about {company|your company}."
    more = RequestedStep(kind="message", template=template, after_days=4, only_if=(some,))
    return now.model_copy(update={"steps": (*others, last.model_copy(update={"template": "Hi {full_name}."}), more)})


def _timed(work: Callable[[], object]) -> Any:
    spent = []
    for _ in range(REPEATS):
        started = time.perf_counter()
        work()
        spent.append(time.perf_counter() - started)
    return spread(spent)
