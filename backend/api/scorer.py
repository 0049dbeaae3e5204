"""Scores all leads anew in the background, whoever asked for it; what a crash or a close cut off goes on at the next start."""

import threading
from collections.abc import Callable

from backend.controller import rescoring
from backend.ports.clock import Clock
from backend.store.journal import Committed, Journal

CLOSE_SECONDS = 30.0


class Scorer:
    """One thread that works off what `scorings` says is under way; progress is in the log, and so on the feed."""

    def __init__(self, journal: Journal, clock_of: Callable[[str], Clock]) -> None:
        self._journal = journal
        self._clock_of = clock_of
        self._wake = threading.Event()
        self._wake.set()  # what was cut off before
        self._closing = threading.Event()
        self._unsubscribe = journal.subscribe(self._heard)
        self._thread = threading.Thread(target=self._work, name="scorer")
        self._thread.start()

    def close(self) -> None:
        """Stop between two batches and wait for it."""
        self._closing.set()
        self._wake.set()
        self._thread.join(CLOSE_SECONDS)
        self._unsubscribe()

    def _heard(self, committed: Committed) -> None:
        if committed.adopted:
            return  # the device at which it was begun does it
        if any(recorded.event.kind == "ScoringStarted" for recorded in committed.events):
            self._wake.set()

    def _work(self) -> None:
        while not self._closing.is_set():
            self._wake.wait()
            self._wake.clear()
            for campaign_id in self._under_way():
                try:
                    rescoring.finish(self._journal, self._clock_of(campaign_id), campaign_id, self._closing.is_set)
                except Exception as error:  # noqa: BLE001 - told to the terminal; it goes on at the next start
                    threading.excepthook(threading.ExceptHookArgs((type(error), error, error.__traceback__, None)))

    def _under_way(self) -> list[str]:
        with self._journal.database.read() as connection:
            return [row[0] for row in connection.execute("SELECT campaign_id FROM scorings WHERE status='running'")]
