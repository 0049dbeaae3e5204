"""One lead with all that is known of it, and the imports."""

import json
import sqlite3
from typing import Any, Literal

from backend.api.reads import cursor, lead_list
from backend.api.reads.lines import gate_lines
from backend.api.wire.leads import (
    Happening,
    ImportLine,
    ImportPage,
    LeadDetail,
    RejectedLine,
    RejectedPage,
    ScorePart,
    SequenceLine,
    Waiting,
)
from backend.controller import context as loading
from backend.controller import lead_standing
from backend.controller.context import Subject, Surroundings
from backend.domain.campaign import Campaign
from backend.domain.criteria import described
from backend.domain.errors import OutriderError
from backend.domain.scoring import explain
from backend.store import reading, scored_leads

MOST_HAPPENINGS, MOST_LOOKED_BACK = 60, 3_000
MOST_IMPORTS, MOST_REJECTED = 50, 100

_ROW = """
SELECT l.profile_url, l.email, l.connected_on, l.headline, l.extra, l.notes, l.position, l.visited_at, l.invited_at,
       l.accepted_at, l.replied_at, coalesce(i.file, ''), i.created_at
FROM leads l LEFT JOIN imports i ON i.id = l.import_id WHERE l.id = ?
"""
_MESSAGES = (
    "SELECT kind, step, text, status, sent_at, created_at FROM messages WHERE lead_id=? ORDER BY step, id LIMIT 60"
)
# Bounded: what was done to a lead long ago by hand is in the timeline.
_LATELY = (
    "SELECT kind, timestamp FROM event_log WHERE campaign_id=:c AND seq > :after AND entity_id=:lead AND kind IN"
    " ('LeadMerged','LeadScored','LeadPrioritised','LeadNoted','LeadTagged','LeadBlocked','LeadUnblocked') ORDER BY seq"
)
_SAID = {
    "LeadMerged": "Updated by an import",
    "LeadScored": "Scored",
    "LeadPrioritised": "Priority set by hand",
    "LeadNoted": "Notes changed",
    "LeadTagged": "Tags changed",
    "LeadBlocked": "Blocked",
    "LeadUnblocked": "Unblocked",
}


def lead_detail(connection: sqlite3.Connection, campaign_id: str, lead_id: str, around: Surroundings) -> LeadDetail:
    """Everything about one lead; raises `campaign_unknown` and `lead_unknown`."""
    campaign = reading.campaign(connection, campaign_id)
    if campaign is None:
        raise OutriderError("campaign_unknown", campaign=campaign_id)
    line = lead_list.one(connection, campaign_id, lead_id)
    about = loading.subject(connection, campaign, lead_id, around.now)
    assert about is not None  # noqa: S101 - the line above is this campaign's
    task = reading.task_of_lead(connection, lead_id)
    row = connection.execute(_ROW, (lead_id,)).fetchone()
    known = scored_leads.one(connection, campaign_id, lead_id)
    assert known is not None  # noqa: S101 - for the same reason
    parts = explain(campaign.settings.blueprint, known.fields) if line.weight_score is not None else ()
    asked = lead_standing.checklist(connection, campaign, about, around)
    waits = lead_standing.waits(about, task, asked)
    return LeadDetail(
        line=line,
        profile_url=row[0],
        email=row[1],
        connected_on=row[2],
        headline=row[3],
        extra=json.loads(row[4]),
        notes=row[5],
        origin=f"{row[11]}, line {row[6]:,}" if row[11] else "",
        finished=about.lead.finished,
        task_status=task.status.value if task else "",
        do_not_contact=reading.is_do_not_contact(connection, about.lead.member_key),
        score=[
            ScorePart(
                name=part.criterion.name,
                asks=described(part.criterion.rule),
                weight=part.criterion.weight,
                points=part.points,
                why=part.why,
            )
            for part in parts
        ],
        score_stale=line.weight_score is not None and line.weight_score != sum(part.points for part in parts),
        sequence=_sequence(campaign, about),
        waiting=None if waits is None else Waiting(**waits._asdict()),
        gates=gate_lines(asked),
        history=_history(connection, campaign_id, lead_id, row),
    )


