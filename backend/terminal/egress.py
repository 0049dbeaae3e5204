"""What leaves this machine, as the page shows it."""

from backend.adapters.clocks import SystemClock
from backend.api.egress import OutgoingView, outgoing
from backend.settings import AppSettings
from backend.terminal.output import TerminalOutput, columns
from backend.wiring import open_workspace


def print_outbound(output: TerminalOutput, settings: AppSettings) -> None:
    """The list of hosts, and what was sent to whom."""
    with open_workspace(settings) as workspace, workspace.database.read() as connection:
        view = outgoing(connection, workspace.outgoing, SystemClock().now())
    output.result(_lines(view), view.model_dump(mode="json"))


def _lines(view: OutgoingView) -> list[str]:
    rows = [
        (
            one.host,
            "may be called" if one.allowed else "not any more",
            f"{one.calls:,} calls, {one.failures:,} failed",
            f"{one.bytes_out:,} bytes out, {one.bytes_in:,} in",
        )
        for one in view.hosts
    ]
    told = columns(rows) if rows else ["No host may be called: no model and no project is set up."]
    for one in view.hosts:
        told += ["", f"{one.host}: {one.why}", f"  Sent: {one.sends}"]
    told += ["", *filter(None, [view.proxy]), view.browser, "", "Never sent:", *(f"  {one}" for one in view.never)]
    return told
