"""The user's secrets, by name: kept sealed in the workspace's stream, opened where they are needed, never shown again."""

import contextlib
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from pydantic import ValidationError

from backend.controller.deciding import Deciding
from backend.controller.workspace_commands import configured
from backend.domain.connection import host_of, is_loopback, origin_of
from backend.domain.errors import OutriderError
from backend.domain.events import WORKSPACE, Event
from backend.domain.vault import VAULT, Charter, Kept, SecretKind
from backend.ports.credentials import Credentials, Secret
from backend.ports.vault import Vault, VaultStanding
from backend.store import secrets
from backend.store.journal import Transaction


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyCommands(Deciding):
    """Implements `ports.credentials.ModelKeys`: `given` at start wins, then the vault, then what `earlier` versions kept."""

    vault: Vault
    given: Credentials
    earlier: Credentials
    end_other_sessions: Callable[[], None] = lambda: None

    # --- by name ---

    def get(self, name: str) -> Secret | None:
        """Raises `vault_locked`, `key_unreadable`, and what the keychain says."""
        return self.given.get(name) or _secret(self._kept(name))

    def get_for(self, name: str, base_url: str) -> Secret | None:
        """As `get`. What is given at start, and this machine itself, are the user's own; all else must have been named."""
        if (given := self.given.get(name)) is not None:
            return given
        kept = self._kept(name)
        if kept and not is_loopback(base_url) and origin_of(base_url) not in kept.hosts:
            raise OutriderError("key_not_for_host", key=name, host=host_of(base_url))
        return _secret(kept)

    def allow(self, name: str, *base_urls: str) -> None:
        """Sealed with the key, so that it is out of reach of whoever keeps the shared store, and known on the other devices."""
        wanted = {origin_of(one) for one in base_urls if not is_loopback(one)}
        with contextlib.suppress(OutriderError):  # it cannot be opened now: the first call will say what to do
            with self.journal.transaction() as transaction:
                kept = self._found(transaction.connection, name)
                if kept is None or wanted <= {*kept.hosts}:
                    return
                row = secrets.secret(transaction.connection, name)
                more = kept.model_copy(update={"hosts": tuple(sorted({*kept.hosts, *wanted}))})
                self._write(transaction, name, more, row.kind if row else "llm_provider")
            self._forget_earlier(name)

    def put(self, name: str, secret: Secret) -> None:
        """Keep a model's key; as `keep`."""
        self.keep(name, secret, "llm_provider")

    def keep(self, name: str, secret: Secret, kind: SecretKind) -> None:
        """Seal it, in place of what was kept. Raises `key_read_only`, `vault_locked`, and what the keychain says."""
        self._refuse_given(name)
        with self.journal.transaction() as transaction:
            hosts = self._hosts(transaction.connection, name)
            self._write(transaction, name, Kept(secret=secret.reveal(), hosts=hosts), kind)
        self._forget_earlier(name)

    def forget(self, name: str) -> None:
        """Keep it no more, here or in the keychain. Raises `key_read_only`, and what the keychain says."""
        self._refuse_given(name)
        try:
            self.earlier.forget(name)
        except OutriderError as error:
            if error.code != "keychain_missing":
                raise
        with self.journal.transaction() as transaction:
            row = secrets.secret(transaction.connection, name)
            if row is not None and row.sealed:
                changes = {"encrypted_value": "", "updated_at": self.clock.now()}
                self._record(transaction, WORKSPACE, [Event("SecretForgotten", name, changes)], f"forget key {name}")

    def where(self, name: str) -> str:
        """The vault, unless it is given at start or still in the keychain."""
        state = self.found(name)
        place = self.given if state == "given" else self.earlier if state == "keychain" else None
        return place.where(name) if place else "the vault"

    def found(self, name: str) -> Literal["given", "sealed", "keychain", "missing", "locked"]:
        """Where it is; `locked` if it is there and cannot be opened now."""
        if self.given.get(name) is not None:
            return "given"
        try:
            secret = self.get(name)
        except OutriderError:
            return "locked"
        with self.journal.database.read() as connection:
            row = secrets.secret(connection, name)
        if row is not None and row.sealed:
            return "sealed"
        return "missing" if secret is None else "keychain"

    # --- the vault ---

    def standing(self) -> VaultStanding:
        """Whether the vault is open, and what it takes."""
        with self.journal.database.read() as connection:
            charter = secrets.vault_charter(connection)
        return self.vault.standing(charter)

    def unlock(self, passphrase: str, code: str | None = None) -> None:
        """Open the vault on this machine; raises what `ports.vault.Vault.unlock` does."""
        with self.journal.database.read() as connection:
            charter = secrets.vault_charter(connection)
        self.vault.unlock(charter, passphrase, code)

    def make_kit(self, passphrase: str) -> str:
        """The recovery code by which, with the passphrase, another device opens the vault. An earlier kit is worthless then."""
        with self.journal.transaction() as transaction:
            charter, events = self._charter(transaction)
            self._record(transaction, WORKSPACE, events, "begin the vault")
        wrapped, code = self.vault.kit(charter, passphrase)
        with self.journal.transaction() as transaction:
            self._refuse_changed(transaction, charter)
            self._record(transaction, WORKSPACE, _written(transaction, wrapped), "make a recovery kit")
        return code

    def revoke(self, device_id: str, passphrase: str) -> str:
        """Take a device's access away: its sign-in ends, and what is kept here from now on it cannot open. The new recovery code.

        Raises `device_unknown`, `device_here`, `vault_locked`, `vault_changed`, and what ends the sign-ins.
        """
        with self.journal.database.read() as connection:
            charter = secrets.vault_charter(connection)
            device = connection.execute("SELECT revoked_at FROM devices WHERE id=?", (device_id,)).fetchone()
            here = connection.execute("SELECT 1 FROM project WHERE device_id=?", (device_id,)).fetchone()
        if device is None or device[0] is not None:
            raise OutriderError("device_unknown")
        if here:
            raise OutriderError("device_here")
        if (standing := self.vault.standing(charter)).state == "locked":
            raise OutriderError("vault_locked", why=standing.problem)
        fresh, code = self.vault.kit(self.vault.begin(charter), passphrase)
        self.end_other_sessions()  # raises before anything is changed
        with self.journal.transaction() as transaction:
            self._refuse_changed(transaction, charter)
            now = self.clock.now()
            events = [Event("DeviceRevoked", device_id, {"revoked_at": now}), *_written(transaction, fresh)]
            for row in secrets.kept(transaction.connection):
                opened = self.vault.open(charter or fresh, row.name, row.version, row.sealed)
                sealed = self.vault.seal(fresh, row.name, opened)
                changes = {"encrypted_value": sealed, "key_version": fresh.version, "updated_at": now}
                events.append(Event("SecretChanged", row.name, changes))
            self._record(transaction, WORKSPACE, events, f"revoke device {device_id}")
        return code

    # --- shared ---

    def _kept(self, name: str) -> Kept | None:
        with self.journal.database.read() as connection:
            return self._found(connection, name)

    def _found(self, connection: sqlite3.Connection, name: str) -> Kept | None:
        """In the vault, or else in the keychain: nobody said yet where an earlier version's key may be shown."""
        row, charter = secrets.secret(connection, name), secrets.vault_charter(connection)
        if row is None or not row.sealed or charter is None:
            earlier = self._of_earlier(name)
            return Kept(secret=earlier.reveal()) if earlier else None
        opened = self.vault.open(charter, name, row.version, row.sealed)
        try:
            return Kept.model_validate_json(opened.reveal())
        except ValidationError:
            raise OutriderError("key_unreadable", key=name) from None

    def _hosts(self, connection: sqlite3.Connection, name: str) -> tuple[str, ...]:
        """Those named so far; not what was sealed under an earlier data key, which a revoked device has, too."""
        row, charter = secrets.secret(connection, name), secrets.vault_charter(connection)
        if row is None or charter is None or row.version != charter.version:
            return ()
        try:
            kept = self._found(connection, name)
        except OutriderError:
            return ()
        return kept.hosts if kept else ()

    def _write(self, transaction: Transaction, name: str, kept: Kept, kind: SecretKind) -> None:
        charter, events = self._charter(transaction)
        changes = {
            "encrypted_value": self.vault.seal(charter, name, Secret(kept.model_dump_json())),
            "key_version": charter.version,
            "config_type": kind,
            "updated_at": self.clock.now(),
        }
        if secrets.secret(transaction.connection, name) is None:
            events.append(Event("SecretKept", name, {"key_name": name, **changes}))
        else:
            events.append(Event("SecretChanged", name, changes))
        self._record(transaction, WORKSPACE, events, f"keep key {name}")

    def _forget_earlier(self, name: str) -> None:
        with contextlib.suppress(OutriderError):  # what it holds is not asked for any more
            self.earlier.forget(name)

    def _charter(self, transaction: Transaction) -> tuple[Charter, list[Event]]:
        """The one in force, and what records it: a new one at the first key, or once no key is left that nobody can open."""
        charter = secrets.vault_charter(transaction.connection)
        if charter is not None and (
            secrets.kept(transaction.connection) or self.vault.standing(charter).state == "open"
        ):
            return charter, []
        fresh = self.vault.begin(charter)
        return fresh, _written(transaction, fresh)

    def _of_earlier(self, name: str) -> Secret | None:
        try:
            return self.earlier.get(name)
        except OutriderError as error:
            if error.code != "keychain_missing":
                raise
            return None

    def _refuse_given(self, name: str) -> None:
        if self.given.get(name) is not None:
            raise OutriderError("key_read_only", where=self.given.where(name))

    @staticmethod
    def _refuse_changed(transaction: Transaction, charter: Charter | None) -> None:
        if secrets.vault_charter(transaction.connection) != charter:
            raise OutriderError("vault_changed")


def _secret(kept: Kept | None) -> Secret | None:
    return Secret(kept.secret) if kept else None


def _written(transaction: Transaction, charter: Charter) -> list[Event]:
    return configured(transaction.connection, VAULT, charter.model_dump())
