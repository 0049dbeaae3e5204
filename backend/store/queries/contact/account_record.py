"""What is on record of the people of an account, in all of its campaigns: who they are, what was done about each,
and what was written to a person.
"""

import json
from collections.abc import Collection
from typing import NamedTuple

from backend.domain.contact.reconciliation import EXPORT, ActOnRecord
from backend.domain.events.facts.statuses import ActionStatus
from backend.domain.leads.lead_merge import MOVED, TAKEN_BACK
from backend.domain.model.message import text_mark
from backend.domain.model.task import ActionFamily
from backend.store.database import DatabaseConnection
from backend.store.queries.people.person_leads import PERSON_LEADS


class AccountLead(NamedTuple):
    """A lead of one of the account's campaigns; `since` is when that was made (ms UTC)."""

    campaign_id: str
    lead_id: str
    since: int


def leads_of_account(connection: DatabaseConnection, account: str) -> dict[str, list[AccountLead]]:
    """Address of a profile -> the leads that this person is, campaign by campaign; those that are in no list any more first."""
    rows = connection.execute(
        "SELECT l.profile_url, c.id, l.id, c.created_at FROM campaigns c CROSS JOIN leads l ON l.campaign_id = c.id"
        f" WHERE c.account=? AND l.profile_url<>'' ORDER BY l.blocked NOT IN ('{TAKEN_BACK}', '{MOVED}'), c.id",
        (account,),
    )
    leads_by_profile: dict[str, list[AccountLead]] = {}
    for profile_url, *lead in rows:
        leads_by_profile.setdefault(profile_url, []).append(AccountLead(*lead))
    return leads_by_profile


class LeadAct(NamedTuple):
    """An act with the rows it is about; `evidence` in JSON."""

    act: ActOnRecord
    task_id: str
    lead_id: str
    message_id: str
    approval_id: str
    text: str
    step: str
    said: str
    evidence: str


def acts_to(connection: DatabaseConnection, lead_id: str) -> list[LeadAct]:
    """What was done about that lead, oldest first."""
    rows = connection.execute(
        "SELECT a.id, a.family, a.status, coalesce(json_extract(a.params, '$.text_mark'), ''), a.intended_at, a.evidence,"
        " a.task_id, a.message_id, a.approval_id, m.text, m.step, a.said"
        " FROM messages m CROSS JOIN actions a ON a.message_id = m.id WHERE m.lead_id=? ORDER BY a.intended_at, a.id",
        (lead_id,),
    )
    return [_act(lead_id, *row) for row in rows]


def _act(
    lead_id: str, id_: str, family: str, status: str, mark: str, intended_at: int, evidence: str, *details: str
) -> LeadAct:
    task_id, message_id, approval_id, text, step, outcome_text = details
    confirmed = any(piece.get("kind") == EXPORT for piece in json.loads(evidence))
    act = ActOnRecord(id_, ActionFamily(family), ActionStatus(status), mark, intended_at, confirmed)
    return LeadAct(act, task_id, lead_id, message_id, approval_id, text, step, outcome_text, evidence)


def marks_found(connection: DatabaseConnection, lead_ids: Collection[str]) -> set[str]:
    """The marks of our texts that were found, as far as they are on record of these leads."""
    marks: set[str] = set()
    for lead_id in lead_ids:
        rows = connection.execute("SELECT text FROM messages WHERE lead_id=? AND status='found'", (lead_id,))
        marks |= {text_mark(text) for (text,) in rows}
    return marks


class RecordedTextRow(NamedTuple):
    """A text that was sent, may have been sent, or was found; `marks` are those of every attempt to send it."""

    message_id: str
    text: str
    may_be_there: bool
    was_seen: bool
    marks: tuple[str, ...]


def texts_to(connection: DatabaseConnection, lead_id: str) -> list[RecordedTextRow]:
    """Oldest first. An attempt that was believed not sent is among them: it may have arrived after all."""
    rows = connection.execute(
        "SELECT m.id, m.text, m.status IN ('sending', 'sent', 'outcome_unknown', 'found') AS there,"
        " m.status='sent' AND m.kind='message' AND m.evidence<>'[]',"
        " coalesce(group_concat(DISTINCT json_extract(a.params, '$.text_mark')), '')"
        f" FROM {PERSON_LEADS} l CROSS JOIN messages m ON m.lead_id = l.lead_id LEFT JOIN actions a ON a.message_id = m.id"
        " WHERE m.kind<>'reply' GROUP BY m.id HAVING there OR count(a.id)"
        " ORDER BY coalesce(m.sent_at, m.created_at), m.id",
        (lead_id,),
    )
    return [
        RecordedTextRow(id_, text, bool(there), bool(seen), tuple(filter(None, marks.split(","))))
        for id_, text, there, seen, marks in rows
    ]


def is_invitation_recorded(connection: DatabaseConnection, lead_id: str) -> bool:
    """Whether an invitation to this person is on record: tried by Outrider, or known of from an earlier look."""
    row = connection.execute(
        f"SELECT 1 FROM {PERSON_LEADS} p CROSS JOIN leads l ON l.id = p.lead_id WHERE l.invited_at IS NOT NULL OR EXISTS ("
        " SELECT 1 FROM messages m JOIN actions a ON a.message_id = m.id WHERE m.lead_id = l.id AND a.family='invite')"
        " LIMIT 1",
        (lead_id,),
    )
    return row.fetchone() is not None


def in_touch_since(connection: DatabaseConnection, lead_id: str) -> int:
    """From when on (ms UTC) what this person writes may answer us; 0 if it is not on record when they came.

    That is when they came into the campaign, or into the one from which they were moved, as the user may have written to them by
    hand since; or the first act to them, in whichever campaign of the account: nobody may have read there what they answered.
    """
    row = connection.execute(_IN_TOUCH, (lead_id,)).fetchone()
    return min((at for at in row if at is not None), default=0)


_IN_TOUCH = f"""
SELECT min(CASE WHEN l.id=?1 OR l.blocked='{MOVED}' THEN coalesce(i.created_at, 0) END),
       min(l.invited_at), min(l.last_sent_at), min(a.intended_at)
FROM {PERSON_LEADS} p CROSS JOIN leads l ON l.id = p.lead_id LEFT JOIN imports i ON i.id = l.import_id
LEFT JOIN messages m ON m.lead_id = l.id LEFT JOIN actions a ON a.message_id = m.id AND a.status <> 'not_sent'
"""
