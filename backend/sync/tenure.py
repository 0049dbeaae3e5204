"""The lease as this device knows it: until when it may act, by clocks of its own."""

import threading
from typing import NamedTuple

from backend.ports.authority import Authority, AuthorityRefusedError, Lease
from backend.ports.clock import Clock

TERM_SECONDS = 90.0
RENEW_SECONDS = 15.0
ACT_SECONDS = 30.0
"""More than this must be left of it for an act to be begun: an act takes less."""


class Device(NamedTuple):
    """Which of the user's devices this is."""

    id: str
    name: str


class _Term(NamedTuple):
    """Ends by whichever clock is first: one may stand still while the machine sleeps, the other may be set."""

    fence: int
    ticks: int
    wall: int


_NONE = _Term(0, 0, 0)


class Tenure:
    """What this device holds of the lease; safe from any thread. Every question to the authority is asked by the caller's."""

    def __init__(self, device: Device, clock: Clock) -> None:
        self.device = device
        self._clock = clock
        self._term = _NONE
        self._elsewhere: tuple[str, int] = ("", 0)
        self._asking = threading.Lock()
        self.wanted_by = ""

    def seconds(self) -> float:
        """What is left of it, never more than the authority thinks: it is counted from before it was asked for."""
        term = self._term
        ticks, wall = term.ticks - self._clock.ticks(), (term.wall - self._clock.now()) * 1_000
        return max(0.0, min(ticks, wall) / 1e6)

    @property
    def fence(self) -> int | None:
        """What is shown with what only the holder may record; None once it is over."""
        return self._term.fence if self._term.fence and self.seconds() > 0 else None

    @property
    def held(self) -> bool:
        """Whether there is anything to give back."""
        return self._term.fence > 0

    @property
    def until(self) -> int | None:
        """When it is over at the latest (ms UTC)."""
        return self._term.wall if self.fence else None

    @property
    def elsewhere(self) -> str:
        """The name of the other device that had it when we last asked, while that may still be so."""
        name, until = self._elsewhere
        return name if self._clock.now() < until else ""

    @property
    def elsewhere_until(self) -> int | None:
        """When that device's is over if it does not keep it (ms UTC)."""
        return self._elsewhere[1] if self.elsewhere else None

    def acquire(self, authority: Authority, *, take_over: bool = False) -> bool:
        """Keep it, or ask for it; False if it is another device's, whose name `elsewhere` is then."""
        if self.fence and self.renew(authority):  # what acts here goes on under its fence
            return True
        with self._asking:
            asked = self._clock.ticks(), self._clock.now()
            given = authority.acquire_lease(self.device.id, self.device.name, TERM_SECONDS, take_over=take_over)
            return self._take(given, asked)

    def renew(self, authority: Authority) -> bool:
        """Keep it; False if it is lost, or was none."""
        with self._asking:
            if not self._term.fence:
                return False
            asked = self._clock.ticks(), self._clock.now()
            try:
                given = authority.renew_lease(self.device.id, self._term.fence, TERM_SECONDS)
            except AuthorityRefusedError as refused:
                if refused.code != "lease_lost":
                    raise
                self.lose()
                return False
            return self._take(given, asked)

    def release(self, authority: Authority) -> None:
        """Give it back. It is not used from now on even if nobody hears of it: then it runs out."""
        with self._asking:
            fence = self._term.fence
            self.lose()
            if fence:
                authority.release_lease(self.device.id, fence)

    def lose(self) -> None:
        """It is somebody else's by now."""
        self._term, self.wanted_by = _NONE, ""

    def _take(self, given: Lease, asked: tuple[int, int]) -> bool:
        ticks, wall = asked
        if not given.fence:
            self.lose()
            self._elsewhere = given.device_name, wall + round(given.seconds * 1e3)
            return False
        self._term = _Term(given.fence, ticks + round(given.seconds * 1e6), wall + round(given.seconds * 1e3))
        self._elsewhere, self.wanted_by = ("", 0), given.wanted_by
        return True
