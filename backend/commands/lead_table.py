"""How the user wants a campaign's list of leads shown: columns, order and saved views."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from backend.commands.command import FromEvent
from backend.commands.handler import CommandHandler, command
from backend.domain.events.facts.workspace import ConfigChanged, ConfigSet
from backend.domain.values.canonical_json import canonical
from backend.store.queries.device import configuration

NAME = "lead_table"
_CONFIGURED = ("ConfigSet", "ConfigChanged")
_TABLE = FromEvent(_CONFIGURED, lambda changes: json.loads(changes["value"]))


@dataclass(frozen=True, slots=True)
class LeadTableCommands(CommandHandler):
    """Kept in the campaign's configuration: no approval rests on it, so the campaign's version stays."""

    @command("lead_table.keep", shows=dict.fromkeys(_CONFIGURED, "value"))
    def keep(self, campaign_id: str, value: Annotated[Mapping[str, Any], _TABLE]) -> None:
        """Keep how the list is shown, whole; raises `campaign_unknown`."""
        with self.journal.transaction() as transaction:
            self._campaign(transaction, campaign_id)
            before = configuration.campaign_value(transaction.connection, campaign_id, NAME)
            if before is None or json.loads(before) != value:
                fact = ConfigSet if before is None else ConfigChanged
                self._record(transaction, campaign_id, [fact(NAME, value=canonical(value))])
