"""Withdraws the questions about a task once nobody needs their answers."""

from backend.domain.events.events import Event
from backend.domain.events.facts.statuses import QuestionStatus
from backend.domain.events.facts.task import InputAnswered
from backend.store.database import DatabaseConnection
from backend.store.queries.campaign import questions


def withdrawn_questions(connection: DatabaseConnection, task_id: str, why: str, kind: str = "") -> list[Event]:
    """Withdraw the open questions about a task, of one kind only if it is given."""
    open_questions = questions.list_open_of_task(connection, task_id, kind)
    return [InputAnswered(question.id, status=QuestionStatus.WITHDRAWN, answer=why) for question in open_questions]
