"""The list of tasks by an index that is there anyway, and one task with its commitments, texts and questions."""

import json
import sqlite3
from collections.abc import Sequence
from typing import Any

from backend.api.reads import cursor, gates
from backend.api.wire.campaigns import Question
from backend.api.wire.tasks import Before, Commitment, Held, TaskDetail, TaskMessage, TaskPage, TaskRow
from backend.controller.context import Surroundings
from backend.domain.campaign import Campaign
from backend.domain.commitments import COMMITMENT, sentence
from backend.domain.errors import OutriderError
from backend.domain.task import NEVER, Needs, TaskKind, TaskStatus
from backend.store import reading

# Requests of the user are not listed: they stand in the conversation, and are no part of what the campaign has to do.
ORDER = (TaskStatus.IN_PROGRESS, TaskStatus.VERIFYING, TaskStatus.BLOCKED, TaskStatus.PENDING, TaskStatus.DONE)
"""What is worked on first, then what needs somebody, what comes next, and what is over."""

MOST_MESSAGES = 50

_COLUMNS = (
    "t.id, t.kind, t.description, t.status, t.needs, t.reason, t.ready_at, t.rank, t.strikes, t.source, t.lead_id,"
    " coalesce(l.full_name, ''), t.created_at, t.preconditions"
)
_PAGE = f"""
SELECT {_COLUMNS} FROM tasks t LEFT JOIN leads l ON l.id = t.lead_id
WHERE t.campaign_id = ? AND t.status = ? AND (t.needs, t.ready_at, t.rank, t.id) > (?, ?, ?, ?) AND t.kind <> 'assist'
ORDER BY t.needs, t.ready_at, t.rank, t.id LIMIT ?
"""
_ONE = f"SELECT {_COLUMNS} FROM tasks t LEFT JOIN leads l ON l.id = t.lead_id WHERE t.id = ? AND t.campaign_id = ?"
_START = ("", -NEVER, -NEVER, "")

_NEXT = f"""
SELECT {_COLUMNS} FROM tasks t LEFT JOIN leads l ON l.id = t.lead_id
WHERE t.campaign_id = ? AND t.status = ? AND t.needs = ? ORDER BY t.ready_at, t.rank LIMIT ?
"""
_DOING = (Needs.MESSAGE, Needs.INVITE, Needs.THINK, Needs.LOOK)


def page(
    connection: sqlite3.Connection,
    campaign_id: str,
    around: Surroundings,
    *,
    status: TaskStatus | None,
    after: str | None,
    limit: int,
) -> TaskPage:
    """A page of the tasks, or of those with that status; raises `campaign_unknown`, `bad_request` for a wrong `after`."""
    campaign = _campaign(connection, campaign_id)
    wanted = [status] if status else list(ORDER)
    start: tuple[Any, ...] = _START
    if after is not None:
        first, start = _place(after, wanted)
        wanted = wanted[wanted.index(first) :]
    found: list[tuple[Any, ...]] = []
    for one in wanted:
        if len(found) <= limit:
            found += connection.execute(_PAGE, (campaign_id, one, *start, limit + 1 - len(found))).fetchall()
        start = _START
    shown = found[:limit]
    counts: dict[TaskStatus, int] = {}
    planned = 0
    for (kind, state), n in reading.task_counts(connection, campaign_id).items():
        counts[TaskStatus(state)] = counts.get(TaskStatus(state), 0) + n
        planned += n if kind == TaskKind.REACH_LEAD else 0
    leads = sum(reading.lead_counts(connection, campaign_id).values())
    return TaskPage(
        rows=_rows(connection, campaign_id, shown),
        next=_after(shown[-1]) if len(found) > limit else None,
        counts=counts,
        unplanned=max(0, leads - planned),
        held=_held(connection, campaign, around),
    )


def detail(connection: sqlite3.Connection, campaign_id: str, around: Surroundings, task_id: str) -> TaskDetail:
    """One task; raises `task_unknown`."""
    campaign = _campaign(connection, campaign_id)
    row = connection.execute(_ONE, (task_id, campaign_id)).fetchone()
    if row is None:
        raise OutriderError("task_unknown", task=task_id)
    (task,) = _rows(connection, campaign_id, [row])
    (metadata,) = connection.execute("SELECT metadata FROM tasks WHERE id=?", (task_id,)).fetchone()
    messages = connection.execute(
        "SELECT id, step, kind, status, text, reason, created_at, sent_at FROM messages WHERE lead_id=?"
        " AND campaign_id=? ORDER BY id DESC LIMIT ?",
        (task.lead_id, campaign_id, MOST_MESSAGES),
    ).fetchall()
    names = tuple(TaskMessage.model_fields)
    return TaskDetail(
        row=task,
        justification=json.loads(metadata).get("justification", ""),
        held=_held(connection, campaign, around),
        messages=[TaskMessage(**dict(zip(names, message, strict=True))) for message in reversed(messages)],
    )


