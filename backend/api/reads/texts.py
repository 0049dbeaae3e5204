"""What templates become for one person."""

import sqlite3
from collections.abc import Collection, Sequence

from backend.api.wire.new_campaign import PreviewedStep, PreviewedSteps
from backend.domain.campaign import Settings
from backend.domain.errors import OutriderError
from backend.domain.template import Writing, writings_of, written
from backend.domain.variables import Recipient, used
from backend.store import reading


def previewed(
    writings: Sequence[Writing], to: Recipient, goal: str, settings: Settings, *, columns: Collection[str] = ()
) -> PreviewedSteps:
    """The texts as they would be proposed for that person."""
    texts = [(writing, written(writing, to, goal, settings, columns)) for writing in writings]
    return PreviewedSteps(
        steps=[
            PreviewedStep(
                text=text.text,
                length=text.length,
                limit=text.limit,
                problem=text.problem,
                missing=list(text.missing),
                uses=list(used(writing.template)),
            )
            for writing, text in texts
        ],
        problem="",
    )


def texts_for(connection: sqlite3.Connection, campaign_id: str, lead_id: str) -> PreviewedSteps:
    """The texts of the campaign's own sequence for one of its leads; raises `campaign_unknown`, `lead_unknown`."""
    campaign = reading.campaign(connection, campaign_id)
    if campaign is None:
        raise OutriderError("campaign_unknown", campaign=campaign_id)
    to = reading.recipient(connection, lead_id) if reading.lead(connection, campaign_id, lead_id) else None
    if to is None:
        raise OutriderError("lead_unknown", lead=lead_id)
    return previewed(writings_of(campaign.settings.sequence), to, campaign.goal, campaign.settings)
