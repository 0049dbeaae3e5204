"""The data key, sealed on this device; what it seals; and the kit by which another device gets it."""

import hmac
import os
from typing import NamedTuple

from backend.adapters.credentials.device_key import DeviceKey
from backend.adapters.credentials.passphrase import derive_key, unwrap_key, wrap_key
from backend.adapters.credentials.sealing import KEY_BYTES, as_text, from_text, seal, unseal
from backend.domain.device import vault
from backend.domain.device.vault import KdfCost, RecoveryWrappedKey, VaultHeader, refuse_short
from backend.domain.values.errors import OutriderError
from backend.ports.credentials import Secret
from backend.ports.sealed_files import SealedFiles
from backend.ports.vault import UnlockNeeds, VaultStatus

FILE = "data-key"
_VALUE = b"outrider secret"
_WRAP = b"outrider vault wrap 1"
_MARK = b"outrider recovery code mark 1"
_SCHEMA = (1).to_bytes(4)
_VAULT_BYTES = 16
_EARLIER = 8
_RECORD = _VAULT_BYTES + 4 + KEY_BYTES

_LOST = frozenset({"passphrase_wrong", "sealed_file_damaged"})

_KIT = "This device has not opened the vault, or another one changed it since: it takes passphrase and recovery code"
_NO_KIT = (
    "The keys were sealed on another device, and there is no recovery kit:"
    " make one there, or start a new vault and enter the keys again"
)


class _DataKey(NamedTuple):
    """Which data key it is, as its header names it, and the key."""

    vault: bytes
    version: int
    key: bytes

    def __repr__(self) -> str:
        return "_DataKey(…)"


class SealedVault:
    """Implements `ports.vault.Vault`. Its file holds the data key in force, one that was begun, and earlier ones."""

    def __init__(self, device: DeviceKey, files: SealedFiles, cost: KdfCost | None = None) -> None:
        self._device = device
        self._files = files
        self._cost = cost or KdfCost()

    def status(self, header: VaultHeader | None) -> VaultStatus:
        """Whether that data key is at hand, and what it takes; raises nothing."""
        locked, where = self._device.locked(), self._device.where()
        if locked and (header is None or self._device.exists()):
            needs: UnlockNeeds = "passphrase" if locked.code == "vault_locked" else "nothing"
            return VaultStatus("locked" if header else "none", needs, where, locked.sentence)
        if header is None:
            return VaultStatus("none", "nothing", where, "")
        try:
            self._in_force(header)
        except OutriderError:
            needs, why = ("passphrase_and_code", _KIT) if header.kit else ("nothing", _NO_KIT)
            return VaultStatus("locked", needs, where, f"{why}.")
        return VaultStatus("open", "nothing", where, "")

    def unlock(self, header: VaultHeader | None, passphrase: str, code: str | None) -> None:
        """By this machine's passphrase, or with the code by a kit's."""
        if code is None:
            self._device.unlock(passphrase)
            return
        if header is None or header.kit is None:
            raise OutriderError("vault_without_kit")
        recovery = vault.parse_code(code)
        if not hmac.compare_digest(_mark(recovery), header.kit.mark):
            raise OutriderError("recovery_code_wrong")
        key = unwrap_key(header.kit, passphrase, recovery, _WRAP, *_named(header))
        if key is None:
            raise OutriderError("passphrase_wrong")
        try:
            self._device.unlock(passphrase)
        except OutriderError as error:
            if error.code not in _LOST:
                raise
            self._device.replace_key(passphrase)  # whoever has the kit needs nothing else
        opened = _DataKey(bytes.fromhex(header.vault), header.version, key)
        # What this device sealed before it joined a vault of another's, or before its key was changed there, opens still.
        self._keep([opened, *[data_key for data_key in self._keys() if data_key != opened][:_EARLIER]])

    def start_anew(self, header: VaultHeader | None, passphrase: str) -> VaultHeader:
        """In place of a vault that is locked; whoever records the header that is returned forgets what that one sealed."""
        if self.status(header).state != "locked":
            raise OutriderError("vault_open")
        refuse_short(passphrase)
        self._device.replace_key(passphrase)
        return self.create_data_key(header)

    def create_data_key(self, header: VaultHeader | None) -> VaultHeader:
        """A new data key, on disk here beside the one in force."""
        vault, version = os.urandom(_VAULT_BYTES), header.version + 1 if header else 1
        data_keys, fresh = self._keys(), _DataKey(vault, version, os.urandom(KEY_BYTES))
        data_keys.sort(
            key=lambda data_key: header is None or data_key.vault.hex() != header.vault
        )  # the one in force before all others
        self._keep([*data_keys[:1], fresh, *data_keys[1:_EARLIER]])
        return VaultHeader(vault=vault.hex(), version=version)

    def make_recovery_kit(self, header: VaultHeader, passphrase: str) -> tuple[VaultHeader, str]:
        """The header with its data key wrapped for other devices, and the recovery code."""
        refuse_short(passphrase)
        recovery = os.urandom(vault.BYTES)
        key = self._in_force(header).key
        wrapped_key = wrap_key(key, passphrase, recovery, _WRAP, self._cost, *_named(header))
        kit = RecoveryWrappedKey(
            salt=wrapped_key.salt, cost=wrapped_key.cost, sealed=wrapped_key.sealed, mark=_mark(recovery)
        )
        return header.model_copy(update={"kit": kit}), vault.format_code(recovery)

    def seal(self, header: VaultHeader, name: str, secret: Secret) -> str:
        """The secret as text that only this data key opens, and only under this name."""
        data_key = self._in_force(header)
        return as_text(seal(data_key.key, secret.reveal().encode("utf-8"), *_associated_data(data_key, name)))

    def open(self, header: VaultHeader, name: str, version: int, sealed: str) -> Secret:
        """The secret again."""
        self._in_force(header)
        content = from_text(sealed)
        for data_key in self._keys():
            # An earlier one's, when another device kept a key while this one was changing the data key.
            if (
                data_key.version == version
                and (plaintext := unseal(data_key.key, content, *_associated_data(data_key, name))) is not None
            ):
                return Secret(plaintext.decode("utf-8"))
        raise OutriderError("key_unreadable", key=name)

    def _in_force(self, header: VaultHeader) -> _DataKey:
        """Raises `vault_locked`."""
        for data_key in self._keys():
            if data_key.vault.hex() == header.vault and data_key.version == header.version:
                return data_key
        raise OutriderError("vault_locked", why=_KIT if header.kit else _NO_KIT)

    def _keys(self) -> list[_DataKey]:
        try:
            content = self._files.read(FILE) or b""
        except OutriderError as error:
            if error.code != "sealed_file_damaged":
                raise
            return []  # then it takes the kit, as on a new device
        records = (content[at : at + _RECORD] for at in range(0, len(content), _RECORD))
        return [_DataKey(record[:16], int.from_bytes(record[16:20]), record[20:]) for record in records]

    def _keep(self, keys: list[_DataKey]) -> None:
        self._files.write(
            FILE, b"".join(data_key.vault + data_key.version.to_bytes(4) + data_key.key for data_key in keys)
        )


def _associated_data(data_key: _DataKey, name: str) -> tuple[bytes, ...]:
    return (_VALUE, data_key.vault, name.encode("utf-8"), data_key.version.to_bytes(4), _SCHEMA)


def _named(header: VaultHeader) -> tuple[bytes, ...]:
    return (bytes.fromhex(header.vault), header.version.to_bytes(4))


def _mark(recovery: bytes) -> str:
    return derive_key(recovery, _MARK, 16).hex()
