"""What a user decides for every campaign at once: how Outrider looks, and whom nobody may ever contact."""

import json
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from backend.controller.deciding import Deciding
from backend.controller.lead_commands import BLOCKED, contacted_again
from backend.domain.configuration import refuse_protected
from backend.domain.errors import OutriderError
from backend.domain.events import WORKSPACE, Event, canonical
from backend.store import reading


def configured(connection: sqlite3.Connection, name: str, value: Mapping[str, Any]) -> list[Event]:
    """What keeps this value, nothing if it is kept already; for protected names the door of the command that owns them."""
    before = reading.configuration(connection, name)
    if before is not None and json.loads(before) == value:
        return []
    return [Event("ConfigSet" if before is None else "ConfigChanged", name, {"value": canonical(value)})]


@dataclass(frozen=True, slots=True)
class WorkspaceCommands(Deciding):
    """Decisions in the workspace's own stream."""

    def keep(self, name: str, value: Mapping[str, Any]) -> None:
        """Keep a piece of configuration; raises `config_protected` for what has a command of its own."""
        refuse_protected(name)
        with self.journal.transaction() as transaction:
            self._record(transaction, WORKSPACE, configured(transaction.connection, name, value), f"set {name}")

    def forbid(self, member_key: str, name: str, reason: str) -> None:
        """Never contact this person, in any campaign; nothing if they are on the list already."""
        with self.journal.transaction() as transaction:
            if reading.is_do_not_contact(transaction.connection, member_key):
                return
            now = self.clock.now()
            added = {"member_key": member_key, "name": name, "reason": reason, "status": "active", "created_at": now}
            event = Event("DoNotContactAdded", transaction.new_id(), added)
            self._record(transaction, WORKSPACE, [event], "do not contact")

    def allow(self, entry_id: str) -> None:
        """Take an entry off the list, and let its leads go on in every campaign. Raises `person_not_listed`."""
        with self.journal.transaction() as transaction:
            row = transaction.connection.execute(
                "SELECT member_key FROM do_not_contact WHERE campaign_id=? AND id=? AND status='active'",
                (WORKSPACE, entry_id),
            ).fetchone()
            if row is None:
                raise OutriderError("person_not_listed")
            self._record(
                transaction, WORKSPACE, [Event("DoNotContactRemoved", entry_id, {"status": "removed"})], "contact again"
            )
            if reading.is_do_not_contact(transaction.connection, row[0]):
                return  # listed twice, as by an earlier version
            waiting = transaction.connection.execute(
                "SELECT c.id, l.id FROM campaigns c JOIN leads l ON l.campaign_id = c.id AND l.member_key=?"
                " WHERE l.blocked=?",
                (row[0], BLOCKED),
            ).fetchall()
            for campaign_id, lead_id in waiting:
                campaign = self._campaign(transaction, campaign_id)
                lead = reading.lead(transaction.connection, campaign_id, lead_id)
                if lead is not None:
                    events = contacted_again(transaction, campaign, lead, self.clock.now())
                    self._record(transaction, campaign_id, events, "contact again")
