"""The runtime of a campaign's turns in the terminal (spec 002): its snapshot, its projection, wake requests, a fault's reset."""

from dataclasses import asdict
from datetime import UTC, datetime
from typing import NamedTuple

from backend.adapters.clocks import SystemClock
from backend.app.wiring import open_workspace
from backend.domain.device.configuration import PROTECTED
from backend.machine.settings import AppSettings
from backend.store.database import DatabaseConnection
from backend.store.queries.device import runtime_snapshot
from backend.store.queries.device.runtime_snapshot import ProjectionStatus, RuntimeSnapshot
from backend.store.queries.reports import campaign_overview
from backend.store.queries.turn import wake_requests
from backend.store.queries.turn.wake_requests import WakeReason, WakeRequest
from backend.terminal.campaign_status import find_campaign
from backend.terminal.output import TerminalOutput, columns

RECENT = 5


def print_runtime(output: TerminalOutput, settings: AppSettings, id_or_name: str | None) -> None:
    """One campaign's runtime, or that of all; raises `campaign_unknown`, `campaign_ambiguous`."""
    with open_workspace(settings) as workspace, workspace.database.read() as connection:
        ids = [campaign.id for campaign in campaign_overview.overviews(connection)]
        if id_or_name is not None:
            ids = [find_campaign(connection, id_or_name).id]
        runtimes = [_runtime(connection, campaign_id) for campaign_id in ids]
    lines = [line for runtime in runtimes for line in [*_lines(runtime), ""]]
    lines += ["Protected keys of the configuration, and where each is changed", *columns(PROTECTED, indent="  ")]
    protected = [{"key": key, "changed_in": where} for key, where in PROTECTED]
    output.result(lines, {"runtimes": [_as_json(runtime) for runtime in runtimes], "protected": protected})


def wake(output: TerminalOutput, settings: AppSettings, id_or_name: str, text: str, at: datetime | None) -> None:
    """Arm a wake request, which Outrider's window carries out once it is due and the user is there."""
    with open_workspace(settings) as workspace:
        clock = SystemClock()
        campaign_id = workspace.database.query(find_campaign, id_or_name).id
        due = clock.now() if at is None else round(at.timestamp() * 1_000)
        reason: WakeReason = "manual" if at is None else "timer"
        wake_id = workspace.commands(clock).runtime.ask_to_wake(campaign_id, due, text, reason)
    sentence = f"Armed for {_time(due)}; Outrider's window wakes the campaign while you are there."
    output.result([sentence], {"campaign": campaign_id, "wake": wake_id, "due_at": due, "reason": reason})


def reset(output: TerminalOutput, settings: AppSettings, id_or_name: str, reason: str) -> None:
    """Bring a faulted turn machine back to rest; raises `fault_none`."""
    with open_workspace(settings) as workspace:
        campaign_id = workspace.database.query(find_campaign, id_or_name).id
        workspace.commands(SystemClock()).runtime.reset_fault(campaign_id, reason)
    output.result(["The fault is reset; nothing runs until you start it."], {"campaign": campaign_id, "reset": True})


class _Runtime(NamedTuple):
    campaign_id: str
    snapshot: RuntimeSnapshot
    projection: ProjectionStatus
    wakes: list[WakeRequest]


def _runtime(connection: DatabaseConnection, campaign_id: str) -> _Runtime:
    snapshot = runtime_snapshot.runtime_snapshot(connection, campaign_id)
    projection = runtime_snapshot.projection_status(connection, campaign_id)
    return _Runtime(campaign_id, snapshot, projection, wake_requests.recent(connection, campaign_id, RECENT))


def _as_json(runtime: _Runtime) -> dict[str, object]:
    return {
        "campaign": runtime.campaign_id,
        **asdict(runtime.snapshot),
        "turn_projection": asdict(runtime.projection),
        "wake_requests": [asdict(wake) for wake in runtime.wakes],
    }


def _lines(runtime: _Runtime) -> list[str]:
    snapshot, projection = runtime.snapshot, runtime.projection
    rebuilt = "never"
    if projection.rebuilt_at is not None:
        rebuilt = f"{_time(projection.rebuilt_at)} from {projection.rebuilt_from:,} events"
    rows = [
        ("campaign", runtime.campaign_id),
        ("state", snapshot.state),
        ("turn lock", "held" if snapshot.turn_lock else "free"),
        ("loop", "enabled" if snapshot.loop_enabled else "disabled"),
        ("last turn", snapshot.last_turn),
        ("last error", snapshot.last_error or "none"),
        ("projection", f"turn {projection.position} of {projection.log_turn}, {projection.lag} behind the log"),
        ("rebuilt", rebuilt),
        *(("wake", f"{wake.reason}, {_time(wake.due_at)}: {wake.status} {wake.said}") for wake in runtime.wakes),
    ]
    return columns(rows)


def _time(at: int) -> str:
    return datetime.fromtimestamp(at / 1_000, UTC).astimezone().strftime("%Y-%m-%d %H:%M")
