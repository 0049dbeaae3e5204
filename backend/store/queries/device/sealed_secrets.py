"""The sealed secrets, and the header of the vault that opens them."""

from collections.abc import Iterable
from typing import NamedTuple

from backend.domain.device.vault import VAULT, SecretKind, VaultHeader, parse_vault_header
from backend.domain.events.events import WORKSPACE
from backend.store.database import DatabaseConnection
from backend.store.queries.device import configuration


class SealedSecret(NamedTuple):
    """A row of `configuration`; `sealed` is empty once it was forgotten."""

    name: str
    sealed: str
    version: int
    kind: SecretKind
    updated_at: int


_SELECT = (
    "SELECT key_name, encrypted_value, key_version, config_type, updated_at FROM configuration WHERE campaign_id=?"
)


def secret(connection: DatabaseConnection, name: str) -> SealedSecret | None:
    """The row of that name, forgotten or not."""
    row = connection.execute(f"{_SELECT} AND id=?", (WORKSPACE, name)).fetchone()
    return SealedSecret(*row) if row else None


def all_secrets(connection: DatabaseConnection) -> list[SealedSecret]:
    """All that are kept, by name; people have a handful."""
    rows = connection.execute(f"{_SELECT} AND encrypted_value<>'' ORDER BY id", (WORKSPACE,))
    return [SealedSecret(*row) for row in rows]


def vault_header(connection: DatabaseConnection) -> VaultHeader | None:
    """None before the first secret; raises `vault_parameters_refused`."""
    value = configuration.configuration(connection, VAULT)
    return None if value is None else parse_vault_header(value)


def remember_origins(connection: DatabaseConnection, name: str, origins: Iterable[str]) -> None:
    """The user said on this device that the key may be shown there."""
    rows = [(name, origin) for origin in origins]
    connection.executemany("INSERT INTO key_origins VALUES (?,?) ON CONFLICT DO NOTHING", rows)


def forget_origins(connection: DatabaseConnection, name: str) -> None:
    """A key of that name may be shown nowhere until the user says so again."""
    connection.execute("DELETE FROM key_origins WHERE key_name=?", (name,))


def is_remembered(connection: DatabaseConnection, name: str, origin: str) -> bool:
    """Whether they did."""
    row = connection.execute("SELECT 1 FROM key_origins WHERE key_name=? AND origin=?", (name, origin)).fetchone()
    return row is not None


def names(connection: DatabaseConnection) -> tuple[str, ...]:
    """The names of the secrets that are kept."""
    return tuple(name for (name,) in connection.execute("SELECT key_name FROM configuration WHERE encrypted_value<>''"))
