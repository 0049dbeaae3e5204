"""The one key of this data folder on this machine: in the system's keychain, or under a passphrase asked for at each start."""

import os
import threading
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from backend.adapters.credentials.keychain import Keychain
from backend.adapters.credentials.passphrase import unwrap_key, wrap_key
from backend.adapters.credentials.sealing import KEY_BYTES, seal, unseal
from backend.domain.device.vault import Hex16, KdfCost, WrappedKey, refuse_short
from backend.domain.values.errors import OutriderError
from backend.machine.durable_files import replace_file
from backend.ports.credentials import Secret

NOTE = "device.json"
_PURPOSE = b"outrider device key 1"
_NEW = "This machine has no keychain, so a passphrase protects what is secret here"
_AGAIN = "This machine has no keychain, so the passphrase is asked for at each start"


class _Note(BaseModel):
    """Where the key is: `wrapped` beside it, or, if that is None, in the keychain under the `folder`'s name."""

    model_config = ConfigDict(strict=True, extra="forbid")

    folder: Hex16
    wrapped: WrappedKey | None


class DeviceKey:
    """None, then open or locked; once open it stays so until the program ends. Safe to use from any thread."""

    def __init__(self, folder: Path, keychain: Keychain, cost: KdfCost | None = None) -> None:
        self.folder = folder
        self._keychain = keychain
        self._cost = cost or KdfCost()
        self._key = b""
        self._lock = threading.Lock()

    @property
    def is_open(self) -> bool:
        """Whether the key is in memory; asks nobody."""
        return bool(self._key)

    def seal(self, content: bytes, *associated_data: bytes) -> bytes:
        """Under the key, which is made if there is a keychain to keep it. Raises `vault_locked`, `keychain_locked`."""
        return seal(self._opened() or self._made(), content, *associated_data)

    def unseal(self, sealed: bytes, *associated_data: bytes) -> bytes | None:
        """What was sealed; None if that is not by this key or not about that. Raises `vault_locked`, `keychain_locked`."""
        key = self._opened()
        return unseal(key, sealed, *associated_data) if key else None

    def unlock(self, passphrase: str) -> None:
        """By the passphrase, if one is needed; raises `passphrase_wrong`, `passphrase_short`, `vault_parameters_refused`."""
        note = self._note()
        if note is None or note.wrapped is None:
            if not self._opened():
                self._made(passphrase)
            return
        key = unwrap_key(note.wrapped, passphrase, b"", _PURPOSE, note.folder.encode())
        if key is None:
            raise OutriderError("passphrase_wrong")
        self._key = key

    def replace_key(self, passphrase: str) -> None:
        """Another key in place of one that nobody can open any more; what that one sealed is lost."""
        self._key = b""
        self._made(passphrase)

    def locked(self) -> OutriderError | None:
        """Why the key is not at hand, None if it is or can be made without asking; `vault_locked` if a passphrase helps."""
        try:
            if not self._opened():
                return self._unkept()
        except OutriderError as error:
            return error
        return None

    def exists(self) -> bool:
        """Whether there is a note of a key on this machine; if so, a passphrase that is asked for is an earlier one."""
        try:
            return self._note() is not None
        except OutriderError:
            return False

    def where(self) -> str:
        """For people."""
        try:
            note = self._note()
            if note is None or note.wrapped is None:
                return self._keychain.where("")
        except OutriderError:
            pass  # the keychain is not there, or nobody knows
        return "a passphrase of yours, asked for at each start"

    def _unkept(self) -> OutriderError | None:
        """Why a new key could not be kept without a passphrase."""
        try:
            self._keychain.where("")
        except OutriderError as error:
            return OutriderError("vault_locked", why=_NEW) if error.code == "keychain_missing" else error
        return None

    def _opened(self) -> bytes:
        """The key; empty if none was made. Raises `vault_locked`, or what the keychain says."""
        with self._lock:
            note = None if self._key else self._note()
            if note is not None and note.wrapped is not None:
                raise OutriderError("vault_locked", why=_AGAIN)
            if note is not None and (stored_key := self._keychain.get(_entry(note.folder))) is not None:
                self._key = bytes.fromhex(stored_key.reveal())
            return self._key

    def _made(self, passphrase: str = "") -> bytes:
        """A new key, on disk or in the keychain before it is used."""
        with self._lock:
            if self._key:
                return self._key
            key, folder = os.urandom(KEY_BYTES), os.urandom(16).hex()
            try:
                self._keychain.put(_entry(folder), Secret(key.hex()))
                note = _Note(folder=folder, wrapped=None)
            except OutriderError as error:
                if error.code != "keychain_missing":
                    raise
                if not passphrase:
                    raise OutriderError("vault_locked", why=_NEW) from None
                refuse_short(passphrase)
                wrapped_key = wrap_key(key, passphrase, b"", _PURPOSE, self._cost, folder.encode())
                note = _Note(folder=folder, wrapped=wrapped_key)
            write_whole(self.folder / NOTE, note.model_dump_json().encode())
            self._key = key
            return key

    def _note(self) -> _Note | None:
        try:
            return _Note.model_validate_json((self.folder / NOTE).read_bytes())
        except FileNotFoundError:
            return None
        except (OSError, ValidationError):
            raise OutriderError("sealed_file_damaged", file=NOTE) from None


def _entry(folder: str) -> str:
    """Not the name of any key of the user's: those have no dash."""
    return f"device-key-{folder}"


def write_whole(path: Path, content: bytes) -> None:
    """On the disk, for its owner only, in place of what was there; or not at all. Raises `sealed_file_failed`."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        replace_file(path, content)
    except OSError as error:
        raise OutriderError("sealed_file_failed", file=path.name, detail=error.strerror or "") from None
