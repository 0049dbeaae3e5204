"""Turns as they were recorded."""

import json
from dataclasses import dataclass, replace
from typing import Any

from backend.domain.turn.snapshot import LastTurn
from backend.store.database import DatabaseConnection
from backend.store.rows import TableReader


def last_turn(connection: DatabaseConnection, campaign_id: str, number: int) -> LastTurn | None:
    """How that turn ended."""
    row = connection.execute(
        "SELECT number, proposal, verdict, error FROM turn_projection WHERE campaign_id=? AND number=?",
        (campaign_id, number),
    ).fetchone()
    return LastTurn(*row) if row else None


def count(connection: DatabaseConnection, campaign_id: str) -> int:
    """How many turns the campaign had; looks at all of them."""
    row = connection.execute("SELECT count(*) FROM turn_projection WHERE campaign_id=?", (campaign_id,)).fetchone()
    return int(row[0])


def count_with_skipped_steps(connection: DatabaseConnection, campaign_id: str) -> int:
    """How many turns ended without a fault and without all eight steps; looks at all turns."""
    row = connection.execute(
        "SELECT count(*) FROM turn_projection WHERE campaign_id=? AND faulted=0 AND json_array_length(steps)<>8",
        (campaign_id,),
    ).fetchone()
    return int(row[0])


def has_own_turn(connection: DatabaseConnection, campaign_id: str) -> bool:
    """Whether a turn was the campaign's own, and not for a request of the user."""
    row = connection.execute("SELECT 1 FROM turn_projection WHERE campaign_id=? AND request_id IS NULL", (campaign_id,))
    return row.fetchone() is not None


@dataclass(frozen=True, slots=True)
class TurnLine:
    """A turn that ended; `steps_us` are the durations of its eight steps. `model` is empty where none was paid."""

    number: int
    faulted: bool
    proposal: str
    verdict: str
    said: str
    task_id: str | None
    task: str
    lead_id: str | None
    lead_name: str
    steps_us: list[int]
    model: str
    tokens_in: int
    tokens_out: int
    cost_micros: int


def _turn(*columns: Any) -> TurnLine:
    turn = TurnLine(*columns)
    return replace(turn, faulted=bool(turn.faulted), steps_us=json.loads(str(turn.steps_us)))


_RECORDS = TableReader(
    """
SELECT n.number, n.faulted, n.proposal, n.verdict, n.error, n.task_id, coalesce(t.description, ''), n.lead_id,
       coalesce(l.full_name, ''), n.steps, n.model, n.tokens_in, n.tokens_out, n.cost_micros
FROM turn_projection n LEFT JOIN tasks t ON t.id = n.task_id LEFT JOIN leads l ON l.id = n.lead_id
WHERE n.campaign_id = :c AND n.number < :before
""",
    _turn,
)


def turns_before(connection: DatabaseConnection, campaign_id: str, before: int, limit: int) -> list[TurnLine]:
    """The turns before that one, newest first."""
    values = {"c": campaign_id, "before": before, "limit": limit}
    return _RECORDS.every(connection, "ORDER BY n.number DESC LIMIT :limit", values)


def turns_of_task(
    connection: DatabaseConnection, campaign_id: str, task_id: str, first: int, before: int, limit: int
) -> list[TurnLine]:
    """The turns from `first` on and before that one which worked on the task, newest first."""
    values = {"c": campaign_id, "before": before, "first": first, "task": task_id, "limit": limit}
    where = "AND n.number >= :first AND n.task_id = :task ORDER BY n.number DESC LIMIT :limit"
    return _RECORDS.every(connection, where, values)


def last_number(connection: DatabaseConnection, campaign_id: str) -> int:
    """The number of the campaign's last turn."""
    row = connection.execute("SELECT max(number) FROM turn_projection WHERE campaign_id=?", (campaign_id,)).fetchone()
    return row[0] or 0
