"""Removes the files of evidence that erased entries named, on every device that hears of the erasure.

That they are to go is on disk in the transaction that erases; no crash before their removal keeps them.
"""

import threading
from collections.abc import Callable, Iterable

from backend.runtime.worker import Workers
from backend.store.log import erasure
from backend.store.log.journal import Committed, Journal
from backend.store.queries import erased_things


class ErasedEvidence:
    """`forget` removes files from the evidence store, as far as they are there."""

    def __init__(self, journal: Journal, forget: Callable[[Iterable[str]], object], workers: Workers) -> None:
        self._journal = journal
        self._forget = forget
        self._lock = threading.Lock()
        self._worker = workers.add("erased evidence", self.remove)

    def open(self) -> None:
        """Begin with what an earlier launch left; ends with the workers."""
        self._journal.subscribe(self._committed)
        self._worker.start()

    def remove(self) -> None:
        """Whatever is noted is gone when this returns; raises OSError if a file cannot be removed now."""
        database = self._journal.database
        with self._lock:
            with database.read() as connection:
                noted = erased_things.evidence_to_remove(connection)
            if not noted:
                return
            self._forget(file for file, unnamed in noted.items() if unnamed)
            with database.write() as connection:
                erased_things.evidence_settled(connection, noted)

    def _committed(self, committed: Committed) -> None:
        if any(recorded.event.kind == erasure.ERASES for recorded in committed.events):
            self._worker.wake()
