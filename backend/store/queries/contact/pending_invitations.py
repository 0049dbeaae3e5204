"""Invitations that were sent and that nobody has accepted yet."""

from dataclasses import dataclass
from typing import NamedTuple

from backend.domain.contact.withdrawals import LAST_DAY_OVER
from backend.domain.gates.gates import NOTHING_TO_WITHDRAW
from backend.domain.model.task import NEVER
from backend.store.database import DatabaseConnection
from backend.store.queries.campaign.corrected_times import corrected_time
from backend.store.rows import marks

MOST = 10_000


class PendingInvitation(NamedTuple):
    """Whom an invitation went to, in which campaign; `invited_at` is ms UTC of the campaign's clock."""

    name: str
    profile_url: str
    campaign: str
    invited_at: int


@dataclass(frozen=True, slots=True)
class OldInvitation:
    """An invitation that has waited long; `invited_at` is ms UTC."""

    lead_id: str
    name: str
    profile_url: str
    invited_at: int


_WAITS = (
    "leads.relation='pending' AND leads.replied_at IS NULL AND NOT EXISTS (SELECT 1 FROM people me"
    " CROSS JOIN people p ON p.person_id = me.person_id AND p.lead_id <> me.lead_id CROSS JOIN leads l ON l.id = p.lead_id"
    " AND (l.relation='connected' OR l.connected_on IS NOT NULL AND leads.visited_at IS NULL"
    " OR l.withdrawn_at >= leads.invited_at) WHERE me.lead_id = leads.id)"
)
"""As `person.known` has it: neither accepted nor withdrawn, through whichever campaign."""
_OLD = f"FROM leads WHERE campaign_id=? AND invited_at<? AND {_WAITS}"


def old_invitations(
    connection: DatabaseConnection, campaign_id: str, before: int, limit: int, *, not_seen_since: int = NEVER
) -> list[OldInvitation]:
    """Those of a campaign that were sent before that moment, the oldest first; only profiles not seen since the other one."""
    rows = connection.execute(
        f"SELECT id, full_name, profile_url, invited_at {_OLD} AND coalesce(visited_at, 0)<? ORDER BY invited_at LIMIT ?",
        (campaign_id, before, not_seen_since, limit),
    )
    return [OldInvitation(*row) for row in rows]


def count_old_invitations(connection: DatabaseConnection, campaign_id: str, before: int, most: int) -> int:
    """How many they are, counted up to `most`."""
    row = connection.execute(f"SELECT count(*) FROM (SELECT 1 {_OLD} LIMIT ?)", (campaign_id, before, most))
    return int(row.fetchone()[0])


_SENT_HERE = (
    "EXISTS (SELECT 1 FROM messages m JOIN actions a ON a.message_id = m.id WHERE m.lead_id = leads.id"
    " AND m.kind='invitation' AND a.status='sent' AND a.intended_at = leads.invited_at)"
    " AND NOT EXISTS (SELECT 1 FROM people me CROSS JOIN people p ON p.person_id = me.person_id CROSS JOIN leads l"
    " ON l.id = p.lead_id AND l.invited_at > leads.invited_at WHERE me.lead_id = leads.id)"
)
"""The invitation that waits is the one that this campaign sent: neither the user's own nor another campaign's came after it."""
_TAKEN_UP_AGAIN = (NOTHING_TO_WITHDRAW, LAST_DAY_OVER)
_OURS = (
    f"FROM leads WHERE campaign_id=? AND blocked='' AND {_WAITS} AND {_SENT_HERE}"
    " AND NOT EXISTS (SELECT 1 FROM tasks t WHERE t.lead_id = leads.id AND t.kind='withdraw'"
    f" AND (t.status<>'cancelled' OR t.reason NOT IN ({marks(_TAKEN_UP_AGAIN)})))"
)
"""Sent by Outrider, and without a task that takes them back; one that was only not wanted, or too late, does not count."""


def is_sent_here(connection: DatabaseConnection, lead_id: str) -> bool:
    """Whether the invitation that waits for this lead is the one that its campaign sent."""
    return connection.execute(f"SELECT 1 FROM leads WHERE id=? AND {_SENT_HERE}", (lead_id,)).fetchone() is not None


def to_withdraw(
    connection: DatabaseConnection, campaign_id: str, before: int, limit: int, now: int
) -> list[tuple[str, str]]:
    """(lead, name) of the campaign's own invitations that were sent up to that moment, the oldest first."""
    rows = connection.execute(
        f"SELECT id, full_name, invited_at {_OURS} AND (invited_at<=? OR invited_at>?) ORDER BY invited_at LIMIT ?",
        (campaign_id, *_TAKEN_UP_AGAIN, before, now, limit),
    )
    return [(id_, name) for id_, name, at in rows if corrected_time(connection, campaign_id, at, now) <= before]


def oldest_to_withdraw(connection: DatabaseConnection, campaign_id: str, now: int) -> int | None:
    """When the oldest of the campaign's own invitations that wait without such a task was sent (ms UTC)."""
    oldest = f"SELECT invited_at {_OURS} AND invited_at>? ORDER BY invited_at LIMIT 1"
    rows = [connection.execute(oldest, (campaign_id, *_TAKEN_UP_AGAIN, at)).fetchone() for at in (0, now)]
    return min((corrected_time(connection, campaign_id, row[0], now) for row in rows if row), default=None)


def is_to_be_withdrawn(connection: DatabaseConnection, campaign_id: str, lead_id: str) -> bool:
    """Whether this lead's invitation is one of them, or has its task already."""
    row = connection.execute(
        f"SELECT 1 {_OURS} AND id=? UNION ALL SELECT 1 FROM tasks WHERE lead_id=? AND kind='withdraw'"
        " AND status='in_progress'",
        (campaign_id, *_TAKEN_UP_AGAIN, lead_id, lead_id),
    )
    return row.fetchone() is not None


def pending_invitations(connection: DatabaseConnection, before: int) -> list[PendingInvitation]:
    """Those sent before that moment, the oldest first."""
    rows = connection.execute(
        "SELECT leads.full_name, leads.profile_url, c.name, leads.invited_at FROM leads"
        f" JOIN campaigns c ON c.id = leads.campaign_id WHERE leads.invited_at < ? AND leads.accepted_at IS NULL AND {_WAITS}"
        " AND c.deleted_at IS NULL ORDER BY leads.invited_at, leads.id LIMIT ?",
        (before, MOST),
    )
    return [PendingInvitation(*row) for row in rows]
