"""Importing a lead file, with every rejected row told and kept."""

from pathlib import Path

from backend.clocks import SystemClock
from backend.controller.importing import import_leads
from backend.settings import AppSettings
from backend.terminal import standing
from backend.terminal.speech import Speech, columns
from backend.wiring import lead_file, open_workspace

_SAID_EVERY = 10_000
LISTED = 200
"""Rejected rows that are listed; all are kept and counted."""


def import_file(speech: Speech, settings: AppSettings, wanted: str, path: Path, max_leads: int | None) -> None:
    """Bring the file's rows into the campaign."""
    source = lead_file(path)
    with open_workspace(settings) as workspace:
        with workspace.database.read() as connection:
            found = standing.campaign(connection, wanted)
        told = 0

        def progress(done: int) -> None:
            nonlocal told
            if done - told >= _SAID_EVERY:
                told = done
                speech.note(f"{done:,} rows read")

        imported = import_leads(
            workspace.journal, SystemClock(), found.id, source,
            file=path.name, file_format=source.format.name, max_leads=max_leads, on_progress=progress,
        )  # fmt: skip
        with workspace.database.read() as connection:
            rejected = connection.execute(
                "SELECT line, code, reason FROM rejected_rows WHERE import_id=? ORDER BY line LIMIT ?",
                (imported.import_id, LISTED),
            ).fetchall()
    counts = {name: getattr(imported, name) for name in ("accepted", "merged", "unchanged", "rejected")}
    lines = [", ".join(f"{n:,} {name}" for name, n in counts.items()) + "."]
    if rejected:
        lines += ["", *columns([("line", "code", "reason"), *rejected])]
        if imported.rejected > len(rejected):
            lines.append(f"and {imported.rejected - len(rejected):,} more; all are kept with the campaign")
    rows = [dict(zip(("line", "code", "reason"), row, strict=True)) for row in rejected]
    speech.result(lines, {"campaign": found.id, "file": path.name, **counts, "rejected_rows": rows})
