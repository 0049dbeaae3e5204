"""A task: its lifecycle, what it waits for, and when patience with the proposer ends."""

from dataclasses import dataclass
from enum import StrEnum

from backend.domain import lifecycle

NEVER = 2**53
"""`ready_at` of a task that only a person or another task can wake."""

MAX_STRIKES = 3
"""Unproductive turns in a row after which a task is blocked and the user is asked."""

PLAN_AHEAD = 10
"""How many pending lead tasks are kept ready; the rest of the leads wait unplanned, so a turn costs the same at any size."""


class TaskStatus(StrEnum):
    """Spec 000 §4.2 plus `verifying` (spec 004)."""

    PENDING = "pending"
    IN_PROGRESS = "in_progress"
    VERIFYING = "verifying"
    DONE = "done"
    BLOCKED = "blocked"


_T = TaskStatus

TASK_MOVES: dict[TaskStatus, frozenset[TaskStatus]] = {
    _T.PENDING: frozenset({_T.IN_PROGRESS, _T.BLOCKED}),
    _T.IN_PROGRESS: frozenset({_T.VERIFYING, _T.BLOCKED}),
    # `done` is reached from `verifying` only: a claim is not a proof.
    _T.VERIFYING: frozenset({_T.DONE, _T.IN_PROGRESS, _T.BLOCKED}),
    _T.DONE: frozenset(),
    _T.BLOCKED: frozenset({_T.PENDING, _T.IN_PROGRESS}),
}


def move(state: TaskStatus, target: TaskStatus) -> TaskStatus:
    """Raises `OutriderError("illegal_status")` for anything the table does not list."""
    return lifecycle.move("task", TASK_MOVES, state, target)


class TaskKind(StrEnum):
    """What a task is about."""

    SCORE_LEADS = "score_leads"
    REACH_LEAD = "reach_lead"
    CUSTOM = "custom"
    ASSIST = "assist"  # a request of the user; no part of the campaign's own work


class Needs(StrEnum):
    """What a task waits for or would do next, so that tasks whose family of acts is held back are not even offered."""

    THINK = "think"
    LOOK = "look"
    INVITE = "invite"
    MESSAGE = "message"
    APPROVAL = "approval"
    INPUT = "input"
    ASSIST = "assist"  # turns of the assistant: never offered to the campaign's own


@dataclass(frozen=True, slots=True)
class Task:
    """A task as loaded."""

    id: str
    campaign_id: str
    kind: TaskKind
    description: str
    status: TaskStatus
    needs: Needs
    ready_at: int
    strikes: int = 0
    lead_id: str | None = None
    reason: str = ""
    preconditions: tuple[str, ...] = ()

    def eligible(self, now: int, held: frozenset[Needs]) -> bool:
        """Whether the task may be worked on at `now` (ms UTC) while the families in `held` must wait."""
        return (
            self.status in (TaskStatus.PENDING, TaskStatus.IN_PROGRESS)
            and self.ready_at <= now
            and self.needs not in held
            and self.needs not in (Needs.APPROVAL, Needs.INPUT)
        )


def shortfall(pending_lead_tasks: int) -> int:
    """How many lead tasks to plan now. Topping up by half a window keeps the average cost at one row a lead."""
    return PLAN_AHEAD - pending_lead_tasks if pending_lead_tasks <= PLAN_AHEAD // 2 else 0
