"""Comparing a later export of LinkedIn's with what is on record, and what that changed."""

from functools import partial
from pathlib import Path

from backend.adapters.clocks import SystemClock
from backend.app.wiring import open_workspace, read_contact_archive
from backend.commands.reconciliation import compare_export
from backend.machine.settings import AppSettings
from backend.terminal.output import TerminalOutput, columns


def print_reconciliation(output: TerminalOutput, settings: AppSettings, file: Path) -> None:
    """Settle and contradict by the export; everybody about whom it changed something is named."""
    with open_workspace(settings) as workspace:
        reconciliation = compare_export(
            workspace.journal, SystemClock(), partial(read_contact_archive, file), file=file.name
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
