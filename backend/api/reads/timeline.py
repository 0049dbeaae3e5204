"""Both logs as people read them: newest first, by seq, each answer looking through a bounded part of the log.

The logs have no index but their order, because every turn would pay for it; so a filter looks through `EXAMINED` entries
and says how far back that was, and the page asks on.
"""

import json
import sqlite3
from collections.abc import Iterator
from typing import Any, NamedTuple

from backend.api.wire.timeline import LogName, Subject, TimelineEntry, TimelinePage, TimelineQuery, TimelineRow
from backend.domain.errors import OutriderError
from backend.domain.events import KINDS, WORKSPACE, Verb
from backend.store.chain import GENESIS, payload_digest

PAGE = 50
EXAMINED = 3_000
SHOWN_PAYLOAD = 4_096
SHOWN_TEXT = 200_000
NEAR = 20_000
"""How far a neighbouring turn is looked for."""
MOST_RELATED = 200

GROUPS: dict[str, tuple[str, ...]] = {
    "campaign": ("campaign", "runtime", "config", "soul", "skill"),
    "lead": ("lead", "import", "rejected_row", "do_not_contact"),
    "task": ("task", "commitment"),
    "message": ("message", "approval"),
    "action": ("action", "incident"),
    "turn": ("turn",),
    "question": ("input_request",),
    "artifact": ("artifact",),
}
"""The entities of each group of events."""

AUDIT_GROUPS: dict[str, str] = {
    "tool": "e.action_type GLOB '*.*'",
    "proposal": "e.action_type = 'proposal'",
    "verification": "e.action_type = 'verification'",
    "trouble": "e.action_type IN ('turn_failed', 'invariant_broken')",
}
"""The audit entries of each group; a tool's name has a dot in it."""

