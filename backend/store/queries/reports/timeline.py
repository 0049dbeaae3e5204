"""Both logs with the names of what their entries are about: newest first, by number, a bounded part of the log at a time.

The logs have no index but their order, because every turn would pay for it; so a filter looks through a stretch of entries.
"""

import json
from collections.abc import Iterator
from typing import Any, Literal, NamedTuple

from backend.domain.events.facts.sentences import HIGHLIGHTS, LEAD_HIGHLIGHTS
from backend.store.database import DatabaseConnection

SHOWN_PAYLOAD = 4_096
"""Characters of a payload that are read with its entry."""
NEAR = 20_000
"""How far a neighbouring turn is looked for."""
MOST_RELATED = 200

LogTable = Literal["events", "audit"]

GROUPS: dict[str, tuple[str, ...]] = {
    "campaign": ("campaign", "runtime", "config", "soul", "skill"),
    "lead": ("lead", "import", "rejected_row", "do_not_contact", "do_not_contact_import"),
    "task": ("task", "commitment"),
    "message": ("message", "approval"),
    "action": ("action", "incident"),
    "turn": ("turn",),
    "question": ("input_request",),
    "artifact": ("artifact",),
}
"""The entities of each group of events."""

HIGHLIGHTS_GROUP = "highlights"
"""The group of the events that the user or a lead would notice, whatever they are about."""

AUDIT_GROUPS: dict[str, str] = {
    "tool": "e.action_type GLOB '*.*'",
    "proposal": "e.action_type = 'proposal'",
    "verification": "e.action_type = 'verification'",
    "trouble": "e.action_type IN ('turn_failed', 'invariant_broken', 'unexpected_failure')",
}
"""The audit entries of each group; a tool's name has a dot in it."""

_EVENTS = f"""
SELECT e.seq, e.timestamp, e.kind, e.entity_type, e.entity_id, e.actor, e.cause,
       CASE WHEN length(e.change_payload) <= {SHOWN_PAYLOAD} THEN e.change_payload END, e.payload_digest IS NOT NULL,
       coalesce(l.id, ''), coalesce(l.full_name, ''), coalesce(t.id, ''), coalesce(t.description, ''), coalesce(m.id, ''),
       coalesce(m.kind, a.tool, f.artifact_type || ' ' || f.artifact_key, q.question, i.file, d.name, x.file, s.name, c.name, '')
FROM event_log e
LEFT JOIN approvals p ON e.entity_type = 'approval' AND p.id = e.entity_id
LEFT JOIN actions a ON e.entity_type = 'action' AND a.id = e.entity_id
LEFT JOIN commitments k ON e.entity_type = 'commitment' AND k.id = e.entity_id
LEFT JOIN turn_projection n ON e.entity_type = 'turn' AND n.campaign_id = e.campaign_id AND n.number = CAST(e.entity_id AS INTEGER)
LEFT JOIN input_requests q ON e.entity_type = 'input_request' AND q.id = e.entity_id
LEFT JOIN artifacts f ON e.entity_type = 'artifact' AND f.id = e.entity_id
LEFT JOIN imports i ON e.entity_type = 'import' AND i.id = e.entity_id
LEFT JOIN do_not_contact d ON e.entity_type = 'do_not_contact' AND d.id = e.entity_id
LEFT JOIN do_not_contact_imports x ON e.entity_type = 'do_not_contact_import' AND x.id = e.entity_id
LEFT JOIN skills s ON e.entity_type = 'skill' AND s.id = e.entity_id
LEFT JOIN campaigns c ON e.entity_type IN ('campaign', 'runtime') AND c.id = e.campaign_id
LEFT JOIN messages m ON m.id =
  CASE e.entity_type WHEN 'message' THEN e.entity_id WHEN 'approval' THEN p.message_id WHEN 'action' THEN a.message_id END
LEFT JOIN tasks t ON t.id = CASE e.entity_type WHEN 'task' THEN e.entity_id WHEN 'commitment' THEN k.task_id
  WHEN 'turn' THEN n.task_id WHEN 'input_request' THEN q.task_id ELSE m.task_id END
LEFT JOIN leads l ON l.id = CASE e.entity_type WHEN 'lead' THEN e.entity_id WHEN 'action' THEN a.lead_id
  WHEN 'turn' THEN n.lead_id ELSE coalesce(m.lead_id, t.lead_id) END
"""

