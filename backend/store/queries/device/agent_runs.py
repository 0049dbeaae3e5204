"""Runs of passive agents on this device: how each ended, and what it found."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

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
    """A run; `states` in the order in which it went through them, `code` and `reason` why it failed, times in ms UTC.

    `kept_in` is the campaign that keeps what it found.
    """

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
