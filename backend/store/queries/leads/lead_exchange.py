"""A lead with what passed between the two people, as other tools are given it."""

import json
from typing import NamedTuple

from backend.store.database import DatabaseConnection
from backend.store.queries.leads.leads import WITH_GREETING


class ExchangedText(NamedTuple):
    """A text that was sent, or a reply; `at` in ms UTC, None when nobody knows."""

    theirs: bool
    text: str
    at: int | None


class LeadExchange(NamedTuple):
    """A lead and its texts, oldest first; times in ms UTC."""

    email: str
    full_name: str
    company: str
    job_title: str
    profile_url: str
    reason: str
    id: str
    score: int | None
    status: str
    tags: list[str]
    extra: dict[str, str]
    connected_on: str | None
    invited_at: int | None
    accepted_at: int | None
    last_sent_at: int | None
    replied_at: int | None
    texts: list[ExchangedText]


_COLUMNS = LeadExchange._fields[:-1]
_SPELLED = {"extra": WITH_GREETING, "reason": "coalesce(nullif(blocked, ''), finished)", "score": "weight_score"}
_LEAD = f"SELECT {', '.join(_SPELLED.get(name, name) for name in _COLUMNS)} FROM leads WHERE id=?"
_TEXTS = (
    "SELECT kind = 'reply', text, sent_at FROM messages WHERE lead_id=? AND (status IN ('sent', 'found') OR kind = 'reply')"
    " ORDER BY coalesce(sent_at, created_at), id"
)


def lead_exchange(connection: DatabaseConnection, lead_id: str) -> LeadExchange:
    """That lead, which is there."""
    row = dict(zip(_COLUMNS, connection.execute(_LEAD, (lead_id,)).fetchone(), strict=True))
    texts = [ExchangedText(bool(theirs), text, at) for theirs, text, at in connection.execute(_TEXTS, (lead_id,))]
    return LeadExchange(**{**row, "tags": json.loads(row["tags"]), "extra": json.loads(row["extra"]), "texts": texts})