_AUDIT = f"""
SELECT e.seq, e.timestamp, e.action_type, '', '', e.actor, e.cause,
       CASE WHEN length(e.payload) <= {SHOWN_PAYLOAD} THEN e.payload END, e.payload_digest IS NOT NULL,
       coalesce(l.id, ''), coalesce(l.full_name, ''), coalesce(t.id, ''), coalesce(t.description, ''), '', ''
FROM audit_log e
LEFT JOIN tasks t ON t.id = CASE WHEN json_valid(e.payload) THEN json_extract(e.payload, '$.task_id') END
LEFT JOIN leads l ON l.id = CASE WHEN t.id IS NOT NULL THEN t.lead_id
  WHEN json_valid(e.payload) THEN json_extract(e.payload, '$.parameters.lead_id') END
"""

_RELATED = f"""
SELECT id FROM messages WHERE lead_id = :about UNION SELECT id FROM tasks WHERE lead_id = :about
UNION SELECT p.id FROM messages m JOIN approvals p ON p.message_id = m.id WHERE m.lead_id = :about
UNION SELECT a.id FROM messages m JOIN actions a ON a.message_id = m.id WHERE m.lead_id = :about
UNION SELECT id FROM actions WHERE lead_id = :about AND family = 'withdraw'
UNION SELECT k.id FROM tasks t JOIN commitments k ON k.task_id = t.id WHERE t.lead_id = :about
UNION SELECT q.id FROM tasks t JOIN input_requests q ON q.task_id = t.id WHERE t.lead_id = :about
UNION SELECT id FROM commitments WHERE task_id = :about UNION SELECT id FROM input_requests WHERE task_id = :about
UNION SELECT id FROM approvals WHERE message_id = :about UNION SELECT id FROM actions WHERE message_id = :about
LIMIT {MOST_RELATED}
"""


class _Log(NamedTuple):
    """Where a log is, and how its rows are read."""

    table: str
    select: str
    payload: str
    kind: str
    last: str


_LOGS: dict[LogTable, _Log] = {
    "events": _Log("event_log", _EVENTS, "change_payload", "kind", "event_seq"),
    "audit": _Log("audit_log", _AUDIT, "payload", "action_type", "audit_seq"),
}


class TimelineRecord(NamedTuple):
    """An entry, with the names that what it is about has today; `payload` in JSON, what is left of an erased one, None if large."""

    seq: int
    at: int
    kind: str
    entity: str
    entity_id: str
    actor: str
    cause: str
    payload: str | None
    erased: int
    lead_id: str
    lead: str
    task_id: str
    task: str
    message_id: str
    what: str


class TimelineFilter(NamedTuple):
    """What is looked for; empty looks for everything. `entity_id` is what it is about, `group` one of the log's groups."""

    group: str = ""
    actor: str = ""
    entity_id: str = ""
    turn: int | None = None
    text: str = ""


def last_seq(connection: DatabaseConnection, log: LogTable, stream: str) -> int:
    """The number of the log's last entry."""
    row = connection.execute(f"SELECT {_LOGS[log].last} FROM log_heads WHERE campaign_id=?", (stream,)).fetchone()
    return int(row[0]) if row else 0


def time_of(connection: DatabaseConnection, log: LogTable, stream: str, seq: int) -> int | None:
    """When that entry was written (ms UTC); None if there is none."""
    row = connection.execute(
        f"SELECT timestamp FROM {_LOGS[log].table} WHERE campaign_id=? AND seq=?", (stream, seq)
    ).fetchone()
    return int(row[0]) if row else None


def entries(
    connection: DatabaseConnection,
    log: LogTable,
    stream: str,
    timeline_filter: TimelineFilter,
    *,
    lowest: int,
    before: int,
    limit: int,
) -> list[TimelineRecord]:
    """The entries from `lowest` on and before that one which fit, newest first."""
    where, values = _filters(connection, log, timeline_filter)
    sql = (
        f"{_LOGS[log].select} WHERE e.campaign_id=:stream AND e.seq<:before AND e.seq>=:lowest{where}"
        " ORDER BY e.seq DESC LIMIT :n"
    )
    values |= {"stream": stream, "before": before, "lowest": lowest, "n": limit}
    return [TimelineRecord(*row) for row in connection.execute(sql, values)]


