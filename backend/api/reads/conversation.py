"""What was said between the account and one person, as recorded; texts of others may be of any length and are cut."""

import json
import sqlite3

from backend.api.wire.evidence import EvidencePiece
from backend.api.wire.inbox import ApprovalLine, AttemptLine, Said, ThreadEntry
from backend.domain.message import MessageStatus

CONTEXT, SHOWN = 4, 20_000
MOST_ENTRIES, MOST_ATTEMPTS = 200, 20

_AT = "coalesce(sent_at, created_at)"
_SAID = f"kind, substr(text, 1, {SHOWN}), length(text), {_AT}"
_LAST = (
    f"SELECT {_SAID} FROM messages WHERE lead_id=? AND status IN ('sent', 'received')"
    f" ORDER BY {_AT} DESC, id DESC LIMIT ?"
)
_ENTRIES = (
    f"SELECT {_SAID}, id, step, status, reason FROM messages WHERE lead_id=? AND status<>'cancelled'"
    f" ORDER BY {_AT} DESC, id DESC LIMIT {MOST_ENTRIES}"
)
_APPROVAL = (
    "SELECT given_by, created_at, digest, status FROM approvals WHERE message_id=?"
    " ORDER BY status NOT IN ('open', 'used'), created_at DESC, id DESC LIMIT 1"
)
_ATTEMPTS = (
    "SELECT id, intended_at, settled_at, status, claim, said, evidence FROM actions WHERE message_id=?"
    f" ORDER BY intended_at, id LIMIT {MOST_ATTEMPTS}"
)


def last_said(connection: sqlite3.Connection, lead_id: str, limit: int = CONTEXT) -> list[Said]:
    """The last messages that were sent or received, oldest first."""
    return [_said(*row) for row in reversed(connection.execute(_LAST, (lead_id, limit)).fetchall())]


def entries(connection: sqlite3.Connection, lead_id: str) -> list[ThreadEntry]:
    """The latest messages with what is recorded of each, oldest first."""
    rows = connection.execute(_ENTRIES, (lead_id,)).fetchall()
    return [_entry(connection, row) for row in reversed(rows)]


def how_many(connection: sqlite3.Connection, lead_id: str) -> int:
    """How many messages there are in all."""
    row = connection.execute("SELECT count(*) FROM messages WHERE lead_id=? AND status<>'cancelled'", (lead_id,))
    return int(row.fetchone()[0])


def pieces(evidence: str) -> list[EvidencePiece]:
    """Evidence as an action keeps it."""
    return [EvidencePiece(**piece) for piece in json.loads(evidence)]


def _said(kind: str, text: str, length: int, at: int) -> Said:
    return Said(author="them" if kind == "reply" else "us", kind=kind, text=text, length=length, at=at)


def _entry(connection: sqlite3.Connection, row: tuple[str, str, int, int, str, str, str, str]) -> ThreadEntry:
    *said, id_, step, status, reason = row
    approval = connection.execute(_APPROVAL, (id_,)).fetchone()
    attempts = connection.execute(_ATTEMPTS, (id_,)).fetchall()
    return ThreadEntry(
        **_said(*said).model_dump(),  # type: ignore[arg-type]
        id=id_,
        step=step,
        status=MessageStatus(status),
        reason=reason,
        approval=ApprovalLine(by=approval[0], at=approval[1], digest=approval[2], status=approval[3])
        if approval
        else None,
        attempts=[
            AttemptLine(
                id=action, at=at, settled_at=settled, status=outcome, claim=claim, said=words, evidence=pieces(evidence)
            )
            for action, at, settled, outcome, claim, words, evidence in attempts
        ],
    )
