"""What a turn's reply cost, and whether its campaign may spend any more on a model."""

from collections.abc import Callable
from dataclasses import dataclass

from backend.domain.events.events import Event
from backend.domain.events.facts.turn import Cost, ReplyBilled
from backend.domain.values.errors import OutriderError
from backend.ports.proposer import ModelUsage
from backend.store.database import Database
from backend.store.log.journal import Journal
from backend.store.queries.campaign import campaigns
from backend.store.queries.device import models

NOT_SENT_CODES = frozenset({"model_budget_spent", "proposer_stopped"})
"""With these, the model may not have been asked at all; the campaign is paused and not broken."""


@dataclass
class ReplyCost:
    """The sum of all attempts at one reply."""

    model: str = ""
    tokens_in: int = 0
    tokens_out: int = 0
    micros: int = 0

    def add(self, usage: ModelUsage) -> None:
        """One attempt more."""
        self.model = usage.model
        self.tokens_in += usage.tokens_in
        self.tokens_out += usage.tokens_out
        self.micros += usage.micros

    def columns(self) -> Cost:
        """As a turn bears it; nothing where no model was paid, so that a turn of the script stays small."""
        if not self.model:
            return {}
        return {
            "model": self.model,
            "tokens_in": self.tokens_in,
            "tokens_out": self.tokens_out,
            "cost_micros": self.micros,
        }

    def events_without_turn(self, new_id: Callable[[], str]) -> list[Event]:
        """On record although the reply became no turn."""
        cost = self.columns()
        return [ReplyBilled(new_id(), **cost)] if cost else []


def late_bills(journal: Journal, now: Callable[[], int]) -> Callable[[str, ModelUsage], None]:
    """What puts on record what a campaign's reply cost whose turn had ended before its model said so."""

    def record(campaign_id: str, usage: ModelUsage) -> None:
        cost = ReplyCost()
        cost.add(usage)
        events = cost.events_without_turn(journal.ids.new)
        journal.record(campaign_id, events=events, actor="agent", cause="late bill", at=now())

    return record


def budget_check(database: Database, campaign_id: str) -> Callable[[int, int], None]:
    """Refuses an attempt that could take the campaign over its budget, by what is on record and by this reply's own attempts.

    The limits are read at the first attempt; a reply takes minutes at most.
    """
    with database.read() as connection:
        campaign = campaigns.existing_campaign(connection, campaign_id)
        tokens, micros = models.model_spend(connection, campaign_id)
    limits = campaign.settings.limits
    most_tokens, most_micros = limits.model_kilotokens * 1_000, limits.model_cents * 10_000

    def allow(more_tokens: int, more_micros: int) -> None:
        if micros + more_micros > most_micros:
            raise OutriderError("model_budget_spent", spent=format_dollars(micros), budget=format_dollars(most_micros))
        if tokens + more_tokens > most_tokens:
            raise OutriderError("model_budget_spent", spent=f"{tokens:,}", budget=f"{most_tokens:,} tokens")

    return allow


def format_dollars(micros: int) -> str:
    """US dollars, for people."""
    return f"${micros / 1_000_000:,.2f}"
