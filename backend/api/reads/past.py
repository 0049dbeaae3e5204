"""A campaign as it was, read from the scratch database of its past with the same reads as the campaign as it is."""

import sqlite3
from typing import NamedTuple

from backend.api.reads import cursor
from backend.api.reads.campaign import campaign_view
from backend.api.reads.review import draft_page
from backend.api.wire.campaigns import CampaignView
from backend.api.wire.review import Draft
from backend.api.wire.runs import RunState
from backend.api.wire.timeline import PastLead, PastLeads, PastQuery, PastTask, PastTasks
from backend.controller.context import Surroundings
from backend.domain.errors import OutriderError
from backend.domain.lead import LeadStatus
from backend.domain.task import Needs, TaskStatus

PAGE = 100

_TASKS = """
SELECT t.id, t.description, t.status, t.needs, t.reason, coalesce(l.full_name, '')
FROM tasks t LEFT JOIN leads l ON l.id = t.lead_id WHERE t.id > ? AND (? = '' OR t.status = ?) ORDER BY t.id LIMIT ?
"""
_LEADS = """
SELECT id, full_name, job_title, company, status, weight_score, sequence_step, finished, blocked, position
FROM leads WHERE {}(position, id) > (?, ?) ORDER BY position, id LIMIT ?
"""


class Shown(NamedTuple):
    """What the page showed of a moment."""

    view: CampaignView
    drafts: list[Draft]


def moment(scratch: sqlite3.Connection, campaign_id: str, at: int, offset: int) -> Shown:
    """What the live page would have shown, at that time, with nobody present and nothing running."""
    around = Surroundings(now=at, offset=offset, present=False)
    drafts = draft_page(scratch, campaign_id, around, "", PAGE).rows
    return Shown(campaign_view(scratch, campaign_id, around, RunState(phase="idle")), drafts)


def tasks(scratch: sqlite3.Connection, asked: PastQuery) -> PastTasks:
    """A page of the tasks as they were."""
    values = (asked.after, asked.status, asked.status, PAGE + 1)
    rows = [
        PastTask(
            id=id_,
            description=description,
            status=TaskStatus(status),
            needs=Needs(needs),
            reason=reason,
            lead_name=lead,
        )
        for id_, description, status, needs, reason, lead in scratch.execute(_TASKS, values)
    ]
    return PastTasks(rows=rows[:PAGE], next=rows[PAGE - 1].id if len(rows) > PAGE else None)


def leads(scratch: sqlite3.Connection, asked: PastQuery) -> PastLeads:
    """A page of the leads as they were."""
    of_status, status = ("status = ? AND ", (asked.status,)) if asked.status else ("", ())
    found = scratch.execute(_LEADS.format(of_status), (*status, *_place(asked.after), PAGE + 1)).fetchall()
    rows = [
        PastLead(
            id=id_,
            full_name=name,
            job_title=title,
            company=company,
            status=LeadStatus(state),
            score=score,
            step=step,
            finished=finished,
            blocked=blocked,
        )
        for id_, name, title, company, state, score, step, finished, blocked, _ in found[:PAGE]
    ]
    last = found[PAGE - 1] if len(found) > PAGE else None
    return PastLeads(rows=rows, next=f"{last[-1]}:{last[0]}" if last else None)


def _place(after: str) -> tuple[int, str]:
    if not after:
        return -1, ""
    position, _, id_ = after.partition(":")
    if (place := cursor.whole(position)) is None:
        raise OutriderError("bad_request", detail="after: it is not a cursor")
    return place, id_
