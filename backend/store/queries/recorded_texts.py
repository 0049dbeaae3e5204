"""What is on record as written to a person, in every campaign of the account."""

from typing import NamedTuple

from backend.domain.lead import Lead
from backend.domain.lead_merge import MOVED
from backend.store.database import DatabaseConnection

_OF_PERSON = "campaigns c CROSS JOIN leads l ON l.campaign_id = c.id AND l.member_key = ?"
"""A person is a lead of each campaign that reaches them; the account is the same in all of them."""


class RecordedTextRow(NamedTuple):
    """A text that was sent, may have been sent, or was found; `marks` are those of every attempt to send it."""

    message_id: str
    text: str
    may_be_there: bool
    was_seen: bool
    marks: tuple[str, ...]


def texts_to(connection: DatabaseConnection, account: str, member_key: str) -> list[RecordedTextRow]:
    """Oldest first. An attempt that was believed not sent is among them: it may have arrived after all."""
    rows = connection.execute(
        "SELECT m.id, m.text, m.status IN ('sending', 'sent', 'outcome_unknown', 'found') AS there,"
        " m.status='sent' AND m.kind='message' AND m.evidence<>'[]',"
        " coalesce(group_concat(DISTINCT json_extract(a.params, '$.text_mark')), '')"
        f" FROM {_OF_PERSON} CROSS JOIN messages m ON m.lead_id = l.id LEFT JOIN actions a ON a.message_id = m.id"
        " WHERE c.account=? AND m.kind<>'reply' GROUP BY m.id HAVING there OR count(a.id)"
        " ORDER BY coalesce(m.sent_at, m.created_at), m.id",
        (member_key, account),
    )
    return [
        RecordedTextRow(id_, text, bool(there), bool(seen), tuple(filter(None, marks.split(","))))
        for id_, text, there, seen, marks in rows
    ]


def is_invitation_recorded(connection: DatabaseConnection, account: str, member_key: str) -> bool:
    """Whether an invitation to this person is on record: tried by Outrider, or known of from an earlier look."""
    row = connection.execute(
        f"SELECT 1 FROM {_OF_PERSON} WHERE c.account=? AND (l.invited_at IS NOT NULL OR EXISTS ("
        " SELECT 1 FROM messages m JOIN actions a ON a.message_id = m.id WHERE m.lead_id = l.id AND a.family='invite'))"
        " LIMIT 1",
        (member_key, account),
    )
    return row.fetchone() is not None


def in_touch_since(connection: DatabaseConnection, account: str, lead: Lead) -> int:
    """From when on (ms UTC) what this person writes may answer us; 0 if it is not on record when they came.

    That is when they came into the campaign, or into the one from which they were moved, as the user may have written to them by
    hand since; or the first act to them, in whichever campaign of the account: nobody may have read there what they answered.
    """
    row = connection.execute(_IN_TOUCH, {"key": lead.member_key, "account": account, "lead": lead.id}).fetchone()
    return min((at for at in row if at is not None), default=0)


_IN_TOUCH = f"""
SELECT min(CASE WHEN l.id=:lead OR l.blocked='{MOVED}' THEN coalesce(i.created_at, 0) END),
       min(l.invited_at), min(l.last_sent_at), min(a.intended_at)
FROM {_OF_PERSON.replace("?", ":key")} LEFT JOIN imports i ON i.id = l.import_id
LEFT JOIN messages m ON m.lead_id = l.id LEFT JOIN actions a ON a.message_id = m.id AND a.status <> 'not_sent'
WHERE c.account=:account
"""
