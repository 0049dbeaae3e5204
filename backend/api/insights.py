"""Insights: how far leads came, what the account does in a day, how fast people answer, and who does. Read only."""

from collections.abc import Sequence
from typing import Literal

from backend.api.server.endpoint import Routes
from backend.api.server.services import Services
from backend.api.shapes import Choice
from backend.domain.model.campaign import Campaign
from backend.domain.model.days import day_start, local_day, local_month
from backend.domain.model.lead import LeadStatus
from backend.domain.model.task import ActionFamily
from backend.domain.reports.insight import (
    SMALL_SAMPLE,
    FunnelStep,
    LimitsSince,
    allowed,
    limits_on,
    median,
    periods,
    reply_delays,
    wilson_interval,
)
from backend.domain.values.shapes import Shape
from backend.ports.clock import Clock
from backend.situation.situations import TurnInputs
from backend.store.database import DatabaseConnection
from backend.store.queries.campaign import campaigns
from backend.store.queries.campaign.campaigns import existing_campaign
from backend.store.queries.contact import actions
from backend.store.queries.leads import leads
from backend.store.queries.reports import attributions, response_rates
from backend.store.queries.reports.response_rates import SentTexts, StepCounts

DAYS = 28

FEWEST_DAYS = 7

routes = Routes("insights", "/campaigns/<campaign_id>/insights")


class RatesQuery(Shape):
    """By which field of the leads."""

    field: str = "job_title"


class FunnelStage(Shape):
    """`reached` came at least this far, whatever became of them; `current` stand here now."""

    stage: FunnelStep
    reached: int
    current: int


class ActivityDay(Shape):
    """A local day of the campaign's clock, as days since the epoch; what was sent, and what the limits allowed."""

    day: int
    invitations: int
    invitations_allowed: int
    messages: int
    messages_allowed: int


class Activity(Shape):
    """What the account did, in all of its campaigns, the last day being today."""

    days: list[ActivityDay]
    invitations_in_week: int
    invitations_a_week: int


class ReplySpan(Shape):
    """Replies within `until_ms` of our text, and after the span before; null: all later ones."""

    until_ms: int | None
    replies: int


class ReplyTimes(Shape):
    """How long people took for their first reply to a step.

    `replies` of those among the latest contacted leads; of `undated` ones nobody knows when they were written, `unprompted` ones
    came to no step.
    """

    replies: int
    median_ms: int | None
    spans: list[ReplySpan]
    undated: int
    unprompted: int


class VariantRates(Shape):
    """How a variant of a step's text fares. `good` counts acceptances of an invitation, else answers to a message.

    `low` and `high` bound the true share with 95 % confidence, `few` marks a weak one.
    """

    step: str
    kind: str
    variant: str
    sent: int
    accepted: int
    replied: int
    good: int
    low: float
    high: float
    few: bool


class Share(Shape):
    """How many of those whom a step reached, and between which bounds the true share lies with 95 % confidence."""

    count: int
    low: float
    high: float


class StepLine(Shape):
    """What came of a step; `accepted` is null for what cannot be accepted, `few` marks shares that say little."""

    step: str
    kind: str
    sent: int
    accepted: Share | None
    replied: Share
    few: bool


class TrendStage(Shape):
    """How many came to a stage in each stretch of time."""

    stage: FunnelStep
    counts: list[int]


class TrendStep(Shape):
    """To how many a step was sent in each stretch of time, and how many of exactly these have answered since."""

    step: str
    sent: list[int]
    replied: list[int]


class Trend(Shape):
    """Stretches of `days` days each, by the days on which they begin (since the epoch), the last one ending with today.

    They begin with the first text; `begun` is false before it.
    """

    days: int
    starts: list[int]
    stages: list[TrendStage]
    steps: list[TrendStep]
    begun: bool


class Target(Shape):
    """With how many people the user wants to come into conversation this month, and how many first replied in it so far."""

    wanted: int
    so_far: int


class InsightsView(Shape):
    """Everything but the response rates; a step that was sent to nobody is not among `steps`, a target may not be set."""

    target: Target | None
    funnel: list[FunnelStage]
    trend: Trend
    steps: list[StepLine]
    activity: Activity
    replies: ReplyTimes
    fields: list[Choice]
    variants: list[VariantRates]


