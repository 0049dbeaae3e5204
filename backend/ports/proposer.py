"""The agent: it sees a snapshot and proposes; it can do nothing else."""

from typing import Protocol

from backend.domain.snapshot import Snapshot


class Proposer(Protocol):
    """Stateless, fallible, replaceable (spec 000 §3.2)."""

    name: str

    def propose(self, snapshot: Snapshot) -> str:
        """The raw reply, exactly as received; whether it is a proposal is the controller's business.

        Raises `OutriderError("proposer_unavailable")` when there is no reply to be had at all.
        """
