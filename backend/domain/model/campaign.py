"""A campaign: its lifecycle, its settings, and when it is finished."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, TypedDict

from pydantic import BaseModel, ConfigDict, Field

from backend.domain.model.connection import SCRIPTED
from backend.domain.model.scoring import DEFAULT_BLUEPRINT, Blueprint
from backend.domain.model.sequence import DEFAULT_SEQUENCE, Sequence
from backend.domain.values.errors import OutriderError

MINUTE = 60_000
HOUR = 60 * MINUTE
DAY = 24 * HOUR
_LATEST = 4_102_444_800_000
"""The year 2100, in ms UTC."""


class CampaignStatus(StrEnum):
    """Spec 001 FR-054."""

    INITIALIZING = "initializing"
    ACTIVE = "active"
    PAUSED = "paused"
    COMPLETED = "completed"
    ERROR = "error"


STOPPED_BY_USER = "stopped by you"
"""Why a campaign is paused."""
STATUS_WORDS: dict[str, str] = {
    CampaignStatus.INITIALIZING: "has not been started",
    CampaignStatus.ACTIVE: "is on",
    CampaignStatus.PAUSED: "is paused",
    CampaignStatus.COMPLETED: "is done",
    CampaignStatus.ERROR: "stopped with an error",
}
"""How a sentence about a campaign goes on."""


NOTE_DAYS = 30


class Limits(BaseModel):
    """What a campaign may do and spend, conservative by default (design: compliance 6).

    Times are minutes after local midnight; `notes_a_month` counts invitations with a note in any 30 days. An invitation
    that nobody accepted is to be withdrawn after `withdraw_after_days`: so many a day by Outrider itself, and with none a
    day, as by default, the user is reminded. Messages are drafted for the next `prepared_days` working days, and an approval
    lasts `approval_working_days` after the day for which its message is planned. For `claim_days` after the last message no
    other campaign writes to a person.
    A model may cost so many US cents and thousands of tokens in all. From `first_contact_until` on (ms UTC) nobody is written
    to for the first time, from `ends_at` on every sequence is over; None is no such day. Whoever has a lower score than
    `least_score`, or a lower priority by hand, is not begun with; 0 takes everybody. `target_a_month` limits nothing: with so
    many people the user wants to come into conversation in a calendar month; 0 is no target.
    """

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, defer_build=True)

    invitations_a_day: int = Field(default=15, ge=0, le=100)
    invitations_a_week: int = Field(default=80, ge=0, le=400)
    notes_a_month: int = Field(default=1_000, ge=0, le=1_000)
    messages_a_day: int = Field(default=25, ge=0, le=200)
    ramp_days: int = Field(default=14, ge=0, le=60)
    spacing_seconds: int = Field(default=90, ge=0, le=3_600)
    day_starts: int = Field(default=9 * 60, ge=0, le=24 * 60)
    day_ends: int = Field(default=18 * 60, ge=0, le=24 * 60)
    work_days: tuple[Annotated[int, Field(ge=0, le=6)], ...] = Field(default=(0, 1, 2, 3, 4), max_length=7)
    withdraw_after_days: int = Field(default=21, ge=1, le=180)
    withdrawals_a_day: int = Field(default=0, ge=0, le=100)
    thread_fresh_minutes: int = Field(default=10, ge=1, le=120)
    prepared_days: int = Field(default=3, ge=1, le=20)
    approval_working_days: int = Field(default=5, ge=1, le=60)
    claim_days: int = Field(default=60, ge=0, le=730)
    first_contact_until: int | None = Field(default=None, ge=0, le=_LATEST)
    ends_at: int | None = Field(default=None, ge=0, le=_LATEST)
    least_score: int = Field(default=0, ge=0, le=100)
    target_a_month: int = Field(default=0, ge=0, le=10_000)
    model_cents: int = Field(default=500, ge=0, le=1_000_000)
    model_kilotokens: int = Field(default=5_000, ge=0, le=10_000_000)

    @property
    def notes_are_scarce(self) -> bool:
        """Whether invitations with a note end before the daily limit does, day after day."""
        return self.notes_a_month < self.invitations_a_day * NOTE_DAYS

    def are_over(self, now: int) -> bool:
        """Whether every sequence has ended by date."""
        return self.ends_at is not None and now >= self.ends_at

    def begin_nobody(self, now: int) -> bool:
        """Whether nobody is written to for the first time any more."""
        return self.are_over(now) or (self.first_contact_until is not None and now >= self.first_contact_until)

    def begin_with(self, priority: int | None) -> bool:
        """Whether somebody of this priority may be written to for the first time.

        While a scoring is to come nobody is planned; whoever has no score after that goes as if there were none.
        """
        return priority is None or priority >= self.least_score

    def next_end(self, now: int) -> int | None:
        """The first of the two moments that is still to come (ms UTC)."""
        return min((at for at in (self.first_contact_until, self.ends_at) if at is not None and at > now), default=None)


def refuse_empty_hours(limits: Limits) -> None:
    """Raises `hours_empty`, which names the field, for hours in which nothing could ever go out."""
    if not limits.work_days:
        raise OutriderError("hours_empty", why="no day is chosen under “Days”")
    if limits.day_starts >= limits.day_ends:
        raise OutriderError("hours_empty", why="“To” is not later than “From”")


class Settings(BaseModel):
    """Everything about a campaign that the user decides."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, defer_build=True)

    sequence: Sequence = DEFAULT_SEQUENCE
    limits: Limits = Limits()
    blueprint: Blueprint = DEFAULT_BLUEPRINT
    topic: str = Field(default="", max_length=1_000)
    """What it is about, in words for the reader: `{topic}` in a message. The campaign's goal is the user's own and in none."""
    note_limit: int = Field(default=200, ge=1, le=300)
    message_limit: int = Field(default=1_900, ge=1, le=8_000)
    model_alone: bool = False
    """Whether the model proposes every step; else it judges, and the script takes the mechanical steps."""


