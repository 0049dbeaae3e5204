"""The conversation with the assistant as a person reads it; no module of a turn may read it."""

from typing import NamedTuple

from backend.store.database import DatabaseConnection


class ConversationLine(NamedTuple):
    """A line of the conversation; `payload` in JSON, `created_at` in ms UTC."""

    id: str
    line: int
    request_id: str
    turn: int | None
    role: str
    kind: str
    content: str
    payload: str
    created_at: int


def lines(
    connection: DatabaseConnection, campaign_id: str, after: int, before: int, limit: int
) -> list[ConversationLine]:
    """The lines between these two, the latest first."""
    rows = connection.execute(
        f"SELECT {', '.join(ConversationLine._fields)} FROM conversations"
        " WHERE campaign_id=? AND line>? AND line<? ORDER BY line DESC LIMIT ?",
        (campaign_id, after, before, limit),
    )
    return [ConversationLine(*row) for row in rows]
