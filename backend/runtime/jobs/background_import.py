"""The base of both importers: one import at a time in a worker, with its progress on the feed, stopped between two batches."""

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

from backend.domain.values.error_table import ErrorCode
from backend.domain.values.errors import OutriderError
from backend.runtime.feed.feed import LiveFeed
from backend.runtime.feed.feed_messages import DoNotContactProgress, ImportProgress
from backend.runtime.worker import Workers

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
            self._announce(progress)

    def _work(self) -> None:
        with self._lock:
            import_, self._pending_import = self._pending_import, None
        if import_ is not None:
            import_()

    def _announce(self, progress: _Progress) -> None:
        self._progress = progress
        self._feed.announce(progress.type, progress)

    def _refuse_stopped(self) -> None:
        if self._worker.stopping.is_set() or self._cancelled.is_set():
            raise ImportStoppedError
