"""What tasks promise, and how checking it came out."""

import json
from collections.abc import Sequence
from typing import NamedTuple

from backend.store.database import DatabaseConnection
from backend.store.rows import TableReader


class CommitmentRow(NamedTuple):
    """A commitment as it is stored; `params` in JSON, `checked_at` in ms UTC, None before the first check."""

    id: str
    task_id: str
    params: str
    source: str
    status: str
    detail: str
    checked_at: int | None


_COMMITMENTS = TableReader(f"SELECT {', '.join(CommitmentRow._fields)} FROM commitments", CommitmentRow)
_NOT_WITHDRAWN = "status<>'withdrawn'"


def of_task(connection: DatabaseConnection, task_id: str) -> list[CommitmentRow]:
    """The task's commitments, oldest first."""
    return _COMMITMENTS.every(connection, f"WHERE task_id=? AND {_NOT_WITHDRAWN} ORDER BY id", (task_id,))


def of_tasks(connection: DatabaseConnection, task_ids: Sequence[str]) -> list[CommitmentRow]:
    """The commitments of all these tasks, oldest first."""
    marks = ",".join("?" * len(task_ids))
    return _COMMITMENTS.every(connection, f"WHERE task_id IN ({marks}) AND {_NOT_WITHDRAWN} ORDER BY id", task_ids)


def approve_command(connection: DatabaseConnection, argv: Sequence[str], at: int) -> None:
    """The user approved exactly this command on this device; no other device can say so."""
    row = (json.dumps(list(argv)), at)
    connection.execute("INSERT INTO approved_commands VALUES (?,?) ON CONFLICT DO NOTHING", row)


def is_approved(connection: DatabaseConnection, argv: Sequence[str]) -> bool:
    """Whether the user approved exactly this command on this device."""
    row = connection.execute("SELECT 1 FROM approved_commands WHERE argv=?", (json.dumps(list(argv)),)).fetchone()
    return row is not None
