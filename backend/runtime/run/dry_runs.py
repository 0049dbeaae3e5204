"""Dry runs in the background: one at a time, how far it is while it goes, and its forecast until the next."""

import threading
from dataclasses import dataclass

from backend.domain.turn.assumption import Assumption
from backend.domain.values.errors import OutriderError, as_told
from backend.domain.values.shapes import ErrorShape
from backend.ports.clock import Clock
from backend.runtime.run.dry_run import Forecast, dry_run
from backend.runtime.worker import Workers
from backend.store.database import Database
from backend.store.queries.device import erased_things

CLOSE_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class DryRunState:
    """A dry run: whose, over how many days, by which assumption; `at` is how far it is (ms UTC, simulated).

    Once it has ended it has a forecast or an error, and neither if it was cancelled.
    """

    campaign_id: str
    days: int
    assumption: Assumption
    began_at: int
    at: int
    running: bool = True
    forecast: Forecast | None = None
    error: ErrorShape | None = None


class DryRuns:
    """At most one at a time; beginning another ends the one before."""

    def __init__(self, database: Database, workers: Workers) -> None:
        self._database = database
        self._lock = threading.Lock()
        self._worker = workers.add("dry run", self._work)
        self._state: DryRunState | None = None
        self._pending_request: tuple[DryRunState, Clock] | None = None
        self._at = 0
        self._erasures = 0
        """So many there were when the latest began."""
        self.idle = threading.Event()
        """Set while none is under way."""
        self.idle.set()

    def of(self, campaign_id: str) -> DryRunState | None:
        """The campaign's latest dry run of this launch; none once something was erased, because a forecast names people."""
        state, at = self._state, self._at
        if state is None or state.campaign_id != campaign_id or self._erasures != self._count_erasures():
            return None
        return DryRunState(campaign_id, state.days, state.assumption, state.began_at, at) if state.running else state

    def start(self, campaign_id: str, clock: Clock, days: int, assumption: Assumption) -> None:
        """Begin; raises `closing`."""
        now, erasures = clock.now(), self._count_erasures()
        with self._lock:
            self._worker.start()
            self._erasures = erasures
            self.idle.clear()
            self._state = DryRunState(campaign_id, days, assumption, now, now)
            self._pending_request, self._at = (self._state, clock), now

    def cancel(self, campaign_id: str) -> None:
        """Break it off; nothing if none is under way."""
        with self._lock:
            if self._state is not None and self._state.campaign_id == campaign_id and self._state.running:
                self._state = self._pending_request = None

    def close(self) -> None:
        """Break off and wait for it."""
        self._worker.stop()
        self._worker.join(CLOSE_SECONDS)

    def _count_erasures(self) -> int:
        return self._database.query(erased_things.erasure_count)

    def _work(self) -> None:
        while True:
            with self._lock:
                request, self._pending_request = self._pending_request, None
                if request is None:
                    self.idle.set()
                    return
            self._run(*request)

    def _run(self, state: DryRunState, clock: Clock) -> None:
        self._worker.doing = f"a dry run of campaign {state.campaign_id}"

        def goes_on(at: int) -> bool:
            if self._state is not state or self._worker.stopping.is_set():
                return False
            self._at = at
            return True

        forecast, error = None, None
        try:
            forecast = dry_run(self._database, state.campaign_id, clock, state.days, state.assumption, goes_on)
        except OutriderError as failed:
            error = ErrorShape.showing(failed)
        except Exception as defect:
            error = ErrorShape.showing(as_told(defect))
            raise
        finally:
            with self._lock:
                if self._state is state:
                    self._state = DryRunState(
                        state.campaign_id,
                        state.days,
                        state.assumption,
                        state.began_at,
                        self._at,
                        running=False,
                        forecast=forecast,
                        error=error,
                    )
