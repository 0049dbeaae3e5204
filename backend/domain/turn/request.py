"""A request of the user to the assistant: how it begins, the lines of its conversation, how it ends, and its bounds."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

from backend.domain.events.events import Event
from backend.domain.events.facts.fact import OMITTED
from backend.domain.events.facts.task import TaskCreated
from backend.domain.events.facts.turn import AttachmentGiven, ConversationSaid
from backend.domain.model.task import ActionFamily, Task, TaskKind, TaskStatus
from backend.domain.turn.assistant_results import AssistantResult, StatusLine
from backend.domain.turn.commitments import RequestSettled
from backend.domain.turn.new_tasks import commitment
from backend.domain.turn.task_progress import NewId

MOST_TURNS = 6
"""Turns for one request between two words of the user."""
MOST_SECONDS = 120.0
MOST_TOKENS = 200_000
GO_ON, LEAVE = "go on with it", "leave it"
CONTINUE, PAUSE, NOT_NOW = "continue", "pause", "not now"
DESCRIBED = 120
"""Characters of the user's words that the task is called by."""


class Attachment(NamedTuple):
    """Something attached: its name and its text, character for character."""

    name: str
    text: str


def request_events(
    request_id: str, text: str, attached: Sequence[Attachment], key: str, line: int, now: int, new_id: NewId
) -> list[Event]:
    """What the user said, what they gave with it, and the task that it is, with the promise that makes it done.

    The task has their words, too: it does not depend on the conversation (spec 000 §17).
    """
    words = " ".join(text.split())
    return [
        said_by_user(new_id(), request_id, line, text, [attachment.name for attachment in attached], key, now),
        *(
            AttachmentGiven(
                new_id(), request_id=request_id, place=number, name=attachment.name, content=attachment.text
            )
            for number, attachment in enumerate(attached, 1)
        ),
        *begun(request_id, words[:DESCRIBED] + ("…" if len(words) > DESCRIBED else ""), text, "user", now, new_id),
    ]


def begun(request_id: str, description: str, request_text: str, source: str, now: int, new_id: NewId) -> list[Event]:
    """The task that a request is, with the promise that makes it done."""
    return [
        TaskCreated(
            request_id,
            kind=TaskKind.ASSIST,
            description=description,
            status=TaskStatus.IN_PROGRESS,
            needs=ActionFamily.ASSIST,
            source=source,
            metadata={"said": request_text},
            created_at=now,
        ),
        commitment(
            new_id(), request_id, RequestSettled(type="request_settled", request_id=request_id).model_dump(), "campaign"
        ),
    ]


def proposed(line_id: str, request_id: str, line: int, sentence: str, key: str, now: int) -> Event:
    """A program outside proposed something."""
    payload = StatusLine(sentence=sentence).model_dump(mode="json")
    return _line(
        line_id, request_id, line, now, role="outrider", kind="result", content=sentence, payload=payload, given_key=key
    )


def said_by_user(
    line_id: str, request_id: str, line: int, text: str, attached: Sequence[str], key: str, now: int
) -> Event:
    """The user's own words."""
    payload = {"attached": list(attached)} if attached else {}
    return _line(line_id, request_id, line, now, role="user", kind="said", content=text, payload=payload, given_key=key)


def said_in_turn(line_id: str, request_id: str, line: int, turn: int, role: str, text: str, now: int) -> Event:
    """The words of a turn's reply, as received: a `model`'s, or Outrider's own where no model was asked."""
    return _line(line_id, request_id, line, now, role=role, kind="said", content=text, turn=turn)


def result(line_id: str, request_id: str, line: int, turn: int | None, finding: AssistantResult, now: int) -> Event:
    """What came of a turn, or of an answer."""
    text = finding.sentence if isinstance(finding, StatusLine) else ""
    payload = finding.model_dump(mode="json")
    return _line(
        line_id, request_id, line, now, role="outrider", kind="result", content=text, payload=payload, turn=turn
    )


def asked(line_id: str, request_id: str, line: int, turn: int | None, question: Event, now: int) -> Event:
    """A question that was put to the user by this `RequestAsked`."""
    text, payload = question.changes["question"], {"question_id": question.entity_id}
    return _line(
        line_id, request_id, line, now, role="outrider", kind="question", content=text, payload=payload, turn=turn
    )


def _line(
    line_id: str,
    request_id: str,
    line: int,
    now: int,
    *,
    role: str,
    kind: str,
    content: str,
    payload: Mapping[str, Any] | None = None,
    turn: int | None = None,
    given_key: str = OMITTED,
) -> Event:
    return ConversationSaid(
        line_id,
        request_id=request_id,
        line=line,
        created_at=now,
        role=role,
        kind=kind,
        content=content,
        payload=payload or OMITTED,
        turn=OMITTED if turn is None else turn,
        given_key=given_key,
    )


def wants_turns(task: Task) -> bool:
    """Whether turns are to run for this request now."""
    return task.kind is TaskKind.ASSIST and task.status is TaskStatus.IN_PROGRESS and task.needs is ActionFamily.ASSIST


def is_worked_on(task: Task) -> bool:
    """Whether turns are to run for this request now, or what it claims to have done is to be verified."""
    return wants_turns(task) or (task.kind is TaskKind.ASSIST and task.status is TaskStatus.VERIFYING)


PlainCommand = Literal["go", "stop"]
COMMANDS: Mapping[str, PlainCommand] = {
    "continue": "go", "go on": "go", "goon": "go", "resume": "go", "go": "go", "start": "go", "carry on": "go", "proceed": "go",
    "pause": "stop", "stop": "stop", "halt": "stop", "wait": "stop",
}  # fmt: skip
"""Whole messages that are the user's own act, once they were shown what the message is understood as (spec 004 REQ-DET-003)."""

UNDERSTOOD_AS: Mapping[PlainCommand, str] = {"go": "Continue the campaign", "stop": "Pause the campaign"}

_NO_WORD = re.compile(r"[^\w]+")


def plain_command(text: str) -> PlainCommand | None:
    """`go` or `stop` when the whole message is just that; upper case, blanks and punctuation mean nothing."""
    return COMMANDS.get(_NO_WORD.sub(" ", text).strip().lower())
