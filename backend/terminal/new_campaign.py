"""Making a campaign in the terminal: its channel, its sequence, its leads."""

from dataclasses import asdict
from pathlib import Path

import typer

from backend.adapters.clocks import SystemClock
from backend.api.lead_files import further_variables
from backend.api.server.services import ReadableLeads
from backend.app.wiring import open_workspace
from backend.commands.lead_import import import_leads
from backend.domain.model.channel import find_channel
from backend.domain.model.sequence import Sequence as LeadSequence
from backend.domain.people.lead_row import LeadRow
from backend.domain.sequence.sequence_change import new_sequence
from backend.domain.sequence.template import preset_for, refuse_unsendable, sequence_of
from backend.machine.settings import AppSettings
from backend.store.queries.people import imported_people
from backend.terminal.consent import ask_for_consent, given_consent
from backend.terminal.import_leads import list_rejected
from backend.terminal.known_people import known_people_lines
from backend.terminal.lead_tables import read_lead_table, tell_past_contact
from backend.terminal.output import TerminalOutput, columns
from backend.terminal.sequence import read_sequence

LONGEST_NAME, LONGEST_GOAL = 120, 1_000


def make_campaign(
    output: TerminalOutput,
    settings: AppSettings,
    name: str,
    goal: str,
    leads: Path,
    channel_id: str,
    sequence: Path | None,
    topic: str,
    max_leads: int | None,
    encoding: str | None,
    sheet: str,
    mapped: list[str] | None,
) -> None:
    """Everything that could be refused is looked at before anything is written. Without a `sequence` file it suits the people."""
    channel = find_channel(channel_id)
    name, goal = words("name", name, LONGEST_NAME), words("goal", goal, LONGEST_GOAL)
    topic = words("topic", topic, LONGEST_GOAL) if topic else ""
    chosen_sequence = None if sequence is None else new_sequence(read_sequence(sequence))
    with open_workspace(settings) as workspace:
        source = read_lead_table(output, workspace.database, leads, encoding, mapped or (), sheet)
        campaign_settings = channel.settings(chosen_sequence or _suited(source), topic=topic)
        refuse_unsendable(campaign_settings.sequence, campaign_settings, further_variables(source))
        if channel.needs_consent and output.interactive and given_consent(workspace) is None:
            ask_for_consent(output, workspace)
        past, clock = tell_past_contact(output, source, max_leads), SystemClock()
        campaign_id = workspace.commands().campaigns.create_on(channel, name, goal, campaign_settings)
        imported = import_leads(
            workspace.journal, clock, campaign_id, source,
            file=leads.name, file_format=source.format.name, max_leads=max_leads, read_as=source.read_as,
        )  # fmt: skip
        rejected_lines, rejected_rows = list_rejected(workspace.database, imported)
        people = workspace.database.query(imported_people.brought, campaign_id, imported.import_id, clock.now())
    counts = {name: getattr(imported, name) for name in ("accepted", "merged", "unchanged", "rejected")}
    rows = [("campaign", campaign_id), ("channel", channel.title), *((what, f"{n:,}") for what, n in counts.items())]
    if imported.listed:
        rows.append(("on the do-not-contact list", f"{imported.listed:,}"))
    json_result = {
        "campaign": campaign_id,
        "channel": channel.id,
        **counts,
        "listed": imported.listed,
        "people": asdict(people),
        "past_contact": asdict(past),
        "rejected_rows": rejected_rows,
    }
    output.result([*columns(rows), *rejected_lines, *known_people_lines(people)], json_result)


def _suited(source: ReadableLeads) -> LeadSequence:
    """What goes to strangers, to contacts, or to both, by whom the file has."""
    are_contacts = [row.is_connected for row in source if isinstance(row, LeadRow)]
    return sequence_of(preset_for(sum(are_contacts), len(are_contacts)).steps)


def words(what: str, text: str, most: int) -> str:
    """The text without blanks around it; a usage error when it is empty or too long."""
    text = text.strip()
    if not 0 < len(text) <= most:
        raise typer.BadParameter(f"The {what} needs 1 to {most:,} characters.")
    return text
