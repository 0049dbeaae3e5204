"""Tasks: the list, and one with everything about it."""

from backend.api.wire.base import Wire
from backend.api.wire.campaigns import GateLine, Question
from backend.domain.task import Needs, TaskKind, TaskStatus


class Before(Wire):
    """A task that must be done before another may begin."""

    id: str
    description: str
    status: TaskStatus


class Commitment(Wire):
    """What must be verifiably true before the task is done, whose commitment it is, and what the last look found.

    `checked_at` null: not looked at yet.
    """

    id: str
    sentence: str
    source: str
    status: str
    detail: str
    checked_at: int | None


class TaskRow(Wire):
    """A task with why it stands where it stands; `ready_at` null: only a person or another task can wake it."""

    id: str
    kind: TaskKind
    description: str
    status: TaskStatus
    needs: Needs
    reason: str
    ready_at: int | None
    rank: int
    strikes: int
    source: str
    lead_id: str | None
    lead_name: str
    created_at: int
    before: list[Before]
    commitments: list[Commitment]
    questions: list[Question]


class Held(Wire):
    """A family of acts that no task may do now: the first gate that is shut."""

    family: Needs
    gate: GateLine


class TaskPage(Wire):
    """Tasks: what is worked on, what is blocked, what comes next, what is done; `next` is where the next page begins.

    `unplanned` counts the leads whose task is not made yet.
    """

    rows: list[TaskRow]
    next: str | None
    counts: dict[TaskStatus, int]
    unplanned: int
    held: list[Held]


class TaskMessage(Wire):
    """A text that was written for the task's lead, or their reply."""

    id: str
    step: str
    kind: str
    status: str
    text: str
    reason: str
    created_at: int
    sent_at: int | None


class TaskDetail(Wire):
    """A task with its texts, newest last; its turns are asked for page by page."""

    row: TaskRow
    justification: str
    held: list[Held]
    messages: list[TaskMessage]
