"""Imports of do-not-contact files in the background: one at a time, its progress told over the feed, safe to break off."""

from collections.abc import Iterable
from functools import partial

from backend.commands.do_not_contact_import import import_do_not_contact
from backend.domain.people.do_not_contact_file import DoNotContactRow
from backend.domain.people.lead_row import RejectedRow
from backend.domain.values.errors import as_told
from backend.domain.values.shapes import ErrorShape
from backend.ports.clock import Clock
from backend.runtime.feed.feed import LiveFeed
from backend.runtime.feed.feed_messages import DoNotContactProgress
from backend.runtime.jobs.background_import import BackgroundImport, ImportStoppedError
from backend.runtime.worker import Workers
from backend.store.log.journal import Journal

Rows = Iterable[DoNotContactRow | RejectedRow]


class DoNotContactImporter(BackgroundImport[DoNotContactProgress]):
    """At most one import at a time; starting another raises `do_not_contact_import_running`."""

    def __init__(self, journal: Journal, clock: Clock, feed: LiveFeed, workers: Workers) -> None:
        super().__init__(feed, workers, "do-not-contact importer", "do_not_contact_import_running")
        self._journal, self._clock = journal, clock

    def start(self, rows: Rows, *, file: str, total: int) -> None:
        """Begin; raises `do_not_contact_import_running` and `closing`. What goes wrong later is told with the progress."""
        progress = DoNotContactProgress(file=file, phase="running", done=0, total=total)
        self._begin(progress, partial(self._import, rows, progress))

    def _import(self, rows: Rows, progress: DoNotContactProgress) -> None:
        self._worker.doing = "importing a do-not-contact file"

        def progressed(done: int) -> None:
            nonlocal progress
            progress = progress.model_copy(update={"done": done})
            self._announce(progress)
            self._refuse_stopped()

        ended: dict[str, object] = {"phase": "ended"}
        try:
            report = import_do_not_contact(self._journal, self._clock, rows, file=progress.file, on_progress=progressed)
            ended["import_id"] = report.import_id
        except ImportStoppedError:
            pass
        except Exception as failed:
            ended["error"] = ErrorShape.showing(as_told(failed))
            raise
        finally:
            self._announce(progress.model_copy(update=ended))
