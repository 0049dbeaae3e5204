"""Pauses every campaign at once, wherever it runs: here, in another process, or on another device."""

from collections.abc import Callable

from backend.commands.user_commands import Commands
from backend.domain.model.campaign import STOPPED_BY_USER, CampaignStatus
from backend.domain.values.errors import OutriderError
from backend.store.database import Database
from backend.store.queries.reports import campaign_overview
from backend.store.queries.reports.campaign_overview import CampaignBrief


def pause_all(database: Database, commands: Callable[[str], Commands]) -> list[CampaignBrief]:
    """The campaigns that were on, and are paused now. Whoever runs one ends after the current atomic action.

    `commands` gives what the user may decide about a campaign, at its time.
    """
    active = database.query(campaign_overview.active)
    paused: list[CampaignBrief] = []
    for campaign in active:
        try:
            commands(campaign.id).campaigns.change_status(campaign.id, CampaignStatus.PAUSED, STOPPED_BY_USER)
        except OutriderError as error:
            if error.code != "illegal_status":
                raise
            continue  # it ended meanwhile
        paused.append(campaign)
    return paused
