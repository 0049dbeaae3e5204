"""Who was invited or contacted, accepted and answered in a campaign, and when last; each looks at a bounded number of leads.

Each may be asked about a stretch of time: then it is whoever that happened to within it, whatever came later.
"""

from typing import NamedTuple

from backend.store.database import DatabaseConnection
from backend.store.queries.reports.response_rates import COUNTED, WAS_CONTACTED


class PersonSince(NamedTuple):
    """A lead, and when (ms UTC) that came about which was asked for."""

    lead_id: str
    name: str
    at: int


class Stretch(NamedTuple):
    """From (included) and to (excluded), ms UTC."""

    start: int
    end: int


EVER = Stretch(1, 2**53)

_CONTACTED = (
    "SELECT id, full_name, invited_at, accepted_at, last_sent_at, replied_at"
    f" FROM leads WHERE campaign_id=:c AND status<>'pending' AND {WAS_CONTACTED} ORDER BY id DESC LIMIT :most"
)
_REPLIED = (
    "SELECT id, full_name, replied_at FROM leads WHERE campaign_id=:c AND replied_at IS NOT NULL"
    " ORDER BY replied_at DESC LIMIT :most"
)
_TEXTS = "CROSS JOIN messages m ON m.lead_id = l.id WHERE m.status IN ('sent', 'found') AND m.kind"


def _moments(columns: tuple[str, ...], texts: str) -> str:
    """When that was, as often as it was: by what is on the person's record of the last time, and by each text."""
    own = " UNION ALL ".join(f"SELECT id, full_name, replied_at, {column} AS at FROM people" for column in columns)
    return f"WITH people AS ({_CONTACTED}) {own} UNION ALL SELECT l.id, l.full_name, l.replied_at, m.sent_at FROM people l {texts}"


_INVITATIONS = _moments(("invited_at",), f"{_TEXTS} = 'invitation'")
_CONTACTS = _moments(("invited_at", "last_sent_at"), f"{_TEXTS} IN ('invitation', 'message')")
_BY_PERSON = "m.kind = 'reply' AND m.reply_kind <> 'automatic'"
# When they wrote, and when it was noticed only of those of whom there is no message.
_REPLIES = f"""
WITH people AS ({_REPLIED})
SELECT l.id, l.full_name, l.replied_at, l.replied_at AS at FROM people l
WHERE NOT EXISTS (SELECT 1 FROM messages m WHERE m.lead_id = l.id AND {_BY_PERSON})
UNION ALL SELECT l.id, l.full_name, l.replied_at, m.sent_at FROM people l
CROSS JOIN messages m ON m.lead_id = l.id WHERE {_BY_PERSON}"""
_ACCEPTANCES = f"SELECT id, full_name, replied_at, accepted_at AS at FROM ({_CONTACTED})"
_EACH = "SELECT id, full_name, max(at) AS at FROM ({moments}) WHERE at >= :start AND at < :end {more} GROUP BY id"


def replied(connection: DatabaseConnection, campaign_id: str, during: Stretch = EVER) -> list[PersonSince]:
    """Who answered, latest first."""
    return _people(connection, _REPLIES, campaign_id, during)


def accepted(connection: DatabaseConnection, campaign_id: str, during: Stretch = EVER) -> list[PersonSince]:
    """Who accepted an invitation, latest first."""
    return _people(connection, _ACCEPTANCES, campaign_id, during)


def invited(connection: DatabaseConnection, campaign_id: str, during: Stretch = EVER) -> list[PersonSince]:
    """Who was invited, latest first."""
    return _people(connection, _INVITATIONS, campaign_id, during)


def contacted(connection: DatabaseConnection, campaign_id: str, during: Stretch = EVER) -> list[PersonSince]:
    """To whom something was sent, latest first."""
    return _people(connection, _CONTACTS, campaign_id, during)


def silent(connection: DatabaseConnection, campaign_id: str, during: Stretch = EVER) -> list[PersonSince]:
    """Who got something and has not answered to this day; those who have waited longest first."""
    return _people(connection, _CONTACTS, campaign_id, during, more="AND replied_at IS NULL")[::-1]


def _people(
    connection: DatabaseConnection, moments: str, campaign_id: str, during: Stretch, more: str = ""
) -> list[PersonSince]:
    sql = f"{_EACH.format(moments=moments, more=more)} ORDER BY at DESC, id DESC"
    rows = connection.execute(
        sql, {"c": campaign_id, "most": COUNTED, "start": max(during.start, EVER.start), "end": during.end}
    )
    return [PersonSince(*row) for row in rows]
