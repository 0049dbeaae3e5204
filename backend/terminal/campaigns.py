"""`outrider campaign`: rename, duplicate, archive and delete a campaign."""

from dataclasses import asdict
from pathlib import Path

from backend.adapters.clocks import SystemClock
from backend.api.report import campaign_report, report_file
from backend.app.wiring import delete_campaign, open_workspace, write_campaign_files
from backend.commands.campaigns import DUPLICATE
from backend.commands.lead_import import import_leads
from backend.domain.events.events import AuditEntry
from backend.domain.reports.campaign_files import CONTEXT, ENVIRONMENT, TASKS
from backend.machine.settings import AppSettings
from backend.runtime.run.rehearsal import clock_of
from backend.situation.situations import TurnInputs
from backend.store.queries.campaign import campaign_contents
from backend.store.queries.campaign.campaigns import existing_campaign
from backend.terminal import campaign_status
from backend.terminal.decisions import open_campaign_for_decision
from backend.terminal.new_campaign import LONGEST_NAME, words
from backend.terminal.new_files import write_new_file
from backend.terminal.output import TerminalOutput, columns, one_line


def rename_campaign(output: TerminalOutput, settings: AppSettings, id_or_name: str, name: str) -> None:
    """Give the campaign another name."""
    name = words("name", name, LONGEST_NAME)
    with open_campaign_for_decision(settings, id_or_name) as (_, campaign, commands):
        commands.campaigns.edit(campaign.id, version=None, name=name)
    output.result([f"It is now called “{one_line(name)}”."], {"campaign": campaign.id, "name": name})


def duplicate_campaign(
    output: TerminalOutput, settings: AppSettings, id_or_name: str, name: str | None, *, people: bool
) -> None:
    """Another campaign like it, with those of its people who got nothing yet or with nobody."""
    with open_campaign_for_decision(settings, id_or_name) as (workspace, campaign, commands):
        name = words("name", name or f"{campaign.name[: LONGEST_NAME - 7]} (copy)", LONGEST_NAME)
        copy_id = commands.campaigns.duplicate(campaign.id, name)
        imported = 0
        if people:
            rows = workspace.database.query(campaign_contents.people_not_contacted, campaign.id)
            if rows:
                report = import_leads(
                    workspace.journal, SystemClock(), copy_id, rows, file=campaign.name, file_format=DUPLICATE
                )
                imported = report.accepted
    output_rows = [("campaign", copy_id), ("name", one_line(name)), ("people", f"{imported:,}")]
    output.result(columns(output_rows), {"campaign": copy_id, "name": name, "of": campaign.id, "people": imported})


def archive_campaign(output: TerminalOutput, settings: AppSettings, id_or_name: str, *, undo: bool) -> None:
    """Take the campaign out of the lists, or bring it back."""
    with open_campaign_for_decision(settings, id_or_name) as (_, campaign, commands):
        if undo:
            commands.campaigns.unarchive(campaign.id)
        else:
            commands.campaigns.archive(campaign.id)
    outcome = "is back; nothing runs before you start it." if undo else "is in the archive; `--undo` brings it back."
    output.result([f"“{one_line(campaign.name)}” {outcome}"], {"campaign": campaign.id, "archived": not undo})


def remove_campaign(output: TerminalOutput, settings: AppSettings, id_or_name: str, *, yes: bool) -> None:
    """Say what would go; with `yes` it goes."""
    with open_campaign_for_decision(settings, id_or_name) as (workspace, campaign, commands):
        contents = workspace.database.query(campaign_contents.contents, campaign.id)
        json_result = {"campaign": campaign.id, "name": campaign.name, "holds": asdict(contents)}
        if not yes:
            rows = [
                ("people", f"{contents.people:,}"),
                ("messages to them", f"{contents.texts:,}"),
                ("their replies", f"{contents.replies:,}"),
                ("artifacts", f"{contents.artifacts:,}"),
                ("lines of conversation", f"{contents.lines:,}"),
            ]
            output.result(
                [
                    f"“{one_line(campaign.name)}” would be deleted for good, with",
                    *columns(rows, indent="  "),
                    "Their words leave the logs, the shared store and your other devices; the logs can still be checked.",
                    "The do-not-contact list and copies that you made (backups, exports) stay.",
                    "",
                    "Nothing was deleted; add --yes to do it.",
                ],
                {**json_result, "deleted": False},
            )
            return
        erased = delete_campaign(workspace, commands, campaign.id)
    sentence = f"“{one_line(campaign.name)}” is deleted; {erased:,} log entries lost their words."
    output.result([sentence], {**json_result, "deleted": True, "erased": erased})


def show_campaign_files(output: TerminalOutput, settings: AppSettings, id_or_name: str) -> None:
    """Write them again and say where."""
    with open_workspace(settings) as workspace:
        campaign = workspace.database.query(campaign_status.find_campaign, id_or_name)
        folder = write_campaign_files(workspace, campaign.id)
    names = [CONTEXT, ENVIRONMENT, TASKS]
    output.result(
        [str(folder / name) for name in names], {"campaign": campaign.id, "folder": str(folder), "files": names}
    )


def write_report(output: TerminalOutput, settings: AppSettings, id_or_name: str, file: Path) -> None:
    """Write the report into a new file, CSV if its name ends so, else HTML; raises `campaign_unknown`, `export_failed`."""
    with open_workspace(settings) as workspace:
        with workspace.database.read() as connection:
            campaign = existing_campaign(connection, campaign_status.find_campaign(connection, id_or_name).id)
            clock = clock_of(workspace, campaign.id)
            now = clock.now()
            report = campaign_report(connection, campaign, TurnInputs.at(clock, now, present=True))
        content = b"".join(report_file(report, "csv" if file.suffix.lower() == ".csv" else "html"))
        write_new_file(settings.data_dir, file, content)
        parameters = {"files": [file.name], "bytes": len(content)}
        written = AuditEntry("file.write", {"parameters": parameters, "outcome": "ok"})
        workspace.journal.record(campaign.id, events=(), audits=(written,), actor="user", cause="report", at=now)
    output.result([f"{file}: {len(content):,} bytes."], {"file": str(file), "bytes": len(content)})
