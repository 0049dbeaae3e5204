"""Tasks: the campaign's list of what is to be done, by an index that is there anyway, and one task with all about it."""

import json
from collections.abc import Sequence

from backend.api.questions import Question, question
from backend.api.server import cursor
from backend.api.server.endpoint import Routes
from backend.api.server.services import Services
from backend.api.shapes import Page, PageQuery
from backend.domain.gates import gates
from backend.domain.gates.gates import GateLine, Refusal
from backend.domain.model.campaign import Campaign
from backend.domain.model.message import SENT_BY, MessageStatus
from backend.domain.model.task import NEVER, STATUS_WORDS, ActionFamily, TaskKind, TaskStatus
from backend.domain.turn.commitments import COMMITMENT, CommandSucceeds, OfUser, UserCommitment, sentence
from backend.domain.values.errors import OutriderError
from backend.domain.values.shapes import Shape
from backend.situation import situations, wait_reasons
from backend.situation.situations import TurnInputs
from backend.store.database import DatabaseConnection
from backend.store.queries.campaign import questions, tasks
from backend.store.queries.campaign.campaigns import existing_campaign
from backend.store.queries.campaign.tasks import ListedTask, NamedTask, TaskPlace
from backend.store.queries.contact import messages
from backend.store.queries.contact.messages import WrittenText
from backend.store.queries.leads import leads as lead_queries
from backend.store.queries.turn import commitments

MOST_MESSAGES = 50

_START: TaskPlace = ("", -NEVER, -NEVER, "")

routes = Routes("tasks", "/campaigns/<campaign_id>/tasks")


class TasksQuery(PageQuery):
    """Which tasks: those of one status, or all."""

    status: TaskStatus | None = None


class Commitment(Shape):
    """What must be verifiably true before the task is done, whose commitment it is, and what the last look found.

    `checked_at` null: not looked at yet. `unapproved`: a command, argument by argument, that is not started on this device because
    the user has not approved it here. `added`: what the user added and may remove, as they gave it.
    """

    id: str
    sentence: str
    source: str
    status: str
    detail: str
    checked_at: int | None
    unapproved: list[str] | None = None
    added: UserCommitment | None = None


class TaskRow(Shape):
    """A task with why it stands where it stands; `ready_at` (in working hours) null: only a person or another task can wake it."""

    id: str
    kind: TaskKind
    description: str
    status: TaskStatus
    needs: ActionFamily
    reason: str
    ready_at: int | None
    rank: int
    strikes: int
    source: str
    lead_id: str | None
    lead_name: str
    created_at: int
    before: list[NamedTask]
    commitments: list[Commitment]
    questions: list[Question]


class Held(Shape):
    """A family of acts that no task may do now: the first gate that is shut."""

    family: ActionFamily
    gate: GateLine


class TaskPage(Page[TaskRow]):
    """Tasks worked on, blocked, coming next and done; `unplanned` counts the leads whose task is still to be made."""

    counts: dict[TaskStatus, int]
    unplanned: int
    held: list[Held]


class TaskDetail(Shape):
    """A task with its texts, newest last; its turns are asked for page by page."""

    row: TaskRow
    justification: str
    held: list[Held]
    messages: list[WrittenText]


@routes.get()
def list_(services: Services, connection: DatabaseConnection, campaign_id: str, query: TasksQuery) -> TaskPage:
    """A page of the tasks; raises `campaign_unknown`, `bad_request` for a wrong `after`."""
    return page(connection, campaign_id, services.turn_inputs(campaign_id), query)


@routes.get("/<task_id>")
def view(services: Services, connection: DatabaseConnection, campaign_id: str, task_id: str) -> TaskDetail:
    """One task with its texts, newest last; raises `task_unknown`."""
    campaign = existing_campaign(connection, campaign_id)
    row = tasks.listed_task(connection, campaign_id, task_id)
    if row is None:
        raise OutriderError("task_unknown", task=task_id)
    inputs = services.turn_inputs(campaign_id)
    (task,) = _rows(connection, campaign_id, [wait_reasons.in_working_hours(row, campaign, inputs)])
    return TaskDetail(
        row=task,
        justification=tasks.metadata(connection, task_id).get("justification", ""),
        held=held(connection, campaign, inputs),
        messages=messages.texts_for_task(connection, campaign_id, task.lead_id, MOST_MESSAGES),
    )


routes.command("/<task_id>/cancel", "tasks.cancel")
routes.command("/<task_id>/retry", "tasks.retry")
routes.command("/<task_id>/commitments", "tasks.add_commitment")
routes.command("/<task_id>/commitments/<commitment_id>/remove", "tasks.remove_commitment")
routes.command("/<task_id>/commitments/<commitment_id>/approve", "tasks.approve_command")


def page(connection: DatabaseConnection, campaign_id: str, inputs: TurnInputs, query: TasksQuery) -> TaskPage:
    """The tasks that `query` asks for."""
    campaign = existing_campaign(connection, campaign_id)
    statuses = [query.status] if query.status else list(STATUS_WORDS)
    start = _START
    if query.after:
        first, start = _place(query.after, statuses)
        statuses = statuses[statuses.index(first) :]
    listed_tasks: list[ListedTask] = []
    for status in statuses:
        if len(listed_tasks) <= query.limit:
            listed_tasks += tasks.listed(connection, campaign_id, status, start, query.limit + 1 - len(listed_tasks))
        start = _START
    shown = listed_tasks[: query.limit]
    counts: dict[TaskStatus, int] = {}
    for (_, state), n in tasks.task_counts(connection, campaign_id).items():
        counts[TaskStatus(state)] = counts.get(TaskStatus(state), 0) + n
    return TaskPage(
        rows=_rows(connection, campaign_id, [wait_reasons.in_working_hours(task, campaign, inputs) for task in shown]),
        next=_after(shown[-1]) if len(listed_tasks) > query.limit else None,
        counts=counts,
        unplanned=lead_queries.count_unplanned(connection, campaign_id),
        held=held(connection, campaign, inputs),
    )


