"""The timeline: both logs as people read them, newest first, by seq; each answer looks through a bounded part of the log.

A filter looks through `EXAMINED` entries and says how far back that was, and the page asks on.
"""

import json
from typing import Annotated, Any, Literal

from pydantic import Field

from backend.api.exports import Export
from backend.api.log_export import log_lines
from backend.api.server.endpoint import Routes
from backend.api.server.services import Services
from backend.domain.events.events import EVENT_KINDS, WORKSPACE, Verb
from backend.domain.events.facts.sentences import LogEntry, Tone, audit_sentence, event_sentence, tone
from backend.domain.model.variables import in_words
from backend.domain.values.errors import OutriderError
from backend.domain.values.shapes import Shape
from backend.store.database import DatabaseConnection
from backend.store.log.chain import GENESIS, payload_digest
from backend.store.queries.reports import timeline
from backend.store.queries.reports.timeline import (
    AUDIT_GROUPS,
    GROUPS,
    HIGHLIGHTS_GROUP,
    LogTable,
    TimelineFilter,
    TimelineRecord,
)

PAGE = 50

EXAMINED = 3_000

SHOWN_TEXT = 200_000
MEDIA_TYPE = "application/jsonl"

routes = Routes("timeline", "/campaigns/<campaign_id>/timeline")

LogName = Literal["events", "audit", "workspace"]
"""The campaign's event log, its audit log, and the workspace's own events: do-not-contact, configuration."""

MOST = 10**15 - 1
"""Every number of the wire is exact in the page."""

Word = Annotated[str, Field(max_length=64)]


class TimelineQuery(Shape):
    """What is looked for. `before` and `after` are numbers of entries (not included); an empty word looks for everything.

    `about` is the id of an entity: everything that names it, or names what belongs to it.
    """

    log: LogName = "events"
    before: int | None = Field(default=None, ge=1, le=MOST)
    after: int | None = Field(default=None, ge=0, le=MOST)
    group: Word = ""
    actor: Word = ""
    about: Word = ""
    turn: int | None = Field(default=None, ge=0)
    text: str = Field(default="", max_length=200)


class Subject(Shape):
    """What an entry is about, by the names it has today; empty where it is about nothing of that kind."""

    lead_id: str = ""
    lead: str = ""
    task_id: str = ""
    task: str = ""
    what: str = ""


class TimelineRow(Shape):
    """One entry. `kind` is the event's kind or the audit entry's action, `sentence` what it says, `tone` whether that is news.

    `payload` is null when it was `erased`, and when it is large: then the entry is asked for by itself.
    """

    seq: int
    at: int
    kind: str
    entity: str
    entity_id: str
    actor: str
    cause: str
    payload: dict[str, Any] | None
    erased: bool
    subject: Subject
    sentence: str
    tone: Tone


class TimelinePage(Shape):
    """Entries, newest first; the next page begins before `next` (null: there is nothing older).

    A page without entries may have a `next`: only so much of the log is looked through at a time. It was looked through
    back to entry `searched`, of the time `searched_at`.
    """

    rows: list[TimelineRow]
    next: int | None
    searched: int
    searched_at: int | None
    head: int


class TimelineEntry(Shape):
    """One entry whole: `text` is its payload as it was hashed, or what is left of it once erased (cut for display)."""

    row: TimelineRow
    text: str | None
    cut: bool
    size: int
    hash: str
    previous_hash: str
    payload_digest: str


@routes.get()
def list_(connection: DatabaseConnection, campaign_id: str, query: TimelineQuery) -> TimelinePage:
    """The entries that are asked for, as far as one answer goes; raises `campaign_unknown`, `bad_request`."""
    log, stream = _log(query.log), _stream(campaign_id, query.log)
    if query.group and query.group not in (AUDIT_GROUPS if log == "audit" else (*GROUPS, HIGHLIGHTS_GROUP)):
        raise OutriderError("bad_request", detail=f"group: there is no such group of {query.log}")
    head = timeline.last_seq(connection, log, stream)
    before = min(query.before or head + 1, head + 1)
    lowest = max(1, before - EXAMINED, (query.after or 0) + 1)
    entry_filter = TimelineFilter(query.group, query.actor, query.about, query.turn, query.text)
    records = timeline.entries(connection, log, stream, entry_filter, lowest=lowest, before=before, limit=PAGE + 1)
    rows = [_row(record) for record in records]
    following: int | None = lowest if lowest > max(1, (query.after or 0) + 1) else None
    if len(rows) > PAGE:
        rows = rows[:PAGE]
        following = rows[-1].seq
    elif rows and query.about and _makes(rows[-1], query.about):
        following = None  # nothing can be about it before it was there
    searched = following or lowest
    return TimelinePage(
        rows=rows,
        next=following,
        searched=searched,
        searched_at=timeline.time_of(connection, log, stream, searched),
        head=head,
    )


@routes.get("/<any(events,audit,workspace):log>/<int(max=999999999999999):seq>")
def view(connection: DatabaseConnection, campaign_id: str, log: LogName, seq: int) -> TimelineEntry:
    """One entry with everything that ties it to its predecessor; raises `campaign_unknown`, `entry_unknown`."""
    table, stream = _log(log), _stream(campaign_id, log)
    row = timeline_item(connection, campaign_id, log, seq)
    chained = timeline.chained_entry(connection, table, stream, seq)
    assert chained is not None  # noqa: S101 - it was found above
    text, salt, digest, own = chained
    earlier = timeline.chained_entry(connection, table, stream, seq - 1)
    return TimelineEntry(
        row=row,
        text=text[:SHOWN_TEXT],
        cut=len(text) > SHOWN_TEXT,
        size=len(text),
        hash=own.hex(),
        previous_hash=(earlier.hash if earlier else GENESIS).hex(),
        payload_digest=(digest or payload_digest(salt or b"", text)).hex(),
    )


@routes.export("/export")
def export(services: Services, campaign_id: str) -> Export:
    """Both logs, so that somebody else can verify them; raises `campaign_unknown`."""
    return Export(log_lines(services.database, campaign_id), f"log-{campaign_id}.jsonl", MEDIA_TYPE)


def timeline_item(connection: DatabaseConnection, campaign_id: str, name: LogName, seq: int) -> TimelineRow:
    """One entry. Raises `entry_unknown`."""
    record = timeline.entry(connection, _log(name), _stream(campaign_id, name), seq)
    if record is None:
        raise OutriderError("entry_unknown", seq=seq)
    return _row(record)


def _stream(campaign_id: str, name: LogName) -> str:
    return WORKSPACE if name == "workspace" else campaign_id


def _log(name: LogName) -> LogTable:
    return "audit" if name == "audit" else "events"


def _makes(row: TimelineRow, id_: str) -> bool:
    kind = EVENT_KINDS.get(row.kind)
    return kind is not None and kind.verb is Verb.CREATES and row.entity_id == id_


def _row(record: TimelineRecord) -> TimelineRow:
    if record.entity == "input_request":
        record = record._replace(what=in_words(record.what))
    payload = _payload(record.payload)
    entry = LogEntry(record.kind, record.entity_id, payload, record.lead, record.task, record.what)
    return TimelineRow.showing(
        record,
        sentence=event_sentence(entry) if record.entity else audit_sentence(entry),
        tone=tone(record.kind),
        payload=payload,
        erased=bool(record.erased),
        subject=Subject.showing(record),
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
