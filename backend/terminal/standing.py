"""Where campaigns stand: read-only, while another process runs or while none does."""

# ruff: noqa: PLC0415 - the list of campaigns is shown before the controller could be imported

import sqlite3
from typing import TYPE_CHECKING, Any, NamedTuple

from backend.domain.errors import OutriderError
from backend.settings import AppSettings
from backend.store.database import Database
from backend.terminal.speech import Speech, columns, one_line

if TYPE_CHECKING:
    from backend.wiring import Workspace

LISTED = 50


class Found(NamedTuple):
    """A campaign that was named on the command line."""

    id: str
    name: str
    status: str
    site: str
    reason: str  # why it has that status


def tell_all(speech: Speech, settings: AppSettings) -> None:
    """The list of campaigns; a folder in which nothing was ever stored stays as it is."""
    campaigns: list[dict[str, Any]] = []
    if settings.database.exists():
        database = Database(settings.database)
        try:
            with database.read() as connection:
                campaigns = overview(connection)
        finally:
            database.close()
    speech.result(overview_lines(campaigns), {"campaigns": campaigns})


def tell_one(speech: Speech, settings: AppSettings, wanted: str) -> None:
    """Everything about one campaign."""
    from backend.wiring import open_workspace

    if not settings.database.exists():
        raise OutriderError("campaign_unknown", campaign=one_line(wanted))
    with open_workspace(settings) as workspace, workspace.database.read() as connection:
        found = campaign(connection, wanted)
        told = details(connection, found.id, held_back(workspace, found.id))
    speech.result(details_lines(told), told)


def campaign(connection: sqlite3.Connection, wanted: str) -> Found:
    """The campaign with this id, or the only one whose id begins so; `campaign_unknown`, `campaign_ambiguous`."""
    prefix = wanted.upper()
    rows = connection.execute(
        "SELECT id, name, status, site, status_reason FROM campaigns WHERE id >= ? AND id < ? ORDER BY id LIMIT 3",
        (prefix, f"{prefix}~"),
    ).fetchall()
    if not rows or not prefix:
        raise OutriderError("campaign_unknown", campaign=one_line(wanted))
    if len(rows) > 1:
        raise OutriderError("campaign_ambiguous", campaign=one_line(wanted), count=f"{len(rows)} or more")
    return Found(*rows[0])


def complete_import(connection: sqlite3.Connection, campaign_id: str) -> None:
    """Raises `import_unfinished` when the last import was cut off."""
    row = connection.execute(
        "SELECT file, finished_at FROM imports WHERE campaign_id=? ORDER BY created_at DESC, id DESC LIMIT 1",
        (campaign_id,),
    ).fetchone()
    if row is not None and row[1] is None:
        raise OutriderError("import_unfinished", file=one_line(row[0]), campaign=campaign_id)


# --- all campaigns -----------------------------------------------------------------------------------------------------

_ALL = """
SELECT c.id, c.name, c.status, c.status_reason, c.site, r.last_turn, r.state, r.loop_enabled,
  (SELECT coalesce(sum(n), 0) FROM lead_counts l WHERE l.campaign_id=c.id),
  (SELECT coalesce(sum(n), 0) FROM task_counts t WHERE t.campaign_id=c.id AND t.kind='reach_lead' AND t.status='done'),
  (SELECT coalesce(sum(n), 0) FROM task_counts t WHERE t.campaign_id=c.id AND t.status='blocked' AND t.kind<>'assist'),
  (SELECT count(*) FROM messages m WHERE m.campaign_id=c.id AND m.status='draft'),
  (SELECT count(*) FROM incidents i WHERE i.account=c.account AND i.status='open')
FROM campaigns c JOIN runtime_snapshot r ON r.campaign_id=c.id
"""
_FIELDS = (
    "campaign", "name", "status", "status_reason", "site", "turn", "turn_state", "loop_enabled",
    "leads", "leads_done", "tasks_blocked", "drafts", "incidents",
)  # fmt: skip


def overview(connection: sqlite3.Connection) -> list[dict[str, Any]]:
    """Every campaign, newest first."""
    rows = connection.execute(f"{_ALL} ORDER BY c.created_at DESC, c.id DESC")
    return [_named(row) for row in rows]


def _named(row: tuple[Any, ...]) -> dict[str, Any]:
    named = dict(zip(_FIELDS, row, strict=True))
    return {**named, "loop_enabled": bool(named["loop_enabled"])}


def overview_lines(campaigns: list[dict[str, Any]]) -> list[str]:
    """The list for a person."""
    if not campaigns:
        return ["There is no campaign yet. `outrider rehearse` makes one."]
    head = ("campaign", "status", "leads", "turn", "drafts", "blocked", "name")
    rows = [
        (c["campaign"], c["status"] + (" (incident)" if c["incidents"] else ""), f"{c['leads_done']} of {c['leads']}",
         c["turn"], c["drafts"], c["tasks_blocked"], c["name"])
        for c in campaigns
    ]  # fmt: skip
    return columns([head, *rows])


