"""Invitations that were sent and that nobody has accepted yet."""

from typing import NamedTuple

from backend.store.database import DatabaseConnection

MOST = 10_000


class PendingInvitation(NamedTuple):
    """Whom an invitation went to, in which campaign; `invited_at` is ms UTC of the campaign's clock."""

    name: str
    profile_url: str
    campaign: str
    invited_at: int


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
