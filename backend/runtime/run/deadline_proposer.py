"""A proposer for one request: its time and its tokens are counted over all turns, and a silence without end is left."""

import threading
import time
from collections.abc import Callable
from contextlib import suppress

from backend.domain.model.campaign import Campaign
from backend.domain.turn.snapshot import Snapshot
from backend.domain.values.errors import OutriderError
from backend.ports.proposer import ModelUsage, OnText, OnUsage, Proposer, asks_model, ignore_text, ignore_usage
from backend.ports.scheduler import Scheduler
from backend.runtime.worker import THREADS

CANCEL_GRACE_SECONDS = 1.0
"""Seconds in which a model that is not waited for any more can say what it cost."""


LateBill = Callable[[str, ModelUsage], None]
"""Told what a campaign's reply cost that nobody waited for any more, by whatever thread hears of it."""


def _forget(_campaign_id: str, _usage: ModelUsage) -> None:
    """Nobody keeps it."""


class DeadlineProposer:
    """Asks another proposer, as long as there is time; `tokens` used so far, in and out."""

    def __init__(
        self,
        proposer: Proposer,
        seconds: float,
        ticks: Callable[[], float] = time.monotonic,
        *,
        over: threading.Event | None = None,
        scheduler: Scheduler = THREADS,
        late: LateBill = _forget,
    ) -> None:
        """`late` is told what a reply cost whose model said so only after its turn had ended."""
        self._scheduler = scheduler
        self._late = late
        self.name = proposer.name
        self.tokens = 0
        self._proposer = proposer
        self._seconds = seconds
        self._ticks = ticks
        self._until: float | None = None
        self._over = over or threading.Event()
        self._left = False
        self._ready = threading.Event()

    @property
    def expired(self) -> bool:
        """Whether the time is over; it begins with the first turn, not with the wait for it."""
        return self._ticks() >= self._until if self._until is not None else self._seconds <= 0

    def asks_model(self, campaign: Campaign) -> bool:
        """Whether the other one is, or asks, a model."""
        return asks_model(self._proposer, campaign)

    def cancel(self) -> None:
        """Wait no longer for who speaks now, nor for anybody after."""
        self._left = True
        self._over.set()
        self._ready.set()

    def propose(self, snapshot: Snapshot, on_text: OnText = ignore_text, on_usage: OnUsage = ignore_usage) -> str:
        """Its reply. Raises `proposer_unavailable` when the time ends first; what a model says then is ignored."""
        if self._until is None:
            self._until = self._ticks() + self._seconds
        if self._left or self.expired:  # nobody is asked whose answer would not be used
            raise self._silence()
        deaf, self._ready = threading.Event(), threading.Event()
        ready = self._ready
        replies: list[str] = []
        failures: list[BaseException] = []

        waited_for, metering = True, threading.Lock()

        def pass_on(piece: str) -> None:
            if not deaf.is_set():
                on_text(piece)

        def used(usage: ModelUsage) -> None:
            self.tokens += usage.tokens_in + usage.tokens_out
            with metering:  # either the turn has it, or it is late
                if waited_for:
                    on_usage(usage)
                    return
            # The data folder may be closed, or full: then it is on the provider's bill alone.
            with suppress(OutriderError):
                self._late(snapshot.campaign.id, usage)

        def ask() -> None:
            try:
                replies.append(self._proposer.propose(snapshot, pass_on, used))
            except BaseException as error:  # noqa: BLE001 - raised again by who waits for it
                failures.append(error)
            finally:
                ready.set()

        asking = self._scheduler.start("assistant's model", ask)
        if not self._left:
            self._scheduler.wait(ready, max(0.0, self._until - self._ticks()))
        in_time = ready.is_set() and not self._left
        deaf.set()
        if not in_time:
            self._over.set()  # the model ends its request, and reports what that cost
            asking.join(CANCEL_GRACE_SECONDS)
        with metering:
            waited_for = False
        if not in_time:
            raise self._silence()
        if failures:
            raise failures[0]
        return replies[0]

    def _silence(self) -> OutriderError:
        if self._left:
            return OutriderError("proposer_stopped")
        return OutriderError("proposer_unavailable", why=f"nothing complete within {self._seconds:.0f} s")