def _sequence(campaign: Campaign, about: Subject) -> list[SequenceLine]:
    lead, lines = about.lead, []
    for index, step in enumerate(campaign.settings.sequence.steps):
        state: Literal["done", "now", "ahead", "left_out"] = "ahead"
        if lead.sequence_step is not None and index < lead.sequence_step:
            state = "done"
        elif lead.finished or lead.blocked:
            state = "left_out"
        elif index == lead.sequence_step:
            state = "now"
        lines.append(SequenceLine(key=step.key, kind=step.kind, state=state))
    return lines


def _history(connection: sqlite3.Connection, campaign_id: str, lead_id: str, row: tuple[Any, ...]) -> list[Happening]:
    """What is on record, the latest first; each source is read by its index."""
    *_, visited, invited, accepted, replied, file, imported = row
    found = [
        (imported, f"Imported from {file}", ""),
        (visited, "Profile last looked at", ""),
        (invited, "Invited", ""),
        (accepted, "Accepted the invitation", ""),
        (replied, "Reply noticed", ""),
    ]
    for kind, step, text, status, sent_at, created_at in connection.execute(_MESSAGES, (lead_id,)):
        if kind == "reply":
            found.append((sent_at or created_at, "Wrote", text))
        elif status == "sent":
            found.append((sent_at, f"Sent: {step}", text))
        else:
            found.append((created_at, f"Text for {step}: {status.replace('_', ' ')}", text))
    (head,) = connection.execute("SELECT event_seq FROM log_heads WHERE campaign_id=?", (campaign_id,)).fetchone()
    lately = {"c": campaign_id, "after": head - MOST_LOOKED_BACK, "lead": lead_id}
    found += [(at, _SAID[kind], "") for kind, at in connection.execute(_LATELY, lately)]
    known = sorted((item for item in found if item[0] is not None), key=lambda item: item[0], reverse=True)
    return [Happening(at=at, what=what, said=said) for at, what, said in known[:MOST_HAPPENINGS]]


# --- imports ---

_IMPORT = "id, file, format, accepted, merged, unchanged, rejected, created_at, finished_at"


def imports(connection: sqlite3.Connection, campaign_id: str, before: str) -> ImportPage:
    """The campaign's imports, the latest first."""
    rows = connection.execute(
        f"SELECT {_IMPORT} FROM imports WHERE campaign_id=? AND id<? ORDER BY id DESC LIMIT ?",
        (campaign_id, before or "~", MOST_IMPORTS),
    ).fetchall()
    names = _IMPORT.split(", ")
    lines = [ImportLine(**dict(zip(names, row, strict=True))) for row in rows]
    return ImportPage(rows=lines, next=lines[-1].id if len(lines) == MOST_IMPORTS else None)


def rejected(connection: sqlite3.Connection, campaign_id: str, import_id: str, after: str) -> RejectedPage:
    """The records of an import that could not become leads; raises `import_unknown`."""
    import_of(connection, campaign_id, import_id)
    line, _, id_ = after.partition(":")
    begin = cursor.whole(line)
    rows = connection.execute(
        "SELECT id, line, code, reason, raw FROM rejected_rows WHERE import_id=? AND (line, id) > (?, ?)"
        " ORDER BY line, id LIMIT ?",
        (import_id, -1 if begin is None else begin, id_, MOST_REJECTED),
    ).fetchall()
    lines = [RejectedLine(id=id_, line=line, code=code, reason=why, raw=raw) for id_, line, code, why, raw in rows]
    return RejectedPage(rows=lines, next=f"{lines[-1].line}:{lines[-1].id}" if len(lines) == MOST_REJECTED else None)


def import_of(connection: sqlite3.Connection, campaign_id: str, import_id: str) -> str:
    """The import's file; raises `import_unknown`."""
    row = connection.execute(
        "SELECT file FROM imports WHERE id=? AND campaign_id=?", (import_id, campaign_id)
    ).fetchone()
    if row is None:
        raise OutriderError("import_unknown", import_id=import_id)
    return str(row[0])
