"""`outrider project`: a campaign's files for people."""

from backend.domain.campaign_files import CONTEXT, ENVIRONMENT, TASKS
from backend.settings import AppSettings
from backend.terminal import campaign_status
from backend.terminal.output import TerminalOutput
from backend.wiring import open_workspace, write_campaign_files


def show_campaign_files(output: TerminalOutput, settings: AppSettings, wanted: str) -> None:
    """Write them again and say where."""
    with open_workspace(settings) as workspace:
        with workspace.database.read() as connection:
            found = campaign_status.find_campaign(connection, wanted)
        folder = write_campaign_files(workspace, found.id)
    names = [CONTEXT, ENVIRONMENT, TASKS]
    output.result([str(folder / name) for name in names], {"campaign": found.id, "folder": str(folder), "files": names})