class RateGroup(Shape):
    """Leads with the same value; `low` and `high` bound the true rate with 95 % confidence, `few` marks a weak one."""

    kind: Literal["value", "empty", "others"]
    value: str
    contacted: int
    responded: int
    low: float
    high: float
    few: bool


class Rates(Shape):
    """Response rates by one field over contacted leads: the latest `counted`; `others` sums up `groups_more` groups."""

    field: str
    counted: int
    complete: bool
    groups: list[RateGroup]
    groups_more: int


@routes.get()
def view(services: Services, connection: DatabaseConnection, campaign_id: str) -> InsightsView:
    """The pictures that need no choice; raises `campaign_unknown`."""
    campaign = existing_campaign(connection, campaign_id)
    view = overview(connection, campaign, services.turn_inputs(campaign_id))
    return view.model_copy(update={"target": target(connection, campaign, services.clock(campaign_id))})


def target(connection: DatabaseConnection, campaign: Campaign, clock: Clock) -> Target | None:
    """How the campaign does by its target for this month of its clock; None if it has none."""
    monthly_target = campaign.settings.limits.target_a_month
    if not monthly_target:
        return None
    began = local_month(clock.now(), clock.offset)
    return Target(wanted=monthly_target, so_far=len(attributions.first_replies(connection, campaign.id, began)))


def overview(connection: DatabaseConnection, campaign: Campaign, inputs: TurnInputs) -> InsightsView:
    """The same for whoever has no running app."""
    campaign_id = campaign.id
    conversations = response_rates.latest_exchanges(connection, campaign_id)
    sent = response_rates.sent_texts(conversations, inputs.offset_at)
    times = sent.reply_times
    return InsightsView(
        target=None,
        funnel=funnel(connection, campaign_id),
        trend=_trend(connection, campaign_id, inputs, sent),
        steps=steps(sent.steps),
        activity=_activity(connection, campaign, inputs),
        replies=ReplyTimes(
            replies=len(times),
            median_ms=median(times),
            spans=[ReplySpan(until_ms=until, replies=count) for until, count in reply_delays(times)],
            undated=sent.undated,
            unprompted=sent.unprompted,
        ),
        fields=[Choice(id=id_, title=title) for id_, title in response_rates.fields(connection, campaign_id)],
        variants=[_variant(variant) for variant in sent.variants],
    )


def _variant(counts: StepCounts) -> VariantRates:
    successes = counts.accepted if counts.kind == "invitation" else counts.replied
    low, high = wilson_interval(successes, counts.sent)
    return VariantRates(**counts._asdict(), good=successes, low=low, high=high, few=counts.sent < SMALL_SAMPLE)


@routes.get("/rates")
def rates(connection: DatabaseConnection, campaign_id: str, query: RatesQuery) -> Rates:
    """Response rates by a field's values, most contacted first, scores in their order; raises `field_unknown`."""
    return rates_by(connection, campaign_id, query.field)


def rates_by(connection: DatabaseConnection, campaign_id: str, field: str) -> Rates:
    """The same for a campaign that is known to be there; raises `field_unknown`."""
    rates = response_rates.rates_by(connection, campaign_id, field)
    return Rates(
        field=field,
        counted=rates.counted,
        complete=rates.complete,
        groups=[_group(*group) for group in rates.groups],
        groups_more=rates.more,
    )


def _group(kind: str, value: str, contacted: int, responded: int) -> RateGroup:
    low, high = wilson_interval(responded, contacted)
    return RateGroup.model_validate(
        {
            "kind": kind,
            "value": value,
            "contacted": contacted,
            "responded": responded,
            "low": low,
            "high": high,
            "few": contacted < SMALL_SAMPLE,
        }
    )


def funnel(connection: DatabaseConnection, campaign_id: str) -> list[FunnelStage]:
    """How far the campaign's leads came."""
    counts = leads.lead_counts(connection, campaign_id)
    reached = response_rates.reached(connection, campaign_id)
    interested = response_rates.interested_leads(connection, campaign_id)
    now = {status: counts.get(status, 0) for status in LeadStatus}
    stages = {
        FunnelStep.PENDING: (sum(now.values()), now[LeadStatus.PENDING]),
        FunnelStep.CONTACTED: (reached.contacted, reached.contacted_now),
        FunnelStep.RESPONDED: (reached.responded, reached.responded_now - interested.responded),
        FunnelStep.INTERESTED: (interested.leads, interested.responded),
        FunnelStep.REJECTED: (now[LeadStatus.REJECTED], now[LeadStatus.REJECTED]),
    }
    return [FunnelStage(stage=stage, reached=count, current=current) for stage, (count, current) in stages.items()]


