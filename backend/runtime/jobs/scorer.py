"""Scores all leads anew in the background, whoever asked for it; what a crash or a close cut off goes on at the next start."""

from collections.abc import Callable

from backend.commands import lead_scoring
from backend.ports.clock import Clock
from backend.runtime.worker import Workers
from backend.store.log.journal import Journal
from backend.store.log.transaction import Committed
from backend.store.queries.leads import scored_leads

CLOSE_SECONDS = 30.0


class Scorer:
    """Works off what `scorings` says is under way; progress is in the log, and so on the feed."""

    def __init__(self, journal: Journal, clock_of: Callable[[str], Clock], workers: Workers) -> None:
        self._journal = journal
        self._clock_of = clock_of
        self._worker = workers.add("scorer", self._work)
        self._unsubscribe = journal.subscribe(self._committed)

    def open(self) -> None:
        """Begin with what was cut off before."""
        self._worker.start()

    def close(self) -> None:
        """Stop between two batches and wait for it."""
        self._worker.stop()
        self._worker.join(CLOSE_SECONDS)
        self._unsubscribe()

    def _committed(self, committed: Committed) -> None:
        if committed.adopted:
            return  # the device at which it was begun does it
        if any(recorded.event.kind == "ScoringStarted" for recorded in committed.events):
            self._worker.wake()

    def _work(self) -> None:
        stopping, failed = self._worker.stopping, None
        for campaign_id in self._under_way():
            if stopping.is_set():
                return
            self._worker.doing = f"scoring campaign {campaign_id}"
            try:
                lead_scoring.finish_scoring(self._journal, self._clock_of(campaign_id), campaign_id, stopping.is_set)
            except Exception as error:  # noqa: BLE001 - raised again below: one campaign does not keep the others waiting
                failed = failed or error
        if failed is not None:
            raise failed

    def _under_way(self) -> list[str]:
        return self._journal.database.query(scored_leads.campaigns_being_scored)