def read_settings(text: str) -> Settings:
    """Settings as they are kept; raises ValueError for anything else."""
    return Settings.model_validate_json(text)


@dataclass(frozen=True, slots=True)
class Campaign:
    """A campaign as loaded; `version` counts the edits of its goal and settings."""

    id: str
    name: str
    goal: str
    status: CampaignStatus
    site: str
    account: str
    version: int
    settings: Settings
    created_at: int
    proposer: str = SCRIPTED
    """The connection that proposes."""
    archived: bool = False
    """Out of the lists; nothing runs before it is brought back."""
    status_reason: str = ""
    """Why it has its status; of an active one, why it stands still until the user continues it."""

    @property
    def runs(self) -> bool:
        """Whether it is on and nothing holds it."""
        return self.status is CampaignStatus.ACTIVE and not self.status_reason

    @property
    def is_held(self) -> bool:
        """Whether it is on and stands still all the same."""
        return self.status is CampaignStatus.ACTIVE and bool(self.status_reason)


def refuse_archived(campaign: Campaign) -> None:
    """Raises `campaign_archived` for one in the archive."""
    if campaign.archived:
        raise OutriderError("campaign_archived", campaign=campaign.name)


def not_active_error(campaign_id: str, status: str) -> OutriderError:
    """The error `campaign_not_active`, with the status in words."""
    return OutriderError("campaign_not_active", status=STATUS_WORDS[status], campaign=campaign_id)


class EditedColumns(TypedDict, total=False):
    """The columns that an edit of a campaign may change."""

    name: str
    goal: str
    version: int
    settings: str


def edited(campaign: Campaign, *, name: str, goal: str, settings: Settings) -> EditedColumns:
    """The columns that an edit changes, nothing if there is nothing new; by the version a page sees that it shows older ones."""
    changes: EditedColumns = {}
    if name != campaign.name:
        changes["name"] = name
    if goal != campaign.goal:
        changes["goal"] = goal
    if goal != campaign.goal or settings != campaign.settings:
        changes["version"] = campaign.version + 1
    if settings != campaign.settings:
        changes["settings"] = settings.model_dump_json()
    return changes


def scored_by(campaign: Campaign, blueprint: Blueprint) -> EditedColumns:
    """The columns that another blueprint changes. The version stays: the settings page does not show it."""
    return {"settings": campaign.settings.model_copy(update={"blueprint": blueprint}).model_dump_json()}


def is_finished(
    *,
    open_tasks: int,
    open_questions: int,
    unplanned_leads: int,
    unknown_outcomes: int = 0,
    withdrawals: bool = False,
    leads_in_doubt: bool = False,
) -> bool:
    """Spec 001 FR-057: every task is done or cancelled by the user, no lead waits for its task, no act's outcome is unknown.

    `withdrawals`: whether invitations still wait that Outrider is to take back; `leads_in_doubt`: whether somebody waits for the
    user to say who they are.

    A blocked task is never skipped in silence: it is open, and holds the campaign until the user mends or drops it.
    """
    return not (open_tasks or open_questions or unplanned_leads or unknown_outcomes or withdrawals or leads_in_doubt)
