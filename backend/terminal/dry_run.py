"""What the next days of a campaign would be, and nothing of it is done or stored."""

from collections import Counter
from dataclasses import asdict
from datetime import UTC, datetime, timedelta

from backend.adapters.clocks import EPOCH
from backend.app.wiring import open_workspace
from backend.domain.model.days import OffsetAt, local_time
from backend.domain.turn.assumption import Assumption
from backend.domain.values.errors import OutriderError
from backend.machine.settings import AppSettings
from backend.runtime.run.dry_run import Forecast, dry_run
from backend.runtime.run.rehearsal import clock_of
from backend.store.queries.contact.actions import WITHDRAWAL
from backend.terminal import campaign_status
from backend.terminal.output import TerminalOutput, columns, one_line

NAMED = 40


def print_dry_run(
    output: TerminalOutput,
    settings: AppSettings,
    id_or_name: str,
    days: int,
    accept: float,
    reply: float,
    seed: str,
) -> None:
    """By the controller itself, on a copy in memory."""
    assumption = Assumption(accept, reply, seed)
    if not settings.has_database():
        raise OutriderError("campaign_unknown", campaign=one_line(id_or_name))
    with open_workspace(settings) as workspace:
        with workspace.database.read() as connection:
            campaign = campaign_status.find_campaign(connection, id_or_name)
            campaign_status.require_complete_import(connection, campaign.id)
        forecast = dry_run(workspace.database, campaign.id, clock_of(workspace, campaign.id), days, assumption)
    json_result = {"campaign": campaign.id, "days": days, "assumed": asdict(assumption), **_machine(forecast)}
    output.result(_lines(forecast), json_result)


def _day(at: int, offset_at: OffsetAt) -> str:
    return (EPOCH + timedelta(milliseconds=local_time(at, offset_at))).astimezone(UTC).strftime("%Y-%m-%d")


def _minute(at: int, offset_at: OffsetAt) -> str:
    moment: datetime = EPOCH + timedelta(milliseconds=local_time(at, offset_at))
    return moment.strftime("%Y-%m-%d %H:%M")


def _by_day(forecast: Forecast) -> list[tuple[str, int, int, int]]:
    counts = Counter((_day(act.at, forecast.offset_at), act.kind) for act in forecast.acts)
    days = sorted({day for day, _ in counts})
    return [(day, counts[day, "invitation"], counts[day, "message"], counts[day, WITHDRAWAL]) for day in days]


def _machine(forecast: Forecast) -> dict[str, object]:
    return {
        "sent": sum(act.kind != WITHDRAWAL for act in forecast.acts),
        "by_day": [
            {"day": day, "invitations": invitations, "messages": messages, "withdrawals": withdrawals}
            for day, invitations, messages, withdrawals in _by_day(forecast)
        ],
        "acts": [asdict(act) for act in forecast.acts],
        "ends_at": forecast.ends_at,
        "finished": forecast.finished,
        "open": forecast.open,
        "left_out": forecast.left_out,
        "unplanned": forecast.unplanned,
        "answered": forecast.answered,
        "held": list(forecast.hold_reasons),
    }


def _lines(forecast: Forecast) -> list[str]:
    shown = (
        4 if any(act.kind == WITHDRAWAL for act in forecast.acts) else 3
    )  # a column that is all noughts says nothing
    header = ("day", "invitations", "messages", "withdrawals")
    lines = columns([row[:shown] for row in (header, *_by_day(forecast))])
    if forecast.acts:
        rows = [(_minute(act.at, forecast.offset_at), act.step, act.name) for act in forecast.acts[:NAMED]]
        lines += ["", *columns(rows)]
        if len(forecast.acts) > NAMED:
            lines.append(f"and {len(forecast.acts) - NAMED:,} more")
    else:
        lines.append("Nothing would go out.")
    count_rows = [(f"finished: {reason}", f"{n:,}") for reason, n in forecast.finished.items()]
    count_rows += [(f"condition: {condition}", f"{n:,}") for condition, n in forecast.answered.items()]
    count_rows += [(f"waiting, next: {step}", f"{n:,}") for step, n in forecast.open.items()]
    count_rows += [(f"left out: {reason.replace('_', ' ')}", f"{n:,}") for reason, n in forecast.left_out.items()]
    count_rows += [("not started", f"{forecast.unplanned:,}")] if forecast.unplanned else []
    lines += ["", *columns(count_rows), *forecast.hold_reasons]
    end = f"{sum(forecast.open.values()) + forecast.unplanned:,} would still be waiting at the end of these days."
    if forecast.ends_at is not None:
        end = f"It would be over on {_minute(forecast.ends_at, forecast.offset_at)}."
    assumed = (
        "Assumes that you approve every draft the same day, and that no other campaign uses up the account's limits."
    )
    return [*lines, end, f"{assumed} Nothing was sent or stored."]
