"""Comparing a later export of LinkedIn's with what is on record, and what that changed."""

from functools import partial
from pathlib import Path

from backend.adapters.clocks import SystemClock
from backend.commands.reconciliation import compare_export
from backend.settings import AppSettings
from backend.terminal.output import TerminalOutput, columns
from backend.wiring import open_workspace, read_contact_archive


def print_reconciliation(output: TerminalOutput, settings: AppSettings, file: Path) -> None:
    """Settle and contradict by the export; everybody about whom it changed something is named."""
    with open_workspace(settings) as workspace:
        found = compare_export(workspace.journal, SystemClock(), partial(read_contact_archive, file), file=file.name)
    lines = [f"{found.counts.sentence}; {found.counts.people:,} people of it are on record."]
    if found.left_out:
        lines.append(f"Left out: {found.left_out}.")
    if found.people:
        rows = [(one.change.removesuffix("s"), one.name, one.campaign_id) for one in found.people]
        lines += ["", *columns([("what", "who", "campaign"), *rows])]
    if found.counts.contradictions:
        lines += ["", "Nothing more goes to the contradicted until you have decided: `outrider answer CAMPAIGN`."]
    output.result(lines, {"file": file.name, **found.model_dump(mode="json")})
