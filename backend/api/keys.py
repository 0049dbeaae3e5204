"""Keys and the vault that seals them: what is secret comes in here and never goes out; only a recovery code does, once."""

import re
from typing import Annotated, Literal

from pydantic import Field

from backend.api.server.endpoint import Routes
from backend.api.server.services import Services
from backend.commands.keys import KeyCommands
from backend.domain.device.vault import SecretKind
from backend.domain.model.connection import host_of
from backend.domain.values.errors import OutriderError
from backend.domain.values.shapes import Id, Shape
from backend.ports.credentials import Secret
from backend.ports.vault import VaultStatus
from backend.store.database import DatabaseConnection
from backend.store.queries.device import models, sealed_secrets
from backend.store.replication import replica

routes = Routes("keys")

KEY_NAME = r"[a-z][a-z0-9_]{0,31}"

Passphrase = Annotated[str, Field(min_length=1, max_length=1_000)]

NewPassphrase = Annotated[str, Field(min_length=10, max_length=1_000)]

RecoveryCode = Annotated[str, Field(min_length=20, max_length=80)]


class KeyLine(Shape):
    """A key, never its value: place, age and uses; `given` by the environment, of an earlier `keychain`, `sealed` in the vault."""

    name: str
    kind: SecretKind
    state: Literal["sealed", "given", "keychain", "missing", "locked"]
    where: str
    updated_at: int | None
    used_by: list[str]


class KeysView(Shape):
    """The vault, and every key that is kept or that something names.

    `kit`: other devices can open the vault, with the passphrase and the recovery code. `version` is the data key's.
    """

    vault: VaultStatus
    kit: bool
    version: int
    keys: list[KeyLine]


class KeepKey(Shape):
    """A key's new value; a name that is not there yet begins one."""

    kind: SecretKind = "api_key"
    secret: str = Field(min_length=1, max_length=8_000)


class MakeKit(Shape):
    """The passphrase by which other devices will open the vault; a new kit makes the earlier one worthless."""

    passphrase: NewPassphrase


class RecoveryKit(Shape):
    """Shown once, and nowhere kept."""

    code: str
    email: str
    url: str


class Unlock(Shape):
    """The passphrase, and on a device that never opened it the recovery code."""

    passphrase: Passphrase
    code: RecoveryCode | None = None


class StartAnew(Shape):
    """The passphrase of a new vault, in place of one that nobody can open."""

    passphrase: NewPassphrase


class Revoke(Shape):
    """Take a device's access away: a new data key, everything sealed anew, and a new kit."""

    device_id: Id
    passphrase: NewPassphrase


@routes.get("/keys")
def view(services: Services, connection: DatabaseConnection) -> KeysView:
    """The vault, and every key that is kept or that a connection names; no value is in it."""
    return keys_view(connection, services.keys)


@routes.post("/keys/<name>")
def keep(services: Services, name: str, body: KeepKey) -> KeysView:
    """Seal a key."""
    services.keys.keep(_named(name), Secret(body.secret), body.kind)
    with services.database.read() as connection:
        addresses = [
            model_connection.base_url
            for model_connection in models.model_connections(connection)
            if model_connection.key == name
        ]
    services.keys.allow(name, *addresses)  # the page shows them beside the key
    return _view(services)


@routes.post("/keys/<name>/forget")
def forget(services: Services, name: str) -> KeysView:
    """Forget a key."""
    services.keys.forget(_named(name))
    return _view(services)


@routes.post("/vault/unlock")
def unlock(services: Services, body: Unlock) -> KeysView:
    """Open the vault."""
    services.keys.unlock(body.passphrase, body.code)
    services.sync.sync_now()  # the sign-in was locked, too
    return _view(services)


@routes.post("/vault/anew")
def start_anew(services: Services, body: StartAnew) -> KeysView:
    """Forget every key of a vault that nobody can open, and begin a new one; raises `vault_open`."""
    services.keys.start_anew(body.passphrase)
    return _view(services)


@routes.post("/vault/kit")
def make_kit(services: Services, body: MakeKit) -> RecoveryKit:
    """Make a recovery kit; it is shown once."""
    return _kit(services, services.keys.make_recovery_kit(body.passphrase))


@routes.post("/vault/revoke")
def revoke(services: Services, body: Revoke) -> RecoveryKit:
    """Take a device's access away; the new recovery kit is shown once."""
    return _kit(services, services.keys.revoke(body.device_id, body.passphrase))


def _view(services: Services) -> KeysView:
    return services.database.query(keys_view, services.keys)


def _kit(services: Services, code: str) -> RecoveryKit:
    project = services.database.query(replica.project)
    email, url = (project.email, project.url) if project else ("", "")
    return RecoveryKit(code=code, email=email, url=url)


def _named(name: str) -> str:
    if not re.fullmatch(KEY_NAME, name):
        raise OutriderError("bad_request", detail="a key's name has small letters, digits and underscores")
    return name


def keys_view(connection: DatabaseConnection, commands: KeyCommands) -> KeysView:
    """By name; no value is in it."""
    header = sealed_secrets.vault_header(connection)
    users: dict[str, list[str]] = {}
    for model_connection in models.model_connections(connection):
        if model_connection.key:
            users.setdefault(model_connection.key, []).append(
                f"{model_connection.name} ({host_of(model_connection.base_url)})"
            )
    stored_keys = {row.name: row for row in sealed_secrets.all_secrets(connection)}
    return KeysView(
        vault=commands.vault.status(header),
        kit=header is not None and header.kit is not None,
        version=header.version if header else 0,
        keys=[_line(name, stored_keys.get(name), users, commands) for name in sorted({*stored_keys, *users})],
    )


def _line(
    name: str, row: sealed_secrets.SealedSecret | None, users: dict[str, list[str]], commands: KeyCommands
) -> KeyLine:
    state = commands.key_location(name)
    return KeyLine(
        name=name,
        kind=row.kind if row else "llm_provider",
        state=state,
        where=commands.where(name) if state in ("given", "keychain") else "the vault",
        updated_at=row.updated_at if row else None,
        used_by=users.get(name, []),
    )
