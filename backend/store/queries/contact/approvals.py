"""Approvals of exact texts."""

from dataclasses import dataclass

from backend.domain.gates.approval import Approval, ApprovalStatus
from backend.domain.model.task import NEVER
from backend.store.database import DatabaseConnection
from backend.store.queries.campaign.corrected_times import corrected_time


def approval_of(connection: DatabaseConnection, message_id: str, now: int = NEVER) -> Approval | None:
    """The message's open approval, else its latest. There is never more than one open; ids need not be in order.

    As it counts at `now` (ms UTC): by a clock that was ahead it was given for no longer than by any other.
    """
    rows = connection.execute(
        "SELECT id, message_id, digest, status, expires_at, created_at, campaign_id FROM approvals WHERE message_id=?"
        " ORDER BY id",
        (message_id,),
    ).fetchall()
    row = next((row for row in rows if row[3] == ApprovalStatus.OPEN), rows[-1] if rows else None)
    if row is None:
        return None
    ahead = row[5] - corrected_time(connection, row[6], row[5], now)
    return Approval(row[0], row[1], row[2], ApprovalStatus(row[3]), row[4] - ahead)


@dataclass(frozen=True, slots=True)
class ApprovalRecord:
    """Who approved a text, and when (ms UTC)."""

    by: str
    at: int
    digest: str
    status: str


def best_record(connection: DatabaseConnection, message_id: str) -> ApprovalRecord | None:
    """The approval that the message goes or went by, else its latest."""
    row = connection.execute(
        "SELECT given_by, created_at, digest, status FROM approvals WHERE message_id=?"
        " ORDER BY status NOT IN ('open', 'used'), created_at DESC, id DESC LIMIT 1",
        (message_id,),
    ).fetchone()
    return ApprovalRecord(*row) if row else None
