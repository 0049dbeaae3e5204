"""Who was invited or contacted, accepted and answered in a campaign, latest first; each looks at a bounded number of leads."""

from typing import NamedTuple

from backend.store.database import DatabaseConnection
from backend.store.queries.response_rates import COUNTED, WAS_CONTACTED


class PersonAt(NamedTuple):
    """A lead, and when (ms UTC) that came about which was asked for."""

    lead_id: str
    name: str
    at: int


_REPLIED = (
    "SELECT id, full_name, replied_at FROM leads WHERE campaign_id=:c AND replied_at IS NOT NULL"
    " ORDER BY replied_at DESC LIMIT :most"
)
_CONTACTED = (
    "SELECT id, full_name, max(coalesce(invited_at, 0), coalesce(last_sent_at, 0)) AS at, invited_at, accepted_at, replied_at"
    f" FROM leads WHERE campaign_id=:c AND status<>'pending' AND {WAS_CONTACTED} ORDER BY id DESC LIMIT :most"
)
_ACCEPTED = (
    f"SELECT id, full_name, accepted_at FROM ({_CONTACTED}) WHERE accepted_at IS NOT NULL ORDER BY accepted_at DESC"
)
_INVITED = f"SELECT id, full_name, invited_at FROM ({_CONTACTED}) WHERE invited_at IS NOT NULL ORDER BY invited_at DESC"
_SILENT = f"SELECT id, full_name, at FROM ({_CONTACTED}) WHERE replied_at IS NULL AND at > 0 ORDER BY at"
_WRITTEN_TO = f"SELECT id, full_name, at FROM ({_CONTACTED}) WHERE at > 0 ORDER BY at DESC"


def replied(connection: DatabaseConnection, campaign_id: str) -> list[PersonAt]:
    """Who answered, and when last."""
    return _people(connection, _REPLIED, campaign_id)


def accepted(connection: DatabaseConnection, campaign_id: str) -> list[PersonAt]:
    """Who accepted an invitation, and when."""
    return _people(connection, _ACCEPTED, campaign_id)


def invited(connection: DatabaseConnection, campaign_id: str) -> list[PersonAt]:
    """Who was invited, and when last."""
    return _people(connection, _INVITED, campaign_id)


def contacted(connection: DatabaseConnection, campaign_id: str) -> list[PersonAt]:
    """To whom something was sent, and when last."""
    return _people(connection, _WRITTEN_TO, campaign_id)


def silent(connection: DatabaseConnection, campaign_id: str) -> list[PersonAt]:
    """Who got something and has not answered, and when they got the last of it; those who have waited longest first."""
    return _people(connection, _SILENT, campaign_id)


def _people(connection: DatabaseConnection, sql: str, campaign_id: str) -> list[PersonAt]:
    return [PersonAt(*row) for row in connection.execute(sql, {"c": campaign_id, "most": COUNTED})]