def next_up(connection: DatabaseConnection, campaign: Campaign, inputs: TurnInputs, limit: int) -> list[TaskRow]:
    """What would be done next and when."""
    upcoming = wait_reasons.coming(connection, campaign, inputs, limit)
    return _rows(connection, campaign.id, [_unless_expired(connection, campaign, inputs, task) for task in upcoming])


def _unless_expired(
    connection: DatabaseConnection, campaign: Campaign, inputs: TurnInputs, row: ListedTask
) -> ListedTask:
    """The task, or as one that waits for the user if the approval of its text is over: the next turn takes it to Review."""
    if row.needs not in (*SENT_BY.values(), ActionFamily.ANSWER) or row.ready_at > inputs.now:
        return row
    task = tasks.task(connection, campaign.id, row.id)
    situation = situations.task_situation(connection, campaign, task, inputs.now)
    if situation is None or situation.message is None or situation.message.status is not MessageStatus.APPROVED:
        return row
    facts = situations.lead_facts(connection, campaign, situation, inputs.now)
    verdict = gates.approval_verdict(facts.approval)
    return row._replace(ready_at=NEVER, reason=verdict.sentence) if isinstance(verdict, Refusal) else row


# --- where a page begins: the values of the index at its end ---
def _after(row: ListedTask) -> str:
    return json.dumps([row.status, row.needs, row.ready_at, row.rank, row.id], separators=(",", ":"))


def _place(after: str, statuses: Sequence[TaskStatus]) -> tuple[TaskStatus, TaskPlace]:
    values = cursor.values(after)
    if values is None or len(values) != len(_START) + 1:
        raise OutriderError("bad_request", detail="after is no place in this list")
    status, needs, ready_at, rank, task_id = values
    numbers = all(type(value) is int and abs(value) <= NEVER for value in (ready_at, rank))
    if status not in statuses or not (isinstance(needs, str) and isinstance(task_id, str) and numbers):
        raise OutriderError("bad_request", detail="after is no place in this list")
    return TaskStatus(status), (needs, ready_at, rank, task_id)


# --- rows ---
def _rows(connection: DatabaseConnection, campaign_id: str, listed_tasks: Sequence[ListedTask]) -> list[TaskRow]:
    ids = [row.id for row in listed_tasks]
    commitments_by_task, questions_by_task = commitments_of(connection, ids), _questions(connection, ids)
    before = {row.id: json.loads(row.preconditions) for row in listed_tasks if row.preconditions != "[]"}
    named_tasks = _before(connection, campaign_id, {id_ for named in before.values() for id_ in named})
    return [
        TaskRow.showing(
            row,
            kind=TaskKind(row.kind),
            status=TaskStatus(row.status),
            needs=ActionFamily(row.needs),
            ready_at=None if row.ready_at >= NEVER else row.ready_at,
            before=[named_tasks[id_] for id_ in before.get(row.id, ()) if id_ in named_tasks],
            commitments=commitments_by_task.get(row.id, []),
            questions=questions_by_task.get(row.id, []),
        )
        for row in listed_tasks
    ]


def commitments_of(connection: DatabaseConnection, ids: Sequence[str]) -> dict[str, list[Commitment]]:
    """What these tasks promised, and what the last look at each promise found."""
    commitments_by_task: dict[str, list[Commitment]] = {}
    for row in commitments.of_tasks(connection, ids):
        promise = COMMITMENT.validate_json(row.params)
        commitment = Commitment.showing(
            row,
            sentence=sentence(promise),
            unapproved=_unapproved(connection, promise),
            added=promise if row.source == "user" and isinstance(promise, OfUser) else None,
        )
        commitments_by_task.setdefault(row.task_id, []).append(commitment)
    return commitments_by_task


def _unapproved(connection: DatabaseConnection, promise: object) -> list[str] | None:
    if not isinstance(promise, CommandSucceeds) or commitments.is_approved(connection, promise.argv):
        return None
    return list(promise.argv)


def _questions(connection: DatabaseConnection, ids: Sequence[str]) -> dict[str, list[Question]]:
    questions_by_task: dict[str, list[Question]] = {}
    for row in questions.list_open_of_tasks(connection, ids):
        questions_by_task.setdefault(row.task_id or "", []).append(question(row))
    return questions_by_task


def _before(connection: DatabaseConnection, campaign_id: str, ids: set[str]) -> dict[str, NamedTask]:
    if not ids:
        return {}
    return {task.id: task for task in tasks.named_tasks(connection, campaign_id, sorted(ids))}


def held(connection: DatabaseConnection, campaign: Campaign, inputs: TurnInputs) -> list[Held]:
    """The families of acts that the account may not do now, each with the first gate that is shut."""
    shut = wait_reasons.shut_gates(connection, campaign, inputs)
    return [Held(family=family, gate=gate) for family, gate in shut.items()]
