"""Real SQLite files for tests: how they are opened, filled and read back whole."""

import sqlite3
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from backend.domain.events.events import AuditEntry, Event
from backend.store import migrations
from backend.store.database import Database
from backend.store.log.journal import Journal
from tests.fakes.clock import START
from tests.fakes.ids import SeededIds

CAMPAIGN = "camp-1"
Rows = dict[str, list[tuple[Any, ...]]]


class Column(NamedTuple):
    """A column as the migration declares it."""

    name: str
    type: str
    not_null: bool
    default: str | None
    key: int

    @property
    def required(self) -> bool:
        """Whether a new row must give it."""
        return self.not_null and self.default is None


SEARCH = (
    "leads_text", "leads_text_typed", "lead_keys", "leads_new", "leads_unsearched", "artifacts_text", "artifact_heads",
    "people", "person_keys", "identity_doubts", "leads_reidentified", "listed_keys",
)  # fmt: skip
"""What no event makes and no campaign owns: it follows the rows of `leads` and of `artifacts`."""


@lru_cache
def schema() -> dict[str, tuple[Column, ...]]:
    """Every table of the newest schema but the search index's own, read from SQLite itself."""
    connection = sqlite3.connect(":memory:", isolation_level=None)
    migrations.upgrade(connection, Path(":memory:"))
    names = [
        name
        for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type='table' ORDER BY name")
        if not name.startswith(SEARCH)
    ]
    tables = {
        name: tuple(
            Column(row[1], row[2], bool(row[3]), row[4], row[5])
            for row in connection.execute(f"PRAGMA table_info({name})")
        )
        for name in names
    }
    connection.close()
    return tables


def columns_of(table: str) -> tuple[Column, ...]:
    return schema()[table]


def open_journal(path: Path, seed: str = "outrider", *, busy_seconds: float = 5.0) -> Journal:
    return Journal(Database(path, busy_seconds=busy_seconds), SeededIds(seed))


CREATED = Event(
    "CampaignCreated",
    CAMPAIGN,
    {"name": "Research", "status": "active", "site": "practice", "account": "me", "settings": {}, "created_at": START},
)


def lead_imported(number: int, **changes: Any) -> Event:
    values = {"full_name": f"Person {number}", "profile_url": f"https://x.test/{number}", "member_key": f"x/{number}"}
    return Event("LeadImported", f"lead-{number}", {**values, "position": number, "import_id": "", **changes})


def task_created(number: int, **changes: Any) -> Event:
    values = {"kind": "reach_lead", "description": f"Task {number}", "status": "pending", "needs": "look"}
    return Event("TaskCreated", f"task-{number}", {**values, "created_at": START, **changes})


def started(path: Path, *more: Event, seed: str = "outrider") -> Journal:
    """A journal with one campaign in it, made in one transaction, and then each of `more` in one of its own."""
    journal = open_journal(path, seed)
    write(journal, CREATED)
    for event in more:
        write(journal, event)
    return journal


def write(journal: Journal, *events: Event, audits: Iterable[AuditEntry] = (), campaign: str = CAMPAIGN) -> None:
    journal.record(campaign, events=events, audits=tuple(audits), actor="test", cause="a test", at=START)


def dump(path: Path) -> Rows:
    """Every row of every table, by a connection that knows nothing of the store."""
    connection = sqlite3.connect(path, isolation_level=None)
    try:
        return {
            table: sorted(connection.execute(f"SELECT {', '.join(c.name for c in columns)} FROM {table}"), key=repr)
            for table, columns in schema().items()
        }
    finally:
        connection.close()


def integrity(path: Path) -> str:
    """What SQLite itself says of the file: "ok", or the first thing it finds."""
    connection = sqlite3.connect(path, isolation_level=None)
    try:
        return str(connection.execute("PRAGMA integrity_check").fetchone()[0])
    finally:
        connection.close()
