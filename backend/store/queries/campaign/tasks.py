"""A campaign's tasks, each read by an index and bounded."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, NamedTuple, cast

from backend.domain.leads.lead_merge import GONE
from backend.domain.model.lead import NOT_ON_RECORD
from backend.domain.model.task import BEGINNING, IN_TURNS, NEVER, ActionFamily, Task, TaskKind, TaskStatus
from backend.store.database import DatabaseConnection
from backend.store.rows import TableReader

CANDIDATES = 4
"""How many tasks are read from each family; the first is worked on, the rest is there to choose from."""


_TASK = "id, campaign_id, kind, description, status, needs, ready_at, strikes, lead_id, reason, preconditions"


@lru_cache(maxsize=256)  # a campaign's turns read mostly the same tasks
def _task(*row: Any) -> Task:
    return Task(
        row[0], row[1], TaskKind(row[2]), row[3], TaskStatus(row[4]), ActionFamily(row[5]), row[6], row[7], row[8], row[9],
        () if row[10] == "[]" else tuple(json.loads(row[10])),
    )  # fmt: skip


_TASKS = TableReader(f"SELECT {_TASK} FROM tasks", _task)
_OF_TASK = ", ".join(f"t.{name}" for name in _TASK.split(", "))

# What has been begun is finished before something new is begun.
_READY = " UNION ALL ".join(
    f"SELECT * FROM (SELECT {_TASK} FROM tasks WHERE campaign_id=:c AND status='{status}' AND needs='{needs}'"
    f" AND ready_at<=:now ORDER BY ready_at, rank LIMIT {CANDIDATES})"
    for status, families in ((TaskStatus.IN_PROGRESS, IN_TURNS), (TaskStatus.PENDING, BEGINNING))
    for needs in families
)


def ready_tasks(connection: DatabaseConnection, campaign_id: str, now: int) -> list[Task]:
    """The tasks whose time has come, a few of each family, in the order in which they would be worked on."""
    return [_task(*row) for row in connection.execute(_READY, {"c": campaign_id, "now": now})]


_OWN_FAMILIES = ", ".join(f"'{family}'" for family in ActionFamily if family is not ActionFamily.ASSIST)
_OTHER = " UNION ALL ".join(
    f"SELECT * FROM (SELECT {_TASK} FROM tasks WHERE campaign_id=:c AND {which} AND kind<>'assist' {order} LIMIT {most})"
    for which, order, most in (
        (f"status='blocked' AND needs IN ({_OWN_FAMILIES})", "", 4),
        ("status='in_progress' AND needs IN ('approval', 'input')", "", 2),
        ("status='done' AND needs='think'", "ORDER BY ready_at DESC, rank DESC", 2),
        ("status='done' AND needs='look'", "ORDER BY ready_at DESC, rank DESC", 2),
        (f"status='cancelled' AND needs IN ({_OWN_FAMILIES})", "", 2),
    )
)


def other_tasks(connection: DatabaseConnection, campaign_id: str) -> list[Task]:
    """Some of the campaign's own tasks for which nothing can be done now: blocked, waiting for the user, done, cancelled."""
    return [_task(*row) for row in connection.execute(_OTHER, {"c": campaign_id})]


@cache
def _next_ready(families: tuple[ActionFamily, ...]) -> str:
    """A search of the index for each family: one over several would read every later task."""
    query = (
        "SELECT min(ready_at) AS at FROM tasks WHERE campaign_id=:c AND status='{}' AND needs='{}' AND ready_at>:now"
    )
    queries = (query.format(status, needs) for status in ("in_progress", "pending") for needs in families)
    return f"SELECT min(at) FROM ({' UNION ALL '.join(queries)})"


def next_ready(
    connection: DatabaseConnection, campaign_id: str, now: int, families: Iterable[ActionFamily]
) -> int | None:
    """When the next task of one of these families becomes ready (ms UTC)."""
    rows = connection.execute(_next_ready(tuple(families)), {"c": campaign_id, "now": now})
    return cast(int | None, rows.fetchone()[0])


