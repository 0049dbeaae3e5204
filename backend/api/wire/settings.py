"""Settings: a campaign's limits, this machine, and whom nobody may contact."""

from typing import Annotated

from pydantic import Field

from backend.api.wire.base import Id, Wire
from backend.domain.campaign import Limits

Label = Annotated[str, Field(min_length=1, max_length=120, pattern=r"\S")]
Goal = Annotated[str, Field(min_length=1, max_length=1_000, pattern=r"\S")]


class Bound(Wire):
    """The least and the most that a limit may be."""

    least: int
    most: int


class CampaignSettings(Wire):
    """What a campaign is about and may do; `approved` texts would need approval again."""

    id: str
    name: str
    goal: str
    site: str
    version: int
    approved: int
    limits: Limits
    defaults: Limits
    bounds: dict[str, Bound]


class EditCampaign(Wire):
    """The settings as they shall be; `version` is the one that was shown."""

    version: int = Field(ge=1)
    name: Label
    goal: Goal
    limits: Limits


class EditedCampaign(Wire):
    """The campaign's version now, and how many texts wait in Review again."""

    version: int
    again: int


class DataFacts(Wire):
    """The data folder."""

    folder: str
    chosen: str
    database_bytes: int
    evidence_bytes: int
    total_bytes: int
    free_bytes: int


class BrowserFacts(Wire):
    """The browser that campaigns run in; `profile_bytes` is null while there is no profile yet."""

    executable: str
    problem: str
    profile: str
    profile_bytes: int | None


class Version(Wire):
    """Something installed."""

    name: str
    version: str


class SiteUse(Wire):
    """A site that campaigns are on."""

    site: str
    campaigns: int


class SettingsView(Wire):
    """This machine, as Outrider uses it."""

    data: DataFacts
    browser: BrowserFacts
    presence_minutes: int
    address: str
    sites: list[SiteUse]
    versions: list[Version]


class Forbidden(Wire):
    """Somebody whom nobody may contact."""

    id: str
    member_key: str
    name: str
    reason: str
    created_at: int


class ForbiddenList(Wire):
    """Newest first; `next` is where the following page begins."""

    rows: list[Forbidden]
    next: str | None


class Forbid(Wire):
    """Never contact this person: the address of a profile, or an e-mail address."""

    person: str = Field(min_length=3, max_length=500)
    name: str = Field(default="", max_length=120)
    reason: str = Field(default="", max_length=500)


class Allow(Wire):
    """Take this entry off the list."""

    id: Id
