"""What Settings shows of the database."""

import sqlite3

from backend.api.wire.settings import Bound, CampaignSettings, Forbidden, ForbiddenList, SiteUse
from backend.domain.campaign import Limits
from backend.domain.errors import OutriderError
from backend.domain.events import WORKSPACE
from backend.store import reading

A_PAGE = 50


def bounds() -> dict[str, Bound]:
    """The least and the most of every limit that is a number, as the domain has them."""
    properties = Limits.model_json_schema()["properties"]
    return {
        name: Bound(least=shape["minimum"], most=shape["maximum"])
        for name, shape in properties.items()
        if "minimum" in shape
    }


def campaign_settings(connection: sqlite3.Connection, campaign_id: str) -> CampaignSettings:
    """What the campaign is about and may do; raises `campaign_unknown`."""
    campaign = reading.campaign(connection, campaign_id)
    if campaign is None:
        raise OutriderError("campaign_unknown", campaign=campaign_id)
    return CampaignSettings(
        id=campaign.id,
        name=campaign.name,
        goal=campaign.goal,
        site=campaign.site,
        version=campaign.version,
        approved=len(reading.approved(connection, campaign_id)),
        limits=campaign.settings.limits,
        defaults=Limits(),
        bounds=bounds(),
    )


def sites(connection: sqlite3.Connection) -> list[SiteUse]:
    """The sites that campaigns are on."""
    rows = connection.execute("SELECT site, count(*) FROM campaigns GROUP BY site ORDER BY site")
    return [SiteUse(site=site, campaigns=count) for site, count in rows]


def forbidden(connection: sqlite3.Connection, after: str) -> ForbiddenList:
    """A page of the do-not-contact list, newest first."""
    rows = connection.execute(
        "SELECT id, member_key, name, reason, created_at FROM do_not_contact"
        " WHERE campaign_id=? AND status='active' AND (?='' OR id<?) ORDER BY id DESC LIMIT ?",
        (WORKSPACE, after, after, A_PAGE + 1),
    ).fetchall()
    shown = [
        Forbidden(id=id_, member_key=key, name=name, reason=reason, created_at=at)
        for id_, key, name, reason, at in rows[:A_PAGE]
    ]
    return ForbiddenList(rows=shown, next=shown[-1].id if len(rows) > A_PAGE else None)
