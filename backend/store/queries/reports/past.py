"""Tasks and leads of a campaign as it was, in the scratch database of its past, which holds that campaign alone."""

from dataclasses import dataclass
from typing import NamedTuple

from backend.domain.model.task import ActionFamily, TaskStatus
from backend.store.database import DatabaseConnection


@dataclass(frozen=True, slots=True)
class PastTask:
    """A task as it was."""

    id: str
    description: str
    status: TaskStatus
    needs: ActionFamily
    reason: str
    lead_name: str


def tasks(scratch: DatabaseConnection, after: str, status: str, limit: int) -> list[PastTask]:
    """The tasks behind that one ("" for the first), of that status ("" for any)."""
    rows = scratch.execute(
        "SELECT t.id, t.description, t.status, t.needs, t.reason, coalesce(l.full_name, '') FROM tasks t"
        " LEFT JOIN leads l ON l.id = t.lead_id WHERE t.id > ? AND (? = '' OR t.status = ?) ORDER BY t.id LIMIT ?",
        (after, status, status, limit),
    )
    return [
        PastTask(id_, description, TaskStatus(state), ActionFamily(needs), reason, lead)
        for id_, description, state, needs, reason, lead in rows
    ]


class PastLeadRow(NamedTuple):
    """A lead as it was."""

    id: str
    full_name: str
    job_title: str
    company: str
    status: str
    weight_score: int | None
    sequence_step: int | None
    finished: str
    blocked: str
    position: int


_LEADS = f"SELECT {', '.join(PastLeadRow._fields)} FROM leads"


def leads(scratch: DatabaseConnection, after: tuple[int, str], status: str, limit: int) -> list[PastLeadRow]:
    """The leads behind that (position, id), of that status ("" for any)."""
    of_status, values = ("status = ? AND ", (status,)) if status else ("", ())
    rows = scratch.execute(
        f"{_LEADS} WHERE {of_status}(position, id) > (?, ?) ORDER BY position, id LIMIT ?", (*values, *after, limit)
    )
    return [PastLeadRow(*row) for row in rows]
