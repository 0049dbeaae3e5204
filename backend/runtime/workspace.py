"""An open data folder: everything that can be read and decided without running a campaign."""

import contextlib
from dataclasses import dataclass

from backend.adapters.egress_guard import EgressGuard
from backend.commands.keys import KeyCommands
from backend.commands.user_commands import Commands
from backend.domain.values.errors import OutriderError
from backend.machine.settings import AppSettings
from backend.ports.account_locks import AccountLocks
from backend.ports.clock import Clock
from backend.ports.sealed_files import SealedFiles
from backend.runtime.jobs.erased_files import ErasedFiles
from backend.runtime.worker import Workers
from backend.store.database import Database
from backend.store.log.journal import Journal
from backend.turn.turn_queue import TurnQueue

CLOSE_SECONDS = 5.0
"""How long closing waits for whatever still works in the background, before the database is closed."""


@dataclass(frozen=True)
class Workspace:
    """The data folder's stores, its keys, and the workers of this launch; `clock` is this machine's own."""

    settings: AppSettings
    database: Database
    journal: Journal
    outgoing: EgressGuard
    sealed: SealedFiles
    keys: KeyCommands
    workers: Workers
    turn_queue: TurnQueue
    clock: Clock
    erased_files: ErasedFiles
    accounts: AccountLocks

    def commands(self, clock: Clock | None = None, actor: str = "user") -> Commands:
        """What a user may decide."""
        return Commands(self.journal, clock or self.clock, actor)

    def open_signer(self) -> None:
        """Fetch the key that the logs are signed by; may ask the keychain. Raises `signer_unavailable`."""
        signing = self.journal.signing
        if signing is None:
            raise OutriderError("signer_unavailable", detail="this copy of the data signs nothing.")
        try:
            signing.signer.open()
        except OutriderError as error:
            raise OutriderError("signer_unavailable", detail=error.sentence) from error

    def sign_logs(self) -> None:
        """Sign what no signature covers, once the key was fetched; what cannot be written (a full disk) is signed the next time."""
        with contextlib.suppress(OutriderError, OSError):
            self.journal.sign_heads(self.clock.now())

    def close(self) -> None:
        """Wait for what works in the background, have the register kept, and close the database."""
        self.workers.close(CLOSE_SECONDS)
        self.outgoing.write()
        self.sign_logs()
        self.journal.keep_heads()
        if self.database.conditions is not None:
            self.database.conditions.close()
        self.database.close()