def next_up(connection: sqlite3.Connection, campaign_id: str, now: int, limit: int) -> list[TaskRow]:
    """What would be done next and when: what is ready in the order of the loop, then what becomes ready."""
    found = [
        row
        for status in (TaskStatus.IN_PROGRESS, TaskStatus.PENDING)
        for needs in _DOING
        for row in connection.execute(_NEXT, (campaign_id, status, needs, limit))
    ]
    ready_at = 6
    found.sort(key=lambda row: max(row[ready_at], now))  # a stable sort: what is ready keeps the order of the loop
    return _rows(connection, campaign_id, [row for row in found if row[ready_at] < NEVER][:limit])


def _campaign(connection: sqlite3.Connection, campaign_id: str) -> Campaign:
    campaign = reading.campaign(connection, campaign_id)
    if campaign is None:
        raise OutriderError("campaign_unknown", campaign=campaign_id)
    return campaign


# --- where a page begins: the values of the index at its end ---


def _after(row: tuple[Any, ...]) -> str:
    return json.dumps([row[3], row[4], row[6], row[7], row[0]], separators=(",", ":"))


def _place(after: str, wanted: Sequence[TaskStatus]) -> tuple[TaskStatus, tuple[str, int, int, str]]:
    given = cursor.values(after)
    if given is None or len(given) != len(_START) + 1:
        raise OutriderError("bad_request", detail="after is no place in this list")
    status, needs, ready_at, rank, task_id = given
    numbers = all(type(value) is int and abs(value) <= NEVER for value in (ready_at, rank))
    if status not in wanted or not (isinstance(needs, str) and isinstance(task_id, str) and numbers):
        raise OutriderError("bad_request", detail="after is no place in this list")
    return TaskStatus(status), (needs, ready_at, rank, task_id)


# --- rows ---


def _rows(connection: sqlite3.Connection, campaign_id: str, found: Sequence[tuple[Any, ...]]) -> list[TaskRow]:
    ids = [row[0] for row in found]
    commitments, questions = _commitments(connection, ids), _questions(connection, ids)
    before = {row[0]: json.loads(row[13]) for row in found if row[13] != "[]"}
    known = _before(connection, campaign_id, {id_ for named in before.values() for id_ in named})
    return [
        TaskRow(
            id=row[0],
            kind=TaskKind(row[1]),
            description=row[2],
            status=TaskStatus(row[3]),
            needs=Needs(row[4]),
            reason=row[5],
            ready_at=None if row[6] >= NEVER else row[6],
            rank=row[7],
            strikes=row[8],
            source=row[9],
            lead_id=row[10],
            lead_name=row[11],
            created_at=row[12],
            before=[known[id_] for id_ in before.get(row[0], ()) if id_ in known],
            commitments=commitments.get(row[0], []),
            questions=questions.get(row[0], []),
        )
        for row in found
    ]


def _commitments(connection: sqlite3.Connection, ids: Sequence[str]) -> dict[str, list[Commitment]]:
    commitments: dict[str, list[Commitment]] = {}
    for task_id, id_, params, source, status, detail, checked_at in connection.execute(
        "SELECT task_id, id, params, source, status, detail, checked_at FROM commitments"
        f" WHERE task_id IN ({_marks(ids)}) ORDER BY id",
        ids,
    ):
        said = sentence(COMMITMENT.validate_json(params))
        commitment = Commitment(
            id=id_, sentence=said, source=source, status=status, detail=detail, checked_at=checked_at
        )
        commitments.setdefault(task_id, []).append(commitment)
    return commitments


def _questions(connection: sqlite3.Connection, ids: Sequence[str]) -> dict[str, list[Question]]:
    questions: dict[str, list[Question]] = {}
    for task_id, id_, kind, question, choices, at in connection.execute(
        "SELECT task_id, id, kind, question, choices, created_at FROM input_requests"
        f" WHERE task_id IN ({_marks(ids)}) AND status='open' ORDER BY id",
        ids,
    ):
        asked = Question(id=id_, kind=kind, question=question, choices=json.loads(choices), created_at=at)
        questions.setdefault(task_id, []).append(asked)
    return questions


def _before(connection: sqlite3.Connection, campaign_id: str, ids: set[str]) -> dict[str, Before]:
    if not ids:
        return {}
    named = sorted(ids)
    rows = connection.execute(
        f"SELECT id, description, status FROM tasks WHERE campaign_id=? AND id IN ({_marks(named)})",
        (campaign_id, *named),
    )
    return {id_: Before(id=id_, description=what, status=TaskStatus(status)) for id_, what, status in rows}


def _marks(values: Sequence[str]) -> str:
    return ",".join("?" * len(values))


_OF_THE_CAMPAIGN = frozenset({"campaign_active", "no_incident", "user_present"})
"""Gates that hold the whole campaign: told once for all of it, not with each task."""


def _held(connection: sqlite3.Connection, campaign: Campaign, around: Surroundings) -> list[Held]:
    shut = [
        (
            family.family,
            next((gate for gate in family.gates if not gate.passes and gate.code not in _OF_THE_CAMPAIGN), None),
        )
        for family in gates.families(connection, campaign, around)
    ]
    return [Held(family=family, gate=gate) for family, gate in shut if gate is not None]