def task(connection: DatabaseConnection, campaign_id: str, task_id: str) -> Task | None:
    """The task, if it is this campaign's."""
    return _TASKS.first(connection, "WHERE id=? AND campaign_id=?", (task_id, campaign_id))


def tasks_with_status(
    connection: DatabaseConnection, campaign_id: str, status: TaskStatus, limit: int, *, ordered: bool = False
) -> list[Task]:
    """Tasks of one status; `ordered` as they come up, which looks at all of them."""
    order = "ORDER BY rank, id" if ordered else ""
    return _TASKS.every(connection, f"WHERE campaign_id=? AND status=? {order} LIMIT ?", (campaign_id, status, limit))


def dependent_tasks(connection: DatabaseConnection, campaign_id: str, task_id: str) -> list[Task]:
    """Tasks that wait for this one."""
    where = "WHERE campaign_id=? AND kind='custom' AND status='pending' AND preconditions<>'[]'"
    rows = _TASKS.every(connection, where, (campaign_id,))
    return [waiting for waiting in rows if task_id in waiting.preconditions]


def task_of_lead(connection: DatabaseConnection, lead_id: str) -> Task | None:
    """The task that reaches out to this lead."""
    return _TASKS.first(connection, "WHERE lead_id=? AND kind='reach_lead'", (lead_id,))


_GOING = (
    f"SELECT {_OF_TASK} FROM tasks t CROSS JOIN leads l ON l.id = t.lead_id"
    " WHERE t.campaign_id=? AND t.status IN ('in_progress', 'pending') AND t.kind='reach_lead' AND l.blocked='' AND l.finished=''"
    " AND {which} AND NOT EXISTS (SELECT 1 FROM actions a WHERE a.campaign_id = t.campaign_id"
    " AND a.status IN ('intended', 'outcome_unknown') AND a.lead_id = l.id) LIMIT ?"
)
_KNOWN_ELSEWHERE = (
    "EXISTS (SELECT 1 FROM people me CROSS JOIN people p ON p.person_id = me.person_id AND p.lead_id <> me.lead_id"
    " CROSS JOIN leads other ON other.id = p.lead_id AND (other.relation <> 'none' OR other.connected_on IS NOT NULL"
    " OR other.withdrawn_at IS NOT NULL OR other.replied_at IS NOT NULL OR other.label <> '' OR other.finished <> '')"
    " WHERE me.lead_id = l.id)"
)
_APPROVED_ELSEWHERE = (
    "t.needs='approval' AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.lead_id = l.id AND m.status='draft')"
)
_MOST_KNOWN = 1_000


def going_sequences(connection: DatabaseConnection, campaign_id: str, limit: int, *, not_contacted: bool) -> list[Task]:
    """The tasks of sequences that go on or are planned, where nothing is being sent; or only of those not written to yet."""
    which = "l.invited_at IS NULL AND l.last_sent_at IS NULL" if not_contacted else "true"
    return [_task(*row) for row in connection.execute(_GOING.format(which=which), (campaign_id, limit))]


def known_elsewhere(connection: DatabaseConnection, campaign_id: str) -> list[Task]:
    """Those of people of whom another campaign knows something, or whose approval another device gave; so many at most."""
    which = f"({_KNOWN_ELSEWHERE} OR {_APPROVED_ELSEWHERE})"
    rows = connection.execute(_GOING.format(which=which), (campaign_id, _MOST_KNOWN))
    return [_task(*row) for row in rows]


_LEFT_BLOCKED = (
    "SELECT t.lead_id FROM tasks t CROSS JOIN leads l ON l.id = t.lead_id WHERE t.campaign_id=? AND t.status='blocked'"
    " AND t.kind IN ('reach_lead', 'answer') AND l.blocked='' AND l.finished='' AND NOT EXISTS"
    " (SELECT 1 FROM input_requests q WHERE q.task_id = t.id AND q.status='open')"
)


def left_blocked(connection: DatabaseConnection, campaign_id: str) -> list[str]:
    """The leads whose task is blocked although nobody is asked about it any more, on whichever device that was answered."""
    return [lead_id for (lead_id,) in connection.execute(_LEFT_BLOCKED, (campaign_id,))]


