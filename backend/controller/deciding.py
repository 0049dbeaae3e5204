"""What every set of the user's decisions shares: whose they are, when they are made, and how they are recorded."""

from collections.abc import Sequence
from dataclasses import dataclass

from backend.domain.campaign import Campaign
from backend.domain.errors import OutriderError
from backend.domain.events import Event
from backend.ports.clock import Clock
from backend.store import reading
from backend.store.journal import Journal, Transaction


@dataclass(frozen=True, slots=True)
class Deciding:
    """Decisions, each in one transaction, checked against the state of that moment; `actor` says in the log who decided."""

    journal: Journal
    clock: Clock
    actor: str = "user"

    def _campaign(self, transaction: Transaction, campaign_id: str) -> Campaign:
        campaign = reading.campaign(transaction.connection, campaign_id)
        if campaign is None:
            raise OutriderError("campaign_unknown", campaign=campaign_id)
        return campaign

    def _record(self, transaction: Transaction, campaign_id: str, events: Sequence[Event], cause: str) -> None:
        transaction.record(campaign_id, events, actor=self.actor, cause=cause, at=self.clock.now())
