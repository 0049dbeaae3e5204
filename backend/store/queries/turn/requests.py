"""What is read for a request of the user: its own words, what they gave with it, and what came of it; nobody else's lines.

Also which entries of the logs hold words of the conversation, and what would be left of them.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from backend.domain.erasure.erasure import AUDIT_LEFT, without_words
from backend.domain.model.artifact import BY_USER, Maker
from backend.domain.turn.agent_questions import proposer_of
from backend.domain.turn.assistant_results import summary_of_earlier
from backend.domain.turn.snapshot import MAX_RESULTS, Request
from backend.store.database import DatabaseConnection
from backend.store.log.chain import payload_digest
from backend.store.queries.campaign import questions as question_queries

_SAID = "SELECT json_extract(metadata, '$.said') FROM tasks WHERE id=?"
_GIVEN = "SELECT name, content FROM attachments WHERE request_id=? ORDER BY place"
_RESULTS = (
    f"SELECT payload FROM conversations WHERE request_id=? AND kind='result' ORDER BY line DESC LIMIT {MAX_RESULTS}"
)
_EARLIER = (
    "SELECT json_extract(payload, '$.kind') FROM conversations WHERE request_id=? AND kind='result'"
    f" ORDER BY line DESC LIMIT 1000 OFFSET {MAX_RESULTS}"
)
_OPEN = (
    "SELECT campaign_id, id FROM tasks t WHERE kind='assist' AND status IN ('in_progress', 'verifying')"
    " AND (status='verifying' OR needs='assist')"
    " AND EXISTS (SELECT 1 FROM campaigns c WHERE c.id=t.campaign_id AND c.deleted_at IS NULL) ORDER BY created_at, id"
)


def request(connection: DatabaseConnection, request_id: str) -> Request:
    """As the snapshot of a turn for it shows it."""
    message_row = connection.execute(_SAID, (request_id,)).fetchone()
    results = [payload for (payload,) in connection.execute(_RESULTS, (request_id,))]
    return Request(
        (message_row and message_row[0]) or "",
        tuple(connection.execute(_GIVEN, (request_id,)).fetchall()),
        tuple(reversed(results)),
        summary_of_earlier(Counter(kind for (kind,) in connection.execute(_EARLIER, (request_id,)))),
    )


def attachment(connection: DatabaseConnection, request_id: str, number: int) -> tuple[str, str] | None:
    """(name, content) of what the user gave with it."""
    row: tuple[str, str] | None = connection.execute(
        "SELECT name, content FROM attachments WHERE request_id=? AND place=?", (request_id, number)
    ).fetchone()
    return row


def proposed_text(connection: DatabaseConnection, task_id: str | None, payload: Mapping[str, Any]) -> tuple[str, Maker]:
    """What a question would keep, and whose words these are: the proposer's, or what the user gave, character for character."""
    if payload.get("content") is not None:
        return str(payload["content"]), proposer_of(payload)
    attachment_row = attachment(connection, task_id or "", payload["attachment"])
    return (attachment_row[1] if attachment_row else ""), BY_USER


def attachments(connection: DatabaseConnection, request_id: str) -> int:
    """How many things the user gave with it."""
    return int(connection.execute("SELECT count(*) FROM attachments WHERE request_id=?", (request_id,)).fetchone()[0])


def next_line(connection: DatabaseConnection, campaign_id: str) -> int:
    """The number of the conversation's next line."""
    row = connection.execute("SELECT coalesce(max(line), 0) + 1 FROM conversations WHERE campaign_id=?", (campaign_id,))
    return int(row.fetchone()[0])


def request_with_key(connection: DatabaseConnection, campaign_id: str, key: str) -> str | None:
    """The request that was begun under this key."""
    row = connection.execute(
        "SELECT request_id FROM conversations WHERE campaign_id=? AND given_key=?", (campaign_id, key)
    ).fetchone()
    return row[0] if row else None


def results(connection: DatabaseConnection, request_id: str) -> int:
    """How many lines came of it."""
    row = connection.execute(
        "SELECT count(*) FROM conversations WHERE request_id=? AND role<>'user'", (request_id,)
    ).fetchone()
    return int(row[0])


class RunnableRequest(NamedTuple):
    """A request for which turns are to run."""

    campaign_id: str
    request_id: str


def runnable_requests(connection: DatabaseConnection) -> list[RunnableRequest]:
    """The requests that turns are to run for, oldest first, in every campaign."""
    return [RunnableRequest(*row) for row in connection.execute(_OPEN)]


def answered(connection: DatabaseConnection, request_id: str) -> tuple[str, str] | None:
    """(kind, answer) of the last question about the request; None when there is none or it has no answer."""
    last = connection.execute(
        "SELECT kind, answer, status FROM input_requests WHERE task_id=? ORDER BY created_at DESC, id DESC LIMIT 1",
        (request_id,),
    ).fetchone()
    return (last[0], last[1]) if last and last[2] == "answered" else None


def questions(connection: DatabaseConnection, request_id: str) -> set[str]:
    """What was asked about it."""
    return {row[0] for row in connection.execute("SELECT id FROM input_requests WHERE task_id=?", (request_id,))}


def open_questions(connection: DatabaseConnection, request_id: str) -> list[str]:
    """What was asked about it and has no answer."""
    rows = connection.execute(
        "SELECT id FROM input_requests WHERE task_id=? AND status='open' ORDER BY id", (request_id,)
    )
    return [id_ for (id_,) in rows]


def unsettled_reason(connection: DatabaseConnection, campaign_id: str, request_id: str) -> str:
    """Why the request is not settled; empty when a turn for it is on record and no question is open."""
    if question_queries.open_question(connection, request_id):
        return "a question is open"
    row = connection.execute(
        "SELECT 1 FROM turn_projection WHERE request_id=? AND campaign_id=?", (request_id, campaign_id)
    ).fetchone()
    return "" if row else "no turn was recorded for it"


def hidden(connection: DatabaseConnection, campaign_id: str) -> tuple[int, int]:
    """The last line that a deletion of the conversation hides, and the last that one before it hid."""
    row: tuple[int, int] = connection.execute(
        "SELECT conversation_from, conversation_back FROM campaigns WHERE id=?", (campaign_id,)
    ).fetchone()
    return row


PROPOSED, WAITS = "mcp.proposal", "waits for the user"
"""The audit entry of a program's proposal, and the outcome of one that was not rejected."""


def rejected_since(connection: DatabaseConnection, campaign_id: str, since: int) -> int:
    """How many proposals of programs were rejected in the campaign after that time."""
    row = connection.execute(
        "SELECT count(*) FROM audit_log INDEXED BY audit_log_proposals"
        f" WHERE campaign_id=? AND action_type='{PROPOSED}' AND timestamp>? AND payload ->> '$.outcome' <> ?",
        (campaign_id, since, WAITS),
    )
    return int(row.fetchone()[0])


def waiting_from(connection: DatabaseConnection, campaign_id: str, source: str) -> int:
    """How many questions about requests of that source wait for the user."""
    row = connection.execute(
        "SELECT count(*) FROM input_requests q JOIN tasks t ON t.id = q.task_id"
        " WHERE q.campaign_id=? AND q.status='open' AND t.source=?",
        (campaign_id, source),
    )
    return int(row.fetchone()[0])


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
