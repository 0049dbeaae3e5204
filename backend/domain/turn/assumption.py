"""How people are assumed to behave in a dry run: the same seed gives the same people."""

import hashlib
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Assumption:
    """Which part of those who are invited accept, and of those who are written to reply; `seed` decides who."""

    accept: float = 0.0
    reply: float = 0.0
    seed: str = ""

    def accepts(self, person: str) -> bool:
        """Whether this person accepts."""
        return self._share("accept", person) < self.accept

    def replies(self, person: str) -> bool:
        """Whether this person replies to the first message."""
        return self._share("reply", person) < self.reply

    def _share(self, what: str, person: str) -> float:
        digest = hashlib.sha256(f"{self.seed}\0{what}\0{person}".encode()).digest()
        return int.from_bytes(digest[:6]) / 2**48
