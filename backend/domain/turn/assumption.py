"""How many people accept and reply in a dry run, as the user assumes; the same seed gives the same people."""

import hashlib
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Assumption:
    """The share of invited people who accept, and of people written to who reply; `seed` decides who they are."""

    accept: float = 0.0
    reply: float = 0.0
    seed: str = ""

    def accepts(self, person: str) -> bool:
        """Whether this person accepts."""
        return self._chance("accept", person) < self.accept

    def replies(self, person: str) -> bool:
        """Whether this person replies to the first message."""
        return self._chance("reply", person) < self.reply

    def _chance(self, kind: str, person: str) -> float:
        digest = hashlib.sha256(f"{self.seed}\0{kind}\0{person}".encode()).digest()
        return int.from_bytes(digest[:6]) / 2**48
