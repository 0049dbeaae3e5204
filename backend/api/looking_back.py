"""Who looks at which moment: a past is kept for each of the last few campaigns, and long ways are gone in the background."""

import sqlite3
import threading
import time
from collections.abc import Callable
from typing import NamedTuple, TypeVar

from backend.domain.errors import OutriderError
from backend.store.database import Database
from backend.store.journal import Committed, Journal
from backend.store.past import CHUNK, Past

KEPT = 2
AT_ONCE = 2 * CHUNK
"""So many events are folded while the page waits; what is farther away is folded in the background."""

T = TypeVar("T")


class OnTheWay(NamedTuple):
    """Not there yet: how many events are folded of how many, and how long the rest takes (ms), as far as one can tell."""

    folded: int
    of: int
    left_ms: int | None


class _Viewpoint:
    """One campaign's past and the thread that moves it over long ways."""

    def __init__(self, database: Database, campaign_id: str) -> None:
        self._lock = threading.Lock()
        self._past = Past(database, campaign_id)
        self._closed = False
        self._thread: threading.Thread | None = None
        self._target = 0
        self._failed: OutriderError | None = None
        self._began_at, self._began_left = 0.0, 0

    def at(self, seq: int, read: Callable[[sqlite3.Connection], T]) -> T | OnTheWay:
        """What `read` finds there. Raises `past_not_foldable`."""
        with self._lock:
            if self._closed:  # another campaign's past took its place just now
                raise OutriderError("past_on_its_way", seq=seq)
            if self._failed is not None and self._target == seq:
                failed, self._failed = self._failed, None
                raise failed
            left = self._past.distance(seq)
            if left > AT_ONCE:
                self._go(seq, left)
                return self._way(seq, left)
            self._target = seq
            while not self._past.move(seq):
                pass
            return read(self._past.scratch)

    def close(self) -> None:
        """Stop moving and give the disk back."""
        with self._lock:
            self._closed = True
            thread = self._thread
        if thread is not None:
            thread.join()
        with self._lock:
            self._past.close()

    def _go(self, seq: int, left: int) -> None:
        if self._target != seq or self._thread is None:
            self._target, self._failed = seq, None
            self._began_at, self._began_left = time.monotonic(), left
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name="past", daemon=True)
            self._thread.start()

    def _way(self, seq: int, left: int) -> OnTheWay:
        gone, took = self._began_left - left, time.monotonic() - self._began_at
        return OnTheWay(seq - left, seq, round(left * took / gone * 1_000) if gone > 0 else None)

    def _work(self) -> None:
        while True:
            with self._lock:  # let go after every chunk, so that the page hears how far it is
                try:
                    if self._closed or self._past.move(self._target):
                        self._thread = None
                        return
                except OutriderError as error:
                    self._failed, self._thread = error, None
                    return
            time.sleep(0.001)  # a lock is not fair: whoever asks comes first


class LookingBack:
    """The moments that pages look at."""

    def __init__(self, journal: Journal) -> None:
        self._database = journal.database
        self._lock = threading.Lock()
        self._viewpoints: dict[str, _Viewpoint] = {}
        self._unsubscribe = journal.subscribe(self._committed)

    def at(self, campaign_id: str, seq: int, read: Callable[[sqlite3.Connection], T]) -> T | OnTheWay:
        """What `read` finds in the campaign as it was after event `seq`, or how far that is. Raises `past_not_foldable`."""
        return self._viewpoint(campaign_id).at(seq, read)

    def close(self) -> None:
        """Forget every past."""
        self._unsubscribe()
        with self._lock:
            gone, self._viewpoints = list(self._viewpoints.values()), {}
        for viewpoint in gone:
            viewpoint.close()

    def _committed(self, committed: Committed) -> None:
        """Let go of a past whose events are not in the log any more."""
        with self._lock:
            viewpoint = self._viewpoints.pop(committed.campaign_id, None) if committed.rewound else None
        if viewpoint is not None:
            threading.Thread(target=viewpoint.close, name="past", daemon=True).start()  # it may be on its way

    def _viewpoint(self, campaign_id: str) -> _Viewpoint:
        with self._lock:
            found = self._viewpoints.pop(campaign_id, None) or _Viewpoint(self._database, campaign_id)
            self._viewpoints[campaign_id] = found  # the last used is the last to go
            oldest = next(iter(self._viewpoints)) if len(self._viewpoints) > KEPT else None
            gone = self._viewpoints.pop(oldest) if oldest else None
        if gone is not None:
            gone.close()
        return found
