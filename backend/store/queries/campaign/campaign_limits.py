"""Which limits a campaign had when; read from its log, where every change of its settings stands."""

import json

from backend.domain.model.campaign import read_settings
from backend.domain.reports.insight import LimitsSince
from backend.store.database import DatabaseConnection

MOST_CHANGES = 400
"""Changes that are looked at, the latest."""

_CHANGES = (
    "SELECT timestamp, change_payload FROM event_log WHERE campaign_id=?"
    " AND kind IN ('CampaignCreated', 'CampaignEdited') AND payload_digest IS NULL ORDER BY seq DESC LIMIT ?"
)


def history(connection: DatabaseConnection, campaign_id: str) -> list[LimitsSince]:
    """The campaign's limits from each moment at which they changed, in order; the first ones from its beginning."""
    limits_history: list[LimitsSince] = []
    for at, payload in reversed(connection.execute(_CHANGES, (campaign_id, MOST_CHANGES)).fetchall()):
        settings = json.loads(payload).get("settings")
        if settings is None:
            continue
        limits = read_settings(settings).limits
        if not limits_history or limits_history[-1].limits != limits:
            limits_history.append(LimitsSince(at, limits))
    return limits_history
