"""A proposer for one request: its time and its tokens are counted over all turns, and a silence without end is left."""

import threading
import time
from collections.abc import Callable

from backend.domain.errors import OutriderError
from backend.domain.snapshot import Snapshot
from backend.ports.proposer import Hear, Meter, Proposer, Usage, free, nobody


class Bounded:
    """Asks another proposer, as long as there is time; `tokens` used so far, in and out."""

    def __init__(self, proposer: Proposer, seconds: float, ticks: Callable[[], float] = time.monotonic) -> None:
        self.name = proposer.name
        self.tokens = 0
        self._proposer = proposer
        self._seconds = seconds
        self._ticks = ticks
        self._until = ticks() + seconds
        self._left = False
        self._ready = threading.Event()

    @property
    def late(self) -> bool:
        """Whether the time is over."""
        return self._ticks() >= self._until

    def leave(self) -> None:
        """Wait no longer for who speaks now, nor for anybody after."""
        self._left = True
        self._ready.set()

    def propose(self, snapshot: Snapshot, hear: Hear = nobody, meter: Meter = free) -> str:
        """Its reply. Raises `proposer_unavailable` when the time ends first; who still speaks then is not heard any more."""
        over, self._ready = threading.Event(), threading.Event()
        ready = self._ready
        replies: list[str] = []
        failures: list[BaseException] = []

        def heard(piece: str) -> None:
            if not over.is_set():
                hear(piece)

        def used(usage: Usage) -> None:
            self.tokens += usage.tokens_in + usage.tokens_out
            if not over.is_set():
                meter(usage)

        def ask() -> None:
            try:
                replies.append(self._proposer.propose(snapshot, heard, used))
            except BaseException as error:  # noqa: BLE001 - raised again by who waits for it
                failures.append(error)
            finally:
                ready.set()

        # A daemon: one that never comes back must not keep the program from ending.
        asking = threading.Thread(target=ask, name="assistant's model", daemon=True)
        asking.start()
        if not self._left:
            ready.wait(max(0.0, self._until - self._ticks()))
        over.set()
        if failures:
            raise failures[0]
        if not replies:
            why = "Outrider ended" if self._left else f"nothing complete within {self._seconds:.0f} s"
            raise OutriderError("proposer_unavailable", why=why)
        return replies[0]
