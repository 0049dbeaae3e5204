"""Leads by words of their name."""

from dataclasses import dataclass
from typing import NamedTuple

from backend.domain.values.latin import as_typed
from backend.store.database import DatabaseConnection
from backend.store.queries.leads import lead_index

MOST = 20
_LOOKED_AT = 200

_NAMED = f"""
SELECT l.id, l.full_name, l.job_title, l.company
FROM ({lead_index.FOUND} LIMIT {_LOOKED_AT}) t
CROSS JOIN lead_keys k ON k.number = t.number CROSS JOIN leads l ON l.id = k.lead_id
WHERE l.campaign_id = :campaign ORDER BY l.full_name, l.id
"""


class NamedLead(NamedTuple):
    """A lead, as somebody would tell them from others."""

    id: str
    name: str
    job_title: str
    company: str


def find_by_name(connection: DatabaseConnection, campaign_id: str, words: str) -> list[NamedLead]:
    """Those whose name has each of the words, or one that begins with it; whole words first, if anybody has them."""
    search = lead_index.search(words, campaign_id)
    if search is None:
        return []
    rows = connection.execute(_NAMED, {**search._asdict(), "campaign": campaign_id})
    leads = [NamedLead(*row) for row in rows]
    typed_words = _words(words)
    beginning = [
        lead
        for lead in leads
        if all(any(name_word.startswith(word) for name_word in _words(lead.name)) for word in typed_words)
    ]
    whole = [lead for lead in beginning if typed_words <= _words(lead.name)]
    return (whole or beginning)[:MOST]


def _words(text: str) -> set[str]:
    return set("".join(c if c.isalnum() else " " for c in as_typed(text)).split())


@dataclass(frozen=True, slots=True)
class FoundPerson:
    """A lead found in whichever campaign."""

    id: str
    campaign_id: str
    campaign: str
    name: str
    company: str


_FOUND = "SELECT l.id, l.campaign_id, c.name, l.full_name, l.company"
_SHOWN = "c.deleted_at IS NULL AND l.is_counted"
_CALLED = f"""
{_FOUND} FROM campaigns c CROSS JOIN lead_keys k INDEXED BY lead_keys_by_name
  ON k.campaign_id = c.id AND k.name_key >= :words AND k.name_key < :words || char(1114111)
CROSS JOIN leads l ON l.id = k.lead_id
WHERE {_SHOWN} AND (:near IS NULL OR c.id = :near) LIMIT {MOST}
"""
_WITH_WORDS = f"""
{_FOUND} FROM ({lead_index.FOUND} LIMIT {_LOOKED_AT}) t
CROSS JOIN lead_keys k ON k.number = t.number CROSS JOIN leads l ON l.id = k.lead_id
CROSS JOIN campaigns c ON c.id = l.campaign_id WHERE {_SHOWN}
"""


def find_anywhere(connection: DatabaseConnection, words: str, near: str) -> list[FoundPerson]:
    """People of all campaigns, archived ones too, by any of their words.

    First whose name begins with what was typed, then whose name has all of it; `near`'s come first among equals. Each
    statement ends after a bounded number of rows, however many people there are.
    """
    typed_words = _words(words)
    ranked_people: list[tuple[int, FoundPerson]] = []
    for campaign in (near, None) if near else (None,):
        search = lead_index.search(words, campaign or "")
        if search is None:
            return []
        called = connection.execute(_CALLED, {"words": words.strip(), "near": campaign})
        ranked_people += [(0, FoundPerson(*row)) for row in called]
        for row in connection.execute(_WITH_WORDS, search._asdict()):
            person = FoundPerson(*row)
            name_words = _words(person.name)
            has_all = all(any(name_word.startswith(word) for name_word in name_words) for word in typed_words)
            ranked_people.append((1 if has_all else 2, person))
    best = sorted(ranked_people, key=lambda ranked: ranked[0])  # stable: the near campaign's stay in front
    return list({person.id: person for _, person in best}.values())[:MOST]
