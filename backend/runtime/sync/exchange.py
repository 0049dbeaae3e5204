"""Every stream of both stores comes into step, however often other devices are quicker."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

from backend.commands import conflicts
from backend.commands.user_commands import Commands
from backend.domain.events.events import WORKSPACE
from backend.ports.shared_store import (
    SharedStore,
    SharedStoreConflictError,
    SharedStoreRefusedError,
    SharedStoreTooSlowError,
    SharedStoreUnreachableError,
    StreamHeads,
)
from backend.runtime.sync.lease import LeaseKeeper
from backend.runtime.sync.stream_sync import StreamSync
from backend.runtime.sync.sync_report import SyncReport
from backend.store.database import Database, DatabaseVersion

ROUNDS = 10
"""How often in a row others may be quicker before it is called a failure."""


@dataclass
class Exchange:
    """One at a time, by `lock`; `commands_for` gives a campaign's commands, by its own clock."""

    streams: StreamSync
    lease: LeaseKeeper
    report: SyncReport
    database: Database
    commands_for: Callable[[str], Commands]
    lock: AbstractContextManager[Any]
    _settled: tuple[DatabaseVersion, Mapping[str, StreamHeads]] | None = None
    """A moment at which there was nothing to do in any stream: this store's, and where the streams ended there."""

    def run(self, shared_store: SharedStore, *, poll: bool = True) -> None:
        """Push what waits and, if others are asked for news (`poll`), have everything that they recorded."""
        heads = self.streams.ends.heads(shared_store) if poll else {}
        with self.lock:
            version, settled = self.database.version(), self._settled
            if settled is not None and settled[0] == version and (not heads or settled[1] == heads):
                self.report.expect(0)
                return
            try:
                if self._synchronise(shared_store, heads) and version is not None and heads:
                    self._settled = version, heads
            except SharedStoreUnreachableError:  # in the middle: what was rolled back need not wait until it is back
                conflicts.repeat_unasked(self.commands_for, self.database)
                raise

    def _synchronise(self, shared_store: SharedStore, heads: Mapping[str, StreamHeads]) -> bool:
        """Bring every stream into step; whether there was nothing to do."""
        failed: SharedStoreRefusedError | SharedStoreTooSlowError | None = None
        nothing_to_do = True
        for _ in range(ROUNDS):
            missing = {id_: count for id_, head in heads.items() if (count := self.streams.ends.missing(head))}
            self.report.expect(sum(missing.values()))
            was_overtaken, streams_behind = False, {*missing, *self.streams.streams_with_work()}
            nothing_to_do &= not streams_behind
            for campaign_id in sorted(streams_behind, key=lambda id_: (id_ != WORKSPACE, id_)):
                try:
                    self.streams.synchronise(shared_store, campaign_id, heads.get(campaign_id))
                except SharedStoreConflictError:
                    was_overtaken = True
                except SharedStoreRefusedError as error:
                    if error.code == "signed_out":
                        raise
                    if error.code == "lease_lost":  # it waits until this device may have it again
                        self.lease.mark_lost()
                    elif not self.streams.refused_entry(campaign_id):
                        failed = error  # one stream must not hold up the others
                except SharedStoreTooSlowError as error:
                    failed = error
            if not was_overtaken:
                break
            heads = self.streams.ends.heads(shared_store)
        else:
            raise SharedStoreConflictError
        nothing_to_do &= not conflicts.repeat_unasked(self.commands_for, self.database)
        nothing_to_do &= not conflicts.announce(self.commands_for, self.database)
        if failed is not None:
            raise failed
        if unsigned := self.streams.unsigned(WORKSPACE):  # it has the do-not-contact list, and who may sign
            raise unsigned
        return nothing_to_do
