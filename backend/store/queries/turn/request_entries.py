"""Which entries of the logs hold words of the assistant's conversation, and what would be left of them."""

import json
from collections.abc import Iterator
from typing import NamedTuple

from backend.domain.erasure.erasure import AUDIT_LEFT, without_words
from backend.store.database import DatabaseConnection
from backend.store.log.chain import payload_digest

_ENTITIES = """
SELECT 'line', id FROM conversations WHERE campaign_id=:c
UNION ALL SELECT 'attachment', id FROM attachments WHERE campaign_id=:c
UNION ALL SELECT 'task', id FROM tasks WHERE campaign_id=:c AND kind='assist'
UNION ALL SELECT 'input_request', q.id FROM input_requests q JOIN tasks t ON t.id = q.task_id
  WHERE q.campaign_id=:c AND t.kind='assist'
UNION ALL SELECT 'turn', CAST(number AS TEXT) FROM turn_projection WHERE campaign_id=:c AND request_id IS NOT NULL
"""
_EVENTS = """
SELECT entity_type, entity_id, change_payload, salt, payload_digest FROM event_log
WHERE campaign_id=:c AND entity_type IN ('line', 'attachment', 'task', 'input_request', 'turn')
"""
_AUDITS = "SELECT cause, payload, salt, payload_digest FROM audit_log WHERE campaign_id=:c"
_QUEUED = """
SELECT log, entity_type, entity_id, cause, payload, salt, payload_digest FROM rebase_queue_entries
WHERE campaign_id=:c ORDER BY group_id, seq
"""


class _Entities(NamedTuple):
    """What belongs to the conversation: rows by entity and id, and the causes of audit entries of its turns."""

    rows: set[tuple[str, str]]
    causes: set[str]


def what_is_left(connection: DatabaseConnection, campaign_id: str) -> dict[str, str]:
    """By the digest of each entry that holds such words: what is left of its payload. Costs a scan of the stream's logs."""
    return {
        (digest or payload_digest(salt or b"", payload)).hex(): left
        for payload, salt, digest, left in _entries(connection, campaign_id)
        if left != payload
    }


def _entries(connection: DatabaseConnection, campaign_id: str) -> Iterator[tuple[str, bytes | None, bytes | None, str]]:
    """(payload, salt, digest if it was erased before, what is left) of each entry, in the logs and beside them."""
    stream = {"c": campaign_id}
    queued = _queued(connection, campaign_id)
    logged = _logged(connection, campaign_id, queued)
    for entity, id_, payload, salt, digest in connection.execute(_EVENTS, stream):
        if (entity, id_) in logged.rows:
            yield payload, salt, digest, without_words(entity, id_, json.loads(payload))
    for cause, payload, salt, digest in connection.execute(_AUDITS, stream):
        if cause in logged.causes:
            yield payload, salt, digest, AUDIT_LEFT
    for log, entity, id_, cause, payload, salt, digest in connection.execute(_QUEUED, stream):
        if log == "audit" and cause in logged.causes | queued.causes:
            yield payload, salt, digest, AUDIT_LEFT
        elif (entity, id_) in logged.rows | queued.rows:
            yield payload, salt, digest, without_words(entity, id_, json.loads(payload))


def _logged(connection: DatabaseConnection, campaign_id: str, queued: _Entities) -> _Entities:
    rows: set[tuple[str, str]] = set(connection.execute(_ENTITIES, {"c": campaign_id}))
    causes = {f"t{id_}" for entity, id_ in rows if entity == "turn"} | {
        f"not reapplied: {cause}" for cause in queued.causes
    }
    return _Entities(rows, causes | {f"request {id_}" for entity, id_ in rows if entity == "task"})


def _queued(connection: DatabaseConnection, campaign_id: str) -> _Entities:
    """Of what left the log because another device's entries came before: its turns have numbers that are others' now."""
    entities = _Entities(set(), set())
    for log, entity, id_, cause, payload, *_ in connection.execute(_QUEUED, {"c": campaign_id}):
        if log == "event" and _is_of_conversation(entity, json.loads(payload)):
            entities.rows.add((entity, id_))
            if entity == "turn":
                entities.causes.add(cause)
    return entities


def _is_of_conversation(entity: str, changes: dict[str, object]) -> bool:
    return (
        entity in ("line", "attachment")
        or (entity == "task" and changes.get("kind") == "assist")
        or (entity == "turn" and "request_id" in changes)
    )
