"""Passive agents' runs that are tasks of campaigns."""

from typing import NamedTuple

from backend.store.database import DatabaseConnection

_OPEN = (
    "SELECT id, campaign_id, json_extract(metadata, '$.agent'), json_extract(metadata, '$.inputs.directory'),"
    " json_extract(metadata, '$.inputs.days') FROM tasks INDEXED BY tasks_custom"
    " WHERE kind='custom' AND source='supervisor' AND status='in_progress' AND json_extract(metadata, '$.device')"
    " IN ('', coalesce((SELECT device_id FROM project), '')) ORDER BY created_at, id"
)


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


def this_device(connection: DatabaseConnection) -> str:
    """This folder's id as a device; "" where no project is attached."""
    row = connection.execute("SELECT device_id FROM project").fetchone()
    return str(row[0]) if row else ""
