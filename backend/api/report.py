"""A campaign's report: the numbers of Insights as one file to give away, HTML or CSV."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Literal

from backend.api import insights
from backend.api.exports import BOM, Export, csv_lines
from backend.api.insights import InsightsView, Rates
from backend.api.server.endpoint import Routes
from backend.api.server.services import Services
from backend.domain.model.campaign import DAY, HOUR, Campaign, CampaignStatus
from backend.domain.model.channel import CHANNELS, PRACTICE
from backend.domain.model.days import OffsetAt, local_time
from backend.domain.model.message import MessageStatus
from backend.domain.reports.insight import SMALL_SAMPLE, FunnelStep
from backend.domain.reports.report import Figure, Report, Section, report_html, report_rows
from backend.domain.values.shapes import Shape
from backend.situation.situations import TurnInputs
from backend.store.database import DatabaseConnection
from backend.store.queries.campaign.campaigns import existing_campaign
from backend.store.queries.contact import messages
from backend.store.queries.reports import response_rates

routes = Routes("report", "/campaigns/<campaign_id>/report")

Format = Literal["html", "csv"]
MEDIA_TYPES: dict[Format, str] = {"html": "text/html", "csv": "text/csv"}

_STAGES = {
    FunnelStep.PENDING: "All leads",
    FunnelStep.CONTACTED: "Contacted",
    FunnelStep.RESPONDED: "Replied",
    FunnelStep.INTERESTED: "Interested",
    FunnelStep.REJECTED: "Declined",
}
_FIELDS = frozenset({"job_title", "company", "score", "tag"})
"""The fields of every lead; what else a lead file brought is left to the screen, where one is chosen."""


class ReportQuery(Shape):
    """As what kind of file."""

    format: Format = "html"


@routes.export("/export")
def export(services: Services, campaign_id: str, query: ReportQuery) -> Export:
    """The report as a page or a spreadsheet; raises `campaign_unknown`."""
    with services.database.read() as connection:
        campaign = existing_campaign(connection, campaign_id)
        report = campaign_report(connection, campaign, services.turn_inputs(campaign_id))
    return Export(report_file(report, query.format), f"report.{query.format}", MEDIA_TYPES[query.format])


def report_file(report: Report, form: Format) -> Iterator[bytes]:
    """The file's bytes."""
    if form == "html":
        yield report_html(report).encode("utf-8", "backslashreplace")
        return
    yield BOM.encode()
    yield from csv_lines(report_rows(report))


def campaign_report(connection: DatabaseConnection, campaign: Campaign, inputs: TurnInputs) -> Report:
    """What Insights shows of the campaign, at that time of its clock."""
    view = insights.overview(connection, campaign, inputs)
    rates = [
        (field.title, insights.rates_by(connection, campaign.id, field.id))
        for field in view.fields
        if field.id in _FIELDS
    ]
    lost = messages.count_of_status(connection, campaign.id, MessageStatus.OUTCOME_UNKNOWN)
    return Report(
        name=campaign.name,
        facts=_facts(campaign, inputs),
        sections=[
            _funnel(view),
            _trend(view),
            _steps(view),
            _variants(view),
            _activity(view),
            _reply_times(view),
            *(_rates(title, field_rates) for title, field_rates in rates),
        ],
        unknown=list(_unknown(view, [field_rates for _, field_rates in rates], lost)),
    )


def _facts(campaign: Campaign, inputs: TurnInputs) -> list[tuple[str, str]]:
    channel = CHANNELS.get(campaign.site)
    practice = campaign.site == PRACTICE
    return [
        ("Goal", campaign.goal),
        (
            "Status",
            "Not started" if campaign.status is CampaignStatus.INITIALIZING else campaign.status.value.capitalize(),
        ),
        ("Channel", channel.title if channel else campaign.site),
        ("Period", f"{_moment(campaign.created_at, inputs.offset_at)} to {_moment(inputs.now, inputs.offset_at)}"),
        (
            "Clock",
            "Practice clock, which may run ahead of real time" if practice else "Real time, local to the campaign",
        ),
    ]


def _moment(at: int, offset_at: OffsetAt) -> str:
    return f"{datetime.fromtimestamp(local_time(at, offset_at) / 1_000, UTC):%Y-%m-%d %H:%M}"


def _funnel(view: InsightsView) -> Section:
    everybody = view.funnel[0].reached
    return Section(
        title="Funnel",
        of_what="Stage",
        measures=("Got this far", "Here now"),
        rows=[
            (_STAGES[stage.stage], (Figure(stage.reached, everybody), Figure(stage.current, everybody)))
            for stage in view.funnel
        ],
    )


