"""What the page sees, read in one transaction, every list bounded; decides nothing, shows what the controller would."""

import json
import sqlite3

from backend.api.reads.gates import lines
from backend.api.wire.campaigns import (
    CampaignView,
    Draft,
    Incident,
    Now,
    Question,
)
from backend.api.wire.runs import RunState
from backend.controller import context as loading
from backend.controller.context import Surroundings
from backend.domain import gates
from backend.domain.errors import OutriderError
from backend.domain.judgement import text_limit
from backend.domain.lead import LeadStatus
from backend.domain.message import Message
from backend.domain.task import Needs, TaskStatus
from backend.domain.turn import TurnState
from backend.store import reading
from backend.store.reading import Position

MOST_DRAFTS, MOST_QUESTIONS = 25, 20
COUNTED_DRAFTS = 1_000

_NOW = """
SELECT e.current_task_id, coalesce(t.description, ''), coalesce(t.status, ''), coalesce(l.full_name, ''), coalesce(l.headline, ''),
       coalesce(l.job_title, ''), coalesce(l.company, ''), coalesce(a.tool, '')
FROM execution_state e LEFT JOIN tasks t ON t.id = e.current_task_id LEFT JOIN leads l ON l.id = e.current_lead_id
LEFT JOIN actions a ON a.id = e.current_action_id WHERE e.campaign_id = ?
"""


def campaign_view(
    connection: sqlite3.Connection, campaign_id: str, around: Surroundings, run: RunState
) -> CampaignView:
    """One campaign as every screen of it shows it; raises `campaign_unknown`."""
    where = reading.position(connection, campaign_id)
    if where is None:
        raise OutriderError("campaign_unknown", campaign=campaign_id)
    campaign = where.campaign
    (why,) = connection.execute("SELECT status_reason FROM campaigns WHERE id=?", (campaign_id,)).fetchone()
    return CampaignView(
        id=campaign_id,
        name=campaign.name,
        goal=campaign.goal,
        status=campaign.status,
        status_reason=why,
        site=campaign.site,
        seq=where.seq,
        now=around.now,
        utc_offset_ms=around.offset,
        present=around.present,
        position=_now(connection, where),
        leads=_leads(connection, campaign_id),
        task_counts=_task_counts(connection, campaign_id),
        drafts=[
            _draft(connection, where, around, message)
            for message in reading.drafts(connection, campaign_id, MOST_DRAFTS)
        ],
        drafts_total=reading.open_drafts(connection, campaign_id, COUNTED_DRAFTS),
        questions=_questions(connection, campaign_id),
        incidents=_incidents(connection, campaign.account),
        run=run,
    )


def _leads(connection: sqlite3.Connection, campaign_id: str) -> dict[LeadStatus, int]:
    return {LeadStatus(status): n for status, n in reading.lead_counts(connection, campaign_id).items()}


def _task_counts(connection: sqlite3.Connection, campaign_id: str) -> dict[TaskStatus, int]:
    counts: dict[TaskStatus, int] = {}
    for (_, status), n in reading.task_counts(connection, campaign_id).items():
        counts[TaskStatus(status)] = counts.get(TaskStatus(status), 0) + n
    return counts


def _now(connection: sqlite3.Connection, where: Position) -> Now:
    row = connection.execute(_NOW, (where.campaign.id,)).fetchone()
    task_id, task, status, lead, headline, title, company, tool = row
    return Now(
        state=TurnState(where.state),
        turn=where.last_turn,
        task_id=task_id,
        task=task,
        task_status=status,
        lead_name=lead,
        lead_headline=headline or _occupation(title, company),
        action=tool,
        last_error=where.last_error,
    )


def _draft(connection: sqlite3.Connection, where: Position, around: Surroundings, message: Message) -> Draft:
    campaign = where.campaign
    about = loading.subject(connection, campaign, message.lead_id, around.now)
    headline, created_at = connection.execute(
        "SELECT l.headline, m.created_at FROM messages m JOIN leads l ON l.id = m.lead_id WHERE m.id=?", (message.id,)
    ).fetchone()
    assert about is not None  # noqa: S101 - the row above joins its lead
    lead = about.lead
    family = Needs.INVITE if message.kind == "invitation" else Needs.MESSAGE
    incident = reading.open_incident(connection, campaign.account)
    account = loading.account_facts(connection, campaign, around, family, incident)
    checklist = gates.check(account, loading.lead_facts(connection, campaign, about, around.now))
    return Draft(
        id=message.id,
        kind=message.kind,
        step=message.step,
        recipient=lead.full_name,
        headline=headline or _occupation(lead.job_title, lead.company),
        profile_url=lead.profile_url,
        text=message.text,
        length=len(message.text),
        limit=text_limit(campaign, message.kind),
        digest=loading.digest_of(campaign, lead, message),
        created_at=created_at,
        gates=lines(checklist),
    )


def _questions(connection: sqlite3.Connection, campaign_id: str) -> list[Question]:
    rows = connection.execute(
        "SELECT id, kind, question, choices, created_at FROM input_requests WHERE campaign_id=? AND status='open'"
        " ORDER BY id LIMIT ?",
        (campaign_id, MOST_QUESTIONS),
    )
    return [
        Question(id=id_, kind=kind, question=question, choices=json.loads(choices), created_at=at)
        for id_, kind, question, choices, at in rows
    ]


def _incidents(connection: sqlite3.Connection, account: str) -> list[Incident]:
    rows = connection.execute(
        "SELECT id, kind, said, opened_at FROM incidents WHERE account=? AND status='open' ORDER BY id LIMIT 20",
        (account,),
    )
    return [Incident(id=id_, kind=kind, said=said, opened_at=at) for id_, kind, said, at in rows]


def _occupation(title: str, company: str) -> str:
    """ "Title, company", the company only if the title does not name it."""
    return ", ".join(part for part in (title, "" if company in title else company) if part)
