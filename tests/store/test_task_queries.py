"""Which tasks each question finds: one row that it finds, and each change by which it no longer does."""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from backend.domain.events.events import Event
from backend.domain.model.task import NEVER, Task, TaskStatus
from backend.store.database import DatabaseConnection
from backend.store.log.journal import Journal
from backend.store.queries.campaign import tasks
from tests.fakes.clock import START
from tests.store.opening import CAMPAIGN, CREATED, lead_imported, started, task_created, write

LEAD, TASK, OTHER = "lead-1", "task-1", "camp-2"
Find = Callable[[DatabaseConnection], list[str]]


def lead(**columns: Any) -> Event:
    return Event("LeadImported", LEAD, columns)


def task(**columns: Any) -> Event:
    return Event("TaskCreated", TASK, columns)


def with_change(rows: list[Event], change: Event | None) -> list[Event]:
    """The rows as they come if that is otherwise, or comes besides."""
    if change is None:
        return rows
    if all(row.entity_id != change.entity_id for row in rows):
        return [*rows, change]
    return [
        Event(row.kind, row.entity_id, {**row.changes, **change.changes}) if row.entity_id == change.entity_id else row
        for row in rows
    ]


def asked(status: str, task_id: str = TASK) -> Event:
    columns = {"kind": "question", "question": "?", "task_id": task_id, "status": status, "created_at": START}
    return Event("InputRequested", "q1", columns)


def act(status: str, lead_id: str = LEAD, task_id: str = TASK) -> Event:
    columns = {"lead_id": lead_id, "task_id": task_id, "account": "a", "family": "invite", "tool": "t", "params": {}}
    return Event("ActionIntended", "act", {**columns, "turn": 1, "status": status, "intended_at": START})


def ids(rows: list[Task]) -> list[str]:
    return [row.id for row in rows]


OUTREACH = [lead_imported(1), task_created(1, lead_id=LEAD, status="in_progress")]
BLOCKED = [lead_imported(1), task_created(1, lead_id=LEAD, status="blocked")]
UNSETTLED = [act("intended"), act("outcome_unknown")]
"""While an act is under way, nothing else is decided about its person."""


def left_blocked(connection: DatabaseConnection) -> list[str]:
    return [TASK for lead_id in tasks.left_blocked(connection, CAMPAIGN) if lead_id == LEAD]


def of_gone(connection: DatabaseConnection) -> list[str]:
    return ids(tasks.of_gone_leads(connection, CAMPAIGN))


def going(connection: DatabaseConnection) -> list[str]:
    return ids(tasks.going_sequences(connection, CAMPAIGN, 9, not_contacted=False))


def not_contacted(connection: DatabaseConnection) -> list[str]:
    return ids(tasks.going_sequences(connection, CAMPAIGN, 9, not_contacted=True))


def withdrawals(connection: DatabaseConnection) -> list[str]:
    return ids(tasks.going_withdrawals(connection, CAMPAIGN, 9))


def waiting(connection: DatabaseConnection) -> list[str]:
    return ids(tasks.waiting(connection, CAMPAIGN, 5))


def answers(connection: DatabaseConnection) -> list[str]:
    return ids(tasks.open_answers(connection, LEAD))


def preconditions(connection: DatabaseConnection) -> list[str]:
    return ids(tasks.tasks_with_preconditions(connection, CAMPAIGN, 5))


def description(connection: DatabaseConnection) -> list[str]:
    return [TASK] if tasks.has_open_custom_task(connection, CAMPAIGN, "Task 1") else []