def _trend(view: InsightsView) -> Section:
    trend = view.trend
    return Section(
        title="Week by week" if trend.days > 1 else "Day by day",
        of_what="Seven days from" if trend.days > 1 else "Day",
        measures=[_STAGES[stage.stage] for stage in trend.stages],
        rows=[
            (_day(start), [Figure(stage.counts[index]) for stage in trend.stages])
            for index, start in enumerate(trend.starts)
        ]
        if trend.begun
        else [],
        note="Who was written to for the first time, answered, or was labelled as interested in that time.",
        empty="Nothing was sent yet.",
    )


def _day(day: int) -> str:
    return f"{datetime.fromtimestamp(day * DAY / 1_000, UTC):%Y-%m-%d}"


def _words(key: str) -> str:
    return key.replace("_", " ").capitalize()


def _steps(view: InsightsView) -> Section:
    return Section(
        title="Step by step",
        of_what="Step",
        measures=("Sent", "Accepted", "Replied"),
        rows=[
            (
                _words(step.step),
                (
                    Figure(step.sent),
                    None if step.accepted is None else Figure(step.accepted.count, step.sent, rate=True),
                    Figure(step.replied.count, step.sent, rate=True),
                ),
            )
            for step in view.steps
        ],
        note="A reply counts for the step that it followed; the first one only, and automatic replies do not.",
        empty="Nothing was sent yet.",
    )


def _variants(view: InsightsView) -> Section:
    return Section(
        title="Variants",
        of_what="Step and variant",
        measures=("Sent", "Accepted", "Replied"),
        rows=[
            (
                f"{_words(variant.step)}, {variant.variant}",
                (
                    Figure(variant.sent),
                    Figure(variant.accepted, variant.sent, rate=True) if variant.kind == "invitation" else None,
                    Figure(variant.replied, variant.sent, rate=True),
                ),
            )
            for variant in view.variants
        ],
        empty="No step with variants was sent yet.",
    )


def _activity(view: InsightsView) -> Section:
    activity = view.activity
    return Section(
        title="Activity against limits",
        of_what="Day",
        measures=("Invitations", "Messages"),
        rows=[
            (
                _day(day.day),
                (Figure(day.invitations, day.invitations_allowed), Figure(day.messages, day.messages_allowed)),
            )
            for day in activity.days
        ],
        note=f"Of what this campaign's limits allowed on that day, in all campaigns of this account; of limits that were changed"
        f" during a day the higher ones count. In the last seven days"
        f" {activity.invitations_in_week:,} of {activity.invitations_a_week:,} invitations.",
    )


def _reply_times(view: InsightsView) -> Section:
    replies, median = view.replies.replies, view.replies.median_ms
    spans = view.replies.spans
    starts = [0, *(span.until_ms for span in spans if span.until_ms is not None)]
    return Section(
        title="Time to reply",
        of_what="After our last message",
        measures=("Replies",),
        rows=[
            (_span(start, span.until_ms), (Figure(span.replies, replies),))
            for start, span in zip(starts, spans, strict=True)
        ]
        if replies
        else [],
        note="" if median is None else f"Half of the replies came within {median / HOUR:,.1f} hours.",
        empty="Nobody has replied yet.",
    )


def _span(start: int, until: int | None) -> str:
    if until is None:
        return f"Over {start // DAY} days"
    if not start:
        return "Under 1 hour"
    if until <= DAY:
        return f"{start // HOUR} to {until // HOUR} hours"
    return f"{start // DAY} to {until // DAY} days"


def _rates(title: str, rates: Rates) -> Section:
    def name(kind: str, value: str) -> str:
        return {"empty": "(none)", "others": f"{rates.groups_more:,} more"}.get(kind, value)

    return Section(
        title=f"Response by {title.lower()}",
        of_what=title,
        measures=("Replied",),
        rows=[
            (name(group.kind, group.value), (Figure(group.responded, group.contacted, rate=True),))
            for group in rates.groups
        ],
        empty="Nobody has been contacted yet." if not rates.counted else "No contacted lead has this field.",
    )


def _unknown(view: InsightsView, rates: list[Rates], lost: int) -> Iterator[str]:
    yield "Whether anybody opened or read a message."
    yield "Replies and acceptances that Outrider has not seen and was not told of; they are counted as none."
    if lost:
        yield f"Whether {lost:,} of the messages went out: no certain answer came. They are not counted as sent."
    if undated := view.replies.undated:
        yield f"When {undated:,} of those who replied did so; they are not in “Time to reply”."
    if unprompted := view.replies.unprompted:
        yield f"What prompted {unprompted:,} of the replies, which came to no step; they are not in “Time to reply”."
    if any(not field_rates.complete for field_rates in rates):
        yield (
            f"All but the funnel and the activity covers the latest {response_rates.COUNTED:,} contacted leads and not the"
            " earlier ones."
        )
    yield (
        "The true share behind each percentage. The bounds in brackets hold it with 95 % confidence (Wilson); “few” marks"
        f" shares over fewer than {SMALL_SAMPLE}, which say little."
    )
