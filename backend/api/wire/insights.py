"""Insights: how far leads came, what the account does in a day, how fast people answer, and who does."""

from typing import Literal

from backend.api.wire.base import Wire
from backend.domain.lead import LeadStatus


class FunnelStage(Wire):
    """`reached` came at least this far, whatever became of them; `current` stand here now."""

    stage: LeadStatus
    reached: int
    current: int


class ActivityDay(Wire):
    """A local day of the campaign's clock, as days since the epoch; what was sent, and what the limits allowed."""

    day: int
    invitations: int
    invitations_allowed: int
    messages: int
    messages_allowed: int


class Activity(Wire):
    """What the account did, in all of its campaigns, the last day being today."""

    days: list[ActivityDay]
    invitations_in_week: int
    invitations_a_week: int


class ReplySpan(Wire):
    """Replies within `until_ms` of our text, and after the span before; null: all later ones."""

    until_ms: int | None
    replies: int


class ReplyTimes(Wire):
    """How long people took; `replies` are the latest ones, all of them unless there are very many."""

    replies: int
    median_ms: int | None
    spans: list[ReplySpan]


class LeadField(Wire):
    """Something leads can be grouped by."""

    id: str
    title: str


class InsightsView(Wire):
    """Everything but the response rates."""

    funnel: list[FunnelStage]
    activity: Activity
    replies: ReplyTimes
    fields: list[LeadField]


class RateGroup(Wire):
    """Leads with the same value; `low` and `high` bound the true rate with 95 % confidence, `few` marks a weak one."""

    kind: Literal["value", "empty", "others"]
    value: str
    contacted: int
    responded: int
    low: float
    high: float
    few: bool


class Rates(Wire):
    """Response rates by one field over contacted leads: the latest `counted`; `others` sums up `groups_more` groups."""

    field: str
    counted: int
    complete: bool
    groups: list[RateGroup]
    groups_more: int
