"""What the page sees, read in one transaction, every list bounded; decides nothing, shows what the controller would."""

import json
import sqlite3
from typing import Any

from backend.api.reads.lines import gate_lines, occupation, question
from backend.api.wire.campaigns import (
    CampaignList,
    CampaignSummary,
    CampaignView,
    FamilyGates,
    Incident,
    Now,
    Proposal,
    Question,
    TaskLine,
    TurnLine,
)
from backend.api.wire.runs import RunState
from backend.controller import context as loading
from backend.controller.context import Surroundings
from backend.domain import gates
from backend.domain.campaign import CampaignStatus
from backend.domain.errors import OutriderError
from backend.domain.lead import LeadStatus
from backend.domain.proposals import Rejection, parse
from backend.domain.task import NEVER, Needs, TaskStatus
from backend.domain.turn import TurnState
from backend.store import reading
from backend.store.reading import Position

MOST_CAMPAIGNS, MOST_TASKS, MOST_TURNS, MOST_QUESTIONS = 200, 60, 25, 20
SHOWN_REPLY = 4_000
COUNTED_DRAFTS = 1_000

_LIST = """
SELECT c.id, c.name, c.status, c.status_reason, c.site, c.created_at, r.last_turn,
       (SELECT count(*) FROM input_requests q WHERE q.campaign_id = c.id AND q.status = 'open')
FROM campaigns c JOIN runtime_snapshot r ON r.campaign_id = c.id ORDER BY c.id DESC LIMIT ?
"""

_TASKS = """
SELECT t.id, t.description, t.status, t.needs, t.reason, t.ready_at, coalesce(l.full_name, '')
FROM tasks t LEFT JOIN leads l ON l.id = t.lead_id
WHERE t.campaign_id = ? AND t.status = ? AND t.needs = ? ORDER BY t.ready_at, t.rank LIMIT ?
"""

_TURNS = """
SELECT n.number, n.faulted, n.proposal, n.verdict, n.error, coalesce(t.description, ''), coalesce(l.full_name, ''), n.steps
FROM turn_projection n LEFT JOIN tasks t ON t.id = n.task_id LEFT JOIN leads l ON l.id = n.lead_id
WHERE n.campaign_id = ? ORDER BY n.number DESC LIMIT ?
"""

_NOW = """
SELECT coalesce(t.description, ''), coalesce(t.status, ''), coalesce(l.full_name, ''), coalesce(l.headline, ''),
       coalesce(l.job_title, ''), coalesce(l.company, ''), coalesce(a.tool, '')
FROM execution_state e LEFT JOIN tasks t ON t.id = e.current_task_id LEFT JOIN leads l ON l.id = e.current_lead_id
LEFT JOIN actions a ON a.id = e.current_action_id WHERE e.campaign_id = ?
"""

_REPLY = "SELECT payload, cause FROM audit_log WHERE campaign_id=? AND action_type='proposal' ORDER BY seq DESC LIMIT 1"


def campaign_list(connection: sqlite3.Connection, run: RunState) -> CampaignList:
    """Every campaign, newest first."""
    rows = connection.execute(_LIST, (MOST_CAMPAIGNS,)).fetchall()
    campaigns = [
        CampaignSummary(
            id=id_,
            name=name,
            status=CampaignStatus(status),
            status_reason=why,
            site=site,
            created_at=created_at,
            turns=turns,
            leads=_leads(connection, id_),
            drafts=reading.open_drafts(connection, id_, COUNTED_DRAFTS),
            questions=questions,
        )
        for id_, name, status, why, site, created_at, turns, questions in rows
    ]
    return CampaignList(campaigns=campaigns, run=run)


def campaign_view(
    connection: sqlite3.Connection, campaign_id: str, around: Surroundings, run: RunState
) -> CampaignView:
    """One campaign as the live page shows it; raises `campaign_unknown`."""
    where = reading.position(connection, campaign_id)
    if where is None:
        raise OutriderError("campaign_unknown", campaign=campaign_id)
    campaign = where.campaign
    (why,) = connection.execute("SELECT status_reason FROM campaigns WHERE id=?", (campaign_id,)).fetchone()
    turns = _turns(connection, campaign_id)
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
        proposal=_proposal(connection, campaign_id, turns),
        leads=_leads(connection, campaign_id),
        task_counts=_task_counts(connection, campaign_id),
        tasks=_tasks(connection, campaign_id),
        families=[_family(connection, where, around, family) for family in loading.ACTING],
        drafts_total=reading.open_drafts(connection, campaign_id, COUNTED_DRAFTS),
        questions=_questions(connection, campaign_id),
        incidents=_incidents(connection, campaign.account),
        turns=turns,
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
    task, status, lead, headline, title, company, tool = row
    return Now(
        state=TurnState(where.state),
        turn=where.last_turn,
        task=task,
        task_status=status,
        lead_name=lead,
        lead_headline=occupation(headline, title, company),
        action=tool,
        last_error=where.last_error,
    )


