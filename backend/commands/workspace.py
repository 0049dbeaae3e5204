"""What a user decides for every campaign at once: how Outrider looks, and whom nobody may ever contact."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from backend.commands.command import FromEvent, column
from backend.commands.handler import CommandHandler, command
from backend.commands.leads import unlisted_events
from backend.domain.device.configuration import refuse_protected
from backend.domain.events.events import WORKSPACE, Event
from backend.domain.events.facts.workspace import (
    ConfigChanged,
    ConfigSet,
    DeviceNamed,
    DoNotContactAdded,
    DoNotContactRemoved,
)
from backend.domain.values.canonical_json import canonical
from backend.domain.values.errors import OutriderError
from backend.store.database import DatabaseConnection
from backend.store.queries.device import configuration, devices
from backend.store.queries.people import do_not_contact

CONFIGURED = ("ConfigSet", "ConfigChanged")
"""The events that keep a piece of configuration."""

_CONFIGURATION = FromEvent(CONFIGURED, lambda changes: json.loads(changes["value"]))


def configuration_events(connection: DatabaseConnection, name: str, value: Mapping[str, Any]) -> list[Event]:
    """What keeps this value, nothing if it is kept already; for protected names the door of the command that owns them."""
    before = configuration.configuration(connection, name)
    if before is not None and json.loads(before) == value:
        return []
    return [(ConfigSet if before is None else ConfigChanged)(name, value=canonical(value))]


@dataclass(frozen=True, slots=True)
class WorkspaceCommands(CommandHandler):
    """Decisions in the workspace's own stream."""

    @command("workspace.keep", shows=dict.fromkeys(CONFIGURED, "value"))
    def keep(self, name: str, value: Annotated[Mapping[str, Any], _CONFIGURATION]) -> None:
        """Keep a piece of configuration; raises `config_protected` for what has a command of its own."""
        refuse_protected(name)
        with self.journal.transaction() as transaction:
            self._record(transaction, WORKSPACE, configuration_events(transaction.connection, name, value))

    @command("workspace.name_device", shows={"DeviceNamed": "name"})
    def name_device(self, device_id: str, name: str) -> None:
        """Call a device of this user otherwise, on all of them. Raises `device_unknown`."""
        with self.journal.transaction() as transaction:
            device = devices.device(transaction.connection, device_id)
            if device is None:
                raise OutriderError("device_unknown")
            if device.name != name:
                self._record(transaction, WORKSPACE, [DeviceNamed(device_id, name=name)])

    @command("workspace.add_do_not_contact", shows={"DoNotContactAdded": "status"}, on_conflict="repeat")
    def add_do_not_contact(
        self,
        member_key: Annotated[str, column("DoNotContactAdded", "member_key")],
        name: Annotated[str, column("DoNotContactAdded", "name")],
        reason: Annotated[str, column("DoNotContactAdded", "reason")],
    ) -> None:
        """Never contact this person, or anybody of this company or domain (`domain/people/contact_keys.py`), in any campaign."""
        with self.journal.transaction() as transaction:
            if do_not_contact.listed_for_good(transaction.connection, [member_key]):
                return
            now = self.clock.now()
            added = DoNotContactAdded(
                transaction.new_id(), member_key=member_key, name=name, reason=reason, created_at=now
            )
            self._record(transaction, WORKSPACE, [added])

    @command("workspace.remove_do_not_contact", shows={"DoNotContactRemoved": "status", "LeadUnblocked": "blocked"})
    def remove_do_not_contact(self, entry_id: str) -> None:
        """Take an entry off the list, and let its leads go on in every campaign. Raises `person_not_listed`."""
        with self.journal.transaction() as transaction:
            member_key = do_not_contact.key_of(transaction.connection, entry_id)
            if member_key is None:
                raise OutriderError("person_not_listed")
            entries = do_not_contact.same_entries(transaction.connection, member_key)
            self._record(transaction, WORKSPACE, [DoNotContactRemoved(id_) for id_ in entries])
            for campaign_id, lead_id in do_not_contact.blocked_by(transaction.connection, [member_key]):
                events = unlisted_events(transaction, campaign_id, lead_id, self.clock.now())
                self._record(transaction, campaign_id, events)
