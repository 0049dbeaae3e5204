"""Who looks at which moment: a past is kept for each of the last few campaigns, and long ways are gone in the background."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from backend.domain.values.errors import OutriderError, as_told
from backend.runtime.worker import Workers
from backend.store.database import Database, DatabaseConnection
from backend.store.log.erasure import ERASES
from backend.store.log.historical_database import CHUNK, HistoricalDatabase
from backend.store.log.journal import Journal
from backend.store.log.transaction import Committed

MAX_OPEN_PASTS = 2
MAX_EVENTS_IN_REQUEST = 2 * CHUNK
"""So many events are folded while the page waits; what is farther away is folded in the background."""
LET_OTHERS_IN_SECONDS = 0.001
"""Between two chunks: a lock is not fair, and whoever asks comes first."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class PastProgress:
    """Not there yet: how many events are folded of how many, and how long the rest takes (ms), as far as one can tell."""

    folded: int
    of: int
    left_ms: int | None


class _PastCursor:
    """One campaign's past. Over long ways it is moved chunk by chunk, by whoever hears `moving`."""

    def __init__(self, database: Database, campaign_id: str, moving: Callable[[], object], at_once: int) -> None:
        self._moving = moving
        self._at_once = at_once
        self._lock = threading.Lock()
        self._past = HistoricalDatabase(database, campaign_id)
        self._closed = self._on_the_way = False
        self._target = 0
        self._failed: OutriderError | None = None
        self._began_at, self._began_left = 0.0, 0

    def at(self, seq: int, read: Callable[[DatabaseConnection], T]) -> T | PastProgress:
        """What `read` finds there. Raises `past_not_foldable`."""
        with self._lock:
            if self._closed:  # another campaign's past took its place just now
                raise OutriderError("past_on_its_way", seq=seq)
            if self._failed is not None and self._target == seq:
                failed, self._failed = self._failed, None
                raise failed
            remaining = self._past.distance(seq)
            if remaining > self._at_once:
                self._go(seq, remaining)
                return self._way(seq, remaining)
            self._target = seq
            while not self._past.seek_some(seq):
                pass
            return read(self._past.scratch)

    def close(self) -> None:
        """Stop moving and give the disk back."""
        with self._lock:
            self._closed = True
            self._past.close()

    def move_some(self) -> bool:
        """One chunk of the way; whether there is more of it. What goes wrong is told to whoever asks next, too."""
        with self._lock:  # let go after every chunk, so that the page hears how far it is
            if self._closed or not self._on_the_way:
                return False
            try:
                self._on_the_way = not self._past.seek_some(self._target)
            except Exception as error:
                self._failed = as_told(error)
                self._on_the_way = False
                raise
            return self._on_the_way

    def _go(self, seq: int, remaining: int) -> None:
        if self._target != seq or not self._on_the_way:
            self._target, self._failed = seq, None
            self._began_at, self._began_left = time.monotonic(), remaining
        self._on_the_way = True
        self._moving()

    def _way(self, seq: int, remaining: int) -> PastProgress:
        done_count, seconds_taken = self._began_left - remaining, time.monotonic() - self._began_at
        return PastProgress(
            seq - remaining, seq, round(remaining * seconds_taken / done_count * 1_000) if done_count > 0 else None
        )


class TimeTravel:
    """The moments that pages look at."""

    def __init__(self, journal: Journal, workers: Workers, at_once: int = MAX_EVENTS_IN_REQUEST) -> None:
        """`at_once`: so many events are folded while the page waits."""
        self.at_once = at_once
        self._database = journal.database
        self._lock = threading.Lock()
        self._worker = workers.add("time travel", self._work)
        self._viewpoints: dict[str, _PastCursor] = {}
        self._rewound: list[_PastCursor] = []
        self._closed = False
        self._unsubscribe = journal.subscribe(self._committed)

    def at(self, campaign_id: str, seq: int, read: Callable[[DatabaseConnection], T]) -> T | PastProgress:
        """What `read` finds in the campaign as of event `seq`, or how far that is; raises `past_not_foldable` and `closing`."""
        return self._viewpoint(campaign_id).at(seq, read)

    def open(self) -> None:
        """Begin; nothing is waited for."""
        self._worker.start(None)

    def close(self) -> None:
        """Forget every past."""
        self._unsubscribe()
        self._worker.stop()
        self._worker.join()
        with self._lock:
            self._closed = True
            cursors = [*self._viewpoints.values(), *self._rewound]
            self._viewpoints, self._rewound = {}, []
        for viewpoint in cursors:
            viewpoint.close()

    def _committed(self, committed: Committed) -> None:
        """Let go of a past whose events are not in the log any more, or have lost their words."""
        if not committed.rewound and not any(recorded.event.kind == ERASES for recorded in committed.events):
            return
        with self._lock:
            viewpoint = self._viewpoints.pop(committed.campaign_id, None)
            if viewpoint is not None:
                self._rewound.append(viewpoint)  # whoever commits does not wait until it can be closed
                self._worker.wake()

    def _work(self) -> float | None:
        with self._lock:
            cursors, rewound, self._rewound = list(self._viewpoints.values()), self._rewound, []
        for cursor in rewound:
            cursor.close()
        self._worker.doing = "folding the log up to an earlier moment"
        moving = [cursor.move_some() for cursor in cursors]
        return LET_OTHERS_IN_SECONDS if any(moving) else None

    def _viewpoint(self, campaign_id: str) -> _PastCursor:
        with self._lock:
            if self._closed:
                raise OutriderError("closing")
            cursor = self._viewpoints.pop(campaign_id, None)
            if cursor is None:
                cursor = _PastCursor(self._database, campaign_id, self._worker.wake, self.at_once)
            self._viewpoints[campaign_id] = cursor  # the last used is the last to go
            oldest = next(iter(self._viewpoints)) if len(self._viewpoints) > MAX_OPEN_PASTS else None
            closed_cursor = self._viewpoints.pop(oldest) if oldest else None
        if closed_cursor is not None:
            closed_cursor.close()
        return cursor
