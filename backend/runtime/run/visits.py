"""When the user was last here: noted while a page is used, and kept over restarts to show what happened since."""

import threading

from backend.domain.device.visit import ABSENCE, LastUse, Visit, continued, end_of_last, is_worth_keeping
from backend.runtime.workspace import Workspace
from backend.store.last_visit import load_visit, save_visit
from backend.store.queries.device import logs


class Visits:
    """Notes when Outrider is used, at most every few minutes and when it closes."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._folder = workspace.settings.data_dir
        self._lock = threading.Lock()
        self._visit: Visit | None = load_visit(self._folder)
        self._used_at: int | None = None

    def before(self) -> LastUse | None:
        """When the user was last here before this visit; None if that is not known."""
        return end_of_last(self._visit, self._workspace.clock.now())

    def note(self, idle_ms: int) -> None:
        """Note that a page was used `idle_ms` ago."""
        at = self._workspace.clock.now() - idle_ms
        with self._lock:
            self._used_at = at
            if is_worth_keeping(self._visit, at):
                self._keep(at)

    def close(self) -> None:
        """Note the end of the visit: whoever closes Outrider has seen everything so far."""
        now = self._workspace.clock.now()
        with self._lock:
            if self._used_at is not None and now - self._used_at <= ABSENCE:
                self._keep(now)

    def _keep(self, at: int) -> None:
        use = LastUse(at=at, events=self._workspace.database.query(logs.last_event_seqs))
        self._visit = continued(self._visit, use)
        save_visit(self._folder, self._visit)
