"""When both stores are brought into step next, and whether others are asked for news then."""

from dataclasses import dataclass
from typing import NamedTuple

from backend.ports.clock import Clock


class PollTimes(NamedTuple):
    """How often others are asked for news, while somebody is at the page or something acts, and otherwise. Seconds."""

    used: float = 4.0
    idle: float = 60.0


@dataclass
class Pace:
    """`urgent` has the next round begin at once and ask for news, whatever failed."""

    clock: Clock
    urgent: bool = True
    _not_before: float = 0.0
    _poll_at: float = 0.0

    def begin(self) -> tuple[float, bool]:
        """How many seconds of a failure are still to be waited out, and whether the round after that asks for news."""
        now, urgent = self.clock.ticks() / 1e6, self.urgent
        if urgent:  # what becomes urgent from now on is met by the round after this one
            self.urgent = False
        return 0.0 if urgent else self._not_before - now, urgent or now >= self._poll_at

    def end(self, pause: float, *, polled: bool, failed: bool) -> float:
        """In how many seconds the next round is due."""
        now = self.clock.ticks() / 1e6
        self._not_before = now + pause if failed else now
        if polled:
            self._poll_at = now + pause
        return max(self._poll_at, self._not_before) - now
