"""Questions that a campaign's tasks wait for."""

from pydantic import Field

from backend.api.server.endpoint import Routes
from backend.api.server.services import Services
from backend.api.shapes import CodePoints, Done
from backend.domain.values.shapes import Shape
from backend.store.queries.campaign.questions import QuestionRow

routes = Routes("questions", "/campaigns/<campaign_id>/questions")


class Question(Shape):
    """Something a task waits for."""

    id: str
    kind: str
    question: str
    choices: list[str]
    created_at: int


class QuestionAnswer(Shape):
    """The user's answer to a question; `hidden` are the code points of hidden characters that were shown with it."""

    answer: str = Field(min_length=1, max_length=2_000)
    hidden: CodePoints = Field(default_factory=list)


@routes.post("/<question_id>/answer")
def answer(services: Services, campaign_id: str, question_id: str, body: QuestionAnswer) -> Done:
    """Answer a question; raises `question_unknown`, and what its answer is refused for."""
    services.session.commands(campaign_id).answer(campaign_id, question_id, body.answer, hidden_shown=body.hidden)
    return Done(campaign_id=campaign_id)


def question(row: QuestionRow) -> Question:
    """A question as every screen shows it."""
    return Question(id=row.id, kind=row.kind, question=row.text, choices=list(row.choices), created_at=row.created_at)
