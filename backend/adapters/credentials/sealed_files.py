"""Files sealed under the device's key, one a name, in a folder of their own beside the database."""

import re
from pathlib import Path

from backend.adapters.credentials.device_key import DeviceKey, write_whole
from backend.domain.values.errors import OutriderError

_PURPOSE = b"outrider sealed file 1"
_NAME = re.compile(r"[a-z][a-z-]*")


class SealedFolder:
    """Implements `ports.sealed.SealedFiles`."""

    def __init__(self, device: DeviceKey) -> None:
        self._device = device
        self._folder = device.folder

    @property
    def is_open(self) -> bool:
        """Whether the device's key was fetched."""
        return self._device.is_open

    def read(self, name: str) -> bytes | None:
        """What was kept, or None. Raises `vault_locked`, `keychain_locked`, `sealed_file_damaged`."""
        if locked := self._device.locked():
            raise locked
        try:
            sealed = self._path(name).read_bytes()
        except FileNotFoundError:
            return None
        except OSError:
            raise OutriderError("sealed_file_damaged", file=name) from None
        content = self._device.unseal(sealed, _PURPOSE, name.encode())
        if content is None:
            raise OutriderError("sealed_file_damaged", file=name)
        return content

    def write(self, name: str, content: bytes) -> None:
        """Keep it, in place of what was kept. Raises `vault_locked`, `keychain_locked`, `sealed_file_failed`."""
        write_whole(self._path(name), self._device.seal(content, _PURPOSE, name.encode()))

    def remove(self, name: str) -> None:
        """Keep it no more; nothing if there is none."""
        if locked := self._device.locked():
            raise locked
        self._path(name).unlink(missing_ok=True)

    def _path(self, name: str) -> Path:
        if not _NAME.fullmatch(name):
            raise ValueError(name)
        return self._folder / name

    def where(self) -> str:
        """Where the key to them is, for people."""
        return self._device.where()
