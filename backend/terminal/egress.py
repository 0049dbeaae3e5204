"""What leaves this machine, as the page shows it."""

from backend.adapters.clocks import SystemClock
from backend.api.egress import OutgoingView, outgoing
from backend.app.wiring import open_workspace
from backend.machine.settings import AppSettings
from backend.terminal.output import TerminalOutput, columns


def print_outbound(output: TerminalOutput, settings: AppSettings) -> None:
    """The list of hosts, and what was sent to whom."""
    with open_workspace(settings) as workspace, workspace.database.read() as connection:
        view = outgoing(connection, workspace.outgoing, SystemClock().now())
    output.result(_lines(view), view.model_dump(mode="json"))


def _lines(view: OutgoingView) -> list[str]:
    rows = [
        (
            host.host,
            "may be called" if host.allowed else "not any more",
            f"{host.calls:,} calls, {host.failures:,} failed",
            f"{host.bytes_out:,} bytes out, {host.bytes_in:,} in",
        )
        for host in view.hosts
    ]
    lines = columns(rows) if rows else ["No host may be called: no model and no project is set up."]
    for host in view.hosts:
        lines += ["", f"{host.host}: {host.why}", f"  Sent: {host.sends}"]
    lines += [
        "",
        *filter(None, [view.proxy]),
        view.browser,
        "",
        "Never sent:",
        *(f"  {sentence}" for sentence in view.never),
    ]
    return lines
