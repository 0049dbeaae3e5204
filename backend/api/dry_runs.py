"""Dry runs: what would go out in the next days, worked out in the background on a copy in memory."""

from collections import Counter
from typing import Literal

from pydantic import Field

from backend.api.server.endpoint import Routes
from backend.api.server.services import Services
from backend.domain.model.campaign import DAY
from backend.domain.model.days import iso_day, local_date, local_time
from backend.domain.turn.assumption import Assumption
from backend.domain.values.shapes import ErrorShape, Shape
from backend.runtime.run.dry_run import DryRunState, Forecast
from backend.store.database import DatabaseConnection
from backend.store.queries.contact.actions import WITHDRAWAL, SentAct

MOST_DAYS, NAMED = 90, 200

routes = Routes("dry_runs", "/campaigns/<campaign_id>/dry-run")


class DryRunWanted(Shape):
    """How many days ahead, which part of the invited accepts and of those written to replies, and a seed that decides who."""

    days: int = Field(default=14, ge=1, le=MOST_DAYS)
    accept: float = Field(default=0.0, ge=0, le=1)
    reply: float = Field(default=0.0, ge=0, le=1)
    seed: str = Field(default="", max_length=40)


class ForecastDay(Shape):
    """What would go out on a day (YYYY-MM-DD, local)."""

    day: str
    invitations: int
    messages: int
    withdrawals: int


class ForecastCount(Shape):
    """How many people, and what about them."""

    what: str
    people: int


class ForecastView(Shape):
    """What would be done, day by day without a gap, and the first acts by name; `ends_at` (ms UTC) is null if it goes on.

    `total` counts all acts, `withdrawals` those that take an invitation back.

    `finished`: whose sequence would have ended, by the reason; `waiting`: others, by what they would wait for; `left_out`: who gets
    nothing, by what is in the way; `answered`: which
    ways people would take.
    """

    days: list[ForecastDay]
    acts: list[SentAct]
    total: int
    withdrawals: int
    ends_at: int | None
    finished: list[ForecastCount]
    waiting: list[ForecastCount]
    left_out: list[ForecastCount]
    answered: list[ForecastCount]
    not_begun: int
    held: list[str]


class DryRunView(Shape):
    """The latest dry run: `done` of its days are worked out, then its forecast, or why there is none."""

    phase: Literal["none", "running", "ended"]
    wanted: DryRunWanted | None = None
    done: int = 0
    forecast: ForecastView | None = None
    error: ErrorShape | None = None


@routes.post()
def start(services: Services, campaign_id: str, body: DryRunWanted) -> None:
    """Begin one; the one before is broken off. Raises `campaign_unknown`."""
    assumption = Assumption(body.accept, body.reply, body.seed)
    services.dry_runs.start(campaign_id, services.clock(campaign_id), body.days, assumption)


@routes.post("/cancel")
def cancel(services: Services, campaign_id: str) -> None:
    """Break it off."""
    services.dry_runs.cancel(campaign_id)


@routes.get()
def view(services: Services, connection: DatabaseConnection, campaign_id: str) -> DryRunView:
    """How far it is, or what came of it; raises `campaign_unknown`."""
    state = services.dry_runs.of(campaign_id)
    if state is None:
        return DryRunView(phase="none")
    return DryRunView(
        phase="running" if state.running else "ended",
        wanted=_wanted(state),
        done=(state.at - state.began_at) // DAY,
        forecast=None if state.forecast is None else _forecast(state.forecast, state.days),
        error=state.error,
    )


def _wanted(state: DryRunState) -> DryRunWanted:
    assumed = state.assumption
    return DryRunWanted(days=state.days, accept=assumed.accept, reply=assumed.reply, seed=assumed.seed)


def _forecast(forecast: Forecast, days: int) -> ForecastView:
    counts = Counter((local_date(act.at, forecast.offset_at), act.kind) for act in forecast.acts)
    began = local_time(forecast.began_at, forecast.offset_at)
    named = [iso_day(began + number * DAY) for number in range(days + 1)]
    return ForecastView(
        days=[
            ForecastDay(
                day=day,
                invitations=counts[day, "invitation"],
                messages=counts[day, "message"],
                withdrawals=counts[day, WITHDRAWAL],
            )
            for day in named
        ],
        acts=list(forecast.acts[:NAMED]),
        total=len(forecast.acts),
        withdrawals=sum(act.kind == WITHDRAWAL for act in forecast.acts),
        ends_at=forecast.ends_at,
        finished=[ForecastCount(what=reason, people=people) for reason, people in forecast.finished.items()],
        waiting=[ForecastCount(what=reason, people=people) for reason, people in forecast.open.items()],
        left_out=[ForecastCount(what=reason, people=people) for reason, people in forecast.left_out.items()],
        answered=[ForecastCount(what=answer, people=people) for answer, people in forecast.answered.items()],
        not_begun=forecast.unplanned,
        held=list(forecast.hold_reasons),
    )
