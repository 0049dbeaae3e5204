"""Removes what erased words still stand in on this device: files of evidence, a deleted campaign's files, copies of the state.

That they are to go is on disk in the transaction that erases; no crash before their removal keeps them.
"""

import threading
from collections.abc import Callable, Iterable

from backend.runtime.worker import Workers
from backend.store.log import erasure
from backend.store.log.journal import Journal
from backend.store.log.transaction import Committed
from backend.store.queries.device import erased_things


class ErasedFiles:
    """`forget` removes files from the evidence store, `forget_campaign` a campaign's own; both as far as they are there.

    `forget_copies` removes what was written of the state and cannot lose a word: the campaigns' files for people, and databases
    that restores replaced; every one if what is erased was here, otherwise those that had not heard of it.
    """

    def __init__(
        self,
        journal: Journal,
        forget: Callable[[Iterable[str]], object],
        forget_campaign: Callable[[str], object],
        forget_copies: Callable[[bool], object],
        workers: Workers,
    ) -> None:
        self._journal = journal
        self._forget = forget
        self._forget_campaign = forget_campaign
        self._forget_copies = forget_copies
        self._lock = threading.Lock()
        self._worker = workers.add("erased files", self.remove)

    def open(self) -> None:
        """Begin with what an earlier launch left; ends with the workers."""
        self._journal.subscribe(self._committed)
        self._worker.start()

    def remove(self) -> None:
        """Whatever is erased is gone when this returns; raises OSError if a file cannot be removed now."""
        with self._lock:
            while not self._removed():
                pass  # something was erased meanwhile, and may have noted what was settled here

    def _removed(self) -> bool:
        """Remove what is noted; whether nothing was erased meanwhile."""
        database = self._journal.database
        with database.read() as connection:
            noted, erasures = erased_things.evidence_to_remove(connection), erased_things.erasure_count(connection)
            deleted = erased_things.deleted_campaigns(connection)
        for campaign_id in deleted:
            self._forget_campaign(campaign_id)
        if not noted:
            return True
        copies = {erased_things.COPIES, erased_things.OLDER_COPIES}
        if copies & noted.keys():
            self._forget_copies(erased_things.COPIES in noted)
        self._forget(file for file, unnamed in noted.items() if unnamed and file not in copies)
        with database.write() as connection:
            if unchanged := erased_things.erasure_count(connection) == erasures:
                erased_things.evidence_settled(connection, noted)
        return unchanged

    def _committed(self, committed: Committed) -> None:
        if any(recorded.event.kind == erasure.ERASES for recorded in committed.events):
            self._worker.wake()
