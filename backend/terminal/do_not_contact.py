"""The do-not-contact list in the terminal: shown, added to, imported from a file and exported to one."""

from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import Any

from backend.adapters.clocks import SystemClock
from backend.adapters.leadfiles.do_not_contact_file import read_do_not_contact_file
from backend.api.do_not_contact import exported_list, rejected_lines
from backend.app.wiring import member_key, open_existing_workspace, open_workspace
from backend.commands import do_not_contact_undo as undoing
from backend.commands.do_not_contact_import import DoNotContactReport, forecast_import, import_do_not_contact
from backend.commands.do_not_contact_undo import UndoneDoNotContactImport
from backend.domain.people.contact_keys import ContactKind, company_key, domain_key, entry_key, kind_of
from backend.domain.people.do_not_contact_file import ERASED_PERSON, is_erased_key
from backend.domain.values.errors import OutriderError
from backend.domain.values.hidden_characters import reveal
from backend.machine.settings import AppSettings
from backend.runtime.workspace import Workspace
from backend.store.queries.people import do_not_contact
from backend.store.queries.people import do_not_contact_imports as imports
from backend.store.queries.people.do_not_contact import ForbiddenPerson
from backend.terminal.lead_tables import UNAMBIGUOUS
from backend.terminal.new_files import write_new_file
from backend.terminal.output import TerminalOutput, columns, progress_notes

LISTED = 1_000
"""Entries that are printed; the export has all."""
_AT_ONCE = 200
_REJECTED_SHOWN = 10


def import_file(
    output: TerminalOutput,
    settings: AppSettings,
    path: Path,
    *,
    encoding: str | None,
    sheet: str,
    check: bool,
    sure: bool,
    rejected: Path | None,
) -> None:
    """Put the file's rows on the list, after telling what that stops; with `check` only tell it.

    `rejected` is a new file for the rows that put nobody on the list.
    """
    source = read_do_not_contact_file(path, encoding, sheet)
    if encoding is None and source.encoding not in UNAMBIGUOUS:
        output.note(
            f"{path.name} does not state its encoding, so it is read as {source.encoding}. Use --encoding to choose another."
        )
    for sentence in source.sheet.sentences:
        output.note(reveal(sentence))
    with open_workspace(settings) as workspace:
        forecast = workspace.database.query(forecast_import, source, file=path.name)
        if rejected is not None:
            write_new_file(settings.data_dir, rejected, b"".join(rejected_lines(source)))
        if check:
            output.result([*_report_lines(forecast, planned=True), "Nothing was changed."], _as_json(path, forecast))
            return
        if not _confirmed(output, forecast, sure=sure):
            output.result(["Nothing was changed."], {"file": path.name, "imported": False})
            return
        report = import_do_not_contact(
            workspace.journal, SystemClock(), source, file=path.name, on_progress=progress_notes(output, "rows read")
        )
    lines = _report_lines(report, planned=False)
    if report.people + report.companies + report.domains:
        lines.append(f"To take it back: outrider do-not-contact undo {report.import_id}")
    output.result(lines, _as_json(path, report) | {"import": report.import_id})


def _confirmed(output: TerminalOutput, forecast: DoNotContactReport, *, sure: bool) -> bool:
    """What would happen is told first; who is there to be asked is asked."""
    if output.as_json or not output.interactive:
        return True
    for line in _report_lines(forecast, planned=True):
        output.note(line)
    return sure or input("Put them on the list? [y/N] ").strip().lower() in ("y", "yes")


def _report_lines(report: DoNotContactReport, *, planned: bool) -> list[str]:
    counts = [
        _counted(report.people, "person", "people"),
        _counted(report.companies, "company", "companies"),
        _counted(report.domains, "domain", "domains"),
    ]
    new = "New on the list would be" if planned else "New on the list"
    lines = [f"{new}: {', '.join(counts)}. Already on it: {report.already:,}. Rejected: {report.rejected:,}."]
    stops = "would stop" if planned else "stopped"
    for campaign, leads in report.campaigns.items():
        lines.append(f"  {_counted(leads, 'lead', 'leads')} in “{campaign}” {stops}")
    messages = _counted(report.messages_withdrawn, "approved message", "approved messages")
    lines.append(f"  {messages} {'would be withdrawn' if planned else 'withdrawn'}")
    if report.erased:
        lines.append(
            f"{report.erased:,} of the people are erased: the file has only a key of theirs, which recognises them in the workspace"
            " that it was exported from, and nowhere else."
        )
    if report.rejected_rows:
        rows = [(row.line, row.code, row.reason) for row in report.rejected_rows[:_REJECTED_SHOWN]]
        lines += ["", *columns([("line", "code", "reason"), *rows])]
        if report.rejected > len(rows):
            lines.append(f"and {report.rejected - len(rows):,} more; --rejected FILE writes all of them")
        lines.append("")
    return lines


def _counted(number: int, singular: str, plural: str) -> str:
    return f"{number:,} {singular if number == 1 else plural}"


def _as_json(path: Path, report: DoNotContactReport) -> dict[str, Any]:
    report_fields = asdict(report)
    del report_fields["import_id"]
    report_fields["rejected_rows"] = [
        {"line": row.line, "code": row.code, "reason": row.reason} for row in report.rejected_rows
    ]
    return {"file": path.name, **report_fields}


