"""When recorded times count that lie ahead, by a clock that was wrong: what a lead waits for, and an approval, go by that."""

from typing import Any, NamedTuple, TypeVar

from backend.domain.gates.person import LeadOfPerson
from backend.domain.model.lead import Label, Lead
from backend.domain.model.reply_kind import PAUSE
from backend.store.database import DatabaseConnection

WAITED_FROM = ("visited_at", "invited_at", "accepted_at", "last_sent_at", "withdrawn_at", "claimed_at")
"""The times of a lead from which something is counted."""
COUNTED_FROM = (*WAITED_FROM, "act_at")
"""With the one that only a lead of a person has: when the send began of which nobody knows yet whether it was done."""

_OfPerson = TypeVar("_OfPerson", Lead, LeadOfPerson)


class SetBack(NamedTuple):
    """The entry by which the clock had come to `was` when it was found to be `at` (ms UTC)."""

    seq: int
    at: int
    was: int


_SET_BACK = (
    "SELECT seq, timestamp, json_extract(change_payload, '$.clock_was') FROM event_log INDEXED BY event_log_clocks"
    " WHERE campaign_id=? AND kind='ClockSetBack' ORDER BY seq"
)


def set_backs(connection: DatabaseConnection, campaign_id: str) -> list[SetBack]:
    """All of a campaign's, usually none."""
    return [SetBack(*row) for row in connection.execute(_SET_BACK, (campaign_id,))]


def right_time(connection: DatabaseConnection, campaign_id: str, at: int, now: int) -> int:
    """When a time counts that the campaign recorded: as it is, or as much earlier as the clock was set back next.

    That is never before the moment itself, and keeps the order of moments. What no correction explains counts as now.
    """
    corrections = set_backs(connection, campaign_id) if at > now else []
    while at > now:
        nearest = min(
            (each for each in corrections if each.at < at <= each.was), key=lambda each: each.was, default=None
        )
        at = now if nearest is None else at - (nearest.was - nearest.at)
    return at


def by_right_times(connection: DatabaseConnection, lead: _OfPerson, now: int) -> _OfPerson:
    """The lead with its times as they count. A conversation that was read later than now was not read."""
    ahead = {name: at for name in COUNTED_FROM if (at := getattr(lead, name, None)) is not None and at > now}
    changes: dict[str, Any] = {name: right_time(connection, lead.campaign_id, at, now) for name, at in ahead.items()}
    if isinstance(lead, Lead):
        if (lead.thread_read_at or 0) > now:
            changes["thread_read_at"] = None
        since = (lead.paused_until or 0) - PAUSE  # by an automatic answer, which only comes to a message
        if since > now and lead.label != Label.LATER and (lead.invited_at or lead.last_sent_at):
            changes["paused_until"] = right_time(connection, lead.campaign_id, since, now) + PAUSE
    return lead._replace(**changes) if changes else lead


def latest_entry(connection: DatabaseConnection, campaign_id: str, after: int) -> int:
    """The latest time (ms UTC) among the campaign's last entries after that one."""
    last = "SELECT timestamp FROM event_log WHERE campaign_id=? AND seq>? ORDER BY seq DESC LIMIT 5000"
    (latest,) = connection.execute(f"SELECT max(timestamp) FROM ({last})", (campaign_id, after)).fetchone()
    return latest or 0
