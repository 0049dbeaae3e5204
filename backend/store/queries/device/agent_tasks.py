"""Passive agents' runs that are tasks of campaigns."""

from typing import NamedTuple

from backend.domain.device.agent_task import AgentHome
from backend.store.database import DatabaseConnection

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
