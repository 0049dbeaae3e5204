"""How this machine and the project stand, for the page."""

from dataclasses import dataclass
from typing import Literal, NamedTuple

from backend.domain.values.errors import OutriderError

Phase = Literal["local", "in_sync", "pushing", "pulling", "offline", "locked", "signed_out", "refused"]
Acting = Literal["nobody", "here", "elsewhere"]


@dataclass(frozen=True, slots=True)
class EngineState:
    """`waiting` events are not acknowledged; `since`, `until`: ms UTC. `asked`: the one that acts was asked to hand over.

    While entries are pulled: `pulled` of `to_pull` are here, and the rest takes `pull_seconds_left` (None: not known yet).
    """

    phase: Phase = "local"
    waiting: int = 0
    since: int | None = None
    conflicts: int = 0
    acting: Acting = "nobody"
    acting_name: str = ""
    asked: bool = False
    until: int | None = None
    problem: OutriderError | None = None
    pulled: int = 0
    to_pull: int = 0
    pull_seconds_left: int | None = None


class Download(NamedTuple):
    """How far a round is with pulling what was not here when it began, by a clock that counts seconds."""

    whole: int
    began: float
    done: int = 0

    def went_on(self, entries: int) -> "Download":
        """So many more are here."""
        return self._replace(done=min(self.whole, self.done + entries))

    def seconds_left(self, now: float) -> int | None:
        """At the pace so far; None before anything is here."""
        return round((self.whole - self.done) * (now - self.began) / self.done) if self.done else None
