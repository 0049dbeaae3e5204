"""The assistant: what the user says, what came of it, and taking the conversation away."""

import json
from typing import Annotated, Literal

from pydantic import Field

from backend.api.exports import record_read
from backend.api.server.endpoint import Routes
from backend.api.server.services import Services
from backend.api.shapes import Ticket
from backend.domain.model.artifact import MAX_INLINE, text_of
from backend.domain.model.connection import SCRIPTED
from backend.domain.turn.assistant_results import ASSISTANT_RESULT, AssistantResult
from backend.domain.turn.request import Attachment, PlainCommand
from backend.domain.values.errors import OutriderError
from backend.domain.values.shapes import Id, Shape
from backend.store.database import DatabaseConnection
from backend.store.queries.campaign import campaign_answers, questions
from backend.store.queries.campaign.campaigns import existing_campaign
from backend.store.queries.contact import conversations
from backend.store.queries.contact.conversations import ConversationLine
from backend.store.queries.leads import leads
from backend.store.queries.turn import requests

MAX_ASK_BYTES = 8 * 1024 * 1024
PAGE = 50

routes = Routes("assistant", "/campaigns/<campaign_id>/assistant")


class ConversationQuery(Shape):
    """The lines before the one with that id ("": the latest)."""

    before: str = Field(default="", max_length=64)


class Attach(Shape):
    """Something given with a message: pasted text, or the ticket of a chosen or uploaded file."""

    name: Annotated[str, Field(min_length=1, max_length=200)]
    text: Annotated[str, Field(max_length=1_000_000)] | None = None
    ticket: Ticket | None = None


class Ask(Shape):
    """What the user says. `key` makes a repeated request the same one.

    `command` is what the page showed that the whole message is understood as; nothing is carried out that was not shown.
    """

    text: Annotated[str, Field(min_length=1, max_length=20_000)]
    attached: Annotated[list[Attach], Field(max_length=5)]
    key: Id
    command: PlainCommand | None = None


class Asked(Shape):
    """The request that the message began."""

    request_id: str


class AssistantQuestion(Shape):
    """A typed question; it waits through a restart. `answer` once it was given."""

    id: str
    kind: str
    question: str
    choices: list[str]
    answer: str | None


class Line(Shape):
    """One line of the conversation.

    `user`: what they said, with the names of what they attached. `model`: its own words, byte for byte. `outrider`: what
    the controller did with a turn (`result`), or asks (`question`).
    """

    id: str
    request_id: str
    at: int
    author: Literal["user", "model", "outrider"]
    turn: int | None
    text: str
    attached: list[str]
    result: AssistantResult | None = None
    question: AssistantQuestion | None = None


class AssistantConversation(Shape):
    """The latest lines, oldest first; `before` asks for earlier ones. `working` is the request that turns run for now.

    `examples` are questions about this campaign, for a conversation that has not begun.
    """

    lines: list[Line]
    before: str | None
    working: str | None
    has_model: bool
    examples: list[str]


@routes.get()
def conversation(
    services: Services, connection: DatabaseConnection, campaign_id: str, query: ConversationQuery
) -> AssistantConversation:
    """A page of the conversation, the latest lines first asked for; raises `campaign_unknown`."""
    campaign = existing_campaign(connection, campaign_id)
    hidden, _ = requests.hidden(connection, campaign_id)
    before = conversations.place(connection, campaign_id, query.before) if query.before else conversations.END
    if before is None:
        raise OutriderError("bad_request", detail="before is no line of this conversation")
    rows = conversations.lines(connection, campaign_id, hidden, before, PAGE + 1)
    shown = rows[:PAGE]
    return AssistantConversation(
        lines=[_line(connection, row) for row in reversed(shown)],
        before=shown[-1].id if len(rows) > PAGE else None,
        working=services.assistant.current_request(campaign_id),
        has_model=campaign.proposer != SCRIPTED,
        examples=[] if rows else _examples(connection, campaign_id),
    )


def _examples(connection: DatabaseConnection, campaign_id: str) -> list[str]:
    """What can be asked here and has an answer: with the names of this campaign's own people."""
    replied = campaign_answers.replied(connection, campaign_id)
    silent = campaign_answers.silent(connection, campaign_id)
    first = leads.unplanned_leads(connection, campaign_id, 1)
    questions_ = ["How many leads are there?", "What is next?", "What waits for me?"]
    if replied:
        questions_ += ["Who replied?", "Show response rates by company"]
    if silent:
        questions_ += ["Who accepted?", f"Why did you not write to {silent[0].name} again?"]
    name = first[0].full_name if first else ""
    if name and not silent:
        questions_.append(f"Why was {name} not contacted?")
    return questions_


@routes.post("/messages", status=201, most_bytes=MAX_ASK_BYTES)
def ask(services: Services, campaign_id: str, body: Ask) -> Asked:
    """Begin a request, or carry out the plain command that was shown; raises `command_not_shown`."""
    attachments = [_given(services, attached) for attached in body.attached]
    submit = services.assistant.submit
    request_id = submit(campaign_id, body.text, attachments, key=body.key, shown=body.command)
    for attachment, attached in zip(attachments, body.attached, strict=True):
        if attached.ticket is not None:
            record_read(services, campaign_id, attachment.name, len(attachment.text.encode()), f"request {request_id}")
    return Asked(request_id=request_id)


@routes.post("/stop")
def stop(services: Services, campaign_id: str) -> None:
    """Stop working on the request."""
    services.assistant.stop(campaign_id)


routes.command("/hide", "requests.delete")


@routes.post("/erase")
def erase(services: Services, campaign_id: str) -> None:
    """Erase the conversation's words for good, from the logs too; raises `assistant_works`."""
    services.commands(campaign_id).requests.erase(campaign_id)


routes.command("/restore", "requests.restore")


def _given(services: Services, attached: Attach) -> Attachment:
    """The text of what was attached, character for character."""
    if (attached.text is None) == (attached.ticket is None):
        raise OutriderError("bad_request", detail=f"attached: {attached.name} is neither text nor a file")
    if attached.text is not None:
        raw = attached.text.encode()
    else:
        source = services.files.source(str(attached.ticket))
        try:
            with source.path.open("rb") as file:
                raw = file.read(MAX_INLINE + 1)
        except OSError as error:
            raise OutriderError("file_ticket_unknown") from error
    return Attachment(attached.name, text_of(raw))


def _line(connection: DatabaseConnection, row: ConversationLine) -> Line:
    payload = json.loads(row.payload)
    return Line.model_validate(
        {
            "id": row.id,
            "request_id": row.request_id,
            "at": row.created_at,
            "author": row.role,
            "turn": row.turn,
            "text": row.content,
            "attached": payload.get("attached", []),
            "result": ASSISTANT_RESULT.validate_json(row.payload) if row.kind == "result" else None,
            "question": _question(connection, payload["question_id"]) if row.kind == "question" else None,
        }
    )


def _question(connection: DatabaseConnection, question_id: str) -> AssistantQuestion:
    question = questions.question(connection, question_id)
    assert question is not None  # noqa: S101 - a line names a question of its own transaction
    return AssistantQuestion(
        id=question.id,
        kind=question.kind,
        question=question.shown_text,
        choices=list(question.choices),
        answer=None if question.status == "open" else question.answer,
    )
