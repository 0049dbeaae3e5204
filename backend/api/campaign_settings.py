"""A campaign's settings: what it is about, and its limits."""

from typing import Annotated

from pydantic import Field

from backend.api.server.endpoint import Routes
from backend.api.server.services import Services
from backend.domain.model.campaign import Limits
from backend.domain.model.channel import CHANNELS
from backend.domain.model.days import OffsetSince, utc_offsets
from backend.domain.values.shapes import Shape
from backend.store.database import DatabaseConnection
from backend.store.queries.campaign.campaigns import existing_campaign

routes = Routes("campaign_settings", "/campaigns/<campaign_id>/settings")

Label = Annotated[str, Field(min_length=1, max_length=120, pattern=r"\S")]

Goal = Annotated[str, Field(min_length=1, max_length=1_000, pattern=r"\S")]

Topic = Annotated[str, Field(max_length=1_000)]


class Bound(Shape):
    """The least and the most that a limit may be."""

    least: int
    most: int


class CampaignSettings(Shape):
    """What a campaign is about and may do."""

    id: str
    name: str
    goal: str
    topic: str
    site: str
    version: int
    limits: Limits
    defaults: Limits
    bounds: dict[str, Bound]
    utc_offsets: list[OffsetSince]


class EditCampaign(Shape):
    """The settings that shall be others, null for as they are; `version` is the one that was shown."""

    version: int = Field(ge=1)
    name: Label | None = None
    goal: Goal | None = None
    topic: Topic | None = None
    limits: Limits | None = None


@routes.get()
def view(services: Services, connection: DatabaseConnection, campaign_id: str) -> CampaignSettings:
    """What the campaign is about and may do; raises `campaign_unknown`."""
    clock = services.workspace.clock
    campaign = existing_campaign(connection, campaign_id)
    return CampaignSettings.showing(
        campaign,
        topic=campaign.settings.topic,
        limits=campaign.settings.limits,
        defaults=CHANNELS[campaign.site].limits if campaign.site in CHANNELS else Limits(),
        bounds=limit_bounds(),
        utc_offsets=utc_offsets(clock.now(), clock.offset),
    )


@routes.post()
def edit(services: Services, campaign_id: str, body: EditCampaign) -> None:
    """Change what the campaign is about and may do."""
    texts = {name: text.strip() for name in ("name", "goal", "topic") if (text := getattr(body, name)) is not None}
    services.commands(campaign_id).campaigns.edit(campaign_id, version=body.version, limits=body.limits, **texts)


def limit_bounds() -> dict[str, Bound]:
    """The least and the most of every limit that is a number, as the domain has them."""
    properties = Limits.model_json_schema()["properties"]
    return {
        name: Bound(least=shape["minimum"], most=shape["maximum"])
        for name, shape in properties.items()
        if "minimum" in shape
    }
