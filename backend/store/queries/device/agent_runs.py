"""Runs of passive agents: those that ended on this device and what they found, and those that are tasks of campaigns."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from backend.domain.device.agent_task import AgentHome
from backend.store.database import DatabaseConnection

MOST_KEPT = 50


@dataclass(frozen=True, slots=True)
class AgentToolCall:
    """A tool that ran for an agent, as it is shown: its parameters in words, not as values, and what came of it."""

    tool: str
    params: str
    outcome: str


@dataclass(frozen=True, slots=True)
class AgentRunRow:
    """A run, its `states` in order, why it failed, times in ms UTC; `kept_in` is the campaign that keeps what it found."""

    id: int
    agent: str
    inputs: str
    state: str
    states: list[str]
    calls: list[AgentToolCall]
    found: str
    code: str
    reason: str
    started_at: int
    ended_at: int | None
    kept_in: str | None


_RUN = (
    "SELECT id, agent, inputs, state, states, calls, found, code, reason, started_at, ended_at, kept_in FROM agent_runs"
)


def _row(row: Sequence[Any]) -> AgentRunRow:
    id_, agent, inputs, state, states, calls, *rest = row
    return AgentRunRow(
        id_, agent, inputs, state, json.loads(states), [AgentToolCall(*c) for c in json.loads(calls)], *rest
    )


def begin(connection: DatabaseConnection, agent: str, inputs: str, state: str, at: int) -> int:
    """A run begins; its id. The oldest beyond the bound go."""
    cursor = connection.execute(
        "INSERT INTO agent_runs (agent, inputs, state, states, calls, started_at) VALUES (?,?,?,?,'[]',?)",
        (agent, inputs, state, json.dumps([state]), at),
    )
    connection.execute(
        "DELETE FROM agent_runs WHERE ended_at IS NOT NULL AND id <= (SELECT max(id) FROM agent_runs) - ?", (MOST_KEPT,)
    )
    return int(cursor.lastrowid or 0)


def end(connection: DatabaseConnection, run: AgentRunRow) -> None:
    """How it ended."""
    calls = json.dumps([(call.tool, call.params, call.outcome) for call in run.calls])
    connection.execute(
        "UPDATE agent_runs SET state=?, states=?, calls=?, found=?, code=?, reason=?, ended_at=? WHERE id=?",
        (run.state, json.dumps(run.states), calls, run.found, run.code, run.reason, run.ended_at, run.id),
    )


def end_interrupted(connection: DatabaseConnection, state: str, code: str, reason: str, at: int) -> None:
    """Runs that the end of a process cut off have failed."""
    connection.execute(
        "UPDATE agent_runs SET state=?, code=?, reason=?, ended_at=? WHERE ended_at IS NULL", (state, code, reason, at)
    )


def keep(connection: DatabaseConnection, run_id: int, campaign_id: str) -> None:
    """What it found is an artifact of that campaign."""
    connection.execute("UPDATE agent_runs SET kept_in=? WHERE id=?", (campaign_id, run_id))


def recent(connection: DatabaseConnection, limit: int) -> list[AgentRunRow]:
    """The latest first."""
    return [_row(row) for row in connection.execute(f"{_RUN} ORDER BY id DESC LIMIT ?", (limit,))]


def run(connection: DatabaseConnection, run_id: int) -> AgentRunRow | None:
    """That run."""
    row = connection.execute(f"{_RUN} WHERE id=?", (run_id,)).fetchone()
    return _row(row) if row else None


_OPEN = """
SELECT t.id, t.campaign_id, json_extract(metadata, '$.agent'), json_extract(metadata, '$.inputs.directory'),
  json_extract(metadata, '$.inputs.days')
FROM tasks t INDEXED BY tasks_custom JOIN campaigns c ON c.id = t.campaign_id AND c.deleted_at IS NULL LEFT JOIN project p
WHERE t.kind='custom' AND t.source='supervisor' AND t.status='in_progress' AND (
  p.device_id IS NULL OR json_extract(metadata, '$.device') IN ('', p.device_id)
  OR (p.machine <> '' AND p.machine = json_extract(metadata, '$.machine'))
  OR json_extract(metadata, '$.device') IN (SELECT id FROM devices WHERE revoked_at IS NOT NULL))
ORDER BY t.created_at, t.id
"""
"""On this device, by whichever id: a folder that is attached again has another one. Whose access was taken away works no more, so
whoever comes first does that; and where no project is attached there is nobody else."""


class AgentTask(NamedTuple):
    """A run that is to be done on this device."""

    id: str
    campaign_id: str
    agent: str
    directory: str
    days: int


def open_tasks(connection: DatabaseConnection) -> list[AgentTask]:
    """Those that wait or were cut off, the oldest first."""
    return [AgentTask(*row) for row in connection.execute(_OPEN)]


def home(connection: DatabaseConnection) -> AgentHome:
    """This folder's, for a task that is assigned here."""
    row = connection.execute("SELECT device_id, machine FROM project").fetchone()
    return AgentHome(*row) if row else AgentHome("", "")
