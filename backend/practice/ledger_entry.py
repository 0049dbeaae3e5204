"""One line of the ledger: a thing that was received, and what became of it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Kind = Literal[
    "clock",
    "login",
    "logout",
    "profile_view",
    "invitation",
    "message",
    "withdraw",
    "roster",
    "fault",
    "postponed",
    "restored",
]

# delivered: the person has it. refused: they do not, and the sender was told.
# dropped: they do not, and the sender was told otherwise or nothing.
Disposition = Literal["", "delivered", "dropped", "refused"]


@dataclass(frozen=True, slots=True)
class Entry:
    """A fact in the order of arrival: n counts from 1 without gaps, at is virtual time."""

    n: int
    at: int
    kind: Kind
    to: str = ""
    text: str = ""
    disposition: Disposition = ""
    reason: str = ""
    detail: Mapping[str, Any] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        return {
            "n": self.n,
            "at": self.at,
            "kind": self.kind,
            "to": self.to,
            "text": self.text,
            "disposition": self.disposition,
            "reason": self.reason,
            "detail": dict(self.detail),
        }

    def to_line(self) -> str:
        return json.dumps(self.as_dict(), ensure_ascii=False, separators=(",", ":")) + "\n"

    @classmethod
    def from_line(cls, line: bytes) -> "Entry":
        """Raises ValueError when the line is not a whole entry."""
        try:
            return cls(**json.loads(line))
        except TypeError as error:
            raise ValueError(f"not a ledger entry: {error}") from error
