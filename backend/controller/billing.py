"""What a turn's reply cost, and whether its campaign may spend any more on a model."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from backend.domain.errors import OutriderError
from backend.domain.events import Event
from backend.ports.proposer import Usage
from backend.store import reading
from backend.store.database import Database

UNASKED = frozenset({"model_budget_spent", "proposer_stopped"})
"""With these, the model may not have been asked at all; the campaign is paused and not broken."""


@dataclass
class Bill:
    """The sum of all attempts at one reply."""

    model: str = ""
    tokens_in: int = 0
    tokens_out: int = 0
    micros: int = 0

    def add(self, usage: Usage) -> None:
        """One attempt more."""
        self.model = usage.model
        self.tokens_in += usage.tokens_in
        self.tokens_out += usage.tokens_out
        self.micros += usage.micros

    def columns(self) -> dict[str, Any]:
        """As a turn bears it; nothing where no model was paid, so that a turn of the script stays small."""
        if not self.model:
            return {}
        return {
            "model": self.model,
            "tokens_in": self.tokens_in,
            "tokens_out": self.tokens_out,
            "cost_micros": self.micros,
        }

    def without_a_turn(self, new_id: Callable[[], str]) -> list[Event]:
        """On record although the reply became no turn."""
        return [Event("ReplyBilled", new_id(), self.columns())] if self.model else []


def allowance(database: Database, campaign_id: str) -> Callable[[int, int], None]:
    """Refuses an attempt that could take the campaign over its budget, by what is on record and by this reply's own attempts.

    The limits are read at the first attempt; a reply takes minutes at most.
    """
    with database.read() as connection:
        campaign = reading.campaign(connection, campaign_id)
        tokens, micros = reading.spent(connection, campaign_id)
    if campaign is None:
        raise OutriderError("campaign_unknown", campaign=campaign_id)
    limits = campaign.settings.limits
    most_tokens, most_micros = limits.model_kilotokens * 1_000, limits.model_cents * 10_000

    def allow(more_tokens: int, more_micros: int) -> None:
        if micros + more_micros > most_micros:
            raise OutriderError("model_budget_spent", spent=money(micros), budget=money(most_micros))
        if tokens + more_tokens > most_tokens:
            raise OutriderError("model_budget_spent", spent=f"{tokens:,}", budget=f"{most_tokens:,} tokens")

    return allow


def money(micros: int) -> str:
    """US dollars, for people."""
    return f"${micros / 1_000_000:,.2f}"