EXAMPLES: dict[Find, tuple[list[Event], list[Event], list[Event]]] = {
    left_blocked: (
        BLOCKED,
        [task(kind="answer"), asked("answered"), asked("open", "task-2"), act("intended")],
        [
            *(task(status=status) for status in TaskStatus if status is not TaskStatus.BLOCKED),
            task(kind="withdraw"),
            lead(blocked="skipped"),
            lead(finished="no reply"),
            asked("open"),
        ],
    ),
    of_gone: (
        with_change(OUTREACH, lead(blocked="moved")),
        [
            task(status="pending"),
            task(status="blocked"),
            lead(blocked="import_undone"),
            lead(blocked="not_on_record"),
            act("sent"),
        ],
        [
            lead(blocked=""),
            lead(blocked="skipped"),
            task(kind="answer"),
            task(status="done"),
            *UNSETTLED,
        ],
    ),
    going: (
        OUTREACH,
        [task(status="pending"), lead(invited_at=1), act("sent")],
        [
            task(status="blocked"),
            task(kind="answer"),
            lead(blocked="skipped"),
            lead(finished="no reply"),
            *UNSETTLED,
        ],
    ),
    not_contacted: (OUTREACH, [lead(claimed_at=1)], [lead(invited_at=1), lead(last_sent_at=1)]),
    withdrawals: (
        [lead_imported(1), task_created(1, lead_id=LEAD, kind="withdraw", needs="withdraw", status="in_progress")],
        [act("sent"), act("intended", "lead-2", "task-2")],
        [task(status="pending"), task(needs="look"), *UNSETTLED, act("intended", task_id="task-2")],
    ),
    waiting: (
        with_change(OUTREACH, task(ready_at=6)),
        [task(ready_at=NEVER - 1), task(kind="answer")],
        [task(ready_at=5), task(ready_at=NEVER), task(status="pending")],
    ),
    answers: (
        [lead_imported(1), task_created(1, lead_id=LEAD, kind="answer", status="in_progress")],
        [task(status="verifying"), task(status="blocked")],
        [task(status="done"), task(status="cancelled"), task(kind="reach_lead"), task(lead_id="lead-2")],
    ),
    preconditions: (
        [task_created(1, kind="custom", preconditions=["task-2"], ready_at=6)],
        [task(ready_at=NEVER)],
        [task(ready_at=5), task(preconditions=[]), task(status="in_progress"), task(kind="reach_lead")],
    ),
    description: (
        [task_created(1, kind="custom")],
        [task(status="in_progress"), task(status="verifying")],
        [
            task(status="done"),
            task(status="blocked"),
            task(status="cancelled"),
            task(kind="reach_lead"),
            task(description="Task 2"),
        ],
    ),
}


class _UndoneError(Exception):
    pass


def finds(journal: Journal, find: Find, rows: list[Event], campaign: str = CAMPAIGN) -> bool:
    """Whether it finds the task among these rows, which are undone."""
    with suppress(_UndoneError), journal.transaction() as transaction:
        transaction.record(campaign, rows, actor="test", cause="a test", at=START)
        (task_id,) = find(transaction.connection) or [""]
        raise _UndoneError
    return task_id == TASK


@pytest.mark.parametrize("find", EXAMPLES, ids=lambda find: find.__name__)
def test_a_question_finds_its_tasks_and_no_others(tmp_path: Path, find: Find) -> None:
    rows, still, no_longer = EXAMPLES[find]
    journal = started(tmp_path / "outrider.db")
    write(journal, Event("CampaignCreated", OTHER, CREATED.changes), campaign=OTHER)
    for change in (None, *still):
        assert finds(journal, find, with_change(rows, change)), change
    for change in no_longer:
        assert not finds(journal, find, with_change(rows, change)), change
    assert finds(journal, find, rows, OTHER) is (find is answers), "asked of one lead, whose campaign is its own"
    journal.database.close()


def test_a_blocked_task_about_what_is_not_on_record_waits_for_the_user(tmp_path: Path) -> None:
    journal = started(tmp_path / "outrider.db")
    rows = with_change(BLOCKED, lead(blocked="not_on_record"))
    assert not finds(journal, of_gone, rows)
    assert finds(journal, of_gone, with_change(rows, lead(blocked="moved")))
    journal.database.close()
