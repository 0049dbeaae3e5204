"""Leads by words of their name."""

from typing import NamedTuple

from backend.store.database import DatabaseConnection
from backend.store.queries import lead_index

MOST = 20
_LOOKED_AT = 200

_NAMED = f"""
SELECT l.id, l.full_name, l.job_title, l.company
FROM (SELECT rowid AS number FROM leads_text WHERE leads_text MATCH ? LIMIT {_LOOKED_AT}) t
CROSS JOIN lead_keys k ON k.number = t.number CROSS JOIN leads l ON l.id = k.lead_id
WHERE l.campaign_id = ? ORDER BY l.full_name, l.id
"""


class NamedLead(NamedTuple):
    """A lead, as somebody would tell them from others."""

    id: str
    name: str
    job_title: str
    company: str


def find_by_name(connection: DatabaseConnection, campaign_id: str, words: str) -> list[NamedLead]:
    """Those whose name has each of the words, or one that begins with it; whole words first, if anybody has them."""
    terms = lead_index.expression(words)
    if not terms:
        return []
    mine = "".join(filter(str.isalnum, campaign_id))
    found = [NamedLead(*row) for row in connection.execute(_NAMED, (f'"{mine}" {terms}', campaign_id))]
    asked = _words(words)
    beginning = [
        lead for lead in found if all(any(has.startswith(word) for has in _words(lead.name)) for word in asked)
    ]
    whole = [lead for lead in beginning if asked <= _words(lead.name)]
    return (whole or beginning)[:MOST]


def _words(text: str) -> set[str]:
    return set("".join(c if c.isalnum() else " " for c in text.casefold()).split())
