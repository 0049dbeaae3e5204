"""`outrider project`: a campaign's files for people."""

from backend.domain.papers import CONTEXT, ENVIRONMENT, TASKS
from backend.settings import AppSettings
from backend.terminal import standing
from backend.terminal.speech import Speech
from backend.wiring import open_workspace, write_papers


def project(speech: Speech, settings: AppSettings, wanted: str) -> None:
    """Write them again and say where."""
    with open_workspace(settings) as workspace:
        with workspace.database.read() as connection:
            found = standing.campaign(connection, wanted)
        folder = write_papers(workspace, found.id)
    names = [CONTEXT, ENVIRONMENT, TASKS]
    speech.result([str(folder / name) for name in names], {"campaign": found.id, "folder": str(folder), "files": names})
