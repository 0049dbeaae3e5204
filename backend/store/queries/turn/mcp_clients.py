"""Programs that were connected on this device: by the name that each gives itself."""

from dataclasses import dataclass

from backend.store.database import DatabaseConnection

LONGEST_NAME = 100
MOST_KEPT = 50
MINUTE = 60_000


@dataclass(frozen=True, slots=True)
class McpClient:
    """A program, and when it was first and last heard of (ms UTC, to the minute)."""

    name: str
    version: str
    transport: str
    first_at: int
    last_at: int


def seen(connection: DatabaseConnection, name: str, version: str, transport: str, at: int) -> None:
    """It asked for something."""
    connection.execute(
        "INSERT INTO mcp_clients VALUES (:name, :transport, :version, :at, :at) ON CONFLICT DO UPDATE"
        " SET version=:version, last_at=:at",
        {"name": name[:LONGEST_NAME], "version": version[:LONGEST_NAME], "transport": transport, "at": at},
    )
    connection.execute(
        "DELETE FROM mcp_clients WHERE last_at < (SELECT last_at FROM mcp_clients ORDER BY last_at DESC LIMIT 1 OFFSET ?)",
        (MOST_KEPT,),
    )


def listed(connection: DatabaseConnection) -> list[McpClient]:
    """The latest first."""
    rows = connection.execute(
        "SELECT name, version, transport, first_at, last_at FROM mcp_clients ORDER BY last_at DESC, name"
    )
    return [McpClient(*row) for row in rows]