def _proposal(connection: sqlite3.Connection, campaign_id: str, turns: list[TurnLine]) -> Proposal | None:
    """The last reply with what became of it; its type is told even when it was refused for its meaning."""
    row = connection.execute(_REPLY, (campaign_id,)).fetchone()
    if row is None or row[0] is None:
        return None
    entry: dict[str, Any] = json.loads(row[0])
    raw, number = str(entry["raw"]), int(str(row[1]).removeprefix("t") or 0)
    parsed = parse(raw)
    ended = turns[0] if turns and turns[0].number == number else None
    return Proposal(
        turn=number,
        raw=_showable(raw[:SHOWN_REPLY]),
        cut=len(raw) > SHOWN_REPLY or "length" in entry,
        type="" if isinstance(parsed, Rejection) else parsed.type,
        verdict=ended.verdict if ended else "",
        sentence=ended.said if ended else "",
    )


def _tasks(connection: sqlite3.Connection, campaign_id: str) -> list[TaskLine]:
    """What is being worked on first, then what is blocked, what comes next, and a few that are done."""
    found: list[TaskLine] = []
    for status in (
        TaskStatus.IN_PROGRESS,
        TaskStatus.VERIFYING,
        TaskStatus.BLOCKED,
        TaskStatus.PENDING,
        TaskStatus.DONE,
    ):
        for needs in Needs:
            room = MOST_TASKS - len(found)
            rows = connection.execute(_TASKS, (campaign_id, status, needs, room)).fetchall() if room else []
            found += [
                TaskLine(
                    id=id_,
                    description=description,
                    status=TaskStatus(state),
                    needs=Needs(family),
                    reason=reason,
                    ready_at=None if ready_at >= NEVER else ready_at,
                    lead_name=lead,
                )
                for id_, description, state, family, reason, ready_at, lead in rows
            ]
    return found


def _family(connection: sqlite3.Connection, where: Position, around: Surroundings, family: Needs) -> FamilyGates:
    campaign = where.campaign
    incident = reading.open_incident(connection, campaign.account)
    facts = loading.account_facts(connection, campaign, around, family, incident)
    (waiting,) = connection.execute(
        "SELECT count(*) FROM (SELECT 1 FROM tasks WHERE campaign_id=? AND status IN ('pending', 'in_progress')"
        " AND needs=? LIMIT 1000)",
        (campaign.id, family),
    ).fetchone()
    return FamilyGates(family=family, waiting=waiting, gates=gate_lines(gates.check(facts, None)))


def _questions(connection: sqlite3.Connection, campaign_id: str) -> list[Question]:
    rows = connection.execute(
        "SELECT id, kind, question, choices, created_at FROM input_requests WHERE campaign_id=? AND status='open'"
        " ORDER BY id LIMIT ?",
        (campaign_id, MOST_QUESTIONS),
    )
    return [question(row) for row in rows]


def _incidents(connection: sqlite3.Connection, account: str) -> list[Incident]:
    rows = connection.execute(
        "SELECT id, kind, said, opened_at, evidence FROM incidents WHERE account=? AND status='open' ORDER BY id LIMIT 20",
        (account,),
    )
    return [Incident(id=id_, kind=kind, said=said, opened_at=at, evidence=file) for id_, kind, said, at, file in rows]


def _turns(connection: sqlite3.Connection, campaign_id: str) -> list[TurnLine]:
    return [
        TurnLine(
            number=number,
            faulted=bool(faulted),
            proposal=proposal,
            verdict=verdict,
            said=said,
            task=task,
            lead_name=lead,
            steps_us=json.loads(steps),
        )
        for number, faulted, proposal, verdict, said, task, lead, steps in connection.execute(
            _TURNS, (campaign_id, MOST_TURNS)
        )
    ]


def _showable(text: str) -> str:
    """A reply may hold half a surrogate pair, which no JSON can carry to the page."""
    return text.encode("utf-8", "backslashreplace").decode()
