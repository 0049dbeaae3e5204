"""A machine with a data folder and keys in it: real database, real sealed files; its keychain is in memory, or there is none."""

import sqlite3
from contextlib import closing
from pathlib import Path

from backend.adapters.credentials.device_key import DeviceKey
from backend.adapters.credentials.environment import Environment
from backend.adapters.credentials.sealed_files import SealedFolder
from backend.adapters.credentials.vault import SealedVault
from backend.commands.keys import KeyCommands
from backend.store.database import Database
from backend.store.log.journal import Journal
from tests.fakes.clock import FakeClock
from tests.fakes.ids import SeededIds
from tests.fakes.keychain import CHEAP, MemoryKeyring, keychain_of, no_keychain


class Machine:
    """Started anew by making another one on the same folder and keychain."""

    def __init__(self, folder: Path, keyring: MemoryKeyring | None, environment: dict[str, str] | None = None) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder, self.keyring = folder, keyring
        self.database = Database(folder / "outrider.db")
        self.journal = Journal(self.database, SeededIds(str(folder)))
        self.clock = FakeClock()
        earlier = keychain_of(keyring) if keyring else no_keychain()
        self.device = DeviceKey(folder / "sealed", earlier, CHEAP)
        self.sealed = SealedFolder(self.device)
        self.vault = SealedVault(self.device, self.sealed, CHEAP)
        self.ended = 0
        self.keys = KeyCommands(
            journal=self.journal,
            clock=self.clock,
            vault=self.vault,
            startup_credentials=Environment(environment or {}),
            earlier=earlier,
            end_other_sessions=self._end,
        )

    def _end(self) -> None:
        self.ended += 1

    def again(self, **environment: str) -> "Machine":
        """The next start of the same one."""
        self.database.close()
        return Machine(self.folder, self.keyring, environment)

    def to(self, folder: Path, keyring: MemoryKeyring | None) -> "Machine":
        """Another device, started on what the shared store gave it: the same rows, and nothing else of this one."""
        folder.mkdir(parents=True, exist_ok=True)
        for file in folder.glob("outrider.db*"):
            file.unlink()
        with (
            closing(sqlite3.connect(self.folder / "outrider.db")) as here,
            closing(sqlite3.connect(folder / "outrider.db")) as there,
        ):
            here.backup(there)
        return Machine(folder, keyring)

    def rows(self) -> dict[str, tuple[str, int, str]]:
        """Name -> what is sealed, under which version, and its kind."""
        with self.database.read() as connection:
            rows = connection.execute("SELECT key_name, encrypted_value, key_version, config_type FROM configuration")
            return {name: (sealed, version, kind) for name, sealed, version, kind in rows}
