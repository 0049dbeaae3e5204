"""The conversation with the assistant as a person reads it; no module of a turn may read it."""

from typing import Final, NamedTuple

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


Place = tuple[int, str]
"""Where a line stands: two devices may have given the same number."""
END: Final[Place] = (2**53, "")
"""Behind every line."""


def place(connection: DatabaseConnection, campaign_id: str, line_id: str) -> Place | None:
    """Where the line with this id stands."""
    row: Place | None = connection.execute(
        "SELECT line, id FROM conversations WHERE campaign_id=? AND id=?", (campaign_id, line_id)
    ).fetchone()
    return row


def lines(
    connection: DatabaseConnection, campaign_id: str, after: int, before: Place, limit: int
) -> list[ConversationLine]:
    """The lines with a greater number than `after`, and before that place; the latest first."""
    rows = connection.execute(
        f"SELECT {', '.join(ConversationLine._fields)} FROM conversations"
        " WHERE campaign_id=? AND line>? AND (line, id)<(?, ?) ORDER BY line DESC, id DESC LIMIT ?",
        (campaign_id, after, *before, limit),
    )
    return [ConversationLine(*row) for row in rows]
