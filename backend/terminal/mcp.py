"""Serving a connected program over MCP, from the data folder itself, also while the app runs."""

from functools import partial

from backend.mcp.server import serve_stdio
from backend.mcp.tools import McpContext
from backend.runtime.run.rehearsal import clock_of
from backend.settings import AppSettings
from backend.wiring import note_mcp_client, open_workspace


def serve(settings: AppSettings) -> None:
    """Until the host ends it; standard output belongs to the protocol."""
    with open_workspace(settings) as workspace:
        serve_stdio(
            McpContext(workspace.journal, partial(clock_of, workspace), seen=note_mcp_client(workspace.database))
        )
