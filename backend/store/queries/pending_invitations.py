"""Invitations that were sent and that nobody has accepted yet."""

from dataclasses import dataclass
from typing import NamedTuple

from backend.domain.task import NEVER
from backend.store.database import DatabaseConnection

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


_OLD = "FROM leads WHERE campaign_id=? AND relation='pending' AND invited_at<? AND replied_at IS NULL"


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


def pending_invitations(connection: DatabaseConnection, before: int) -> list[PendingInvitation]:
    """Those sent before that moment, the oldest first."""
    rows = connection.execute(
        "SELECT l.full_name, l.profile_url, c.name, l.invited_at FROM leads l JOIN campaigns c ON c.id = l.campaign_id"
        " WHERE l.invited_at < ? AND l.accepted_at IS NULL AND l.replied_at IS NULL AND l.relation = 'pending'"
        " AND c.deleted_at IS NULL"
        " ORDER BY l.invited_at, l.id LIMIT ?",
        (before, MOST),
    )
    return [PendingInvitation(*row) for row in rows]
