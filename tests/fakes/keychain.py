"""Keychains in memory: one that works, and none at all. Beside them the cheapest passphrase check that is accepted."""

from keyring.backend import KeyringBackend
from keyring.errors import NoKeyringError

from backend.adapters.credentials.keychain import Keychain
from backend.domain.device.vault import LEAST_KIB, LEAST_PASSES, KdfCost

CHEAP = KdfCost(memory_kib=LEAST_KIB, passes=LEAST_PASSES, lanes=1)


class MemoryKeyring(KeyringBackend):
    """Keeps what it is given as long as the test lasts; `broken` is raised instead."""

    priority = 1

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.kept: dict[str, str] = {}
        self.broken: Exception | None = None

    def get_password(self, service: str, username: str) -> str | None:
        self._maybe_break()
        return self.kept.get(username)

    def set_password(self, service: str, username: str, password: str) -> None:
        self._maybe_break()
        self.kept[username] = password

    def delete_password(self, service: str, username: str) -> None:
        self._maybe_break()
        del self.kept[username]

    def _maybe_break(self) -> None:
        if self.broken:
            raise self.broken


def keychain_of(keyring: MemoryKeyring) -> Keychain:
    return Keychain(lambda: keyring)


def no_keychain() -> Keychain:
    def find() -> KeyringBackend:
        raise NoKeyringError

    return Keychain(find)
