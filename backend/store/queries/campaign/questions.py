"""Questions to the user, their answers, and their withdrawal once nobody needs an answer."""

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

from backend.domain.events.events import Event
from backend.domain.events.facts.statuses import QuestionStatus
from backend.domain.events.facts.task import InputAnswered
from backend.domain.model.variables import in_words
from backend.domain.turn.agent_questions import OWN_WORDS
from backend.domain.values.errors import OutriderError
from backend.store.database import DatabaseConnection
from backend.store.queries.campaign.campaigns import existing_campaign
from backend.store.rows import TableReader

MOST_ANSWERS = 12
MOST_ASKED = 40


class AskedQuestion(NamedTuple):
    """A question about a task; `situation` is the task's when a proposer asked it, None for a question of another kind."""

    kind: str
    question: str
    status: str
    answer: str
    situation: str | None


_ASKED = (
    "SELECT kind, question, status, answer, CASE WHEN kind IN ('confirm', 'choice', 'text')"
    " THEN json_extract(payload, '$.situation') END FROM input_requests"
    " WHERE task_id=? ORDER BY id DESC LIMIT ?"
)


def asked_about(connection: DatabaseConnection, task_id: str) -> list[AskedQuestion]:
    """What the user was asked about this task, newest first; the latest, if there are many."""
    return [AskedQuestion(*row) for row in connection.execute(_ASKED, (task_id, MOST_ASKED))]


def answers(asked: Sequence[AskedQuestion]) -> tuple[tuple[str, str], ...]:
    """(question, answer) of what the user answered, oldest first; the latest, if there are many."""
    answered = [(question.question, question.answer) for question in asked if question.status == "answered"]
    return tuple(reversed(answered[:MOST_ANSWERS]))


NOT_ASSISTANT_QUESTION = "NOT EXISTS (SELECT 1 FROM tasks t WHERE t.id=q.task_id AND t.kind='assist')"
"""Of a question `q`: not one about a request of the user, which is asked in its conversation."""


def open_questions(connection: DatabaseConnection, campaign_id: str) -> int:
    """How many of the campaign's own questions wait for the user."""
    row = connection.execute(
        f"SELECT count(*) FROM input_requests q WHERE campaign_id=? AND status='open' AND {NOT_ASSISTANT_QUESTION}",
        (campaign_id,),
    )
    return int(row.fetchone()[0])


def open_question(connection: DatabaseConnection, task_id: str) -> bool:
    """Whether this task waits for the user's answer."""
    row = connection.execute("SELECT 1 FROM input_requests WHERE task_id=? AND status='open' LIMIT 1", (task_id,))
    return row.fetchone() is not None


def answered_payloads(connection: DatabaseConnection, task_id: str, kind: str) -> list[dict[str, Any]]:
    """What the questions of that kind were about that the user has answered about this task."""
    rows = connection.execute(
        "SELECT payload FROM input_requests WHERE task_id=? AND kind=+? AND status='answered'", (task_id, kind)
    )
    return [json.loads(payload) for (payload,) in rows]


class QuestionRow(NamedTuple):
    """A question as it is stored; `created_at` in ms UTC, `answer` empty while it is open."""

    id: str
    task_id: str | None
    kind: str
    text: str
    choices: tuple[str, ...]
    payload: dict[str, Any]
    created_at: int
    status: str
    answer: str

    @property
    def shown_text(self) -> str:
        """As people read it."""
        return in_words(self.text) if self.kind in OWN_WORDS else self.text


_QUESTION = "id, task_id, kind, question, choices, payload, created_at, status, answer"


def _question(*row: Any) -> QuestionRow:
    id_, task_id, kind, text, choices, payload, created_at, status, answer = row
    return QuestionRow(
        id_, task_id, kind, text, tuple(json.loads(choices)), json.loads(payload), created_at, status, answer
    )


_QUESTIONS = TableReader(f"SELECT {_QUESTION} FROM input_requests", _question)


def question(connection: DatabaseConnection, question_id: str) -> QuestionRow | None:
    """That question, open or not."""
    return _QUESTIONS.first(connection, "WHERE id=?", (question_id,))


def find_open(connection: DatabaseConnection, campaign_id: str, question_id: str) -> QuestionRow | None:
    """That question, if it is this campaign's and open."""
    return _QUESTIONS.first(connection, "WHERE id=? AND campaign_id=? AND status='open'", (question_id, campaign_id))


def existing_proposal(connection: DatabaseConnection, campaign_id: str, question_id: str, kind: str) -> QuestionRow:
    """That open question of this kind; raises `campaign_unknown`, also for one that was deleted, and `question_unknown`."""
    existing_campaign(connection, campaign_id)
    question = find_open(connection, campaign_id, question_id)
    if question is None or question.kind != kind:
        raise OutriderError("question_unknown", question=question_id)
    return question


def list_open(
    connection: DatabaseConnection, campaign_id: str, limit: int, *, kind: str = "", own: bool = False
) -> list[QuestionRow]:
    """The campaign's open questions, oldest first: of that kind, or `own` without those about requests of the user."""
    where = (
        "q WHERE campaign_id=? AND status='open'"
        + (" AND kind=+?" if kind else "")
        + (f" AND {NOT_ASSISTANT_QUESTION}" if own else "")
        + " ORDER BY id LIMIT ?"
    )
    return _QUESTIONS.every(connection, where, (campaign_id, *([kind] if kind else []), limit))


def open_from_source(connection: DatabaseConnection, source: str, limit: int) -> list[tuple[str, QuestionRow]]:
    """Open questions about requests of that source with their campaigns, oldest first."""
    columns = ", ".join(f"q.{name}" for name in _QUESTION.split(", "))
    rows = connection.execute(
        f"SELECT q.campaign_id, {columns} FROM input_requests q JOIN tasks t ON t.id=q.task_id"
        " JOIN campaigns c ON c.id=q.campaign_id AND c.deleted_at IS NULL"
        " WHERE q.status='open' AND t.source=? ORDER BY q.id LIMIT ?",
        (source, limit),
    )
    return [(campaign_id, _question(*row)) for campaign_id, *row in rows]


def list_open_of_task(
    connection: DatabaseConnection, task_id: str, kind: str = "", *, limit: int = -1
) -> list[QuestionRow]:
    """Open questions about that task, oldest first; -1 is no limit, as SQLite has it."""
    where = "WHERE task_id=? AND status='open'" + (" AND kind=+?" if kind else "") + " ORDER BY id LIMIT ?"
    return _QUESTIONS.every(connection, where, (task_id, *([kind] if kind else []), limit))


def list_open_of_tasks(connection: DatabaseConnection, task_ids: Sequence[str]) -> list[QuestionRow]:
    """Open questions about any of these tasks, oldest first."""
    marks = ",".join("?" * len(task_ids))
    return _QUESTIONS.every(connection, f"WHERE task_id IN ({marks}) AND status='open' ORDER BY id", task_ids)


def withdrawn_questions(connection: DatabaseConnection, task_id: str, why: str, kind: str = "") -> list[Event]:
    """Withdraw the open questions about a task, of one kind only if it is given."""
    open_questions = list_open_of_task(connection, task_id, kind)
    return [InputAnswered(question.id, status=QuestionStatus.WITHDRAWN, answer=why) for question in open_questions]
