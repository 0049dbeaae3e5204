"""Lists and counts of leads and full-text search in them: what triggers noted as new is put in, once a commit."""

import re
from unicodedata import normalize

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
    " WHERE l.blocked NOT IN ('import_undone', 'moved') GROUP BY l.campaign_id, l.status"
    " ON CONFLICT DO UPDATE SET n = n + excluded.n",
    "DELETE FROM leads_new",
)
_SOME = "SELECT 1 FROM leads_new UNION ALL SELECT 1 FROM leads_unsearched LIMIT 1"
_PUT_IN = """
INSERT INTO leads_text(rowid, words)
SELECT k.number, l.words || ' ' || iif(
  l.tags = '[]', '', (SELECT coalesce(group_concat(value, ' '), '') FROM json_each(l.tags)))
FROM leads_unsearched CROSS JOIN lead_keys k ON k.number = leads_unsearched.number CROSS JOIN leads l ON l.id = k.lead_id
"""


def index_changes(connection: DatabaseConnection) -> None:
    """Make what this transaction changed listed and findable; nothing to do for most."""
    if connection.execute(_SOME).fetchone():
        list_new_leads(connection)
        connection.execute(_PUT_IN)
        connection.execute("DELETE FROM leads_unsearched")


def list_new_leads(connection: DatabaseConnection) -> None:
    """Put the leads that came into the lists, by all that they are sorted and filtered by, and count them."""
    if connection.execute(_SOME_NEW).fetchone():
        for statement in _LISTED:
            connection.execute(statement)


def expression(text: str) -> str:
    """What was typed as a search for its words, each also as the beginning of one; empty when it holds no word."""
    text = _ADDRESS.sub(r"\1", text)
    # Everything else separates words, as it does for the index, so that nothing typed can be a query's syntax.
    letters = (c if c.isalnum() and ord(c) not in _MARKS else " " for c in normalize("NFC", text))
    return " ".join(f'"{word}"*' for word in "".join(letters).split()[:MOST_WORDS])