_EVENTS = f"""
SELECT e.seq, e.timestamp, e.kind, e.entity_type, e.entity_id, e.actor, e.cause,
       CASE WHEN length(e.change_payload) <= {SHOWN_PAYLOAD} THEN e.change_payload END, e.change_payload IS NULL,
       coalesce(l.id, ''), coalesce(l.full_name, ''), coalesce(t.id, ''), coalesce(t.description, ''), coalesce(m.id, ''),
       coalesce(m.kind, a.tool, f.artifact_type || ' ' || f.artifact_key, q.question, i.file, d.name, s.name, c.name, '')
FROM event_log e
LEFT JOIN approvals p ON e.entity_type = 'approval' AND p.id = e.entity_id
LEFT JOIN actions a ON e.entity_type = 'action' AND a.id = e.entity_id
LEFT JOIN commitments k ON e.entity_type = 'commitment' AND k.id = e.entity_id
LEFT JOIN turn_projection n ON e.entity_type = 'turn' AND n.campaign_id = e.campaign_id AND n.number = CAST(e.entity_id AS INTEGER)
LEFT JOIN input_requests q ON e.entity_type = 'input_request' AND q.id = e.entity_id
LEFT JOIN artifacts f ON e.entity_type = 'artifact' AND f.id = e.entity_id
LEFT JOIN imports i ON e.entity_type = 'import' AND i.id = e.entity_id
LEFT JOIN do_not_contact d ON e.entity_type = 'do_not_contact' AND d.id = e.entity_id
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
       CASE WHEN length(e.payload) <= {SHOWN_PAYLOAD} THEN e.payload END, e.payload IS NULL,
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
    head: str


_LOGS: dict[LogName, _Log] = {
    "events": _Log("event_log", _EVENTS, "change_payload", "kind", "event_seq"),
    "audit": _Log("audit_log", _AUDIT, "payload", "action_type", "audit_seq"),
    "workspace": _Log("event_log", _EVENTS, "change_payload", "kind", "event_seq"),
}


def page(connection: sqlite3.Connection, campaign_id: str, asked: TimelineQuery) -> TimelinePage:
    """The entries that are asked for, as far as one answer goes. Raises `campaign_unknown`, `bad_request`."""
    _known(connection, campaign_id)
    log, stream = _LOGS[asked.log], _stream(campaign_id, asked.log)
    head = _head(connection, stream, log)
    before = min(asked.before or head + 1, head + 1)
    lowest = max(1, before - EXAMINED, (asked.after or 0) + 1)
    where, values = _filters(connection, asked, log)
    sql = f"{log.select} WHERE e.campaign_id=:stream AND e.seq<:before AND e.seq>=:lowest{where} ORDER BY e.seq DESC LIMIT :n"
    values |= {"stream": stream, "before": before, "lowest": lowest, "n": PAGE + 1}
    rows = [_row(row) for row in connection.execute(sql, values)]
    following: int | None = lowest if lowest > max(1, (asked.after or 0) + 1) else None
    if len(rows) > PAGE:
        rows = rows[:PAGE]
        following = rows[-1].seq
    elif rows and asked.about and _makes(rows[-1], asked.about):
        following = None  # nothing can be about it before it was there
    searched = following or lowest
    return TimelinePage(
        rows=rows, next=following, searched=searched, searched_at=_at(connection, stream, log, searched), head=head
    )


def entry(connection: sqlite3.Connection, campaign_id: str, name: LogName, seq: int) -> TimelineEntry:
    """One entry with everything that ties it to its predecessor. Raises `campaign_unknown`, `entry_unknown`."""
    _known(connection, campaign_id)
    log, stream = _LOGS[name], _stream(campaign_id, name)
    found = row(connection, campaign_id, name, seq)
    text, salt, digest, own = connection.execute(
        f"SELECT {log.payload}, salt, payload_digest, hash FROM {log.table} WHERE campaign_id=? AND seq=?",
        (stream, seq),
    ).fetchone()
    earlier = connection.execute(
        f"SELECT hash FROM {log.table} WHERE campaign_id=? AND seq=?", (stream, seq - 1)
    ).fetchone()
    if text is not None:
        digest = payload_digest(salt or b"", text)
    return TimelineEntry(
        row=found,
        text=None if text is None else text[:SHOWN_TEXT],
        cut=text is not None and len(text) > SHOWN_TEXT,
        size=len(text or ""),
        hash=own.hex(),
        previous_hash=(earlier[0] if earlier else GENESIS).hex(),
        payload_digest=(digest or b"").hex(),
    )


def row(connection: sqlite3.Connection, campaign_id: str, name: LogName, seq: int) -> TimelineRow:
    """One entry. Raises `entry_unknown`."""
    log, stream = _LOGS[name], _stream(campaign_id, name)
    found = connection.execute(f"{log.select} WHERE e.campaign_id=? AND e.seq=?", (stream, seq)).fetchone()
    if found is None:
        raise OutriderError("entry_unknown", seq=seq)
    return _row(found)


def turns_around(connection: sqlite3.Connection, campaign_id: str, seq: int) -> tuple[int | None, int | None]:
    """The events with which the turns before and after event `seq` ended, if they are near."""
    sql = "SELECT {}(seq) FROM event_log WHERE campaign_id=? AND seq>? AND seq<? AND entity_type='turn'"
    (before,) = connection.execute(sql.format("max"), (campaign_id, seq - NEAR, seq)).fetchone()
    (after,) = connection.execute(sql.format("min"), (campaign_id, seq, seq + NEAR)).fetchone()
    return before, after


def head(connection: sqlite3.Connection, campaign_id: str) -> int:
    """The last event of the campaign. Raises `campaign_unknown`."""
    _known(connection, campaign_id)
    return _head(connection, campaign_id, _LOGS["events"])


def _known(connection: sqlite3.Connection, campaign_id: str) -> None:
    if connection.execute("SELECT 1 FROM campaigns WHERE id=?", (campaign_id,)).fetchone() is None:
        raise OutriderError("campaign_unknown", campaign=campaign_id)


def _stream(campaign_id: str, name: LogName) -> str:
    return WORKSPACE if name == "workspace" else campaign_id


def _head(connection: sqlite3.Connection, stream: str, log: _Log) -> int:
    found = connection.execute(f"SELECT {log.head} FROM log_heads WHERE campaign_id=?", (stream,)).fetchone()
    return int(found[0]) if found else 0


def _at(connection: sqlite3.Connection, stream: str, log: _Log, seq: int) -> int | None:
    found = connection.execute(
        f"SELECT timestamp FROM {log.table} WHERE campaign_id=? AND seq=?", (stream, seq)
    ).fetchone()
    return int(found[0]) if found else None


def _filters(connection: sqlite3.Connection, asked: TimelineQuery, log: _Log) -> tuple[str, dict[str, Any]]:
    """The conditions on an entry, and the values they are bound to."""
    found = list(_conditions(asked, log))
    values = {name: value for _, given in found for name, value in given.items()}
    if asked.about:
        related = [id_ for (id_,) in connection.execute(_RELATED, {"about": asked.about})]
        values["about"], values["related"] = asked.about, json.dumps([asked.about, *related])
    return "".join(f" AND ({condition})" for condition, _ in found), values


def _conditions(asked: TimelineQuery, log: _Log) -> Iterator[tuple[str, dict[str, Any]]]:
    if asked.group:
        yield _group(asked)
    if asked.actor:
        yield "e.actor = :actor", {"actor": asked.actor}
    if asked.turn is not None:
        yield "e.cause = :turn", {"turn": f"t{asked.turn}"}
    if asked.about and asked.log == "audit":
        yield "EXISTS (SELECT 1 FROM json_each(:related) WHERE instr(e.payload, value))", {}
    elif asked.about:
        yield "e.entity_id IN (SELECT value FROM json_each(:related)) OR instr(e.change_payload, :about)", {}
    if asked.text:
        columns = (f"e.{log.kind}", "e.cause", "l.full_name", "t.description")
        condition = " OR ".join(f"{column} LIKE :text ESCAPE '\\'" for column in columns)
        values = {"text": _like(asked.text), "json": _like(json.dumps(asked.text)[1:-1])}
        yield f"{condition} OR e.{log.payload} LIKE :json ESCAPE '\\'", values


def _group(asked: TimelineQuery) -> tuple[str, dict[str, Any]]:
    if asked.log == "audit" and asked.group in AUDIT_GROUPS:
        return AUDIT_GROUPS[asked.group], {}
    if asked.log != "audit" and asked.group in GROUPS:
        return "e.entity_type IN (SELECT value FROM json_each(:group))", {"group": json.dumps(GROUPS[asked.group])}
    raise OutriderError("bad_request", detail=f"group: there is no such group of {asked.log}")


def _like(text: str) -> str:
    for special in ("\\", "%", "_"):
        text = text.replace(special, f"\\{special}")
    return f"%{text}%"


def _makes(found: TimelineRow, id_: str) -> bool:
    kind = KINDS.get(found.kind)
    return kind is not None and kind.verb is Verb.CREATES and found.entity_id == id_


def _row(row: tuple[Any, ...]) -> TimelineRow:
    seq, at, kind, entity, entity_id, actor, cause, text, erased, lead_id, lead, task_id, task, message_id, what = row
    payload = _payload(text)
    return TimelineRow(
        seq=seq,
        at=at,
        kind=kind,
        entity=entity,
        entity_id=entity_id,
        actor=actor,
        cause=cause,
        payload=payload,
        erased=bool(erased),
        large=payload is None and not erased,
        subject=Subject(lead_id=lead_id, lead=lead, task_id=task_id, task=task, message_id=message_id, what=what),
    )


def _payload(text: str | None) -> dict[str, Any] | None:
    """What an edited entry holds need not be JSON; it is then shown as text, by itself."""
    try:
        payload = json.loads(text or "null")
    except ValueError:
        return None
    return _showable(payload) if isinstance(payload, dict) else None


def _showable(value: Any) -> Any:
    """A text may hold half a surrogate pair, which no JSON can carry to the page."""
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, dict):
        return {_showable(name): _showable(inner) for name, inner in value.items()}
    return [_showable(inner) for inner in value] if isinstance(value, list) else value
