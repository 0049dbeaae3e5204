"""The user gives written consent to have a real site read and clicked, and withdraws it."""

from dataclasses import dataclass
from typing import Annotated

from backend.commands.command import column
from backend.commands.handler import CommandHandler, command
from backend.domain.events.events import WORKSPACE
from backend.domain.events.facts.workspace import ConsentGiven, ConsentWithdrawn
from backend.domain.gates.consent import CONSENT_TEXT, check_typed
from backend.domain.model.channel import DRIVE, find_channel
from backend.store.queries.people import consents


@dataclass(frozen=True, slots=True)
class ConsentCommands(CommandHandler):
    """Consent for the account that all campaigns on LinkedIn share."""

    @command("consents.give", shows={"ConsentGiven": "status"})
    def give(self, typed: Annotated[str, column("ConsentGiven", "typed")]) -> None:
        """Consent, by typing the sentence; nothing if consent holds already. Raises `consent_not_typed`."""
        plain, account = check_typed(typed), find_channel(DRIVE).account
        with self.journal.transaction() as transaction:
            if consents.consent(transaction.connection, account) is not None:
                return
            consent = ConsentGiven(
                transaction.new_id(), account=account, text=CONSENT_TEXT, typed=plain, created_at=self.clock.now()
            )
            self._record(transaction, WORKSPACE, [consent])

    @command("consents.withdraw", shows={"ConsentWithdrawn": "status"}, on_conflict="repeat")
    def withdraw(self) -> None:
        """Withdraw consent; it holds at once, also for an act that is about to be done."""
        with self.journal.transaction() as transaction:
            consent_ids = consents.active_consents(transaction.connection, find_channel(DRIVE).account)
            if consent_ids:
                self._record(transaction, WORKSPACE, [ConsentWithdrawn(consent_id) for consent_id in consent_ids])
