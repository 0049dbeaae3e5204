"""What the campaign's numbers say; each question reads an index and a bounded part of it."""

import sqlite3
from typing import NamedTuple

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
from backend.store import reading

DAYS = 28
FEWEST_DAYS = 7
COUNTED = 5_000
"""Contacted leads that a rate is taken over, the latest; at the usual limit that is more than a year."""
REPLIES = 1_000
GROUPS = 8
SAMPLE = 200
MOST_FIELDS = 40

# A lead that was rejected unseen never belonged to those who could answer.
_WAS_CONTACTED = (
    "(status IN ('contacted', 'responded')"
    " OR invited_at IS NOT NULL OR last_sent_at IS NOT NULL OR replied_at IS NOT NULL)"
)
_LATEST = f"FROM leads WHERE campaign_id=:c AND status<>'pending' AND {_WAS_CONTACTED} ORDER BY id DESC LIMIT :most"

_REJECTED = f"""
SELECT count(*), coalesce(sum(replied_at IS NOT NULL), 0)
FROM leads WHERE campaign_id=? AND status='rejected' AND status<>'pending' AND {_WAS_CONTACTED}
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


class _Field(NamedTuple):
    title: str
    column: str
    sql: str  # the value as text; '' when there is none


_FIELDS = {
    "job_title": _Field("Job title", "job_title", "trim(job_title)"),
    "company": _Field("Company", "company", "trim(company)"),
    "score": _Field(
        "Score",
        "weight_score",
        "CASE WHEN weight_score IS NULL THEN '' WHEN weight_score>=80 THEN '80 to 100'"
        " ELSE (weight_score/20*20) || ' to ' || (weight_score/20*20+19) END",
    ),
    "tag": _Field("Tag", "tags", "tags"),
}
_EXTRA = "extra:"
"""A column of the lead file that has none of its own: `extra:Industry`."""

_EACH = {
    "tag": f"SELECT CAST(j.value AS TEXT) AS value, t.replied FROM (SELECT tags, replied_at IS NOT NULL AS replied {_LATEST}) t,"
    " json_each(t.tags) j",
    _EXTRA: "SELECT trim(coalesce((SELECT j.value FROM json_each(t.extra) j WHERE j.key=:name), '')) AS value, t.replied"
    f" FROM (SELECT extra, replied_at IS NOT NULL AS replied {_LATEST}) t",
}

_GROUPED = """
SELECT value, count(*) AS n, sum(replied), count(*) OVER (), sum(count(*)) OVER (), sum(sum(replied)) OVER ()
FROM ({rows}) GROUP BY value COLLATE NOCASE ORDER BY {order} LIMIT {limit}
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
    name = field.removeprefix(_EXTRA)
    known = _FIELDS.get(field)
    if field.startswith(_EXTRA):
        rows = _EACH[_EXTRA]
    elif known is not None and known.column in _columns(connection):
        rows = _EACH.get(field) or f"SELECT {known.sql} AS value, replied_at IS NOT NULL AS replied {_LATEST}"
    else:
        raise OutriderError("field_unknown", field=field[:80])
    order = "value='', length(value), value" if field == "score" else "value='', n DESC, value"
    found = connection.execute(
        _GROUPED.format(rows=rows, order=order, limit=GROUPS), {"c": campaign_id, "most": COUNTED, "name": name}
    ).fetchall()
    counted, complete = _counted(connection, campaign_id)
    groups = [_group("value" if value else "empty", value, n, replied) for value, n, replied, *_ in found]
    more = found[0][3] - len(found) if found else 0
    if more:
        *_, contacted, responded = found[0]
        rest = contacted - sum(row[1] for row in found), responded - sum(row[2] for row in found)
        groups.append(_group("others", "", *rest))
    return Rates(field=field, counted=counted, complete=complete, groups=groups, groups_more=more)


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


def _counted(connection: sqlite3.Connection, campaign_id: str) -> tuple[int, bool]:
    (counted,) = connection.execute(
        f"SELECT count(*) FROM (SELECT 1 {_LATEST})", {"c": campaign_id, "most": COUNTED}
    ).fetchone()
    return counted, counted < COUNTED


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


def _columns(connection: sqlite3.Connection) -> set[str]:
    return {name for (name,) in connection.execute("SELECT name FROM pragma_table_info('leads')")}


def _fields(connection: sqlite3.Connection, campaign_id: str) -> list[LeadField]:
    """The fields of every lead, and the further columns that the latest leads came with."""
    columns = _columns(connection)
    own = [LeadField(id=id_, title=field.title) for id_, field in _FIELDS.items() if field.column in columns]
    extra = connection.execute(
        f"SELECT DISTINCT j.key FROM (SELECT extra FROM leads WHERE campaign_id=? AND status<>'pending'"
        f" ORDER BY id DESC LIMIT {SAMPLE}) l, json_each(l.extra) j ORDER BY j.key LIMIT {MOST_FIELDS}",
        (campaign_id,),
    )
    return own + [LeadField(id=f"{_EXTRA}{name}", title=name) for (name,) in extra]