def _trend(connection: DatabaseConnection, campaign_id: str, inputs: TurnInputs, sent: SentTexts) -> Trend:
    """How the stages and steps went, day by day or week by week since the first text."""
    today = local_day(inputs.now, inputs.offset_at)
    begun = sent.first_at
    trend_periods = periods(today if begun is None else min(today, local_day(begun, inputs.offset_at)), today)
    since = day_start(trend_periods.first, inputs.offset_at)
    stages = {
        FunnelStep.CONTACTED: sent.first_contacts,
        FunnelStep.RESPONDED: sent.first_replies,
        FunnelStep.INTERESTED: response_rates.interested_by_day(connection, campaign_id, since, inputs.offset_at),
    }
    return Trend(
        days=trend_periods.days,
        starts=[trend_periods.first + trend_periods.days * index for index in range(trend_periods.stretches)],
        stages=[TrendStage(stage=stage, counts=trend_periods.sums(days)) for stage, days in stages.items()],
        steps=[
            TrendStep(
                step=step,
                sent=trend_periods.sums({day: counts.sent for day, counts in days.items()}),
                replied=trend_periods.sums({day: counts.replied for day, counts in days.items()}),
            )
            for step, days in sent.by_day.items()
        ],
        begun=begun is not None,
    )


def steps(counts: Sequence[StepCounts]) -> list[StepLine]:
    """What came of each step that was sent to somebody."""

    def share(count: int, sent: int) -> Share:
        low, high = wilson_interval(count, sent)
        return Share(count=count, low=low, high=high)

    return [
        StepLine.showing(
            step,
            accepted=share(step.accepted, step.sent) if step.kind == "invitation" else None,
            replied=share(step.replied, step.sent),
            few=step.sent < SMALL_SAMPLE,
        )
        for step in counts
    ]


def _activity(connection: DatabaseConnection, campaign: Campaign, inputs: TurnInputs) -> Activity:
    limits, today = campaign.settings.limits, local_day(inputs.now, inputs.offset_at)
    history = campaigns.limits_history(connection, campaign.id) or [LimitsSince(campaign.created_at, limits)]
    families = {ActionFamily.INVITE: "invitations_a_day", ActionFamily.MESSAGE: "messages_a_day"}
    used = {
        family: actions.usage(connection, campaign.account, family, inputs.now, inputs.midnight) for family in families
    }
    first = {
        family: None if use.first_ever is None else local_day(use.first_ever, inputs.offset_at)
        for family, use in used.items()
    }
    begun = min((day for day in first.values() if day is not None), default=today)
    days = range(max(today - DAYS + 1, min(begun, today - FEWEST_DAYS + 1)), today + 1)
    since = day_start(days[0], inputs.offset_at)
    sent = {
        family: actions.count_per_day(connection, campaign.account, family, since, inputs.offset_at)
        for family in families
    }

    def of(family: ActionFamily, day: int) -> tuple[int, int]:
        # Where they were changed in the middle of the day, what was allowed before may have been used up.
        limits_in_force = [limits] if day == today else limits_on(history, day, inputs.offset_at)
        most = max(
            allowed(day_limits, getattr(day_limits, families[family]), day, first[family])
            for day_limits in limits_in_force
        )
        return sent[family].get(day, 0), most

    lines = []
    for day in days:
        (invitations, may_invite), (messages, may_write) = of(ActionFamily.INVITE, day), of(ActionFamily.MESSAGE, day)
        lines.append(
            ActivityDay(
                day=day,
                invitations=invitations,
                invitations_allowed=may_invite,
                messages=messages,
                messages_allowed=may_write,
            )
        )
    return Activity(
        days=lines, invitations_in_week=used[ActionFamily.INVITE].week, invitations_a_week=limits.invitations_a_week
    )
