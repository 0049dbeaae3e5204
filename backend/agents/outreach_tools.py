"""Tools of passive agents that look at campaigns; each reads, and changes nothing."""

from collections.abc import Callable
from dataclasses import dataclass
from time import gmtime, strftime

from backend.domain.device.agent_tools import PendingInvitations, ToolAnswer
from backend.domain.model.campaign import DAY
from backend.domain.model.days import local_time
from backend.ports.clock import Clock
from backend.store.database import Database
from backend.store.queries.contact.pending_invitations import pending_invitations


@dataclass(frozen=True, slots=True)
class PendingInvitationFinder:
    """The PendingInvitationsTool."""

    database: Database
    clock: Clock

    def find(self, params: PendingInvitations, _: Callable[[], bool]) -> ToolAnswer:
        """A line a person, the oldest invitation first."""
        now = self.clock.now()
        rows = self.database.query(pending_invitations, now - params.older_than_days * DAY)
        lines = [
            f"{row.name}, invited on {strftime('%Y-%m-%d', gmtime(local_time(row.invited_at, self.clock.offset) // 1_000))}"
            f" in “{row.campaign}”: {row.profile_url}"
            for row in rows
        ]
        return ToolAnswer(tuple(lines), f"{len(lines):,} invitations")
