"""Configuration that is kept by name, of the workspace and of a campaign."""

from backend.domain.events.events import WORKSPACE
from backend.store.database import DatabaseConnection


def configuration(connection: DatabaseConnection, name: str) -> str | None:
    """A piece of the workspace's configuration, as JSON."""
    return campaign_value(connection, WORKSPACE, name)


REMOVED = "null"
"""What is left of a piece of configuration that was removed."""


def names(connection: DatabaseConnection, stream: str) -> tuple[str, ...]:
    """The names of everything that is kept in that stream's configuration."""
    return tuple(id_ for (id_,) in connection.execute("SELECT id FROM config_kv WHERE campaign_id=?", (stream,)))


def campaign_value(connection: DatabaseConnection, campaign_id: str, name: str) -> str | None:
    """A piece of the campaign's configuration."""
    row = connection.execute("SELECT value FROM config_kv WHERE campaign_id=? AND id=?", (campaign_id, name)).fetchone()
    return row[0] if row else None


def count_with(connection: DatabaseConnection, name: str) -> int:
    """How many streams have, or had, something in their configuration under that name."""
    return int(connection.execute("SELECT count(*) FROM config_kv WHERE id=?", (name,)).fetchone()[0])


def campaigns_with(connection: DatabaseConnection, name: str, value: str) -> list[str]:
    """The campaigns whose configuration has that value under that name, newest first; none of the archive."""
    rows = connection.execute(
        "SELECT c.id FROM config_kv k JOIN campaigns c ON c.id = k.campaign_id WHERE k.id=? AND k.value=?"
        " AND c.archived_at IS NULL AND c.deleted_at IS NULL ORDER BY c.created_at DESC, c.id DESC",
        (name, value),
    )
    return [id_ for (id_,) in rows]
