"""The agent: it sees a snapshot and proposes; it can do nothing else."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from backend.domain.model.campaign import Campaign
from backend.domain.turn.snapshot import Snapshot

OnText = Callable[[str], None]
"""Is told the reply's text piece by piece while it is generated. Quick, and never raises."""


@dataclass(frozen=True, slots=True)
class ModelUsage:
    """What one attempt at a reply cost, or all: tokens, and millionths of a US dollar; `model` as its provider names the last."""

    model: str
    tokens_in: int
    tokens_out: int
    micros: int

    def __add__(self, later: "ModelUsage") -> "ModelUsage":
        spent = self.tokens_in + later.tokens_in, self.tokens_out + later.tokens_out, self.micros + later.micros
        return ModelUsage(later.model, *spent)


NO_USAGE = ModelUsage("", 0, 0, 0)


OnUsage = Callable[[ModelUsage], None]
"""Is told what each attempt cost, failed ones included, as soon as that is known. Quick, and never raises."""


def ignore_text(_: str) -> None:
    """Nobody listens while the reply is generated."""


def ignore_usage(_: ModelUsage) -> None:
    """Nobody counts what it costs."""


def is_slow(proposer: "Proposer", snapshot: Snapshot) -> bool:
    """Whether the proposer declares that its reply to this snapshot may take long; one that declares nothing is instant."""
    declared: Callable[[Snapshot], bool] | None = getattr(proposer, "is_slow", None)
    return declared is not None and declared(snapshot)


def reads_overview(proposer: "Proposer", snapshot: Snapshot) -> bool:
    """Whether the proposer reads more of this snapshot than its focus; one that declares nothing reads all of it."""
    declared: Callable[[Snapshot], bool] | None = getattr(proposer, "reads_overview", None)
    return declared is None or declared(snapshot)


def asks_model(proposer: "Proposer", campaign: Campaign) -> bool:
    """Whether a model answers the user's requests in that campaign; one that declares nothing is a model."""
    declared: Callable[[Campaign], bool] | None = getattr(proposer, "asks_model", None)
    return declared is None or declared(campaign)


def check_ready(proposer: "Proposer", campaign: Campaign) -> str:
    """What the campaign's proposer is, for people; one that declares nothing is ready. Raises what keeps it from being asked."""
    declared: Callable[[Campaign], str] | None = getattr(proposer, "check_ready", None)
    return declared(campaign) if declared is not None else "ready"


class Proposer(Protocol):
    """Stateless, fallible, replaceable (spec 000 §3.2).

    One whose reply may take seconds declares `is_slow(snapshot)`: then it is stored that the turn waits for it.
    One that often needs the focus alone declares `reads_overview(snapshot)`: then the rest is read only when it says so.
    One that may answer without a model declares `asks_model(campaign)`: then nobody is told that a model said it.
    One that can be set up wrongly declares `check_ready(campaign)`, which calls nobody.
    """

    name: str

    def propose(self, snapshot: Snapshot, on_text: OnText = ignore_text, on_usage: OnUsage = ignore_usage) -> str:
        """The raw reply, exactly as received; whether it is a proposal is the controller's business.

        `on_text` is given the text as it arrives (spec 001 FR-048); what is returned decides, whatever was said on the way.
        Raises `OutriderError("proposer_…")` when there is no reply to be had at all.
        """
