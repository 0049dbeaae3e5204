"""The devices that have joined the attached project."""

from typing import NamedTuple

from backend.domain.device.device_names import told_apart
from backend.store.database import DatabaseConnection


class DeviceRow(NamedTuple):
    """A device of the attached project, by a name that no other one has; times in ms UTC, `revoked_at` None while it has access."""

    id: str
    name: str
    joined_at: int
    revoked_at: int | None


_DEVICE = "SELECT id, name, created_at, revoked_at FROM devices"


def devices(connection: DatabaseConnection) -> list[DeviceRow]:
    """All of them, in the order in which they joined."""
    rows = [DeviceRow(*row) for row in connection.execute(f"{_DEVICE} ORDER BY created_at, id")]
    names = told_apart(device.name for device in rows)
    return [device._replace(name=name) for device, name in zip(rows, names, strict=True)]


def device(connection: DatabaseConnection, device_id: str) -> DeviceRow | None:
    """That device, revoked or not."""
    return next((device for device in devices(connection) if device.id == device_id), None)
