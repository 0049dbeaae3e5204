"""What an address names, or the error that there is no such thing."""

from backend.domain.model.campaign import Campaign
from backend.domain.values.errors import OutriderError
from backend.store.database import DatabaseConnection
from backend.store.queries.campaign import campaigns


def find_campaign(connection: DatabaseConnection, campaign_id: str) -> Campaign:
    """The campaign; raises `campaign_unknown`."""
    campaign = campaigns.campaign(connection, campaign_id)
    if campaign is None:
        raise OutriderError("campaign_unknown", campaign=campaign_id)
    return campaign
