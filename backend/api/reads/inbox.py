"""Conversations of a campaign, latest activity first, and one of them whole."""

import sqlite3
from typing import get_args

from backend.api.reads import cursor
from backend.api.reads.conversation import entries, how_many, last_said
from backend.api.reads.lines import occupation, question
from backend.api.wire.inbox import ThreadLine, ThreadPage, ThreadsAsked, ThreadState, ThreadView
from backend.domain.campaign import MINUTE
from backend.domain.errors import OutriderError
from backend.store import reading

MOST_QUESTIONS = 10

# Word for word what the index `leads_in_touch` is made of, or SQLite would not use it.
_STATE = (
    "CASE WHEN blocked = 'outcome_unknown' THEN 'unknown' WHEN replied_at IS NOT NULL THEN 'replied' ELSE 'waiting' END"
)
_ACTIVE = "max(coalesce(invited_at, 0), coalesce(last_sent_at, 0), coalesce(replied_at, 0))"
_IN_TOUCH = (
    "(invited_at IS NOT NULL OR last_sent_at IS NOT NULL OR replied_at IS NOT NULL OR blocked = 'outcome_unknown')"
)
_THREAD = (
    f"id, full_name, headline, job_title, company, {_STATE} AS state, {_ACTIVE} AS active, thread_read_at, finished"
)

_STRETCH = (
    f"SELECT * FROM (SELECT {_THREAD} FROM leads WHERE campaign_id=:c AND {_IN_TOUCH} AND {_STATE}='{{state}}'"
    f" AND {_ACTIVE} <= :at AND ({_ACTIVE} < :at OR id < :id) {{named}} ORDER BY {_ACTIVE} DESC, id DESC LIMIT :n)"
)
# Names are looked at one after the other: the limits of an account keep its conversations to some thousands a year.
_NAMED = "AND full_name LIKE :name ESCAPE '\\'"
_NEWEST = (2**62, "~")

_VIEW = f"SELECT headline, CASE WHEN {_IN_TOUCH} THEN {_STATE} END FROM leads WHERE id=? AND campaign_id=?"
_QUESTIONS = (
    "SELECT id, kind, question, choices, created_at FROM input_requests WHERE task_id=? AND status='open'"
    f" ORDER BY id LIMIT {MOST_QUESTIONS}"
)


def thread_page(connection: sqlite3.Connection, campaign_id: str, asked: ThreadsAsked) -> ThreadPage:
    """One page of conversations; raises `campaign_unknown`, `bad_request` for a cursor that is none."""
    if reading.campaign(connection, campaign_id) is None:
        raise OutriderError("campaign_unknown", campaign=campaign_id)
    at, lead_id = _place(asked.after)
    states = [asked.state] if asked.state else get_args(ThreadState)
    named = _NAMED if asked.name else ""
    rows = connection.execute(
        " UNION ALL ".join(_STRETCH.format(state=state, named=named) for state in states)
        + " ORDER BY active DESC, id DESC LIMIT :n",
        {"c": campaign_id, "at": at, "id": lead_id, "n": asked.limit + 1, "name": f"%{_literally(asked.name)}%"},
    ).fetchall()
    lines = [_line(connection, row) for row in rows[: asked.limit]]
    more = len(rows) > asked.limit
    return ThreadPage(rows=lines, next=f"{lines[-1].last_at}.{lines[-1].id}" if more else None)


def _place(after: str) -> tuple[int, str]:
    if not after:
        return _NEWEST
    at, dot, lead_id = after.partition(".")
    if not dot or (place := cursor.whole(at)) is None:
        raise OutriderError("bad_request", detail="after: it is no place in the list")
    return place, lead_id


def _literally(name: str) -> str:
    return name.replace("\\", r"\\").replace("%", r"\%").replace("_", r"\_")


def _line(
    connection: sqlite3.Connection, row: tuple[str, str, str, str, str, ThreadState, int, int | None, str]
) -> ThreadLine:
    id_, name, headline, title, company, state, active, read_at, finished = row
    last = last_said(connection, id_, 1)
    return ThreadLine(
        id=id_,
        recipient=name,
        headline=occupation(headline, title, company),
        state=state,
        last_at=active,
        last=last[0] if last else None,
        read_at=read_at,
        finished=finished,
    )


def thread_view(connection: sqlite3.Connection, campaign_id: str, lead_id: str) -> ThreadView:
    """One conversation; raises `campaign_unknown`, `lead_unknown`."""
    campaign = reading.campaign(connection, campaign_id)
    if campaign is None:
        raise OutriderError("campaign_unknown", campaign=campaign_id)
    lead = reading.lead(connection, campaign_id, lead_id)
    if lead is None:
        raise OutriderError("lead_unknown", lead=lead_id)
    headline, state = connection.execute(_VIEW, (lead_id, campaign_id)).fetchone()
    messages = entries(connection, lead_id)
    task = reading.task_of_lead(connection, lead_id)
    asked = connection.execute(_QUESTIONS, (task.id,)).fetchall() if task else []
    return ThreadView(
        id=lead_id,
        recipient=lead.full_name,
        headline=occupation(headline, lead.job_title, lead.company),
        profile_url=lead.profile_url,
        state=state,
        relation=lead.relation,
        read_at=lead.thread_read_at,
        fresh_ms=campaign.settings.limits.thread_fresh_minutes * MINUTE,
        finished=lead.finished,
        blocked=lead.blocked,
        earlier=how_many(connection, lead_id) - len(messages),
        messages=messages,
        questions=[question(row) for row in asked],
    )
