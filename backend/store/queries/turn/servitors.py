"""Servitors: the tasks that have a name."""

from dataclasses import dataclass

from backend.store.database import DatabaseConnection


@dataclass(frozen=True, slots=True)
class ServitorRow:
    """A servitor as it is stored; `status` is its task's, `reason` why it is not done."""

    id: str
    campaign_id: str
    name: str
    assignment: str
    status: str
    reason: str
    created_at: int


_SERVITOR = (
    "SELECT id, campaign_id, json_extract(metadata, '$.servitor'), json_extract(metadata, '$.assignment'), status, reason,"
    " created_at FROM tasks INDEXED BY tasks_custom WHERE kind='custom' AND source='servitor' AND status<>'cancelled'"
)


def servitors(connection: DatabaseConnection, campaign_id: str, limit: int) -> list[ServitorRow]:
    """Those of a campaign, in the order in which they were summoned."""
    rows = connection.execute(f"{_SERVITOR} AND campaign_id=? ORDER BY id LIMIT ?", (campaign_id, limit))
    return [ServitorRow(*row) for row in rows]


def servitor_by_id(connection: DatabaseConnection, servitor_id: str) -> ServitorRow | None:
    """That one; None if there is none, or none any more."""
    row = connection.execute(f"{_SERVITOR.replace(' INDEXED BY tasks_custom', '')} AND id=?", (servitor_id,)).fetchone()
    return ServitorRow(*row) if row else None


def newest_open_campaign(connection: DatabaseConnection) -> str | None:
    """The campaign that was made last and goes on."""
    rows = connection.execute(
        "SELECT id FROM campaigns WHERE status<>'completed' AND archived_at IS NULL AND deleted_at IS NULL"
        " ORDER BY created_at DESC, id DESC LIMIT 1"
    )
    row = rows.fetchone()
    return str(row[0]) if row else None
