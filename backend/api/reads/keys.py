"""The vault, and every key that is kept or that a connection names."""

import sqlite3

from backend.api.wire.keys import KeyLine, KeysView, Vault
from backend.controller.key_commands import KeyCommands
from backend.domain.connection import host_of
from backend.store import reading, secrets


def keys(connection: sqlite3.Connection, commands: KeyCommands) -> KeysView:
    """By name; no value is in it."""
    charter = secrets.vault_charter(connection)
    standing = commands.vault.standing(charter)
    vault = Vault(
        **standing._asdict(),
        kit=charter is not None and charter.kit is not None,
        version=charter.version if charter else 0,
    )
    users: dict[str, list[str]] = {}
    for one in reading.model_connections(connection):
        if one.key:
            users.setdefault(one.key, []).append(f"{one.name} ({host_of(one.base_url)})")
    kept = {row.name: row for row in secrets.kept(connection)}
    return KeysView(
        vault=vault, keys=[_line(name, kept.get(name), users, commands) for name in sorted({*kept, *users})]
    )


def _line(name: str, row: secrets.SealedSecret | None, users: dict[str, list[str]], commands: KeyCommands) -> KeyLine:
    state = commands.found(name)
    return KeyLine(
        name=name,
        kind=row.kind if row else "llm_provider",
        state=state,
        where=commands.where(name) if state in ("given", "keychain") else "the vault",
        updated_at=row.updated_at if row else None,
        used_by=users.get(name, []),
    )
