"""Which decisions wait for a choice on which device: what every device knows of what `rebase_queue` keeps on one."""

import json
from typing import NamedTuple

from backend.domain.device.rebase import REMARK
from backend.domain.events.events import WORKSPACE
from backend.store.database import DatabaseConnection
from backend.store.queries.device import devices
from backend.store.replication import rebase_queue
from backend.store.replication.rebase_queue import MOST, Conflict

_OPEN = "FROM conflicts WHERE status = 'open'"
_ELSEWHERE = f"{_OPEN} AND device_id <> (SELECT device_id FROM project) AND id NOT IN (SELECT id FROM rebase_queue)"
"""None without a project: then no other device decides anything."""
_SETTLED_HERE = f"""SELECT campaign_id, id {_OPEN} AND (
  id IN (SELECT id FROM rebase_queue WHERE status <> 'conflict')
  OR device_id = (SELECT device_id FROM project) AND id NOT IN (SELECT id FROM rebase_queue))"""


class ConflictElsewhere(NamedTuple):
    """A decision that waits on another device; `device` is its name, `kind` the event that said what was decided."""

    id: str
    campaign_id: str
    campaign: str
    device: str
    kind: str
    lead_ids: tuple[str, ...]
    decided_at: int
    created_at: int

    @property
    def person(self) -> str:
        """Whom it is about: the lead's id, "" if nobody."""
        return self.lead_ids[0].removeprefix(REMARK) if self.lead_ids else ""

    @property
    def holds(self) -> bool:
        """Whether they are not written to before the choice."""
        return bool(self.lead_ids) and not self.lead_ids[0].startswith(REMARK)


class Announcements(NamedTuple):
    """What other devices do not know yet of this one: what waits here, what (campaign, id) does no more; and what they settled."""

    device_id: str
    opened: list[Conflict]
    settled: list[tuple[str, str]]
    settled_elsewhere: list[str]


def announcements(connection: DatabaseConnection) -> Announcements:
    """Nothing without a project."""
    waiting = rebase_queue.open_conflicts(connection)
    shared_statuses = dict(
        connection.execute(
            "SELECT c.id, c.status FROM rebase_queue q JOIN conflicts c ON c.id = q.id WHERE q.status = 'conflict'"
        )
    )
    row = connection.execute("SELECT device_id FROM project").fetchone()
    return Announcements(
        row[0] if row else "",
        [conflict for conflict in waiting if row and conflict.id not in shared_statuses],
        connection.execute(_SETTLED_HERE).fetchall() if row else [],
        [conflict.id for conflict in waiting if shared_statuses.get(conflict.id) == "settled"],
    )


def elsewhere(connection: DatabaseConnection) -> list[ConflictElsewhere]:
    """Those that wait on other devices, oldest first."""
    names = {device.id: device.name for device in devices.devices(connection)}
    rows = connection.execute(
        "SELECT id, campaign_id, coalesce((SELECT name FROM campaigns c WHERE c.id = campaign_id), ''), device_id, kind,"
        f" lead_ids, decided_at, created_at {_ELSEWHERE} ORDER BY created_at, id LIMIT ?",
        (MOST,),
    )
    return [
        ConflictElsewhere(
            id_, stream, campaign, names.get(device, "another device"), kind, (*json.loads(lead_ids),), *times
        )
        for id_, stream, campaign, device, kind, lead_ids, *times in rows
    ]


def is_open(connection: DatabaseConnection, conflict_id: str) -> bool:
    """Whether the other devices know it as one that waits."""
    return connection.execute(f"SELECT 1 {_OPEN} AND id=?", (conflict_id,)).fetchone() is not None


def count(connection: DatabaseConnection) -> int:
    """How many decisions wait for a choice, here or elsewhere."""
    (elsewhere_count,) = connection.execute(f"SELECT count(*) {_ELSEWHERE}").fetchone()
    return int(elsewhere_count) + rebase_queue.count_open_conflicts(connection)


def is_person_in_conflict(connection: DatabaseConnection, campaign_id: str, lead_id: str) -> bool:
    """Whether a decision that waits for the user's choice, on any device, bears on whether this lead is written to."""
    in_conflict = connection.execute(
        f"SELECT EXISTS (SELECT 1 {_ELSEWHERE} AND campaign_id IN (?, ?)"
        " AND EXISTS (SELECT 1 FROM json_each(lead_ids) WHERE value = ?))",
        (campaign_id, WORKSPACE, lead_id),
    ).fetchone()[0]
    return bool(in_conflict) or rebase_queue.is_person_in_conflict(connection, campaign_id, lead_id)
