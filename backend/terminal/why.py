"""Why nothing more is done for a person now: every gate's answer, in each campaign that has them."""

from typing import Any

from backend.app.wiring import member_key, open_workspace
from backend.domain.gates.gates import GATE_WORDS
from backend.domain.values.errors import OutriderError
from backend.machine.settings import AppSettings
from backend.runtime.run.rehearsal import clock_of
from backend.runtime.workspace import Workspace
from backend.situation.situations import TurnInputs
from backend.situation.wait_reasons import explain_lead
from backend.store.database import DatabaseConnection
from backend.store.queries.campaign import campaigns
from backend.store.queries.leads import lead_index, leads
from backend.store.queries.reports import campaign_overview
from backend.terminal import campaign_status
from backend.terminal.known_people import conversation, person_lines
from backend.terminal.output import TerminalOutput, columns, one_line

MOST_NAMED = 8


def print_why(output: TerminalOutput, settings: AppSettings, person: str, campaign: str | None) -> None:
    """Asked of the gates that guard each act, as if the user were here. `person`: an id, a profile address, or a name."""
    if not settings.has_database():
        raise OutriderError("lead_not_found", lead=one_line(person))
    with open_workspace(settings) as workspace, workspace.database.read() as connection:
        if campaign is None:
            streams = [row.id for row in campaign_overview.overviews(connection)]
        else:
            streams = [campaign_status.find_campaign(connection, campaign).id]
        explanations = [
            _as_json(workspace, connection, campaign_id, lead_id)
            for campaign_id, lead_id in find_person(connection, streams, person)
        ]
    lines: list[str] = []
    for explanation in explanations:
        lines += [
            "",
            f"{explanation['name']} in “{explanation['campaign_name']}” ({explanation['campaign']})",
            *explanation["sentences"],
        ]
        lines += [line for line in explanation.pop("lines") if line not in explanation["sentences"]]
        rows = [
            ("ok" if gate["passes"] else "waits", GATE_WORDS[gate["code"]], gate["sentence"])
            for gate in explanation["gates"]
        ]
        lines += columns(rows, indent="  ")
        lines += [f"  {line}" for line in explanation["conversation"]]
    output.result(lines[1:], {"leads": explanations})


def find_person(connection: DatabaseConnection, streams: list[str], person: str) -> list[tuple[str, str]]:
    """(campaign, lead) of this one person; raises `lead_not_found` and `lead_ambiguous`."""
    key = member_key(person)
    campaign_leads = leads.of_person(connection, streams, person.upper(), key or "")
    if not campaign_leads:
        named = {
            (stream, lead.id): lead
            for stream in streams
            for lead in lead_index.find_by_name(connection, stream, person)
        }
        people = {leads.member_key(connection, lead_id) for _, lead_id in named}
        if len(people) > 1:
            who = ", ".join(
                sorted({f"{lead.name} ({lead.company or lead.id})" for lead in named.values()})[:MOST_NAMED]
            )
            raise OutriderError("lead_ambiguous", lead=one_line(person), who=one_line(who))
        campaign_leads = list(named)
    if not campaign_leads:
        raise OutriderError("lead_not_found", lead=one_line(person))
    return campaign_leads


def _as_json(workspace: Workspace, connection: DatabaseConnection, stream: str, lead_id: str) -> dict[str, Any]:
    campaign = campaigns.existing_campaign(connection, stream)
    clock = clock_of(workspace, stream)
    now = clock.now()
    inputs = TurnInputs.at(clock, now, True)
    explained = explain_lead(connection, campaign, inputs, lead_id, to_user=True)
    lines, person = person_lines(connection, lead_id, inputs)
    lead = leads.lead(connection, stream, lead_id)
    exchanged = [] if lead is None else conversation(connection, lead, inputs.offset_at)
    lead_fields = {"campaign": stream, "campaign_name": campaign.name, "conversation": exchanged}
    return {**lead_fields, **explained.model_dump(mode="json", exclude={"kind"}), "person": person, "lines": lines}
