"""The devices that have joined the attached project."""

from typing import NamedTuple

from backend.store.database import DatabaseConnection


class DeviceRow(NamedTuple):
    """A device of the attached project; times in ms UTC, `revoked_at` None while it has access."""

    id: str
    name: str
    joined_at: int
    revoked_at: int | None


_DEVICE = "SELECT id, name, created_at, revoked_at FROM devices"


def devices(connection: DatabaseConnection) -> list[DeviceRow]:
    """All of them, in the order in which they joined."""
    return [DeviceRow(*row) for row in connection.execute(f"{_DEVICE} ORDER BY created_at")]


def device(connection: DatabaseConnection, device_id: str) -> DeviceRow | None:
    """That device, revoked or not."""
    row = connection.execute(f"{_DEVICE} WHERE id=?", (device_id,)).fetchone()
    return DeviceRow(*row) if row else None