_OF_GONE = (
    f"SELECT {_OF_TASK} FROM leads l CROSS JOIN tasks t ON t.lead_id = l.id"
    f" WHERE l.campaign_id=? AND l.blocked IN {(*sorted(GONE), NOT_ON_RECORD)} AND t.kind='reach_lead'"
    f" AND (t.status IN ('pending', 'in_progress') OR t.status='blocked' AND l.blocked <> '{NOT_ON_RECORD}')"
    " AND NOT EXISTS (SELECT 1 FROM actions a"
    " WHERE a.campaign_id = t.campaign_id AND a.status IN ('intended', 'outcome_unknown') AND a.lead_id = l.id) LIMIT ?"
)


def of_gone_leads(connection: DatabaseConnection, campaign_id: str) -> list[Task]:
    """Those that go on, planned by a device that did not know that the lead was taken back or moved, or that the user is asked, or
    has decided, about what stood there before; so many at most."""
    return [_task(*row) for row in connection.execute(_OF_GONE, (campaign_id, _MOST_KNOWN))]


def waiting(connection: DatabaseConnection, campaign_id: str, since: int) -> list[Task]:
    """Those that go on and wait until a time after that one, or waited for it."""
    where = f"WHERE campaign_id=? AND status='in_progress' AND ready_at>? AND ready_at<{NEVER}"
    return _TASKS.every(connection, where, (campaign_id, since))


def going_withdrawals(connection: DatabaseConnection, campaign_id: str, limit: int) -> list[Task]:
    """The tasks of invitations that are to be taken back, where nothing is under way."""
    where = (
        "AS t WHERE campaign_id=? AND status='in_progress' AND needs='withdraw' AND NOT EXISTS"
        " (SELECT 1 FROM actions a WHERE a.campaign_id = t.campaign_id AND a.status IN ('intended', 'outcome_unknown')"
        " AND a.lead_id = t.lead_id) LIMIT ?"
    )
    return _TASKS.every(connection, where, (campaign_id, limit))


def open_answers(connection: DatabaseConnection, lead_id: str) -> list[Task]:
    """The tasks of the user's answers to this lead that are not over, oldest first."""
    where = (
        "WHERE lead_id=? AND kind='answer' AND status IN ('in_progress', 'verifying', 'blocked')"
        " ORDER BY created_at, id"
    )
    return _TASKS.every(connection, where, (lead_id,))


def task_counts(connection: DatabaseConnection, campaign_id: str) -> dict[tuple[str, str], int]:
    """The campaign's own tasks by (kind, status); requests of the user are not among them."""
    rows = connection.execute(
        "SELECT kind, status, n FROM task_counts WHERE campaign_id=? AND kind<>'assist'", (campaign_id,)
    )
    return {(kind, status): n for kind, status, n in rows}


def people_begun(connection: DatabaseConnection, campaign_id: str) -> int:
    """With how many people the campaign has begun."""
    counts = task_counts(connection, campaign_id)
    return sum(
        n for (kind, status), n in counts.items() if kind == TaskKind.REACH_LEAD and status != TaskStatus.PENDING
    )


_LAST_OF_FAMILY = (
    "SELECT * FROM (SELECT rank FROM tasks WHERE campaign_id=:c AND status='pending' AND needs='{needs}' AND ready_at=0"
    " AND kind='reach_lead' ORDER BY rank DESC LIMIT 1)"
)
_LAST_RANK = " UNION ALL ".join(_LAST_OF_FAMILY.format(needs=needs) for needs in BEGINNING)


def last_rank(connection: DatabaseConnection, campaign_id: str) -> int | None:
    """The rank of the last lead that is planned and not begun; None when there is none."""
    return max((row[0] for row in connection.execute(_LAST_RANK, {"c": campaign_id})), default=None)


def blocked_tasks(connection: DatabaseConnection, campaign_id: str, limit: int) -> list[Task]:
    """The campaign's own tasks that wait for somebody, oldest first."""
    where = "WHERE campaign_id=? AND status='blocked' AND kind<>'assist' ORDER BY id LIMIT ?"
    return _TASKS.every(connection, where, (campaign_id, limit))


