"""An open data folder: everything that can be read and decided without running a campaign."""

from dataclasses import dataclass

from backend.adapters.clocks import SystemClock
from backend.adapters.egress_guard import EgressGuard
from backend.commands.keys import KeyCommands
from backend.commands.user_commands import Commands
from backend.ports.clock import Clock
from backend.ports.sealed_files import SealedFiles
from backend.runtime.worker import Workers
from backend.settings import AppSettings
from backend.store.database import Database
from backend.store.log.journal import Journal
from backend.turn.turn_queue import TurnQueue

CLOSE_SECONDS = 5.0
"""How long closing waits for whatever still works in the background, before the database is closed."""


@dataclass(frozen=True)
class Workspace:
    """The data folder's stores, its keys, and the workers of this launch."""

    settings: AppSettings
    database: Database
    journal: Journal
    outgoing: EgressGuard
    sealed: SealedFiles
    keys: KeyCommands
    workers: Workers
    turn_queue: TurnQueue

    def commands(self, clock: Clock | None = None, actor: str = "user") -> Commands:
        """What a user may decide."""
        return Commands(self.journal, clock or SystemClock(), actor)

    def close(self) -> None:
        """Wait for what works in the background, have the register kept, and close the database."""
        self.workers.close(CLOSE_SECONDS)
        self.outgoing.write()
        self.journal.keep_heads()
        self.database.close()
