"""Lists and counts of leads, and full-text search in them by words of a name or of anything: kept up once a commit."""

import re
from dataclasses import dataclass
from typing import NamedTuple
from unicodedata import normalize

from backend.domain.values.latin import as_typed
from backend.store.database import DatabaseConnection

MOST_WORDS = 8
_MARKS = range(0x19B0, 0x19CA)
"""Vowel signs of New Tai Lue: letters to Python, no part of a word to SQLite's older Unicode."""

_ADDRESS = re.compile(r"(?:https?://)?(?:[\w-]+\.)+[a-z]{2,}/(?:[^\s/?#]+/)*([^\s/?#]+)/?(?:[?#]\S*)?", re.IGNORECASE)
"""The address of a profile as people paste it, and its last part, which alone is searched."""

_SOME_NEW = "SELECT 1 FROM leads_new LIMIT 1"
_LISTED = (
    "INSERT INTO lead_keys SELECT NULL, k.* FROM leads_new n CROSS JOIN lead_keys_now k ON k.lead_id = n.lead_id",
    "INSERT OR IGNORE INTO lead_tags SELECT l.campaign_id, t.value, l.id"
    " FROM leads_new n CROSS JOIN leads l ON l.id = n.lead_id AND l.tags <> '[]' CROSS JOIN json_each(l.tags) t",
    "INSERT INTO leads_unsearched SELECT k.number FROM leads_new n CROSS JOIN lead_keys k ON k.lead_id = n.lead_id",
    "INSERT INTO lead_counts SELECT l.campaign_id, l.status, count(*) FROM leads_new n CROSS JOIN leads l ON l.id = n.lead_id"
    " WHERE l.is_counted GROUP BY l.campaign_id, l.status"
    " ON CONFLICT DO UPDATE SET n = n + excluded.n",
    "DELETE FROM leads_new",
)
_SOME = "SELECT 1 FROM leads_new UNION ALL SELECT 1 FROM leads_unsearched LIMIT 1"
_SAID = """
  SELECT k.number, l.words || ' ' || iif(
    l.tags = '[]', '', (SELECT coalesce(group_concat(value, ' '), '') FROM json_each(l.tags))) AS said
"""
_UNSEARCHED = f"""{_SAID}
  FROM leads_unsearched CROSS JOIN lead_keys k ON k.number = leads_unsearched.number CROSS JOIN leads l ON l.id = k.lead_id
"""
SEARCHED_WORDS = f"{_SAID} FROM lead_keys k JOIN leads l ON l.id = k.lead_id"
"""(number, words) of every lead that is listed."""
# Without LIMIT, SQLite would put the words together anew for each mention of them.
_PUT_IN = (
    f"INSERT INTO leads_text(rowid, words) {_UNSEARCHED}",
    "INSERT INTO leads_text_typed(rowid, words)"
    f" SELECT number, as_typed(CAST(said AS BLOB)) FROM ({_UNSEARCHED} LIMIT -1)"
    " WHERE length(said) <> length(CAST(said AS BLOB)) AND NOT is_folded_by_an_index(CAST(said AS BLOB))",
)
FOUND = (
    "SELECT rowid AS number FROM leads_text WHERE leads_text MATCH :text UNION ALL"
    " SELECT rowid FROM leads_text_typed WHERE leads_text_typed MATCH :typed AND NOT EXISTS"
    " (SELECT 1 FROM leads_text t WHERE t.leads_text MATCH :text AND t.rowid = leads_text_typed.rowid)"
)
"""The numbers of the leads that a search finds; its values are those of `search`."""


def index_changes(connection: DatabaseConnection) -> None:
    """Make what this transaction changed listed and findable; nothing to do for most."""
    if connection.execute(_SOME).fetchone():
        list_new_leads(connection)
        for statement in _PUT_IN:
            connection.execute(statement)
        connection.execute("DELETE FROM leads_unsearched")


def list_new_leads(connection: DatabaseConnection) -> None:
    """Put the leads that came into the lists, by all that they are sorted and filtered by, and count them."""
    if connection.execute(_SOME_NEW).fetchone():
        for statement in _LISTED:
            connection.execute(statement)


class Search(NamedTuple):
    """A search, as written and as typed, for each of the two indexes."""

    text: str
    typed: str


def search(words: str, campaign_id: str = "") -> Search | None:
    """The search for these words, in that campaign if one is named; None without a word. Words are never a query's syntax."""
    campaign_word = "".join(filter(str.isalnum, campaign_id))
    among = f'"{campaign_word}" ' if campaign_word else ""
    text, typed = expression(words), expression(as_typed(words))
    return Search(among + text, among + typed) if text else None


def expression(text: str) -> str:
    """What was typed as a search for its words, each also as the beginning of one; empty when it holds no word."""
    text = _ADDRESS.sub(r"\1", text)
    # Everything else separates words, as it does for the index, so that nothing typed can be a query's syntax.
    letters = (c if c.isalnum() and ord(c) not in _MARKS else " " for c in normalize("NFC", text))
    return " ".join(f'"{word}"*' for word in "".join(letters).split()[:MOST_WORDS])


MOST = 20
_LOOKED_AT = 200

_NAMED = f"""
SELECT l.id, l.full_name, l.job_title, l.company
FROM ({FOUND} LIMIT {_LOOKED_AT}) t
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
    phrases = search(words, campaign_id)
    if phrases is None:
        return []
    rows = connection.execute(_NAMED, {**phrases._asdict(), "campaign": campaign_id})
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
{_FOUND} FROM ({FOUND} LIMIT {_LOOKED_AT}) t
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
        phrases = search(words, campaign or "")
        if phrases is None:
            return []
        called = connection.execute(_CALLED, {"words": words.strip(), "near": campaign})
        ranked_people += [(0, FoundPerson(*row)) for row in called]
        for row in connection.execute(_WITH_WORDS, phrases._asdict()):
            person = FoundPerson(*row)
            name_words = _words(person.name)
            has_all = all(any(name_word.startswith(word) for name_word in name_words) for word in typed_words)
            ranked_people.append((1 if has_all else 2, person))
    best = sorted(ranked_people, key=lambda ranked: ranked[0])  # stable: the near campaign's stay in front
    return list({person.id: person for _, person in best}.values())[:MOST]
