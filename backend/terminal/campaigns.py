"""`outrider campaign`: rename, duplicate, archive and delete a campaign."""

from dataclasses import asdict

from backend.adapters.clocks import SystemClock
from backend.commands.campaigns import DUPLICATE
from backend.commands.lead_import import import_leads
from backend.settings import AppSettings
from backend.store.queries import campaign_contents
from backend.terminal.decisions import open_campaign_for_decision
from backend.terminal.new_campaign import LONGEST_NAME, words
from backend.terminal.output import TerminalOutput, columns, one_line
from backend.wiring import delete_campaign


def rename_campaign(output: TerminalOutput, settings: AppSettings, wanted: str, name: str) -> None:
    """Give the campaign another name."""
    name = words("name", name, LONGEST_NAME)
    with open_campaign_for_decision(settings, wanted) as (_, found, commands):
        commands.campaigns.edit(found.id, version=None, name=name)
    output.result([f"It is now called “{one_line(name)}”."], {"campaign": found.id, "name": name})


def duplicate_campaign(
    output: TerminalOutput, settings: AppSettings, wanted: str, name: str | None, *, people: bool
) -> None:
    """Another campaign like it, with those of its people who got nothing yet or with nobody."""
    with open_campaign_for_decision(settings, wanted) as (workspace, found, commands):
        name = words("name", name or f"{found.name[: LONGEST_NAME - 7]} (copy)", LONGEST_NAME)
        made = commands.campaigns.duplicate(found.id, name)
        brought = 0
        if people:
            with workspace.database.read() as connection:
                rows = campaign_contents.people_not_contacted(connection, found.id)
            if rows:
                report = import_leads(
                    workspace.journal, SystemClock(), made, rows, file=found.name, file_format=DUPLICATE
                )
                brought = report.accepted
    told = [("campaign", made), ("name", one_line(name)), ("people", f"{brought:,}")]
    output.result(columns(told), {"campaign": made, "name": name, "of": found.id, "people": brought})


def archive_campaign(output: TerminalOutput, settings: AppSettings, wanted: str, *, undo: bool) -> None:
    """Take the campaign out of the lists, or bring it back."""
    with open_campaign_for_decision(settings, wanted) as (_, found, commands):
        if undo:
            commands.campaigns.unarchive(found.id)
        else:
            commands.campaigns.archive(found.id)
    said = "is back; nothing runs before you start it." if undo else "is in the archive; `--undo` brings it back."
    output.result([f"“{one_line(found.name)}” {said}"], {"campaign": found.id, "archived": not undo})


def remove_campaign(output: TerminalOutput, settings: AppSettings, wanted: str, *, yes: bool) -> None:
    """Say what would go; with `yes` it goes."""
    with open_campaign_for_decision(settings, wanted) as (workspace, found, commands):
        with workspace.database.read() as connection:
            held = campaign_contents.contents(connection, found.id)
        machine = {"campaign": found.id, "name": found.name, "holds": asdict(held)}
        if not yes:
            rows = [
                ("people", f"{held.people:,}"),
                ("messages to them", f"{held.texts:,}"),
                ("their replies", f"{held.replies:,}"),
                ("artifacts", f"{held.artifacts:,}"),
                ("lines of conversation", f"{held.lines:,}"),
            ]
            output.result(
                [
                    f"“{one_line(found.name)}” would be deleted for good, with",
                    *columns(rows, indent="  "),
                    "Their words leave the logs, the shared store and your other devices; the logs can still be checked.",
                    "The do-not-contact list and copies that you made (backups, exports) stay.",
                    "",
                    "Nothing was deleted; add --yes to do it.",
                ],
                {**machine, "deleted": False},
            )
            return
        erased = delete_campaign(workspace, commands, found.id)
    said = f"“{one_line(found.name)}” is deleted; {erased:,} log entries lost their words."
    output.result([said], {**machine, "deleted": True, "erased": erased})
