"""The conversation with the assistant, a page of it at a time, the latest first."""

import json
import sqlite3
from typing import Any

from pydantic import TypeAdapter

from backend.api.wire.assistant import AssistantQuestion, Conversation, Line, Result
from backend.domain.errors import OutriderError
from backend.store import reading, requests

PAGE = 50
_RESULT: TypeAdapter[Result] = TypeAdapter(Result)

_LINES = (
    "SELECT id, line, request_id, turn, role, kind, content, payload, created_at FROM conversations"
    " WHERE campaign_id=? AND line>? AND line<? ORDER BY line DESC LIMIT ?"
)


def conversation(
    connection: sqlite3.Connection, campaign_id: str, before: int | None, working: str | None
) -> Conversation:
    """The lines before that one; raises `campaign_unknown`."""
    if reading.campaign(connection, campaign_id) is None:
        raise OutriderError("campaign_unknown", campaign=campaign_id)
    hidden, _ = requests.hidden(connection, campaign_id)
    rows = connection.execute(_LINES, (campaign_id, hidden, before or 2**53, PAGE + 1)).fetchall()
    shown = rows[:PAGE]
    return Conversation(
        lines=[_line(connection, row) for row in reversed(shown)],
        before=str(shown[-1][1]) if len(rows) > PAGE else None,
        working=working,
    )


def _line(connection: sqlite3.Connection, row: tuple[Any, ...]) -> Line:
    id_, _, request_id, turn, author, kind, text, stored, at = row
    payload = json.loads(stored)
    return Line(
        id=id_,
        request_id=request_id,
        at=at,
        author=author,
        turn=turn,
        text=text,
        attached=payload.get("attached", []),
        result=_RESULT.validate_json(stored) if kind == "result" else None,
        question=_question(connection, payload["question_id"]) if kind == "question" else None,
    )


def _question(connection: sqlite3.Connection, question_id: str) -> AssistantQuestion:
    id_, kind, question, choices, status, answer = connection.execute(
        "SELECT id, kind, question, choices, status, answer FROM input_requests WHERE id=?", (question_id,)
    ).fetchone()
    return AssistantQuestion(
        id=id_,
        kind=kind,
        question=question,
        choices=json.loads(choices),
        answer=None if status == "open" else answer,
    )
