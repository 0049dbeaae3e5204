"""Imports of do-not-contact files in the background: one at a time, its progress told over the feed, safe to break off."""

import threading
from collections.abc import Iterable
from typing import NamedTuple

from backend.commands.do_not_contact_import import import_do_not_contact
from backend.domain.people.do_not_contact_file import DoNotContactRow
from backend.domain.people.lead_row import RejectedRow
from backend.domain.values.errors import OutriderError, as_told
from backend.domain.values.shapes import ErrorShape
from backend.ports.clock import Clock
from backend.runtime.feed.feed import LiveFeed
from backend.runtime.feed.feed_messages import DoNotContactProgress
from backend.runtime.worker import Workers
from backend.store.log.journal import Journal

CLOSE_SECONDS = 30.0


class _ClosedError(Exception):
    """Outrider is closing; what is on disk is in force, and importing the file again brings the rest."""


class _WantedImport(NamedTuple):
    rows: Iterable[DoNotContactRow | RejectedRow]
    file: str
    total: int


class DoNotContactImporter:
    """At most one import at a time; whoever starts another is told so."""

    def __init__(self, journal: Journal, clock: Clock, feed: LiveFeed, workers: Workers) -> None:
        self._journal, self._clock, self._feed = journal, clock, feed
        self._lock = threading.Lock()
        self._worker = workers.add("do-not-contact importer", self._work)
        self._pending_request: _WantedImport | None = None
        self._progress: DoNotContactProgress | None = None

    @property
    def progress(self) -> DoNotContactProgress | None:
        """The import that is under way, or how the last one of this launch ended."""
        return self._progress

    @property
    def busy(self) -> bool:
        """Whether an import is under way."""
        return self._progress is not None and self._progress.phase == "running"

    def start(self, rows: Iterable[DoNotContactRow | RejectedRow], *, file: str, total: int) -> None:
        """Begin; raises `do_not_contact_import_running` and `closing`. What goes wrong later is told with the progress."""
        with self._lock:  # the worker looks at what is wanted only when this is over
            if self.busy:
                raise OutriderError("do_not_contact_import_running")
            self._worker.start()
            self._pending_request = _WantedImport(rows, file, total)
            self._tell(DoNotContactProgress(file=file, phase="running", done=0, total=total))

    def close(self) -> None:
        """Stop between two batches and wait for it."""
        self._worker.stop()
        self._worker.join(CLOSE_SECONDS)

    def _work(self) -> None:
        with self._lock:
            request, self._pending_request = self._pending_request, None
        if request is not None:
            self._worker.doing = "importing a do-not-contact file"
            self._import(request)

    def _import(self, request: _WantedImport) -> None:
        progress = DoNotContactProgress(file=request.file, phase="running", done=0, total=request.total)

        def progressed(done: int) -> None:
            nonlocal progress
            progress = progress.model_copy(update={"done": done})
            self._tell(progress)
            if self._worker.stopping.is_set():
                raise _ClosedError

        ended: dict[str, object] = {"phase": "ended"}
        try:
            report = import_do_not_contact(
                self._journal, self._clock, request.rows, file=request.file, on_progress=progressed
            )
            ended["import_id"] = report.import_id
        except _ClosedError:
            pass
        except Exception as failed:
            ended["error"] = ErrorShape.showing(as_told(failed))
            raise
        finally:
            self._tell(progress.model_copy(update=ended))

    def _tell(self, progress: DoNotContactProgress) -> None:
        self._progress = progress
        self._feed.announce("do_not_contact_import", progress)
