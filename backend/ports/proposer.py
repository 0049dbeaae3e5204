"""The agent: it sees a snapshot and proposes; it can do nothing else."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from backend.domain.snapshot import Snapshot

Hear = Callable[[str], None]
"""Is told the reply's text piece by piece while it is generated. Quick, and never raises."""


@dataclass(frozen=True, slots=True)
class Usage:
    """What one attempt at a reply cost: tokens, and money in millionths of a US dollar; `model` as its provider names it."""

    model: str
    tokens_in: int
    tokens_out: int
    micros: int


Meter = Callable[[Usage], None]
"""Is told what each attempt cost, failed ones included, as soon as that is known. Quick, and never raises."""


def nobody(_: str) -> None:
    """Nobody listens while the reply is generated."""


def free(_: Usage) -> None:
    """Nobody counts what it costs."""


class Proposer(Protocol):
    """Stateless, fallible, replaceable (spec 000 §3.2)."""

    name: str

    def propose(self, snapshot: Snapshot, hear: Hear = nobody, meter: Meter = free) -> str:
        """The raw reply, exactly as received; whether it is a proposal is the controller's business.

        `hear` is told the text as it arrives (spec 001 FR-048); what is returned decides, whatever was said on the way.
        Raises `OutriderError("proposer_…")` when there is no reply to be had at all.
        """
