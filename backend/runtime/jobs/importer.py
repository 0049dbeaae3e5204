"""Imports in the background: one lead file at a time, its progress told over the feed, safe to leave and safe to break off."""

import threading
import time
from collections.abc import Callable, Iterable
from typing import NamedTuple

from backend.commands.lead_import import import_leads
from backend.domain.contact.reconciliation import Reconciliation
from backend.domain.leads.lead_filter import EVERYBODY, LeadFilter
from backend.domain.people.lead_row import LeadRow, ReadAs, RejectedRow
from backend.domain.values.errors import OutriderError, as_told
from backend.domain.values.shapes import ErrorShape
from backend.ports.clock import Clock
from backend.runtime.feed.feed import LiveFeed
from backend.runtime.feed.feed_messages import ImportProgress
from backend.runtime.worker import Workers
from backend.store.log.journal import Journal

CLOSE_SECONDS = 30.0
Rows = Iterable[LeadRow | RejectedRow]


class _ClosedError(Exception):
    """Outrider is closing; what is on disk stays, and importing the file again merges the rest."""


class _WantedImport(NamedTuple):
    campaign_id: str
    rows: Rows
    clock: Clock
    file: str
    file_format: str
    total: int
    lead_filter: LeadFilter
    read_as: ReadAs | None
    compare: Callable[[], Reconciliation] | None
    asked_at: int


class Importer:
    """At most one import at a time; whoever starts another is told so."""

    def __init__(self, journal: Journal, feed: LiveFeed, workers: Workers) -> None:
        self._journal = journal
        self._feed = feed
        self._lock = threading.Lock()
        self._worker = workers.add("importer", self._work)
        self._cancelled = threading.Event()
        self._pending_request: _WantedImport | None = None
        self._progress: ImportProgress | None = None

    @property
    def progress(self) -> ImportProgress | None:
        """The import that is under way, or how the last one of this launch ended."""
        return self._progress

    @property
    def busy(self) -> bool:
        """Whether an import is under way."""
        progress = self._progress
        return progress is not None and progress.phase == "running"

    def running(self, campaign_id: str) -> bool:
        """Whether leads of this campaign are being imported."""
        progress = self._progress
        return progress is not None and progress.campaign_id == campaign_id and progress.phase == "running"

    def start(
        self,
        campaign_id: str,
        rows: Rows,
        clock: Clock,
        *,
        file: str,
        file_format: str,
        total: int = 0,
        lead_filter: LeadFilter = EVERYBODY,
        read_as: ReadAs | None = None,
        compare: Callable[[], Reconciliation] | None = None,
    ) -> None:
        """Begin; raises `import_running` and `closing`. What goes wrong later is told with the progress.

        `total`: how many records the file has at most, 0 when nobody knows; `lead_filter`: whom of its people the campaign takes.
        `read_as` is kept with it, `compare` is done once they are imported.
        """
        with self._lock:  # the worker looks at what is wanted only when this is over
            if self.busy:
                raise OutriderError("import_running")
            self._worker.start()
            self._cancelled.clear()
            asked_at = clock.now()
            self._pending_request = _WantedImport(
                campaign_id, rows, clock, file, file_format, total, lead_filter, read_as, compare, asked_at
            )
            self._tell(ImportProgress(campaign_id=campaign_id, file=file, phase="running", done=0, total=total))

    def cancel(self, campaign_id: str) -> bool:
        """Stop the campaign's import between two batches; importing the file again goes on. Whether there was one."""
        is_running = self.running(campaign_id)
        if is_running:
            self._cancelled.set()
        return is_running

    def close(self) -> None:
        """Stop between two batches and wait for it."""
        self._worker.stop()
        self._worker.join(CLOSE_SECONDS)

    def _work(self) -> None:
        with self._lock:
            request, self._pending_request = self._pending_request, None
        if request is not None:
            self._worker.doing = f"importing into campaign {request.campaign_id}"
            self._import(request)

    def _import(self, request: _WantedImport) -> None:
        campaign_id, rows, clock, file, file_format, total, lead_filter, read_as, compare, asked_at = request
        done, began, cancelled = 0, time.monotonic(), False

        def progressed(so_far: int) -> None:
            nonlocal done
            done = so_far
            rate = done / max(time.monotonic() - began, 0.001)
            seconds_left = round(max(total - done, 0) / rate) if total and rate else None
            self._tell(
                ImportProgress(
                    campaign_id=campaign_id, file=file, phase="running", done=done, total=total, seconds_left=seconds_left,
                    rows_a_second=round(rate),
                )
            )  # fmt: skip
            if self._worker.stopping.is_set() or self._cancelled.is_set():
                raise _ClosedError

        error: ErrorShape | None = None
        import_id, reconciled = None, None
        try:
            imported = import_leads(
                self._journal, clock, campaign_id, rows,
                file=file, file_format=file_format, lead_filter=lead_filter, read_as=read_as, asked_at=asked_at,
                on_progress=progressed,
            )  # fmt: skip
            import_id = imported.import_id
            try:
                reconciled = compare() if compare is not None else None
            except OutriderError as refused:  # the leads are there all the same
                error = ErrorShape.showing(refused)
        except _ClosedError:
            cancelled = self._cancelled.is_set()
        except Exception as failed:
            error = ErrorShape.showing(as_told(failed))
            raise
        finally:
            self._tell(
                ImportProgress(
                    campaign_id=campaign_id,
                    file=file,
                    phase="ended",
                    done=done,
                    import_id=import_id,
                    reconciled=reconciled,
                    error=error,
                    cancelled=cancelled,
                )
            )

    def _tell(self, progress: ImportProgress) -> None:
        self._progress = progress
        self._feed.announce("import", progress)
