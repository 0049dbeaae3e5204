"""What a user decides about models: which connections there are, and which one a campaign uses."""

import json
from dataclasses import dataclass
from typing import Annotated

from backend.commands.command import FromEvent
from backend.commands.handler import CommandHandler, command
from backend.commands.workspace import CONFIGURED
from backend.domain.events.events import WORKSPACE
from backend.domain.events.facts.campaign import CampaignEdited
from backend.domain.events.facts.workspace import ConfigChanged, ConfigSet
from backend.domain.model.campaign import edited
from backend.domain.model.connection import SCRIPTED, Connection, refuse_address
from backend.domain.values.errors import OutriderError
from backend.store.log.transaction import Transaction
from backend.store.queries.device import configuration, models
from backend.store.queries.reports import campaign_overview

_CONNECTION = FromEvent(CONFIGURED, lambda changes: json.loads(changes["value"]))


@dataclass(frozen=True, slots=True)
class ModelCommands(CommandHandler):
    """Connections are the workspace's; which one proposes is each campaign's."""

    def fresh_id(self) -> str:
        """An id that no connection has."""
        return self.journal.ids.new()[-12:].lower()

    @command("models.save", shows=dict.fromkeys(CONFIGURED, "value"))
    def save(self, connection: Annotated[Connection, _CONNECTION]) -> None:
        """Make or change a connection; nothing if it is kept like this already. Raises `model_address_refused`."""
        refuse_address(connection.base_url, plain_http=connection.plain_http)
        self._keep(connection.id, connection.model_dump_json())

    @command("models.remove", shows={"ConfigChanged": "value"})
    def remove(self, connection_id: str) -> None:
        """Raises `model_unknown`, and `model_in_use` while a campaign that is not over names it."""
        with self.journal.transaction() as transaction:
            if models.model_connection(transaction.connection, connection_id) is None:
                raise OutriderError("model_unknown", connection=connection_id)
            users = campaign_overview.names_using_model(transaction.connection, connection_id, 4)
            if users:
                raise OutriderError("model_in_use", campaigns=", ".join(f"“{name}”" for name in users))
            removed = ConfigChanged(models.MODEL + connection_id, value=configuration.REMOVED)
            self._record(transaction, WORKSPACE, [removed])

    @command("models.choose", shows={"CampaignEdited": "proposer"})
    def choose(self, campaign_id: str, proposer: str, *, alone: bool = False) -> None:
        """Which connection or the script proposes from the next turn on, `alone` also mechanical steps. Raises `model_unknown`."""
        with self.journal.transaction() as transaction:
            campaign = self._campaign(transaction, campaign_id)
            refuse_unknown(transaction, proposer)
            if (campaign.proposer, campaign.settings.model_alone) == (proposer, alone):
                return
            settings = campaign.settings.model_copy(update={"model_alone": alone})
            changes = edited(campaign, name=campaign.name, goal=campaign.goal, settings=settings)
            self._record(transaction, campaign_id, [CampaignEdited(campaign_id, proposer=proposer, **changes)])

    def _keep(self, connection_id: str, value: str) -> None:
        name = models.MODEL + connection_id
        with self.journal.transaction() as transaction:
            stored_value = configuration.configuration(transaction.connection, name)
            if stored_value != value:
                event = (ConfigSet if stored_value is None else ConfigChanged)(name, value=value)
                self._record(transaction, WORKSPACE, [event])


def refuse_unknown(transaction: Transaction, proposer: str) -> None:
    """Raises `model_unknown` unless that is the script or a connection that there is."""
    if proposer != SCRIPTED and models.model_connection(transaction.connection, proposer) is None:
        raise OutriderError("model_unknown", connection=proposer)
