"""Imports in the background: one lead file at a time, its progress told over the feed, safe to leave and safe to break off."""

import threading
from collections.abc import Iterable

from backend.api.feed import LiveFeed
from backend.api.wire.base import ErrorShape
from backend.api.wire.feed import ImportProgress
from backend.controller.importing import import_leads
from backend.domain.errors import OutriderError
from backend.domain.lead_row import LeadRow, RejectedRow
from backend.ports.clock import Clock
from backend.store.journal import Journal

CLOSE_SECONDS = 30.0
Rows = Iterable[LeadRow | RejectedRow]


class _ClosedError(Exception):
    """Outrider is closing; what is on disk stays, and importing the file again merges the rest."""


class Importer:
    """At most one import at a time; whoever starts another is told so."""

    def __init__(self, journal: Journal, feed: LiveFeed) -> None:
        self._journal = journal
        self._feed = feed
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._closing = threading.Event()
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

    def start(self, campaign_id: str, rows: Rows, clock: Clock, *, file: str, file_format: str) -> None:
        """Begin; raises `import_running`, `campaign_unknown`, `campaign_completed`."""
        with self._lock:
            if self.busy:
                raise OutriderError("import_running")
            self._tell(ImportProgress(campaign_id=campaign_id, file=file, phase="running", done=0))
        arguments = (campaign_id, rows, clock, file, file_format)
        self._thread = threading.Thread(target=self._work, args=arguments, name="importer")
        self._thread.start()

    def close(self) -> None:
        """Stop between two batches and wait for it."""
        self._closing.set()
        if self._thread is not None:
            self._thread.join(CLOSE_SECONDS)

    def _work(self, campaign_id: str, rows: Rows, clock: Clock, file: str, file_format: str) -> None:
        done = 0

        def progressed(so_far: int) -> None:
            nonlocal done
            done = so_far
            self._tell(ImportProgress(campaign_id=campaign_id, file=file, phase="running", done=done))
            if self._closing.is_set():
                raise _ClosedError

        error: ErrorShape | None = None
        import_id = None
        try:
            imported = import_leads(
                self._journal, clock, campaign_id, rows, file=file, file_format=file_format, on_progress=progressed
            )
            import_id = imported.import_id
        except _ClosedError:
            pass
        except OutriderError as failed:
            error = ErrorShape(code=failed.code, sentence=failed.sentence, remedy=failed.remedy)
        except Exception as failed:  # noqa: BLE001 - the thread's last resort, told to the terminal and the page
            unexpected = OutriderError("internal_error")
            error = ErrorShape(code=unexpected.code, sentence=unexpected.sentence, remedy=unexpected.remedy)
            threading.excepthook(threading.ExceptHookArgs((type(failed), failed, failed.__traceback__, None)))
        self._tell(
            ImportProgress(
                campaign_id=campaign_id, file=file, phase="ended", done=done, import_id=import_id, error=error
            )
        )

    def _tell(self, progress: ImportProgress) -> None:
        self._progress = progress
        self._feed.announce("import", progress)
