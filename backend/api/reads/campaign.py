"""What the page sees, read in one transaction, every list bounded; decides nothing, shows what the controller would."""

import sqlite3

from backend.api.reads.lines import occupation, question
from backend.api.wire.campaigns import (
    CampaignView,
    Incident,
    Now,
    Question,
)
from backend.api.wire.runs import RunState
from backend.controller.context import Surroundings
from backend.domain.errors import OutriderError
from backend.domain.lead import LeadStatus
from backend.domain.task import TaskStatus
from backend.domain.turn import TurnState
from backend.store import reading
from backend.store.reading import Position

MOST_QUESTIONS = 20
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
        lead_headline=occupation(headline, title, company),
        action=tool,
        last_error=where.last_error,
    )


def _questions(connection: sqlite3.Connection, campaign_id: str) -> list[Question]:
    rows = connection.execute(
        "SELECT id, kind, question, choices, created_at FROM input_requests q WHERE campaign_id=? AND status='open'"
        f" AND {reading.OF_THE_CAMPAIGN} ORDER BY id LIMIT ?",
        (campaign_id, MOST_QUESTIONS),
    )
    return [question(row) for row in rows]


def _incidents(connection: sqlite3.Connection, account: str) -> list[Incident]:
    rows = connection.execute(
        "SELECT id, kind, said, opened_at, evidence FROM incidents WHERE account=? AND status='open' ORDER BY id LIMIT 20",
        (account,),
    )
    return [Incident(id=id_, kind=kind, said=said, opened_at=at, evidence=file) for id_, kind, said, at, file in rows]
