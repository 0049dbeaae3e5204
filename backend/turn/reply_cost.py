"""What a turn's reply cost, and whether its campaign may spend any more on a model."""

from collections.abc import Callable

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


def cost_columns(usage: ModelUsage) -> Cost:
    """As a turn bears it; nothing where no model was paid, so that a turn of the script stays small."""
    if not usage.model:
        return {}
    return {
        "model": usage.model,
        "tokens_in": usage.tokens_in,
        "tokens_out": usage.tokens_out,
        "cost_micros": usage.micros,
    }


def bill_without_turn(usage: ModelUsage, new_id: Callable[[], str]) -> list[Event]:
    """On record although the reply became no turn."""
    cost = cost_columns(usage)
    return [ReplyBilled(new_id(), **cost)] if cost else []


def late_bills(journal: Journal, now: Callable[[], int]) -> Callable[[str, ModelUsage], None]:
    """What puts on record what a campaign's reply cost whose turn had ended before its model said so."""

    def record(campaign_id: str, usage: ModelUsage) -> None:
        events = bill_without_turn(usage, journal.ids.new)
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
