"""What it costs to ask everything about one person: the gates' facts, `outrider why`, their page, all that is stored."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

from backend.adapters.clocks import SystemClock
from backend.api import lead_details
from backend.app.wiring import Workspace
from backend.domain.events.events import WORKSPACE, Event
from backend.domain.events.facts.message import ReplyReceived
from backend.domain.events.facts.workspace import DoNotContactAdded
from backend.situation import situations
from backend.situation.situations import TurnInputs
from backend.situation.wait_reasons import explain_lead
from backend.store.database import DatabaseConnection
from backend.store.queries.campaign import campaigns
from backend.store.queries.leads import leads
from backend.store.queries.people.person_entries import personal_data
from tests.bench.leads import varied_lead
from tests.bench.reporting import report, spread
from tests.bench.sample_campaign import empty_campaign, fill, workspace_in
from tests.bench.services import services_at

CAMPAIGNS = 10
SHARED_BY = 4
"""In so many campaigns is somebody who is in several."""
ANSWERS_EVERY = 10
FORBIDDEN = 1_000
"""Entries of the do-not-contact list."""
MOST_ASKED = 500
DEAREST = 10
"""All that is stored is read for a download, so it is asked of a part only."""


class _Place(NamedTuple):
    """A person's place in a campaign."""

    campaign_id: str
    lead_id: str


def person_(
    leads: Annotated[int, typer.Option(min=CAMPAIGNS, help="Leads in all campaigns together.")] = 100_000,
    shared: Annotated[int, typer.Option(min=1, help="People who are in several campaigns.")] = 1_000,
    folder: Annotated[Path | None, typer.Option()] = None,
    json_: Annotated[bool, typer.Option("--json")] = False,
) -> None:
    """Everything about one person who is in several of ten campaigns; CPU time of each question."""
    per_campaign = leads // CAMPAIGNS
    if shared > per_campaign:
        raise typer.BadParameter(f"a campaign has {per_campaign} leads", param_hint="--shared")
    with workspace_in(folder) as workspace:
        places = _fill_campaigns(workspace, per_campaign, shared)
        asked = places[:: max(1, len(places) // MOST_ASKED)]
        report({"leads": leads, "people_asked": len(asked), **_measure(workspace, asked)}, json_)


def _fill_campaigns(workspace: Workspace, per_campaign: int, shared: int) -> list[_Place]:
    """Ten campaigns; the places of those who are in several: the first of some have written back in one of them."""
    places: list[_Place] = []
    for number in range(CAMPAIGNS):
        campaign_id, first = empty_campaign(workspace), number * per_campaign
        here: list[_Place] = []

        def lead(n: int, campaign_id: str = campaign_id, first: int = first, here: list[_Place] = here) -> Event:
            is_shared = n < shared and first < SHARED_BY * per_campaign
            event = varied_lead(workspace, n if is_shared else first + n)
            if is_shared:
                here.append(_Place(campaign_id, event.entity_id))
            return event._replace(changes={**event.changes, "email": f"{event.changes['member_key']}@company.example"})

        fill(workspace, campaign_id, per_campaign, lead)
        if number == 0:
            _write_back(workspace, campaign_id, here[::ANSWERS_EVERY])
        places += here
    listed = [_forbidden(workspace, n) for n in range(FORBIDDEN)]
    workspace.journal.record(WORKSPACE, events=listed, actor="bench", cause="fill", at=1)
    return places


def _write_back(workspace: Workspace, campaign_id: str, people: list[_Place]) -> None:
    wrote = [
        ReplyReceived(
            workspace.journal.ids.new(),
            lead_id=person.lead_id,
            kind="reply",
            text="Thank you!",
            sent_at=2,
            created_at=2,
        )
        for person in people
    ]
    advanced = [
        Event("LeadAdvanced", person.lead_id, {"status": "responded", "invited_at": 1, "replied_at": 2})
        for person in people
    ]
    workspace.journal.record(campaign_id, events=[*wrote, *advanced], actor="bench", cause="fill", at=2)


def _forbidden(workspace: Workspace, n: int) -> Event:
    return DoNotContactAdded(
        workspace.journal.ids.new(), member_key=f"forbidden-{n}", name=f"No {n}", reason="", created_at=1
    )


def _measure(workspace: Workspace, places: list[_Place]) -> dict[str, Any]:
    clock = SystemClock()
    inputs = TurnInputs.at(clock, clock.now(), True)
    services = services_at(inputs)

    def facts(connection: DatabaseConnection, person: _Place) -> None:
        campaign, lead = campaigns.campaign(connection, person.campaign_id), leads.lead(connection, *person)
        assert campaign is not None
        assert lead is not None
        situations.person_facts(connection, campaign, lead, inputs.now)

    def why(connection: DatabaseConnection, person: _Place) -> None:
        campaign = campaigns.campaign(connection, person.campaign_id)
        assert campaign is not None
        explain_lead(connection, campaign, inputs, person.lead_id)

    with workspace.database.read() as connection:
        return {
            "facts_cpu_ms": _asked(lambda person: facts(connection, person), places),
            "why_cpu_ms": _asked(lambda person: why(connection, person), places),
            "page_cpu_ms": _asked(lambda person: lead_details.view(services, connection, *person), places),
            "stored_cpu_ms": _asked(lambda person: personal_data(connection, person.lead_id), places[::DEAREST]),
        }


def _asked(ask: Callable[[_Place], object], people: list[_Place]) -> dict[str, float]:
    """One question to each of them, after one that warms the statements."""
    ask(people[0])
    spent = []
    for person in people:
        started = time.process_time()
        ask(person)
        spent.append(time.process_time() - started)
    return spread(spent)
