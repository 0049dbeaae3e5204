"""Serving a connected program over MCP, from the data folder itself, also while the app runs."""

from functools import partial

from backend.app.wiring import note_mcp_client, open_workspace
from backend.domain.turn.servitor import is_name
from backend.domain.values.errors import OutriderError
from backend.machine.settings import AppSettings
from backend.mcp.server import serve_stdio
from backend.mcp.tools import McpContext
from backend.runtime.run.rehearsal import clock_of


def serve(settings: AppSettings, program: str) -> None:
    """Until the host ends it; standard output belongs to the protocol. Raises `program_name_invalid`."""
    program = program.strip()
    if program and not is_name(program):
        raise OutriderError("program_name_invalid")
    with open_workspace(settings) as workspace:
        serve_stdio(
            McpContext(
                workspace.journal,
                partial(clock_of, workspace),
                program=program,
                launch=workspace.journal.ids.new(),
                on_client=note_mcp_client(workspace.database),
            )
        )
