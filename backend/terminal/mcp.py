"""Serving a connected program over MCP, from the data folder itself, also while the app runs."""

from backend.adapters.clocks import SystemClock
from backend.mcp.server import serve_stdio
from backend.mcp.tools import McpContext
from backend.ports.clock import Clock
from backend.runtime.rehearsal import clock_of
from backend.settings import AppSettings
from backend.store.queries import campaign_overview
from backend.wiring import note_mcp_client, open_workspace


def serve(settings: AppSettings) -> None:
    """Until the host ends it; standard output belongs to the protocol."""
    with open_workspace(settings) as workspace:

        def clock(campaign_id: str) -> Clock:
            with workspace.database.read() as connection:
                found = campaign_overview.state(connection, campaign_id)
            return clock_of(workspace, campaign_id) if found and found.site == "practice" else SystemClock()

        serve_stdio(McpContext(workspace.journal, clock, seen=note_mcp_client(workspace.database)))
