"""The devices that have joined the attached project."""

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

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
    names = with_unique_names(device.name for device in rows)
    return [device._replace(name=name) for device, name in zip(rows, names, strict=True)]


def device(connection: DatabaseConnection, device_id: str) -> DeviceRow | None:
    """That device, revoked or not."""
    return next((device for device in devices(connection) if device.id == device_id), None)


def with_unique_names(names: Iterable[str]) -> list[str]:
    """Each name, numbered where an earlier device has it already: `Laptop`, `Laptop (2)`."""
    taken, times = set[str](), Counter[str]()
    unique_names: list[str] = []
    for name in names:
        unique = name
        while unique in taken:
            times[name] += 1
            unique = f"{name} ({times[name] + 1})"
        taken.add(unique)
        unique_names.append(unique)
    return unique_names
