"""What is kept of one turn while it runs: the moves of its machine, the duration of each step, what its reply cost."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field

from backend.domain.events.events import AuditEntry
from backend.domain.model.task import Task
from backend.domain.model.turn import TurnMachine, TurnState
from backend.ports.proposer import NO_USAGE, ModelUsage

KEPT_REPLY = 1_048_576
"""A longer reply is kept up to here with the length and the SHA-256 of the whole."""


@dataclass(slots=True)
class TurnRecord:
    """Filled step by step; `steps` are the durations in microseconds."""

    ticks: Callable[[], int]
    request_id: str | None
    machine: TurnMachine = field(default_factory=lambda: TurnMachine(TurnState.LOADING_CONTEXT))
    steps: list[int] = field(default_factory=list)
    cost: ModelUsage = NO_USAGE
    focus: Task | None = None
    began_in: TurnState = TurnState.IDLE
    inference_stored: bool = False
    """Whether the stored state says `Inferring` because of this turn."""
    sequence_version: int = 0
    """Which version of the sequence the proposer was asked by."""
    judged_again: bool = False
    """Whether somebody decided something after the model was asked."""
    committed: bool = False
    _mark: int = 0

    def __post_init__(self) -> None:
        self._mark = self.ticks()

    def add_cost(self, usage: ModelUsage) -> None:
        """Of one attempt more at the reply."""
        self.cost += usage

    def close_step(self) -> int:
        """Keep the duration of the step that ends; its number."""
        now = self.ticks()
        self.steps.append(now - self._mark)
        self._mark = now
        return len(self.steps)


def reply_entry(raw: str) -> AuditEntry:
    """The reply exactly as received, whatever it was (spec 001 FR-051)."""
    if len(raw) <= KEPT_REPLY:
        return AuditEntry("proposal", {"raw": raw})
    digest = hashlib.sha256(raw.encode("utf-8", "surrogatepass")).hexdigest()
    return AuditEntry("proposal", {"raw": raw[:KEPT_REPLY], "length": len(raw), "sha256": digest})
