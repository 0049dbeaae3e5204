"""Questions that a campaign's tasks wait for."""

from backend.api.server.endpoint import Routes
from backend.domain.values.shapes import Shape
from backend.store.queries.campaign.questions import QuestionRow

routes = Routes("questions", "/campaigns/<campaign_id>/questions")


class Question(Shape):
    """Something a task waits for."""

    id: str
    kind: str
    question: str
    choices: list[str]


routes.command("/<request_id>/answer", "questions.answer")


def question(row: QuestionRow) -> Question:
    """A question as every screen shows it."""
    return Question(id=row.id, kind=row.kind, question=row.shown_text, choices=list(row.choices))
