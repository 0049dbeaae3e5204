"""Importing a lead file, with every rejected row told and kept."""

from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from backend.adapters.clocks import SystemClock
from backend.adapters.leadfiles.contact_history import contact_archive
from backend.app.wiring import open_workspace
from backend.commands.lead_import import ImportReport, import_leads
from backend.commands.reconciliation import compare_export
from backend.domain.leads.lead_filter import EVERYBODY, LONGEST_FILTER, LeadFilter
from backend.domain.values.errors import OutriderError
from backend.domain.values.hidden_characters import reveal
from backend.machine.settings import AppSettings
from backend.store.database import Database
from backend.store.queries.leads import imports
from backend.store.queries.people import imported_people
from backend.terminal import campaign_status
from backend.terminal.known_people import known_people_lines
from backend.terminal.lead_tables import read_lead_table, tell_past_contact
from backend.terminal.output import TerminalOutput, columns, progress_notes

LISTED = 200
"""Rejected rows that are listed; all are kept and counted."""


def _lead_filter(title: str, company: str, tag: str, *, not_in_touch: bool) -> LeadFilter:
    """Whom to take; raises `filter_too_long`, which names the option."""
    for option, typed in (("--title", title), ("--company", company), ("--tag", tag)):
        if len(typed) > LONGEST_FILTER:
            raise OutriderError("filter_too_long", option=option, length=len(typed), limit=LONGEST_FILTER)
    return LeadFilter(title=title, company=company, tag=tag, not_in_touch=not_in_touch)


def import_file(
    output: TerminalOutput,
    settings: AppSettings,
    id_or_name: str,
    path: Path,
    max_leads: int | None,
    encoding: str | None,
    sheet: str,
    chosen: list[str] | None,
    title: str,
    company: str,
    tag: str,
    *,
    not_in_touch: bool,
) -> None:
    """Bring the file's rows into the campaign; what is guessed of it is told, `chosen` are the user's own `FIELD=COLUMN`."""
    lead_filter = _lead_filter(title, company, tag, not_in_touch=not_in_touch)
    with open_workspace(settings) as workspace:
        clock = SystemClock()
        source = read_lead_table(output, workspace.database, path, encoding, chosen or (), sheet)
        campaign = workspace.database.query(campaign_status.find_campaign, id_or_name)
        past = tell_past_contact(output, source, max_leads, lead_filter)
        imported = import_leads(
            workspace.journal, clock, campaign.id, source,
            file=path.name, file_format=source.format.name, lead_filter=lead_filter, max_leads=max_leads, read_as=source.read_as,
            on_progress=progress_notes(output, "rows read"),
        )  # fmt: skip
        rejected_lines, rejected_rows = list_rejected(workspace.database, imported)
        people = workspace.database.query(imported_people.brought, campaign.id, imported.import_id, clock.now())
    counts = {name: getattr(imported, name) for name in ("accepted", "merged", "unchanged", "rejected", "filtered_out")}
    told_counts = [f"{counts[name]:,} {name}" for name in ("accepted", "merged", "unchanged", "rejected")]
    if lead_filter != EVERYBODY:
        told_counts.append(f"{imported.filtered_out:,} left out by your filter")
    lines = [", ".join(told_counts) + ".", *rejected_lines]
    if imported.listed:
        lines.append(f"{imported.listed:,} went on the do-not-contact list.")
    told_of_file = (*source.sheet.sentences, *source.unread_history.sentences)
    lines += [*map(reveal, told_of_file), *known_people_lines(people)]
    json_result = {
        "campaign": campaign.id,
        "file": path.name,
        "encoding": source.encoding,
        **counts,
        "listed": imported.listed,
        "people": asdict(people),
        "sheet": source.sheet._asdict(),
        "unread_history": asdict(source.unread_history),
    }
    output.result(lines, {**json_result, "past_contact": asdict(past), "rejected_rows": rejected_rows})


def list_rejected(database: Database, imported: ImportReport) -> tuple[list[str], list[dict[str, Any]]]:
    """The first rows that an import rejected, with their reasons, as lines and as values; none if there are none."""
    records = database.query(imports.rejected_records, imported.import_id, imports.FIRST, LISTED)
    rows = [(record.line, record.code, record.reason) for record in records]
    lines = ["", *columns([("line", "code", "reason"), *rows])] if rows else []
    if imported.rejected > len(rows):
        lines.append(f"and {imported.rejected - len(rows):,} more; all are kept with the campaign")
    return lines, [dict(zip(("line", "code", "reason"), row, strict=True)) for row in rows]


def print_reconciliation(output: TerminalOutput, settings: AppSettings, file: Path) -> None:
    """Settle and contradict by the export; everybody about whom it changed something is named."""
    with open_workspace(settings) as workspace:
        reconciliation = compare_export(
            workspace.journal, SystemClock(), partial(contact_archive, file), file=file.name
        )
    lines = [f"{reconciliation.counts.sentence}; {reconciliation.counts.people:,} people of it are on record."]
    if reconciliation.left_out:
        lines.append(f"Left out: {reconciliation.left_out}.")
    if reconciliation.people:
        rows = [(person.change.removesuffix("s"), person.name, person.campaign_id) for person in reconciliation.people]
        lines += ["", *columns([("what", "who", "campaign"), *rows])]
    if reconciliation.counts.contradictions:
        lines += ["", "Nothing more goes to the contradicted until you have decided: `outrider answer CAMPAIGN`."]
    output.result(lines, {"file": file.name, **reconciliation.model_dump(mode="json")})
