"""Imports in the background: one lead file at a time, its progress told over the feed, safe to leave and safe to break off."""

import time
from collections.abc import Callable, Iterable
from functools import partial

from backend.commands.lead_import import import_leads
from backend.domain.contact.reconciliation import Reconciliation
from backend.domain.leads.lead_filter import EVERYBODY, LeadFilter
from backend.domain.people.lead_row import LeadRow, ReadAs, RejectedRow
from backend.domain.values.errors import OutriderError, as_told
from backend.domain.values.shapes import ErrorShape
from backend.ports.clock import Clock
from backend.runtime.feed.feed import LiveFeed
from backend.runtime.feed.feed_messages import ImportProgress
from backend.runtime.jobs.background_import import BackgroundImport, ImportStoppedError
from backend.runtime.worker import Workers
from backend.store.log.journal import Journal

Compare = Callable[[], Reconciliation] | None
ImportRows = Callable[[Callable[[int], None]], str]
"""Imports the rows, with a function that is called with how many are done; gives the import's id."""


class Importer(BackgroundImport[ImportProgress]):
    """At most one import at a time; starting another raises `import_running`."""

    def __init__(self, journal: Journal, feed: LiveFeed, workers: Workers) -> None:
        super().__init__(feed, workers, "importer", "import_running")
        self._journal = journal

    def running(self, campaign_id: str) -> bool:
        """Whether leads of this campaign are being imported."""
        progress = self._progress
        return progress is not None and progress.campaign_id == campaign_id and progress.phase == "running"

    def start(
        self,
        campaign_id: str,
        rows: Iterable[LeadRow | RejectedRow],
        clock: Clock,
        *,
        file: str,
        file_format: str,
        total: int = 0,
        lead_filter: LeadFilter = EVERYBODY,
        read_as: ReadAs | None = None,
        compare: Compare = None,
    ) -> None:
        """Begin; raises `import_running` and `closing`. What goes wrong later is told with the progress.

        `total`: how many records the file has at most, 0 when nobody knows; `lead_filter`: whom of its people the campaign takes.
        `read_as` is kept with it, `compare` is done once they are imported.
        """
        asked_at = clock.now()

        def import_rows(on_progress: Callable[[int], None]) -> str:
            return import_leads(
                self._journal, clock, campaign_id, rows,
                file=file, file_format=file_format, lead_filter=lead_filter, read_as=read_as, asked_at=asked_at,
                on_progress=on_progress,
            ).import_id  # fmt: skip

        progress = ImportProgress(campaign_id=campaign_id, file=file, phase="running", done=0, total=total)
        self._begin(progress, partial(self._import, progress, import_rows, compare))

    def cancel(self, campaign_id: str) -> bool:
        """Stop the campaign's import between two batches; importing the file again goes on. Whether there was one."""
        is_running = self.running(campaign_id)
        if is_running:
            self._cancelled.set()
        return is_running

    def _import(self, progress: ImportProgress, import_rows: ImportRows, compare: Compare) -> None:
        self._worker.doing = f"importing into campaign {progress.campaign_id}"
        began, total = time.monotonic(), progress.total

        def progressed(done: int) -> None:
            nonlocal progress
            rate = done / max(time.monotonic() - began, 0.001)
            left = round(max(total - done, 0) / rate) if total and rate else None
            progress = progress.model_copy(update={"done": done, "seconds_left": left, "rows_a_second": round(rate)})
            self._announce(progress)
            self._refuse_stopped()

        ended: dict[str, object] = {"phase": "ended", "total": 0, "seconds_left": None, "rows_a_second": 0}
        try:
            ended["import_id"] = import_rows(progressed)
            try:
                ended["reconciled"] = compare() if compare is not None else None
            except OutriderError as refused:  # the leads are there all the same
                ended["error"] = ErrorShape.showing(refused)
        except ImportStoppedError:
            ended["cancelled"] = self._cancelled.is_set()
        except Exception as failed:
            ended["error"] = ErrorShape.showing(as_told(failed))
            raise
        finally:
            self._announce(progress.model_copy(update=ended))
