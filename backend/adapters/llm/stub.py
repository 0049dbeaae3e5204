"""A proposer that stands for a model nobody has set up."""

from typing import NoReturn

from backend.domain.turn.snapshot import Snapshot
from backend.domain.values.errors import OutriderError
from backend.ports.proposer import OnText, OnUsage, ignore_text, ignore_usage


class StubProposer:
    """Refuses with a clear error, always."""

    name = "stub"

    def propose(self, snapshot: Snapshot, on_text: OnText = ignore_text, on_usage: OnUsage = ignore_usage) -> NoReturn:
        """Raises `OutriderError("proposer_unavailable")`."""
        raise OutriderError("proposer_unavailable", why="no model is set up")
