"""A campaign's report as a file."""

from pathlib import Path

from backend.api.report import campaign_report, report_file
from backend.api.server.lookup import find_campaign
from backend.domain.events.events import AuditEntry
from backend.domain.values.errors import OutriderError
from backend.runtime.run.rehearsal import clock_of
from backend.settings import AppSettings
from backend.situation.situations import TurnInputs
from backend.terminal import campaign_status
from backend.terminal.output import TerminalOutput
from backend.wiring import open_workspace


def write_report(output: TerminalOutput, settings: AppSettings, id_or_name: str, file: Path) -> None:
    """Write the report into a new file, CSV if its name ends so, else HTML; raises `campaign_unknown`, `export_failed`."""
    with open_workspace(settings) as workspace:
        with workspace.database.read() as connection:
            campaign = find_campaign(connection, campaign_status.find_campaign(connection, id_or_name).id)
            clock = clock_of(workspace, campaign.id)
            now = clock.now()
            report = campaign_report(connection, campaign, TurnInputs.at(clock, now, present=True))
        content = b"".join(report_file(report, "csv" if file.suffix.lower() == ".csv" else "html"))
        try:
            with file.open("xb") as out:
                out.write(content)
        except OSError as error:
            raise OutriderError("export_failed", detail=error.strerror or type(error).__name__) from error
        parameters = {"files": [file.name], "bytes": len(content)}
        written = AuditEntry("file.write", {"parameters": parameters, "outcome": "ok"})
        workspace.journal.record(campaign.id, events=(), audits=(written,), actor="user", cause="report", at=now)
    output.result([f"{file}: {len(content):,} bytes."], {"file": str(file), "bytes": len(content)})