def entry(connection: DatabaseConnection, log: LogTable, stream: str, seq: int) -> TimelineRecord | None:
    """That entry."""
    row = connection.execute(f"{_LOGS[log].select} WHERE e.campaign_id=? AND e.seq=?", (stream, seq)).fetchone()
    return TimelineRecord(*row) if row else None


class ChainedEntry(NamedTuple):
    """What ties an entry to its predecessor; of an erased one what is left, no salt, and the digest of what it was."""

    text: str
    salt: bytes | None
    payload_digest: bytes | None
    hash: bytes


def chained_entry(connection: DatabaseConnection, log: LogTable, stream: str, seq: int) -> ChainedEntry | None:
    """That entry as it was hashed."""
    row = connection.execute(
        f"SELECT {_LOGS[log].payload}, salt, payload_digest, hash FROM {_LOGS[log].table} WHERE campaign_id=? AND seq=?",
        (stream, seq),
    ).fetchone()
    return ChainedEntry(*row) if row else None


def turns_around(connection: DatabaseConnection, campaign_id: str, seq: int) -> tuple[int | None, int | None]:
    """The events with which the turns before and after event `seq` ended, if they are near."""
    sql = "SELECT {}(seq) FROM event_log WHERE campaign_id=? AND seq>? AND seq<? AND entity_type='turn'"
    (before,) = connection.execute(sql.format("max"), (campaign_id, seq - NEAR, seq)).fetchone()
    (after,) = connection.execute(sql.format("min"), (campaign_id, seq, seq + NEAR)).fetchone()
    return before, after


def _filters(
    connection: DatabaseConnection, log: LogTable, timeline_filter: TimelineFilter
) -> tuple[str, dict[str, Any]]:
    """The conditions on an entry, and the values they are bound to."""
    conditions = list(_conditions(log, timeline_filter))
    values = {name: value for _, parameters in conditions for name, value in parameters.items()}
    if timeline_filter.entity_id:
        related = [id_ for (id_,) in connection.execute(_RELATED, {"about": timeline_filter.entity_id})]
        values["about"], values["related"] = (
            timeline_filter.entity_id,
            json.dumps([timeline_filter.entity_id, *related]),
        )
    return "".join(f" AND ({condition})" for condition, _ in conditions), values


def _conditions(log: LogTable, timeline_filter: TimelineFilter) -> Iterator[tuple[str, dict[str, Any]]]:
    if timeline_filter.group and log == "audit":
        yield AUDIT_GROUPS[timeline_filter.group], {}
    elif timeline_filter.group == HIGHLIGHTS_GROUP:
        news = " OR ".join(f"json_extract(e.change_payload, '$.{column}') IS NOT NULL" for column in LEAD_HIGHLIGHTS)
        advanced = f"e.kind = 'LeadAdvanced' AND CASE WHEN json_valid(e.change_payload) THEN {news} END"
        yield (
            f"e.kind IN (SELECT value FROM json_each(:kinds)) OR {advanced}",
            {"kinds": json.dumps(sorted(HIGHLIGHTS))},
        )
    elif timeline_filter.group:
        entities = json.dumps(GROUPS[timeline_filter.group])
        yield "e.entity_type IN (SELECT value FROM json_each(:group))", {"group": entities}
    if timeline_filter.actor:
        yield "e.actor = :actor", {"actor": timeline_filter.actor}
    if timeline_filter.turn is not None:
        yield "e.cause = :turn", {"turn": f"t{timeline_filter.turn}"}
    if timeline_filter.entity_id and log == "audit":
        yield "EXISTS (SELECT 1 FROM json_each(:related) WHERE instr(e.payload, value))", {}
    elif timeline_filter.entity_id:
        yield "e.entity_id IN (SELECT value FROM json_each(:related)) OR instr(e.change_payload, :about)", {}
    if timeline_filter.text:
        columns = (f"e.{_LOGS[log].kind}", "e.cause", "l.full_name", "t.description")
        condition = " OR ".join(f"{column} LIKE :text ESCAPE '\\'" for column in columns)
        values = {"text": _like(timeline_filter.text), "json": _like(json.dumps(timeline_filter.text)[1:-1])}
        yield f"{condition} OR e.{_LOGS[log].payload} LIKE :json ESCAPE '\\'", values


def _like(text: str) -> str:
    for special in ("\\", "%", "_"):
        text = text.replace(special, f"\\{special}")
    return f"%{text}%"
