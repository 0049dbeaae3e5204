"""Times that were recorded while the clock was fast, corrected by how far it was set back later; leads and approvals go by them."""

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


class ClockCorrection(NamedTuple):
    """The entry that records that the clock showed `was` and was set back to `at` (ms UTC)."""

    seq: int
    at: int
    was: int


_CORRECTIONS = (
    "SELECT seq, timestamp, json_extract(change_payload, '$.clock_was') FROM event_log INDEXED BY event_log_clocks"
    " WHERE campaign_id=? AND kind='ClockSetBack' ORDER BY seq"
)


def clock_corrections(connection: DatabaseConnection, campaign_id: str) -> list[ClockCorrection]:
    """All of a campaign's, usually none."""
    return [ClockCorrection(*row) for row in connection.execute(_CORRECTIONS, (campaign_id,))]


def corrected_time(connection: DatabaseConnection, campaign_id: str, at: int, now: int) -> int:
    """The recorded time, or, if it lies ahead of now, as much earlier as the clock was set back next.

    That is never before the moment itself, and keeps the order of moments. What no correction explains counts as now.
    """
    corrections = clock_corrections(connection, campaign_id) if at > now else []
    while at > now:
        nearest = min(
            (each for each in corrections if each.at < at <= each.was), key=lambda each: each.was, default=None
        )
        at = now if nearest is None else at - (nearest.was - nearest.at)
    return at


def with_corrected_times(connection: DatabaseConnection, lead: _OfPerson, now: int) -> _OfPerson:
    """The lead with its times corrected. A conversation that was read later than now was not read."""
    ahead = {name: at for name in COUNTED_FROM if (at := getattr(lead, name, None)) is not None and at > now}
    changes: dict[str, Any] = {
        name: corrected_time(connection, lead.campaign_id, at, now) for name, at in ahead.items()
    }
    if (getattr(lead, "thread_read_at", None) or 0) > now:
        changes["thread_read_at"] = None
    since = (lead.paused_until or 0) - PAUSE  # by an automatic answer, which only comes to a message
    if since > now and lead.label != Label.LATER and (lead.invited_at or lead.last_sent_at):
        changes["paused_until"] = corrected_time(connection, lead.campaign_id, since, now) + PAUSE
    return lead._replace(**changes) if changes else lead


def latest_entry_time(connection: DatabaseConnection, campaign_id: str, after: int) -> int:
    """The latest time (ms UTC) among the campaign's last entries after that one."""
    last = "SELECT timestamp FROM event_log WHERE campaign_id=? AND seq>? ORDER BY seq DESC LIMIT 5000"
    (latest,) = connection.execute(f"SELECT max(timestamp) FROM ({last})", (campaign_id, after)).fetchone()
    return latest or 0
