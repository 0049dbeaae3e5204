"""Proposers for tests: one with scripted replies, and one that stands for a model nobody has set up."""

from collections.abc import Callable, Iterable
from typing import NoReturn

from backend.domain.turn.snapshot import Snapshot
from backend.domain.values.errors import OutriderError
from backend.ports.proposer import OnText, OnUsage, ignore_text, ignore_usage

Reply = str | Callable[[Snapshot], str]


class MockProposer:
    """Gives the replies in order; a callable one is asked with the snapshot. Remembers the snapshots it was shown."""

    name = "mock"

    def __init__(self, replies: Iterable[Reply]) -> None:
        self._replies = iter(replies)
        self.seen: list[Snapshot] = []

    def propose(self, snapshot: Snapshot, on_text: OnText = ignore_text, on_usage: OnUsage = ignore_usage) -> str:
        """The next reply; when there is none left, the model is unavailable."""
        self.seen.append(snapshot)
        reply = next(self._replies, None)
        if reply is None:
            raise OutriderError("proposer_unavailable", why="the script is at its end")
        text = reply if isinstance(reply, str) else reply(snapshot)
        on_text(text)
        return text


class StubProposer:
    """Refuses with a clear error, always."""

    name = "stub"

    def propose(self, snapshot: Snapshot, on_text: OnText = ignore_text, on_usage: OnUsage = ignore_usage) -> NoReturn:
        """Raises `OutriderError("proposer_unavailable")`."""
        raise OutriderError("proposer_unavailable", why="no model is set up")
