"""How this machine and the project stand, for the page."""

from dataclasses import dataclass
from typing import Literal

from backend.domain.errors import OutriderError

Phase = Literal["local", "in_sync", "pushing", "pulling", "offline", "signed_out", "refused"]
Acting = Literal["nobody", "here", "elsewhere"]


@dataclass(frozen=True, slots=True)
class EngineState:
    """`waiting` events are not acknowledged; `since`, `until`: ms UTC. `asked`: the one that acts was asked to hand over."""

    phase: Phase = "local"
    waiting: int = 0
    since: int | None = None
    conflicts: int = 0
    acting: Acting = "nobody"
    acting_name: str = ""
    asked: bool = False
    until: int | None = None
    problem: OutriderError | None = None
