"""Whose words were erased, which campaigns were deleted, and which files of evidence are to go with them."""

import json
from collections.abc import Iterable

from backend.domain.events.events import EVENT_KINDS, Event
from backend.domain.model.task import TaskKind
from backend.domain.people.past_contact import BEFORE
from backend.store.database import DatabaseConnection
from backend.store.queries.people.person_leads import IS_ERASED, NOT_ERASED


def erasure_count(connection: DatabaseConnection) -> int:
    """How many erasures there were: if there is another one now, what was read before may have words that are gone."""
    return int(connection.execute("SELECT count(*) FROM erasures").fetchone()[0])


def anybody_erased_since(connection: DatabaseConnection, at: int) -> bool:
    """Whether anything was erased at this time (ms UTC) or later."""
    return connection.execute("SELECT 1 FROM erasures WHERE created_at>=? LIMIT 1", (at,)).fetchone() is not None


def erased_leads(connection: DatabaseConnection) -> list[tuple[str, str]]:
    """(campaign, lead) of every person whose data was erased; not those of deleted campaigns."""
    rows = connection.execute(
        "SELECT l.campaign_id, l.id FROM campaigns c CROSS JOIN leads l ON l.campaign_id = c.id"
        f" WHERE c.deleted_at IS NULL AND l.{IS_ERASED} AND l.member_key LIKE 'erased-%' ORDER BY 1, 2"
    )
    return rows.fetchall()


def erased_in(connection: DatabaseConnection, campaign_id: str) -> list[str]:
    """The leads of that campaign whose data was erased. Costs a scan of its leads."""
    rows = connection.execute(
        f"SELECT id FROM leads WHERE campaign_id=? AND {IS_ERASED} AND member_key LIKE 'erased-%' ORDER BY id",
        (campaign_id,),
    )
    return [id_ for (id_,) in rows]


def left_alone_and_not_ended(connection: DatabaseConnection, campaign_id: str) -> list[str]:
    """Whoever is left alone for good, and has a task or text nevertheless: another device went on before it heard of that."""
    # Both statuses are those of the index `messages_outgoing`, which serves no query that does not name them.
    rows = connection.execute(
        "SELECT id FROM leads WHERE EXISTS (SELECT 1 FROM erasures WHERE campaign_id=?1) AND campaign_id=?1"
        f" AND {IS_ERASED} AND member_key LIKE 'erased-%' AND (blocked='' OR EXISTS"
        " (SELECT 1 FROM tasks t WHERE t.lead_id=leads.id AND t.status NOT IN ('done', 'cancelled')))"
        " UNION SELECT l.id FROM messages m JOIN leads l ON l.id = m.lead_id WHERE m.campaign_id=?1"
        " AND m.status IN ('approved', 'outcome_unknown') AND m.status='approved' AND l.blocked='do_not_contact'"
        " UNION SELECT l.id FROM tasks t JOIN leads l ON l.id = t.lead_id WHERE t.campaign_id=?1 AND t.kind=?2"
        " AND t.status IN ('pending', 'in_progress', 'verifying', 'blocked')"
        " AND l.blocked IN (SELECT value FROM json_each(?3)) ORDER BY 1",
        (campaign_id, TaskKind.REACH_LEAD, json.dumps(["do_not_contact", *BEFORE])),
    )
    return [id_ for (id_,) in rows]


def deleted_campaigns(connection: DatabaseConnection) -> list[str]:
    """Every campaign that was deleted."""
    return [id_ for (id_,) in connection.execute("SELECT id FROM campaigns WHERE deleted_at IS NOT NULL ORDER BY id")]


def has_words(connection: DatabaseConnection, lead_id: str) -> bool:
    """Whether that lead is there and not erased."""
    row = connection.execute(f"SELECT 1 FROM leads WHERE id=? AND {NOT_ERASED}", (lead_id,))
    return row.fetchone() is not None


def is_erased(connection: DatabaseConnection, event: Event) -> bool:
    """Whether the person is erased whom this event about a lead or a message is about."""
    lead_id = event.entity_id if EVENT_KINDS[event.kind].entity == "lead" else event.changes.get("lead_id")
    row = connection.execute(
        f"SELECT 1 FROM leads WHERE id=coalesce(?, (SELECT lead_id FROM messages WHERE id=?)) AND {IS_ERASED}",
        (lead_id, event.entity_id),
    )
    return row.fetchone() is not None


COPIES = "copies"
"""Noted beside the files of evidence: whatever this device wrote of its state, from which no word can be taken, is to go."""
OLDER_COPIES = "older copies"
"""The same of what was erased and not here: of replaced databases only those go that had not heard of it."""


def note_evidence(connection: DatabaseConnection, files: Iterable[str]) -> None:
    """These files were named by what is erased, and are to be removed from this device."""
    connection.executemany("INSERT OR IGNORE INTO erased_evidence VALUES (?)", ((file,) for file in sorted(files)))


def evidence_to_remove(connection: DatabaseConnection) -> dict[str, bool]:
    """Each file that is noted, and whether nothing names it any more: the same picture may have been taken of two."""
    if connection.execute("SELECT 1 FROM erased_evidence LIMIT 1").fetchone() is None:
        return {}
    return {file: not still_named for file, still_named in connection.execute(_TO_REMOVE)}


_TO_REMOVE = """
WITH named(file) AS (
  SELECT e.value ->> '$.file' FROM actions a, json_each(a.evidence) e
  UNION SELECT e.value ->> '$.file' FROM messages m, json_each(m.evidence) e
  UNION SELECT evidence FROM incidents
)
SELECT file, file IN (SELECT n.file FROM named n WHERE n.file <> '') FROM erased_evidence ORDER BY file
"""


def evidence_settled(connection: DatabaseConnection, files: Iterable[str]) -> None:
    """These files are removed, or stay because something else names them."""
    connection.executemany("DELETE FROM erased_evidence WHERE file=?", ((file,) for file in files))
