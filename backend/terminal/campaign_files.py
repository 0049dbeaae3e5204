"""`outrider project`: a campaign's files for people."""

from backend.domain.reports.campaign_files import CONTEXT, ENVIRONMENT, TASKS
from backend.settings import AppSettings
from backend.terminal import campaign_status
from backend.terminal.output import TerminalOutput
from backend.wiring import open_workspace, write_campaign_files


def show_campaign_files(output: TerminalOutput, settings: AppSettings, id_or_name: str) -> None:
    """Write them again and say where."""
    with open_workspace(settings) as workspace:
        with workspace.database.read() as connection:
            campaign = campaign_status.find_campaign(connection, id_or_name)
        folder = write_campaign_files(workspace, campaign.id)
    names = [CONTEXT, ENVIRONMENT, TASKS]
    output.result(
        [str(folder / name) for name in names], {"campaign": campaign.id, "folder": str(folder), "files": names}
    )
