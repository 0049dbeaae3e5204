"""The agent: it sees a snapshot and proposes; it can do nothing else."""

from collections.abc import Callable
from typing import Protocol

from backend.domain.snapshot import Snapshot

Hear = Callable[[str], None]
"""Is told the reply's text piece by piece while it is generated. Quick, and never raises."""


def nobody(_: str) -> None:
    """Nobody listens while the reply is generated."""


class Proposer(Protocol):
    """Stateless, fallible, replaceable (spec 000 §3.2)."""

    name: str

    def propose(self, snapshot: Snapshot, hear: Hear = nobody) -> str:
        """The raw reply, exactly as received; whether it is a proposal is the controller's business.

        `hear` is told the text as it arrives (spec 001 FR-048); what is returned decides, whatever was said on the way.
        Raises `OutriderError("proposer_unavailable")` when there is no reply to be had at all.
        """