# --- one campaign ------------------------------------------------------------------------------------------------------


def details(connection: sqlite3.Connection, campaign_id: str, held: tuple[str, ...]) -> dict[str, Any]:
    """One campaign: its position, what holds it back, and everything that waits for a person."""
    head = _named(connection.execute(f"{_ALL} WHERE c.id=?", (campaign_id,)).fetchone())

    def rows(names: str, sql: str) -> list[dict[str, Any]]:
        found = connection.execute(f"{sql} LIMIT {LISTED}", (campaign_id,))
        return [dict(zip(names.split(), row, strict=True)) for row in found]

    current = rows(
        "task description status",
        "SELECT t.id, t.description, t.status FROM execution_state e JOIN tasks t ON t.id=e.current_task_id"
        " WHERE e.campaign_id=?",
    )
    return {
        **head,
        "current_task": current[0] if current else None,
        "lead_counts": _counts(
            connection, "SELECT status, n FROM lead_counts WHERE campaign_id=? AND n>0", campaign_id
        ),
        "task_counts": _counts(
            connection,
            "SELECT status, sum(n) FROM task_counts WHERE campaign_id=? AND n>0 AND kind<>'assist' GROUP BY status",
            campaign_id,
        ),
        "held": list(held),
        "open_drafts": rows(
            "message recipient kind characters",
            "SELECT m.id, l.full_name, m.kind, length(m.text) FROM messages m JOIN leads l ON l.id=m.lead_id"
            " WHERE m.campaign_id=? AND m.status='draft' ORDER BY m.id",
        ),
        "questions": rows(
            "question text",
            "SELECT id, question FROM input_requests WHERE campaign_id=? AND status='open' ORDER BY id",
        ),
        "blocked": rows(
            "task description reason",
            "SELECT id, description, reason FROM tasks WHERE campaign_id=? AND status='blocked' AND kind<>'assist' ORDER BY id",
        ),
        "outcome_unknown": rows(
            "message recipient text",
            "SELECT m.id, l.full_name, m.text FROM messages m JOIN leads l ON l.id=m.lead_id"
            " WHERE m.campaign_id=? AND m.status='outcome_unknown' ORDER BY m.id",
        ),
        "open_incidents": rows(
            "incident kind said",
            "SELECT i.id, i.kind, i.said FROM incidents i JOIN campaigns c ON c.account=i.account"
            " WHERE c.id=? AND i.status='open' ORDER BY i.id",
        ),
    }


def _counts(connection: sqlite3.Connection, sql: str, campaign_id: str) -> dict[str, int]:
    return dict(connection.execute(sql, (campaign_id,)).fetchall())


def held_back(workspace: "Workspace", campaign_id: str) -> tuple[str, ...]:
    """Why what is due is held back, asked of the same gates, as if the user were here."""
    from backend.controller import context as loading
    from backend.rehearsal import clock_of
    from backend.store import reading

    clock = clock_of(workspace, campaign_id)
    now = clock.now()
    with workspace.database.read() as connection:
        where = reading.position(connection, campaign_id)
        if where is None or where.campaign.status != "active":
            return ()
        return loading.held_because(loading.load(connection, where, loading.Surroundings(now, clock.offset(now), True)))


def details_lines(told: dict[str, Any]) -> list[str]:
    """One campaign for a person."""
    current = told["current_task"]
    rows = [
        ("campaign", told["campaign"]),
        ("name", told["name"]),
        ("status", told["status"] + (f": {told['status_reason']}" if told["status_reason"] else "")),
        ("position", f"turn {told['turn']}, {told['turn_state']}" + (f", {current['description']}" if current else "")),
        ("leads", f"{told['leads_done']} of {told['leads']} done; {_listing(told['lead_counts'])}"),
        ("tasks", _listing(told["task_counts"])),
    ]
    lines = columns(rows)
    for title, entries in (
        ("held back", told["held"]),
        ("incidents", [f"{row['kind']}: {row['said']}" for row in told["open_incidents"]]),
        ("drafts in review", [f"{row['message']}  {row['kind']} to {row['recipient']}" for row in told["open_drafts"]]),
        ("questions", [f"{row['question']}  {row['text']}" for row in told["questions"]]),
        ("blocked", [f"{row['description']}: {row['reason']}" for row in told["blocked"]]),
        ("outcome unknown", [f"{row['message']}  to {row['recipient']}" for row in told["outcome_unknown"]]),
    ):
        if entries:
            lines += ["", title, *(f"  {one_line(entry)}" for entry in entries)]
    return lines


def _listing(counts: dict[str, int]) -> str:
    return ", ".join(f"{n} {name}" for name, n in sorted(counts.items())) or "none"