def tasks_of_others(connection: DatabaseConnection, campaign_id: str, limit: int) -> list[Task]:
    """Tasks that no turn works on: an agent or a servitor does, or it waits for its assignment; oldest first."""
    where = (
        "WHERE campaign_id=? AND kind='custom' AND status IN ('in_progress', 'verifying')"
        " AND needs='input' ORDER BY id LIMIT ?"
    )
    return _TASKS.every(connection, where, (campaign_id, limit))


def tasks_with_preconditions(connection: DatabaseConnection, campaign_id: str, now: int) -> list[Task]:
    """Tasks that wait for others and whose own time has not come."""
    where = "WHERE campaign_id=? AND kind='custom' AND status='pending' AND preconditions<>'[]' AND ready_at>?"
    return _TASKS.every(connection, where, (campaign_id, now))


def has_open_custom_task(connection: DatabaseConnection, campaign_id: str, description: str) -> bool:
    """Whether a task of that description is under way that the agent proposed."""
    row = connection.execute(
        "SELECT 1 FROM tasks WHERE campaign_id=? AND kind='custom' AND status NOT IN ('done', 'blocked', 'cancelled')"
        " AND description=?",
        (campaign_id, description),
    )
    return row.fetchone() is not None


_WAITING = (
    "SELECT (SELECT count(*) FROM (SELECT 1 FROM tasks WHERE campaign_id=:c AND status='pending' AND needs=:n LIMIT :most))"
    " + (SELECT count(*) FROM (SELECT 1 FROM tasks WHERE campaign_id=:c AND status='in_progress' AND needs=:n LIMIT :most))"
)


def count_waiting(connection: DatabaseConnection, campaign_id: str, family: ActionFamily, most: int) -> int:
    """How many tasks need an act of that family, of each status counted up to `most`."""
    return int(connection.execute(_WAITING, {"c": campaign_id, "n": family, "most": most}).fetchone()[0])


class ListedTask(NamedTuple):
    """A task in the page's list; `preconditions` in JSON, times in ms UTC."""

    id: str
    kind: str
    description: str
    status: str
    needs: str
    reason: str
    ready_at: int
    rank: int
    strikes: int
    source: str
    lead_id: str | None
    lead_name: str
    created_at: int
    preconditions: str


_LISTED = TableReader(
    "SELECT t.id, t.kind, t.description, t.status, t.needs, t.reason, t.ready_at, t.rank, t.strikes, t.source, t.lead_id,"
    " coalesce(l.full_name, ''), t.created_at, t.preconditions FROM tasks t LEFT JOIN leads l ON l.id = t.lead_id",
    ListedTask,
)
TaskPlace = tuple[str, int, int, str]
"""Where a task stands in the list of its status: (needs, ready at, rank, id)."""


def listed(
    connection: DatabaseConnection, campaign_id: str, status: TaskStatus, after: TaskPlace, limit: int
) -> list[ListedTask]:
    """The campaign's own tasks of that status behind that place."""
    where = (
        "WHERE t.campaign_id = ? AND t.status = ? AND (t.needs, t.ready_at, t.rank, t.id) > (?, ?, ?, ?)"
        " AND t.kind <> 'assist' ORDER BY t.needs, t.ready_at, t.rank, t.id LIMIT ?"
    )
    return _LISTED.every(connection, where, (campaign_id, status, *after, limit))


def listed_task(connection: DatabaseConnection, campaign_id: str, task_id: str) -> ListedTask | None:
    """That task as the list shows it."""
    return _LISTED.first(connection, "WHERE t.id = ? AND t.campaign_id = ?", (task_id, campaign_id))


def next_of_family(
    connection: DatabaseConnection, campaign_id: str, status: TaskStatus, family: ActionFamily, limit: int
) -> list[ListedTask]:
    """The tasks of one status that need an act of that family, in the order in which they come up."""
    where = "WHERE t.campaign_id = ? AND t.status = ? AND t.needs = ? ORDER BY t.ready_at, t.rank LIMIT ?"
    return _LISTED.every(connection, where, (campaign_id, status, family, limit))


