"""The user's secrets, by name: kept sealed in the workspace's stream, opened where they are needed, never shown again."""

import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from pydantic import ValidationError

from backend.commands.handler import CommandHandler, command
from backend.commands.workspace import configuration_events
from backend.domain.device.vault import VAULT, SecretKind, SecretPayload, VaultHeader
from backend.domain.events.events import WORKSPACE, Event
from backend.domain.events.facts.workspace import (
    DeviceRevoked,
    SealedColumns,
    SecretChanged,
    SecretForgotten,
    SecretKept,
)
from backend.domain.model.connection import host_of, is_loopback, origin_of
from backend.domain.values.errors import OutriderError
from backend.ports.credentials import Credentials, Secret, header_text
from backend.ports.vault import Vault, VaultStatus
from backend.store.database import DatabaseConnection
from backend.store.log.transaction import Transaction
from backend.store.queries.device import devices, sealed_secrets
from backend.store.replication import replica


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyCommands(CommandHandler):
    """Implements `ports.credentials.ModelKeys`: `startup_credentials` win, then the vault, then what `earlier` versions kept."""

    vault: Vault
    startup_credentials: Credentials
    earlier: Credentials
    end_other_sessions: Callable[[], None] = lambda: None

    # --- by name ---

    def get(self, name: str) -> Secret | None:
        """Raises `vault_locked`, `key_unreadable`, and what the keychain says."""
        return self.startup_credentials.get(name) or _secret(self._kept(name))

    def get_for(self, name: str, base_url: str) -> Secret | None:
        """As `get`. This machine itself is the user's own; all else must have been named, for a given key on this device."""
        startup_key = self.startup_credentials.get(name)
        payload = None if startup_key else self._kept(name)
        if (startup_key or payload) and not is_loopback(base_url):
            origin = origin_of(base_url)
            is_named = origin in payload.hosts if payload else self._is_remembered(name, origin)
            if not is_named:
                raise OutriderError("key_not_for_host", key=name, host=host_of(base_url))
        return startup_key or _secret(payload)

    @command("keys.allow", only=("name",))
    def allow(self, name: str, *base_urls: str) -> None:
        """Sealed with the key, so that it is out of reach of whoever keeps the shared store, and known on the other devices."""
        origins = {origin_of(base_url) for base_url in base_urls if not is_loopback(base_url)}
        with self.journal.database.write() as connection:
            sealed_secrets.remember_origins(connection, name, origins)
        with contextlib.suppress(OutriderError):  # it cannot be opened now: the first call will say what to do
            with self.journal.transaction() as transaction:
                payload = self._found(transaction.connection, name)
                if payload is None or origins <= {*payload.hosts}:
                    return
                row = sealed_secrets.secret(transaction.connection, name)
                extended = payload.model_copy(update={"hosts": tuple(sorted({*payload.hosts, *origins}))})
                self._write(transaction, name, extended, row.kind if row else "llm_provider")
            self._forget_earlier(name)

    def put(self, name: str, secret: Secret) -> None:
        """Keep a model's key; as `keep`."""
        self.keep(name, secret, "llm_provider")

    @command("keys.keep", only=("name",))
    def keep(self, name: str, secret: Secret, kind: SecretKind) -> None:
        """Seal it, in place of what was kept. Raises `key_read_only`, `key_malformed`, `vault_locked`, and as the keychain."""
        self._refuse_given(name)
        if kind == "llm_provider":
            header_text(name, secret)
        with self.journal.transaction() as transaction:
            hosts = self._hosts(transaction.connection, name)
            self._write(transaction, name, SecretPayload(secret=secret.reveal(), hosts=hosts), kind)
        self._forget_earlier(name)

    @command("keys.forget", only=("name",))
    def forget(self, name: str) -> None:
        """Keep it no more, here or in the keychain. Raises `key_read_only`, and what the keychain says."""
        self._refuse_given(name)
        try:
            self.earlier.forget(name)
        except OutriderError as error:
            if error.code != "keychain_missing":
                raise
        with self.journal.transaction() as transaction:
            sealed_secrets.forget_origins(transaction.connection, name)
            row = sealed_secrets.secret(transaction.connection, name)
            if row is not None and row.sealed:
                forgotten = SecretForgotten(name, updated_at=self.clock.now())
                self._record(transaction, WORKSPACE, [forgotten])

    def where(self, name: str) -> str:
        """The vault, unless it is given at start or still in the keychain."""
        state = self.key_location(name)
        credentials = self.startup_credentials if state == "given" else self.earlier if state == "keychain" else None
        return credentials.where(name) if credentials else "the vault"

    def key_location(self, name: str) -> Literal["given", "sealed", "keychain", "missing", "locked"]:
        """Where it is; `locked` if it is there and cannot be opened now."""
        if self.startup_credentials.get(name) is not None:
            return "given"
        try:
            secret = self.get(name)
        except OutriderError:
            return "locked"
        row = self.journal.database.query(sealed_secrets.secret, name)
        if row is not None and row.sealed:
            return "sealed"
        return "missing" if secret is None else "keychain"

    # --- the vault ---

    def vault_status(self) -> VaultStatus:
        """Whether the vault is open, and what it takes."""
        header = self.journal.database.query(sealed_secrets.vault_header)
        return self.vault.status(header)

    def unlock(self, passphrase: str, code: str | None = None) -> None:
        """Open the vault on this machine; raises what `ports.vault.Vault.unlock` does."""
        header = self.journal.database.query(sealed_secrets.vault_header)
        self.vault.unlock(header, passphrase, code)

    @command("keys.start_anew", only=())
    def start_anew(self, passphrase: str) -> None:
        """A new vault without passphrase or kit: every key before is forgotten. Raises `vault_open`, `passphrase_short`."""
        with self.journal.transaction() as transaction:
            connection, now = transaction.connection, self.clock.now()
            new_header = self.vault.start_anew(sealed_secrets.vault_header(connection), passphrase)
            sealed = [row.name for row in sealed_secrets.all_secrets(connection)]
            for name in sealed:
                sealed_secrets.forget_origins(connection, name)
            forgotten = [SecretForgotten(name, updated_at=now) for name in sealed]
            self._record(transaction, WORKSPACE, [*forgotten, *_written(transaction, new_header)])

    @command("keys.make_recovery_kit", only=())
    def make_recovery_kit(self, passphrase: str) -> str:
        """The recovery code by which, with the passphrase, another device opens the vault. An earlier kit is worthless then."""
        with self.journal.transaction() as transaction:
            header, events = self._vault_header(transaction)
            self._record(transaction, WORKSPACE, events)
        wrapped, code = self.vault.make_recovery_kit(header, passphrase)
        with self.journal.transaction() as transaction:
            self._refuse_changed(transaction, header)
            self._record(transaction, WORKSPACE, _written(transaction, wrapped))
        return code

    @command("keys.revoke", shows={"DeviceRevoked": "revoked_at"}, only=("device_id",))
    def revoke(self, device_id: str, passphrase: str) -> str:
        """Take a device's access away: its sign-in ends, and what is kept here from now on it cannot open. The new recovery code.

        Raises `device_unknown`, `device_here`, `vault_locked`, `vault_changed`, and what ends the sign-ins.
        """
        with self.journal.database.read() as connection:
            header = sealed_secrets.vault_header(connection)
            device, project = devices.device(connection, device_id), replica.project(connection)
        if device is None or device.revoked_at is not None:
            raise OutriderError("device_unknown")
        if project is not None and project.device_id == device_id:
            raise OutriderError("device_here")
        if (status := self.vault.status(header)).state == "locked":
            raise OutriderError("vault_locked", why=status.problem)
        new_header, code = self.vault.make_recovery_kit(self.vault.create_data_key(header), passphrase)
        self.end_other_sessions()  # raises before anything is changed
        with self.journal.transaction() as transaction:
            self._refuse_changed(transaction, header)
            now = self.clock.now()
            events = [DeviceRevoked(device_id, revoked_at=now), *_written(transaction, new_header)]
            for row in sealed_secrets.all_secrets(transaction.connection):
                opened = self.vault.open(header or new_header, row.name, row.version, row.sealed)
                sealed = self.vault.seal(new_header, row.name, opened)
                events.append(
                    SecretChanged(row.name, encrypted_value=sealed, key_version=new_header.version, updated_at=now)
                )
            self._record(transaction, WORKSPACE, events)
        return code

    # --- shared ---

    def _is_remembered(self, name: str, origin: str) -> bool:
        return self.journal.database.query(sealed_secrets.is_remembered, name, origin)

    def _kept(self, name: str) -> SecretPayload | None:
        return self.journal.database.query(self._found, name)

    def _found(self, connection: DatabaseConnection, name: str) -> SecretPayload | None:
        """In the vault, or else in the keychain: nobody said yet where an earlier version's key may be shown."""
        row, header = sealed_secrets.secret(connection, name), sealed_secrets.vault_header(connection)
        if row is None or not row.sealed or header is None:
            earlier = self._of_earlier(name)
            return SecretPayload(secret=earlier.reveal()) if earlier else None
        opened = self.vault.open(header, name, row.version, row.sealed)
        try:
            return SecretPayload.model_validate_json(opened.reveal())
        except ValidationError:
            raise OutriderError("key_unreadable", key=name) from None

    def _hosts(self, connection: DatabaseConnection, name: str) -> tuple[str, ...]:
        """Those named so far; not what was sealed under an earlier data key, which a revoked device has, too."""
        row, header = sealed_secrets.secret(connection, name), sealed_secrets.vault_header(connection)
        if row is None or header is None or row.version != header.version:
            return ()
        try:
            payload = self._found(connection, name)
        except OutriderError:
            return ()
        return payload.hosts if payload else ()

    def _write(self, transaction: Transaction, name: str, payload: SecretPayload, kind: SecretKind) -> None:
        header, events = self._vault_header(transaction)
        sealed: SealedColumns = {
            "encrypted_value": self.vault.seal(header, name, Secret(payload.model_dump_json())),
            "key_version": header.version,
            "config_type": kind,
            "updated_at": self.clock.now(),
        }
        if sealed_secrets.secret(transaction.connection, name) is None:
            events.append(SecretKept(name, key_name=name, **sealed))
        else:
            events.append(SecretChanged(name, **sealed))
        self._record(transaction, WORKSPACE, events)

    def _forget_earlier(self, name: str) -> None:
        with contextlib.suppress(OutriderError):  # what it holds is not asked for any more
            self.earlier.forget(name)

    def _vault_header(self, transaction: Transaction) -> tuple[VaultHeader, list[Event]]:
        """The one in force, and what records it: a new one at the first key, or once no key is left that nobody can open."""
        header = sealed_secrets.vault_header(transaction.connection)
        if header is not None and (
            sealed_secrets.all_secrets(transaction.connection) or self.vault.status(header).state == "open"
        ):
            return header, []
        new_header = self.vault.create_data_key(header)
        return new_header, _written(transaction, new_header)

    def _of_earlier(self, name: str) -> Secret | None:
        try:
            return self.earlier.get(name)
        except OutriderError as error:
            if error.code != "keychain_missing":
                raise
            return None

    def _refuse_given(self, name: str) -> None:
        if self.startup_credentials.get(name) is not None:
            raise OutriderError("key_read_only", where=self.startup_credentials.where(name))

    @staticmethod
    def _refuse_changed(transaction: Transaction, header: VaultHeader | None) -> None:
        if sealed_secrets.vault_header(transaction.connection) != header:
            raise OutriderError("vault_changed")


def _secret(payload: SecretPayload | None) -> Secret | None:
    return Secret(payload.secret) if payload else None


def _written(transaction: Transaction, header: VaultHeader) -> list[Event]:
    return configuration_events(transaction.connection, VAULT, header.model_dump())
