"""The sealed secrets, and the charter of the vault that opens them."""

import sqlite3
from typing import NamedTuple

from backend.domain.events import WORKSPACE
from backend.domain.vault import VAULT, Charter, SecretKind, charter
from backend.store import reading


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


def secret(connection: sqlite3.Connection, name: str) -> SealedSecret | None:
    """The row of that name, forgotten or not."""
    row = connection.execute(f"{_SELECT} AND id=?", (WORKSPACE, name)).fetchone()
    return SealedSecret(*row) if row else None


def kept(connection: sqlite3.Connection) -> list[SealedSecret]:
    """All that are kept, by name; people have a handful."""
    rows = connection.execute(f"{_SELECT} AND encrypted_value<>'' ORDER BY id", (WORKSPACE,))
    return [SealedSecret(*row) for row in rows]


def vault_charter(connection: sqlite3.Connection) -> Charter | None:
    """None before the first secret; raises `vault_parameters_refused`."""
    value = reading.configuration(connection, VAULT)
    return None if value is None else charter(value)
