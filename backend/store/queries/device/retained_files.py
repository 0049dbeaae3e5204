"""Which records name each picture, which campaigns are over, and how long the user wants files kept."""

from pydantic import ValidationError

from backend.domain.device.retention import EvidenceUse, RetentionPolicy
from backend.store.database import DatabaseConnection
from backend.store.queries.device import configuration

POLICY = "retention"

_DONE = "(c.status = 'completed' OR c.archived_at IS NOT NULL OR c.deleted_at IS NOT NULL)"

_USES = f"""
SELECT e.value ->> '$.file', coalesce(a.settled_at, a.intended_at), a.status NOT IN ('intended', 'outcome_unknown'), 1, {_DONE}
FROM actions a JOIN campaigns c ON c.id = a.campaign_id, json_each(a.evidence) e
UNION ALL
SELECT e.value ->> '$.file', coalesce(m.sent_at, m.created_at), m.status <> 'outcome_unknown', 1, {_DONE}
FROM messages m JOIN campaigns c ON c.id = m.campaign_id, json_each(m.evidence) e
UNION ALL
SELECT i.evidence, coalesce(i.cleared_at, i.opened_at), i.status <> 'open', 0, {_DONE}
FROM incidents i JOIN campaigns c ON c.id = i.campaign_id
UNION ALL
SELECT iif(e.type = 'object', e.value ->> '$.file', e.value), q.timestamp, 0, 1, 0
FROM rebase_queue_entries q, json_each(q.payload, '$.evidence') e WHERE q.log = 'event'
"""


def policy(connection: DatabaseConnection) -> RetentionPolicy:
    """The user's choice; the defaults where there is none, or one that only a later version understands."""
    stored_policy = configuration.configuration(connection, POLICY)
    try:
        return RetentionPolicy.model_validate_json(stored_policy) if stored_policy else RetentionPolicy()
    except ValidationError:
        return RetentionPolicy()


def evidence_uses(connection: DatabaseConnection) -> dict[str, list[EvidenceUse]]:
    """Each picture that a record names, or one that waits beside the log; reads all actions, messages and incidents."""
    uses: dict[str, list[EvidenceUse]] = {}
    for file, at, *rest in connection.execute(_USES):
        if file:
            uses.setdefault(file, []).append(EvidenceUse(at, *map(bool, rest)))
    return uses


def campaigns_over(connection: DatabaseConnection) -> frozenset[str]:
    """Those that are completed, archived or deleted."""
    return frozenset(id_ for (id_,) in connection.execute(f"SELECT c.id FROM campaigns c WHERE {_DONE}"))


def newest_entry(connection: DatabaseConnection, before: int) -> int | None:
    """When an event was last recorded in any stream before that moment (ms UTC); None if none was."""
    row = connection.execute(
        "SELECT max((SELECT e.timestamp FROM event_log e WHERE e.campaign_id = h.campaign_id AND e.timestamp < ?"
        " ORDER BY e.seq DESC LIMIT 1)) FROM log_heads h",
        (before,),
    ).fetchone()
    return None if row[0] is None else int(row[0])


def free_bytes(connection: DatabaseConnection) -> int:
    """What the database's file holds of nothing: pages that erasing has emptied."""
    (pages,) = connection.execute("PRAGMA freelist_count").fetchone()
    (size,) = connection.execute("PRAGMA page_size").fetchone()
    return int(pages) * int(size)


_RECORDED = """
SELECT 1 FROM actions a, json_each(a.evidence) e
WHERE a.id=:owner AND a.campaign_id=:campaign AND json_extract(e.value, '$.file')=:file
UNION ALL
SELECT 1 FROM messages m, json_each(m.evidence) e
WHERE m.id=:owner AND m.campaign_id=:campaign AND json_extract(e.value, '$.file')=:file
UNION ALL
SELECT 1 FROM incidents WHERE id=:owner AND campaign_id=:campaign AND evidence=:file
LIMIT 1
"""


def is_recorded(connection: DatabaseConnection, campaign_id: str, owner: str, file: str) -> bool:
    """Whether this action, message or incident of the campaign names the file as its evidence."""
    if not file:
        return False
    rows = connection.execute(_RECORDED, {"campaign": campaign_id, "owner": owner, "file": file})
    return rows.fetchone() is not None
