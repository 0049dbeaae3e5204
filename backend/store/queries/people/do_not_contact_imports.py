"""Imports of do-not-contact files: what became of their rows, which entries they brought, and whom those stop."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from backend.domain.events.events import WORKSPACE
from backend.domain.leads.lead_merge import MOVED, TAKEN_BACK
from backend.store.database import DatabaseConnection
from backend.store.queries.people.do_not_contact import STAYS_ERASED, keys_of_people
from backend.store.rows import batched, marks

LEADS_AT_ONCE = 2_000


@dataclass(frozen=True, slots=True)
class DoNotContactImportRow:
    """An import of a do-not-contact file; times in ms UTC, `finished_at` None if it was cut off, `undone_at` unless undone.

    `people`, `companies` and `domains` are the rows that it put on the list. Undone, `entries_removed` left the list and
    `leads_released` may be contacted again.
    """

    id: str
    file: str
    people: int
    companies: int
    domains: int
    already: int
    rejected: int
    leads_stopped: int
    messages_withdrawn: int
    created_at: int
    finished_at: int | None
    entries_removed: int
    leads_released: int
    undone_at: int | None


_IMPORT = f"SELECT {', '.join(DoNotContactImportRow.__annotations__)} FROM do_not_contact_imports"


def list_imports(connection: DatabaseConnection, before: str, limit: int) -> list[DoNotContactImportRow]:
    """The imports before that one ("" for all), the latest first."""
    rows = connection.execute(f"{_IMPORT} WHERE id<? ORDER BY id DESC LIMIT ?", (before or "~", limit))
    return [DoNotContactImportRow(*row) for row in rows]


def find(connection: DatabaseConnection, import_id: str) -> DoNotContactImportRow | None:
    """That import."""
    row = connection.execute(f"{_IMPORT} WHERE id=?", (import_id,)).fetchone()
    return DoNotContactImportRow(*row) if row else None


def cut_off(connection: DatabaseConnection, file: str) -> str | None:
    """The latest import, if it was of a file of that name and was cut off."""
    for last in list_imports(connection, "", 1):
        if last.finished_at is None and last.undone_at is None and last.file == file:
            return last.id
    return None


class Listing(NamedTuple):
    """An entry that names a key: the import that it came with ("" for none), and that import's file."""

    import_id: str
    file: str


def listings(connection: DatabaseConnection, keys: Collection[str]) -> dict[str, list[Listing]]:
    """By key: the entries with exactly that key."""
    by_key: dict[str, list[Listing]] = {}
    for batch in batched(keys):
        rows = connection.execute(
            "SELECT d.member_key, d.import_id, coalesce(i.file, '') FROM do_not_contact d"
            " LEFT JOIN do_not_contact_imports i ON i.id=d.import_id"
            f" WHERE d.member_key IN ({marks(batch)}) AND d.status='active'",
            batch,
        )
        for key, import_id, file in rows:
            by_key.setdefault(key, []).append(Listing(import_id, file))
    return by_key


class ImportedEntry(NamedTuple):
    """An entry that came with an import."""

    id: str
    key: str


def entries_to_remove(connection: DatabaseConnection, import_id: str, limit: int) -> list[ImportedEntry]:
    """The import's first entries that undoing it takes off the list."""
    rows = connection.execute(
        f"SELECT id, member_key FROM do_not_contact WHERE import_id=? AND import_id<>'' AND status='active'"
        f" AND NOT {STAYS_ERASED} ORDER BY member_key, id LIMIT ?",
        (import_id, limit),
    )
    return [ImportedEntry(*row) for row in rows]


def count_entries_to_remove(connection: DatabaseConnection, import_id: str) -> int:
    """How many those are."""
    (entries,) = connection.execute(
        "SELECT count(*) FROM do_not_contact WHERE import_id=? AND import_id<>'' AND status='active'"
        f" AND NOT {STAYS_ERASED}",
        (import_id,),
    ).fetchone()
    return int(entries)


