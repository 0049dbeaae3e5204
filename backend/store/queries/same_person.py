"""One person in several campaigns: the same profile or identity, or the same e-mail address."""

from backend.store.database import DatabaseConnection

# What passes in a rehearsal is made up, so that it says nothing about the real person, nor they about it.
# In this order, campaign by campaign: there are few of them, and whoever answered may be many.
_BY = """
SELECT c.name FROM leads me CROSS JOIN campaigns mine ON mine.id = me.campaign_id
CROSS JOIN campaigns c ON (c.site = 'practice') = (mine.site = 'practice')
CROSS JOIN leads l ON l.campaign_id = c.id AND l.id <> me.id AND {same}
WHERE me.id = ?1 AND +l.replied_at IS NOT NULL
"""
_SAME = ("l.member_key = me.member_key", "me.email <> '' AND lower(l.email) = lower(me.email) AND l.email <> ''")
_ANSWERED = " UNION ALL ".join(_BY.format(same=same) for same in _SAME) + " LIMIT 1"


def answered_elsewhere(connection: DatabaseConnection, lead_id: str) -> str:
    """The name of another campaign in which this person has answered; empty when there is none."""
    row = connection.execute(_ANSWERED, (lead_id,)).fetchone()
    return str(row[0]) if row else ""