def undo(output: TerminalOutput, settings: AppSettings, import_id: str | None) -> None:
    """Take an import back, by default the latest that is not undone."""
    with ExitStack() as stack:
        workspace = open_existing_workspace(stack, settings)
        if workspace is None:
            raise OutriderError("do_not_contact_import_unknown")
        with workspace.database.read() as connection:
            latest = (row.id for row in imports.list_imports(connection, "", _AT_ONCE) if row.undone_at is None)
            undone_id = import_id or next(latest, "")
        undone = undoing.undo_do_not_contact_import(workspace.journal, SystemClock(), undone_id)
    output.result(_undone_lines(undone), {"import": undone_id, **asdict(undone)})


def _undone_lines(undone: UndoneDoNotContactImport) -> list[str]:
    return [
        f"{_counted(undone.entries, 'entry', 'entries')} left the list."
        f" {_counted(undone.released, 'lead', 'leads')} may be contacted again; {undone.still_held:,} held by other entries.",
        f"Not taken back: {_counted(undone.sent, 'message', 'messages')} sent to them before,"
        f" {_counted(undone.withdrawn, 'withdrawn message', 'withdrawn messages')} (to be written again),"
        f" {_counted(undone.ended, 'ended task', 'ended tasks')}.",
    ]


def export(output: TerminalOutput, settings: AppSettings, file: Path) -> None:
    """Write the whole list to a new file."""
    with open_workspace(settings) as workspace:
        write_new_file(settings.data_dir, file, b"".join(exported_list(workspace.database)))
        entries = erased = 0
        for entry in _entries(workspace):
            entries += 1
            erased += is_erased_key(entry.member_key)
    lines = [f"{_counted(entries, 'entry', 'entries')} written to {file}."]
    if erased:
        lines.append(f"{erased:,} of them are erased people, whose keys only work in this workspace.")
    output.result(lines, {"file": str(file), "entries": entries, "erased": erased})


def show(output: TerminalOutput, settings: AppSettings) -> None:
    """Print the list, the newest first."""
    with ExitStack() as stack:
        workspace = open_existing_workspace(stack, settings)
        entries = [] if workspace is None else list(_entries(workspace))
    rows = [_row(entry) for entry in entries]
    lines = columns([("kind", "entry", "name", "reason"), *rows[:LISTED]]) if rows else ["The list is empty."]
    if len(rows) > LISTED:
        lines.append(f"and {len(rows) - LISTED:,} more; `outrider do-not-contact export FILE` writes all of them")
    json_entries = [
        {"kind": entry.kind, "value": _value(entry.member_key), "name": entry.name, "reason": entry.reason}
        for entry in entries
    ]
    output.result(lines, {"entries": json_entries})


def _row(entry: ForbiddenPerson) -> tuple[str, str, str, str]:
    if is_erased_key(entry.member_key):
        return (ERASED_PERSON, "known by a key only", "", "")
    return (entry.kind, _value(entry.member_key), entry.name, entry.reason)


def _value(key: str) -> str:
    return key.partition(":")[2] if kind_of(key) != "person" else key


def add(
    output: TerminalOutput, settings: AppSettings, who: str, kind: ContactKind | None, name: str, reason: str
) -> None:
    """Put one entry on the list; raises `person_unclear`, `company_unclear` and `domain_unclear`.

    Without a kind, an address is a person's and a domain is one; a company has to be called one.
    """
    kind = kind or ("domain" if member_key(who) is None and domain_key(who) else "person")
    key = entry_key(kind, who, member_key)
    with open_workspace(settings) as workspace:
        commands = workspace.commands(SystemClock()).workspace
        commands.add_do_not_contact(key, name or (who if kind == "company" else ""), reason)
    output.result([f"On the list: {_value(key)}. No campaign writes to them."], {"kind": kind, "value": _value(key)})


def remove(output: TerminalOutput, settings: AppSettings, who: str, kind: ContactKind | None) -> None:
    """Take one entry off the list, without a kind the first that is called so; raises `person_not_listed`."""
    with ExitStack() as stack:
        workspace = open_existing_workspace(stack, settings)
        if workspace is None:
            raise OutriderError("person_not_listed")
        keys = _keys_called(who) if kind is None else [entry_key(kind, who, member_key)]
        with workspace.database.read() as connection:
            listed = [(key, entries[0]) for key in keys if (entries := do_not_contact.same_entries(connection, key))]
        if not listed:
            raise OutriderError("person_not_listed")
        key, entry_id = listed[0]
        workspace.commands(SystemClock()).workspace.remove_do_not_contact(entry_id)
    output.result(
        [f"Off the list: {_value(key)}. They may be contacted again."], {"kind": kind_of(key), "value": _value(key)}
    )


def _keys_called(who: str) -> list[str]:
    return [key for key in (member_key(who), domain_key(who), company_key(who)) if key is not None]


def _entries(workspace: Workspace) -> Iterable[ForbiddenPerson]:
    before = ""
    while True:
        page = workspace.database.query(do_not_contact.forbidden_people, before, _AT_ONCE)
        if not page:
            return
        yield from page
        before = page[-1].id
