"""Importing a lead file, with every rejected row told and kept."""

from pathlib import Path

from backend.adapters.clocks import SystemClock
from backend.commands.lead_import import import_leads
from backend.domain.errors import OutriderError
from backend.settings import AppSettings
from backend.store.queries import imports
from backend.terminal import campaign_status
from backend.terminal.output import TerminalOutput, columns
from backend.wiring import LeadFile, guess_columns_of, open_lead_file, open_workspace

_SAID_EVERY = 10_000
UNAMBIGUOUS = ("utf-8", "utf-8-sig", "utf-16")
"""Encodings that a file proves by its bytes; every other one is a guess."""

NAMES = frozenset({"full_name", "first_name", "last_name"})
"""Fields of which a table needs one."""

LISTED = 200
"""Rejected rows that are listed; all are kept and counted."""


def _open(speech: TerminalOutput, path: Path, encoding: str | None) -> LeadFile:
    """The file as it is recognised, or a table by the names of its columns; which is which is told."""
    try:
        return open_lead_file(path, encoding=encoding)
    except OutriderError as error:
        if error.code not in ("lead_file_unknown_format", "lead_file_no_name_column"):
            raise
        _, mapping = guess_columns_of(path, encoding)
        if not NAMES & mapping.keys():
            raise
        fields = ", ".join(f"{field.replace('_', ' ')} from “{column}”" for field, column in mapping.items())
        speech.note(f"{path.name} is read by the names of its columns: {fields}.")
        return open_lead_file(path, mapping, encoding)


def import_file(
    speech: TerminalOutput,
    settings: AppSettings,
    wanted: str,
    path: Path,
    max_leads: int | None,
    encoding: str | None = None,
) -> None:
    """Bring the file's rows into the campaign; a guessed encoding is told."""
    source = _open(speech, path, encoding)
    if encoding is None and source.encoding not in UNAMBIGUOUS:
        speech.note(
            f"{path.name} bears no mark of its encoding; it is read as {source.encoding}. --encoding names another."
        )
    with open_workspace(settings) as workspace:
        with workspace.database.read() as connection:
            found = campaign_status.find_campaign(connection, wanted)
        told = 0

        def progress(done: int) -> None:
            nonlocal told
            if done - told >= _SAID_EVERY:
                told = done
                speech.note(f"{done:,} rows read")

        imported = import_leads(
            workspace.journal, SystemClock(), found.id, source,
            file=path.name, file_format=source.format.name, max_leads=max_leads, read_as=source.read_as, on_progress=progress,
        )  # fmt: skip
        with workspace.database.read() as connection:
            records = imports.rejected_records(connection, imported.import_id, imports.FIRST, LISTED)
    rejected = [(record.line, record.code, record.reason) for record in records]
    counts = {name: getattr(imported, name) for name in ("accepted", "merged", "unchanged", "rejected")}
    lines = [", ".join(f"{n:,} {name}" for name, n in counts.items()) + "."]
    if rejected:
        lines += ["", *columns([("line", "code", "reason"), *rejected])]
        if imported.rejected > len(rejected):
            lines.append(f"and {imported.rejected - len(rejected):,} more; all are kept with the campaign")
    rows = [dict(zip(("line", "code", "reason"), row, strict=True)) for row in rejected]
    speech.result(
        lines, {"campaign": found.id, "file": path.name, "encoding": source.encoding, **counts, "rejected_rows": rows}
    )
