"""What is on record as written to a person, in every campaign of the account."""

from typing import NamedTuple

from backend.domain.leads.lead_merge import MOVED
from backend.store.database import DatabaseConnection
from backend.store.queries.people.person_leads import PERSON_LEADS


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
