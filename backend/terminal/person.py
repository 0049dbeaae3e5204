"""A person, from the terminal: what is stored of them, shown, written to a file, erased; and which campaign may write to them."""

import json
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from backend.app.wiring import open_workspace
from backend.domain.values.errors import OutriderError
from backend.machine.settings import AppSettings
from backend.runtime.run.rehearsal import clock_of
from backend.runtime.workspace import Workspace
from backend.store.queries.leads import leads
from backend.store.queries.people.person_entries import personal_data, personal_data_file
from backend.store.queries.reports import campaign_overview
from backend.terminal import campaign_status
from backend.terminal.known_people import conversation
from backend.terminal.new_files import write_new_file
from backend.terminal.output import TerminalOutput, one_line, require_terminal
from backend.terminal.why import find_person


def show(output: TerminalOutput, settings: AppSettings, person: str) -> None:
    """Print how much is stored, and where it came from; as JSON all of it."""
    with ExitStack() as stack:
        workspace, campaign_id, lead_id = _workspace_with(stack, settings, person)
        with workspace.database.read() as connection:
            stored = personal_data(connection, lead_id)
            clock = clock_of(workspace, campaign_id)
            lead = leads.lead(connection, campaign_id, lead_id)
            exchanged = [] if lead is None else conversation(connection, lead, clock.offset)
    lines: list[str] = []
    for campaign in stored["campaigns"]:
        lead = campaign["leads"][0]
        own = {name: lead[name] for name in ("profile_url", "job_title", "company", "email", "notes")}
        own |= {"tags": ", ".join(json.loads(lead["tags"]))} | json.loads(lead["extra"])
        counts = {"messages": "messages", "log entries": "events", "pictures": "pictures"}
        lines += [
            f"{lead['full_name']} in “{campaign['campaign']}” ({campaign['campaign_id']})",
            *(f"  {name.replace('_', ' ')}: {value}" for name, value in own.items() if value),
            "  " + ", ".join(f"{word}: {len(campaign[rows])}" for word, rows in counts.items()),
            *(f"  from {origin['file']}" for origin in campaign["came_from"]),
        ]
    lines += ["The last messages:", *(f"  {line}" for line in exchanged)] if exchanged else []
    lines.append("On the do-not-contact list." if stored["do_not_contact"] else "Not on the do-not-contact list.")
    output.result(lines, stored)


def export(output: TerminalOutput, settings: AppSettings, person: str, file: Path) -> None:
    """Write all of it to a new file."""
    with ExitStack() as stack:
        workspace, _, lead_id = _workspace_with(stack, settings, person)
        content = workspace.database.query(personal_data_file, lead_id)
    write_new_file(settings.data_dir, file, content)
    output.result([f"Written to {file}."], {"file": str(file), "bytes": len(content)})


def erase(output: TerminalOutput, settings: AppSettings, person: str, *, sure: bool) -> None:
    """Erase it for good; asks first unless `sure`."""
    with ExitStack() as stack:
        workspace, campaign_id, lead_id = _workspace_with(stack, settings, person)
        if not sure:
            require_terminal(output, "add --yes to erase without being asked")
            if (
                input("Erase everything about this person for good, in every campaign? Type “erase”: ").strip()
                != "erase"
            ):
                output.result(["Nothing was erased."], {"erased": False})
                return
        erasure = workspace.commands(clock_of(workspace, campaign_id)).people.erase(campaign_id, lead_id)
        workspace.erased_files.remove()
    lines = [
        f"Erased (leads: {erasure.leads}, log entries: {erasure.entries}, pictures: {erasure.pictures}). This person will not be"
        " contacted again.",
        "Backups and exports that you made elsewhere still hold the data.",
    ]
    json_result: dict[str, Any] = {
        "erased": True,
        "leads": erasure.leads,
        "entries": erasure.entries,
        "pictures": erasure.pictures,
    }
    output.result(lines, json_result)


def contact_anyway(output: TerminalOutput, settings: AppSettings, person: str, campaign: str, reason: str) -> None:
    """Let this campaign write to somebody who is with another one."""
    with ExitStack() as stack:
        workspace, campaign_id, lead_id = _workspace_with(stack, settings, person, campaign)
        workspace.commands(clock_of(workspace, campaign_id)).people.contact_anyway(campaign_id, lead_id, reason)
    lines = ["This campaign may write to them, too.", "To take it back: outrider person leave"]
    output.result(lines, {"campaign": campaign_id, "lead": lead_id, "reason": reason})


def greet(output: TerminalOutput, settings: AppSettings, person: str, campaign: str, name: str) -> None:
    """Say what a greeting calls them in this campaign."""
    with ExitStack() as stack:
        workspace, campaign_id, lead_id = _workspace_with(stack, settings, person, campaign)
        commands = workspace.commands(clock_of(workspace, campaign_id))
        greeting = commands.leads.choose_greeting(campaign_id, lead_id, name)
    sentence = (
        f"A greeting calls them {one_line(greeting.name)}."
        if greeting.name
        else "Their name decides again what a greeting calls them."
    )
    output.result(
        [sentence],
        {"campaign": campaign_id, "lead": lead_id, "greeting_name": greeting.name, "before": greeting.before},
    )


def leave(output: TerminalOutput, settings: AppSettings, person: str, campaign: str) -> None:
    """Leave somebody to the other campaign after all."""
    with ExitStack() as stack:
        workspace, campaign_id, lead_id = _workspace_with(stack, settings, person, campaign)
        workspace.commands(clock_of(workspace, campaign_id)).people.leave(campaign_id, lead_id)
    lines = ["Nothing goes to them from here while another campaign is in touch with them. What was sent stays sent."]
    output.result(lines, {"campaign": campaign_id, "lead": lead_id})


def move_here(output: TerminalOutput, settings: AppSettings, person: str, campaign: str) -> None:
    """Take somebody over from the campaign that they are with."""
    with ExitStack() as stack:
        workspace, campaign_id, lead_id = _workspace_with(stack, settings, person, campaign)
        workspace.commands(clock_of(workspace, campaign_id)).people.move_here(campaign_id, lead_id)
    lines = ["Moved here; the other campaign's sequence has ended for them. What was sent stays sent."]
    output.result(lines, {"campaign": campaign_id, "lead": lead_id})


def _workspace_with(
    stack: ExitStack, settings: AppSettings, person: str, campaign: str | None = None
) -> tuple[Workspace, str, str]:
    """The open workspace, and a lead of this one person, in that campaign if one is named."""
    if not settings.has_database():
        raise OutriderError("lead_not_found", lead=one_line(person))
    workspace = stack.enter_context(open_workspace(settings))
    with workspace.database.read() as connection:
        streams = [row.id for row in campaign_overview.overviews(connection)]
        if campaign is not None:
            streams = [campaign_status.find_campaign(connection, campaign).id]
        campaign_id, lead_id = find_person(connection, streams, person)[0]
    return workspace, campaign_id, lead_id
