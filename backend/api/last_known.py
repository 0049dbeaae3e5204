"""What the next start shows until its backend is there (`backend.store.last_known`), as of now."""

from backend.api import campaigns
from backend.api.campaigns import CampaignsQuery
from backend.api.server.services import Services
from backend.store.database import DatabaseConnection
from backend.store.last_known import MOST_CAMPAIGNS, KnownCampaign, LastKnown


def last_known(services: Services, connection: DatabaseConnection) -> LastKnown:
    """The newest campaigns by their names and counts."""
    listed = campaigns.list_(services, connection, CampaignsQuery()).campaigns[:MOST_CAMPAIGNS]
    return LastKnown(
        campaigns=[
            KnownCampaign.showing(
                row,
                state=row.state.name,
                leads={status.value: count for status, count in row.leads.items()},
                needs={need.value: count for need, count in row.needs.items()},
            )
            for row in listed
        ]
    )
