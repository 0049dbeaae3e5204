"""Imports in the background: one lead file and one do-not-contact file at a time, their progress on the feed, safe to break off."""

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Generic, TypeVar

from backend.commands.do_not_contact_import import import_do_not_contact
from backend.commands.lead_import import import_leads
from backend.domain.contact.reconciliation import Reconciliation
from backend.domain.leads.lead_filter import EVERYBODY, LeadFilter
from backend.domain.people.do_not_contact_file import DoNotContactRow
from backend.domain.people.lead_row import LeadRow, ReadAs, RejectedRow
from backend.domain.values.error_table import ErrorCode
from backend.domain.values.errors import OutriderError, as_told
from backend.domain.values.shapes import ErrorShape
from backend.ports.clock import Clock
from backend.runtime.feed.feed import LiveFeed
from backend.runtime.feed.feed_messages import DoNotContactProgress, ImportProgress
from backend.runtime.worker import Workers
from backend.store.log.journal import Journal

Compare = Callable[[], Reconciliation] | None

CLOSE_SECONDS = 30.0
_Progress = TypeVar("_Progress", ImportProgress, DoNotContactProgress)


class ImportStoppedError(Exception):
    """Outrider is closing, or the user cancelled; what is on disk stays, and importing the file again adds the rest."""


class BackgroundImport(Generic[_Progress]):
    """At most one import at a time; starting another raises `busy_code`."""

    def __init__(self, feed: LiveFeed, workers: Workers, name: str, busy_code: ErrorCode) -> None:
        self._feed = feed
        self._busy_code = busy_code
        self._lock = threading.Lock()
        self._worker = workers.add(name, self._work)
        self._cancelled = threading.Event()
        self._pending_import: Callable[[], None] | None = None
        self._progress: _Progress | None = None

    @property
    def progress(self) -> _Progress | None:
        """The import that is under way, or how the last one of this launch ended."""
        return self._progress

    @property
    def busy(self) -> bool:
        """Whether an import is under way."""
        return self._progress is not None and self._progress.phase == "running"

    def close(self) -> None:
        """Stop between two batches and wait for it."""
        self._worker.stop()
        self._worker.join(CLOSE_SECONDS)

    def _begin(self, progress: _Progress, import_: Callable[[], None]) -> None:
        with self._lock:  # the worker takes the import only after this
            if self.busy:
                raise OutriderError(self._busy_code)
            self._worker.start()
            self._cancelled.clear()
            self._pending_import = import_
            self._progress = progress
            self._announce()

    def _work(self) -> None:
        with self._lock:
            import_, self._pending_import = self._pending_import, None
        if import_ is not None:
            import_()

    def _announce(self, **changes: object) -> None:
        if self._progress is not None:
            self._progress = self._progress.model_copy(update=changes)
            self._feed.announce(self._progress.type, self._progress)

    def _progressed(self, done: int, **rate: object) -> None:
        """Announce it, and go no further once somebody stopped the import."""
        self._announce(done=done, **rate)
        if self._worker.stopping.is_set() or self._cancelled.is_set():
            raise ImportStoppedError

    def _import(self, doing: str, import_rows: Callable[[], Iterable[tuple[str, object]]], **ended: object) -> None:
        """Import the rows; what comes of it, field by field, is announced with the end, however that comes."""
        self._worker.doing = doing
        try:
            ended.update(import_rows())  # one by one: what came before an error stays
        except ImportStoppedError:
            if self._cancelled.is_set():
                ended["cancelled"] = True
        except Exception as failed:
            ended["error"] = ErrorShape.showing(as_told(failed))
            raise
        finally:
            self._announce(phase="ended", **ended)


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

        def import_rows() -> Iterator[tuple[str, object]]:
            began = time.monotonic()

            def progressed(done: int) -> None:
                rate = done / max(time.monotonic() - began, 0.001)
                left = round(max(total - done, 0) / rate) if total and rate else None
                self._progressed(done, seconds_left=left, rows_a_second=round(rate))

            report = import_leads(
                self._journal, clock, campaign_id, rows,
                file=file, file_format=file_format, lead_filter=lead_filter, read_as=read_as, asked_at=asked_at,
                on_progress=progressed,
            )  # fmt: skip
            yield "import_id", report.import_id
            try:
                yield "reconciled", compare() if compare is not None else None
            except OutriderError as refused:  # the leads are there all the same
                yield "error", ErrorShape.showing(refused)

        progress = ImportProgress(campaign_id=campaign_id, file=file, phase="running", done=0, total=total)
        doing = f"importing into campaign {campaign_id}"
        self._begin(progress, partial(self._import, doing, import_rows, total=0, seconds_left=None, rows_a_second=0))

    def cancel(self, campaign_id: str) -> bool:
        """Stop the campaign's import between two batches; importing the file again goes on. Whether there was one."""
        is_running = self.running(campaign_id)
        if is_running:
            self._cancelled.set()
        return is_running


Rows = Iterable[DoNotContactRow | RejectedRow]


class DoNotContactImporter(BackgroundImport[DoNotContactProgress]):
    """At most one import at a time; starting another raises `do_not_contact_import_running`."""

    def __init__(self, journal: Journal, clock: Clock, feed: LiveFeed, workers: Workers) -> None:
        super().__init__(feed, workers, "do-not-contact importer", "do_not_contact_import_running")
        self._journal, self._clock = journal, clock

    def start(self, rows: Rows, *, file: str, total: int) -> None:
        """Begin; raises `do_not_contact_import_running` and `closing`. What goes wrong later is told with the progress."""

        def import_rows() -> Iterator[tuple[str, object]]:
            report = import_do_not_contact(self._journal, self._clock, rows, file=file, on_progress=self._progressed)
            yield "import_id", report.import_id

        progress = DoNotContactProgress(file=file, phase="running", done=0, total=total)
        self._begin(progress, partial(self._import, "importing a do-not-contact file", import_rows))