def next_doing(connection: DatabaseConnection, campaign_id: str, now: int, limit: int) -> list[ListedTask]:
    """What would be done next: what is ready in the order of the loop, then what becomes ready."""
    tasks = [
        row
        for status in (TaskStatus.IN_PROGRESS, TaskStatus.PENDING)
        for needs in IN_TURNS
        for row in next_of_family(connection, campaign_id, status, needs, limit)
    ]
    tasks.sort(key=lambda row: max(row.ready_at, now))  # a stable sort: what is ready keeps the order of the loop
    return [row for row in tasks if row.ready_at < NEVER][:limit]


def metadata(connection: DatabaseConnection, task_id: str) -> dict[str, Any]:
    """What the task's proposal said beside its description."""
    (text,) = connection.execute("SELECT metadata FROM tasks WHERE id=?", (task_id,)).fetchone()
    fields: dict[str, Any] = json.loads(text)
    return fields


@dataclass(frozen=True, slots=True)
class NamedTask:
    """A task that another waits for."""

    id: str
    description: str
    status: TaskStatus


def named_tasks(connection: DatabaseConnection, campaign_id: str, task_ids: Sequence[str]) -> list[NamedTask]:
    """The tasks of these ids that are the campaign's."""
    marks = ",".join("?" * len(task_ids))
    rows = connection.execute(
        f"SELECT id, description, status FROM tasks WHERE campaign_id=? AND id IN ({marks})", (campaign_id, *task_ids)
    )
    return [NamedTask(id_, description, TaskStatus(status)) for id_, description, status in rows]


def open_requests(connection: DatabaseConnection, campaign_id: str) -> list[Task]:
    """The user's requests that are not over, oldest first."""
    where = "WHERE campaign_id=? AND kind='assist' AND status IN ('in_progress', 'verifying') ORDER BY created_at, id"
    return _TASKS.every(connection, where, (campaign_id,))


def count_waiting_notes(connection: DatabaseConnection, campaign_id: str) -> int:
    """How many of the open tasks are to invite somebody with a note that is written."""
    row = connection.execute(
        "SELECT count(*) FROM tasks t JOIN leads l ON l.id = t.lead_id WHERE t.campaign_id=? AND coalesce(l.blocked, '')=''"
        " AND t.needs='invite' AND t.status IN ('pending', 'in_progress', 'verifying') AND EXISTS (SELECT 1 FROM messages m"
        " WHERE m.task_id = t.id AND m.kind='invitation' AND m.status IN ('draft', 'approved') AND m.text <> '')",
        (campaign_id,),
    )
    return int(row.fetchone()[0])


def kept_from_noting(connection: DatabaseConnection, campaign_id: str, now: int) -> list[Task]:
    """Those to send an approved invitation with a note, later than now (ms UTC)."""
    where = (
        "WHERE campaign_id=? AND status='in_progress' AND needs='invite' AND ready_at>?"
        " AND EXISTS (SELECT 1 FROM messages m WHERE m.task_id = tasks.id AND m.kind='invitation' AND m.status='approved'"
        " AND m.text<>'') ORDER BY rank"
    )
    return _TASKS.every(connection, where, (campaign_id, now))


def open_by_need(connection: DatabaseConnection, campaign_id: str) -> dict[str, int]:
    """How many of the campaign's tasks are open, by what they need next or that they are blocked, but for people who are left out.

    Of whoever is only looked at again it is told why: `acceptance` of an invitation, or a `reply`.
    """
    rows = connection.execute(
        "SELECT CASE WHEN t.status='blocked' THEN 'blocked' WHEN t.needs<>'look' THEN t.needs"
        " WHEN l.relation='pending' THEN 'acceptance' WHEN l.last_sent_at IS NOT NULL THEN 'reply' ELSE 'look' END, count(*)"
        " FROM tasks t LEFT JOIN leads l ON l.id = t.lead_id WHERE t.campaign_id=? AND coalesce(l.blocked, '')=''"
        " AND t.status IN ('pending', 'in_progress', 'verifying', 'blocked') AND t.kind<>'assist' GROUP BY 1 ORDER BY 1",
        (campaign_id,),
    )
    return dict(rows.fetchall())
