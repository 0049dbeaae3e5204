"""Approvals of exact texts."""

from dataclasses import dataclass

from backend.domain.gates.approval import Approval, ApprovalStatus
from backend.store.database import DatabaseConnection


def approval_of(connection: DatabaseConnection, message_id: str) -> Approval | None:
    """The message's open approval, else its latest. There is never more than one open; ids need not be in order."""
    rows = connection.execute(
        "SELECT id, message_id, digest, status, expires_at FROM approvals WHERE message_id=? ORDER BY id", (message_id,)
    ).fetchall()
    row = next((row for row in rows if row[3] == ApprovalStatus.OPEN), rows[-1] if rows else None)
    return Approval(row[0], row[1], row[2], ApprovalStatus(row[3]), row[4]) if row else None


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
