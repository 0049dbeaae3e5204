"""What the campaign's numbers say; each question reads an index and a bounded part of it."""

import sqlite3

from backend.api.wire.insights import (
    Activity,
    ActivityDay,
    FunnelStage,
    InsightsView,
    LeadField,
    RateGroup,
    Rates,
    ReplySpan,
    ReplyTimes,
)
from backend.controller.context import Surroundings
from backend.domain.campaign import DAY, MINUTE, Campaign
from backend.domain.errors import OutriderError
from backend.domain.insight import FEW, allowed, interval, local_day, median, reply_spans
from backend.domain.lead import LeadStatus
from backend.domain.task import Needs
from backend.store import reading, response_rates

DAYS = 28
FEWEST_DAYS = 7
REPLIES = 1_000

_REJECTED = f"""
SELECT count(*), coalesce(sum(replied_at IS NOT NULL), 0)
FROM leads WHERE campaign_id=? AND status='rejected' AND status<>'pending' AND {response_rates.WAS_CONTACTED}
"""

_PER_DAY = """
SELECT (intended_at + :offset) / 86400000, count(*) FROM actions
WHERE account=:account AND family=:family AND intended_at>=:since AND status<>'not_sent' GROUP BY 1
"""

# From the last text before their answer, an invitation included, to the answer. A site's clock may tell whole minutes.
_REPLY_TIMES = f"""
SELECT max(0, r.at - coalesce(
  (SELECT max(o.sent_at) FROM messages o WHERE o.lead_id=r.lead AND o.status='sent' AND o.sent_at<r.at + {MINUTE}), r.at))
FROM (SELECT l.id AS lead, (SELECT min(m.sent_at) FROM messages m WHERE m.lead_id=l.id AND m.step='' AND m.kind='reply'
        AND m.sent_at > (SELECT min(f.sent_at) FROM messages f WHERE f.lead_id=l.id AND f.status='sent') - {MINUTE}) AS at
      FROM leads l WHERE l.campaign_id=? AND l.replied_at IS NOT NULL ORDER BY l.replied_at DESC LIMIT {REPLIES}) r
WHERE r.at IS NOT NULL
"""


def insights(connection: sqlite3.Connection, campaign_id: str, around: Surroundings) -> InsightsView:
    """The pictures that need no choice; raises `campaign_unknown`."""
    campaign = _campaign(connection, campaign_id)
    times = [time for (time,) in connection.execute(_REPLY_TIMES, (campaign_id,))]
    return InsightsView(
        funnel=_funnel(connection, campaign_id),
        activity=_activity(connection, campaign, around),
        replies=ReplyTimes(
            replies=len(times),
            median_ms=median(times),
            spans=[ReplySpan(until_ms=until, replies=count) for until, count in reply_spans(times)],
        ),
        fields=_fields(connection, campaign_id),
    )


def rates(connection: sqlite3.Connection, campaign_id: str, field: str) -> Rates:
    """Response rates by a field's values, most contacted first, scores in their order; raises `field_unknown`."""
    _campaign(connection, campaign_id)
    found = response_rates.by(connection, campaign_id, field)
    return Rates(
        field=field,
        counted=found.counted,
        complete=found.complete,
        groups=[_group(*group) for group in found.groups],
        groups_more=found.more,
    )


def _group(kind: str, value: str, contacted: int, responded: int) -> RateGroup:
    low, high = interval(responded, contacted)
    return RateGroup.model_validate(
        {
            "kind": kind,
            "value": value,
            "contacted": contacted,
            "responded": responded,
            "low": low,
            "high": high,
            "few": contacted < FEW,
        }
    )


def _campaign(connection: sqlite3.Connection, campaign_id: str) -> Campaign:
    campaign = reading.campaign(connection, campaign_id)
    if campaign is None:
        raise OutriderError("campaign_unknown", campaign=campaign_id)
    return campaign


def _funnel(connection: sqlite3.Connection, campaign_id: str) -> list[FunnelStage]:
    counts = reading.lead_counts(connection, campaign_id)
    lost_contacted, lost_responded = connection.execute(_REJECTED, (campaign_id,)).fetchone()
    now = {status: counts.get(status, 0) for status in LeadStatus}
    responded = now[LeadStatus.RESPONDED] + lost_responded
    reached = {
        LeadStatus.PENDING: sum(now.values()),
        LeadStatus.CONTACTED: now[LeadStatus.CONTACTED] + now[LeadStatus.RESPONDED] + lost_contacted,
        LeadStatus.RESPONDED: responded,
        LeadStatus.REJECTED: now[LeadStatus.REJECTED],
    }
    return [FunnelStage(stage=stage, reached=reached[stage], current=now[stage]) for stage in LeadStatus]


def _activity(connection: sqlite3.Connection, campaign: Campaign, around: Surroundings) -> Activity:
    limits, today = campaign.settings.limits, local_day(around.now, around.offset)
    families = {Needs.INVITE: limits.invitations_a_day, Needs.MESSAGE: limits.messages_a_day}
    used = {
        family: reading.usage(connection, campaign.account, family, around.now, around.offset) for family in families
    }
    first = {
        family: None if use.first_ever is None else local_day(use.first_ever, around.offset)
        for family, use in used.items()
    }
    begun = min((day for day in first.values() if day is not None), default=today)
    days = range(max(today - DAYS + 1, min(begun, today - FEWEST_DAYS + 1)), today + 1)
    since = days[0] * DAY - around.offset
    sent = {
        family: dict(
            connection.execute(
                _PER_DAY,
                {"account": campaign.account, "family": family, "offset": around.offset, "since": since},
            ).fetchall()
        )
        for family in families
    }

    def of(family: Needs, day: int) -> tuple[int, int]:
        return sent[family].get(day, 0), allowed(limits, families[family], day, first[family])

    lines = []
    for day in days:
        (invitations, may_invite), (messages, may_write) = of(Needs.INVITE, day), of(Needs.MESSAGE, day)
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
        days=lines, invitations_in_week=used[Needs.INVITE].week, invitations_a_week=limits.invitations_a_week
    )


def _fields(connection: sqlite3.Connection, campaign_id: str) -> list[LeadField]:
    """The fields of every lead, and the further columns that the latest leads came with."""
    return [LeadField(id=id_, title=title) for id_, title in response_rates.fields(connection, campaign_id)]