def count_removed(connection: DatabaseConnection, cause: str) -> int:
    """How many entries this cause has taken off the list; reads the workspace's log."""
    row = connection.execute(
        "SELECT count(*) FROM event_log WHERE campaign_id=? AND kind='DoNotContactRemoved' AND cause=?",
        (WORKSPACE, cause),
    )
    return int(row.fetchone()[0])


def released_by(connection: DatabaseConnection, cause: str) -> list[str]:
    """The leads that this cause has let be contacted again; reads every log, if it has taken anything off the list."""
    if not count_removed(connection, cause):
        return []
    rows = connection.execute(
        "SELECT DISTINCT entity_id FROM event_log WHERE kind IN ('LeadUnblocked', 'LeadBlocked') AND cause=?", (cause,)
    )
    return [lead_id for (lead_id,) in rows]


def brought_by(connection: DatabaseConnection, import_id: str, keys: Collection[str]) -> set[str]:
    """Those of the keys that an entry of this import names, on the list or taken off it."""
    brought: set[str] = set()
    for batch in batched(keys):
        rows = connection.execute(
            "SELECT member_key FROM do_not_contact WHERE import_id=? AND import_id<>''"
            f" AND member_key IN ({marks(batch)})",
            (import_id, *batch),
        )
        brought |= {key for (key,) in rows}
    return brought


class LeadKeys(NamedTuple):
    """A lead, and every entry that would forbid to write to its person."""

    campaign_id: str
    lead_id: str
    keys: set[str]


_NOT_STOPPED = f"l.blocked NOT IN ('do_not_contact', '{TAKEN_BACK}', '{MOVED}')"
_STOPPED = "l.blocked='do_not_contact'"


def leads_not_stopped(connection: DatabaseConnection, after: str) -> Iterator[LeadKeys]:
    """Some leads behind that one, of all campaigns, that the list does not block yet."""
    return _leads(connection, _NOT_STOPPED, after)


def leads_stopped(connection: DatabaseConnection, after: str) -> Iterator[LeadKeys]:
    """Some leads behind that one, of all campaigns, that the list blocks."""
    return _leads(connection, _STOPPED, after)


def _leads(connection: DatabaseConnection, which: str, after: str) -> Iterator[LeadKeys]:
    campaign_of = dict(
        connection.execute(
            f"SELECT l.id, l.campaign_id FROM leads l WHERE l.id>? AND {which} ORDER BY l.id LIMIT ?",
            (after, LEADS_AT_ONCE),
        ).fetchall()
    )
    for lead_id, keys in keys_of_people(connection, list(campaign_of)).items():
        yield LeadKeys(campaign_of[lead_id], lead_id, keys)


def count_approved(connection: DatabaseConnection, lead_ids: Collection[str]) -> int:
    """How many approved messages wait to be sent to these leads."""
    return _count(connection, "messages WHERE status='approved' AND lead_id", lead_ids)


def count_sent(connection: DatabaseConnection, lead_ids: Collection[str]) -> int:
    """How many messages were sent to these leads."""
    return _count(connection, "messages WHERE status='sent' AND lead_id", lead_ids)


def count_withdrawn(connection: DatabaseConnection, lead_ids: Collection[str]) -> int:
    """How many texts to these leads the list withdrew, and nobody wrote anew."""
    return _count(
        connection, "messages WHERE status='cancelled' AND reason='on the do-not-contact list' AND lead_id", lead_ids
    )


def count_ended(connection: DatabaseConnection, lead_ids: Collection[str]) -> int:
    """How many tasks of these leads have ended for good."""
    return _count(
        connection, "tasks WHERE (status='done' OR status='cancelled' AND kind<>'reach_lead') AND lead_id", lead_ids
    )


def _count(connection: DatabaseConnection, which: str, lead_ids: Collection[str]) -> int:
    counts = (
        connection.execute(f"SELECT count(*) FROM {which} IN ({marks(batch)})", batch).fetchone()[0]
        for batch in batched(lead_ids)
    )
    return sum(counts)


def campaign_names(connection: DatabaseConnection) -> dict[str, str]:
    """The names of the campaigns that are not deleted."""
    return dict(connection.execute("SELECT id, name FROM campaigns WHERE deleted_at IS NULL AND id<>?", (WORKSPACE,)))
