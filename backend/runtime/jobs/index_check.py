"""Looks after the search: a damaged index finds less than is there and says nothing, or fails whatever is recorded."""

from backend.domain.events.events import WORKSPACE, AuditEntry
from backend.domain.model.campaign import DAY
from backend.ports.clock import Clock
from backend.store.log.journal import Journal
from backend.store.queries.device import search_indexes

FIRST_SECONDS = 20.0
"""After the start of the app, which has more urgent things to read."""


def mend_search(journal: Journal, clock: Clock) -> float:
    """Make damaged indexes anew, and tell it in the workspace's audit log; in how many seconds to look again."""
    with journal.database.write() as connection:
        mended = search_indexes.mend(connection)
    if mended:
        entry = AuditEntry("search_index_rebuilt", {"indexes": mended})
        journal.record(WORKSPACE, events=(), audits=(entry,), actor="system", cause="damage", at=clock.now())
    return DAY / 1_000
