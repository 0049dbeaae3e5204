"""Campaigns: the list, the live view, and what the user decides about one as a whole."""

from typing import Literal

from pydantic import Field

from backend.api.wire.base import Sentence, Wire
from backend.api.wire.runs import RunState
from backend.domain.campaign import CampaignStatus
from backend.domain.lead import LeadStatus
from backend.domain.task import Needs, TaskStatus
from backend.domain.turn import TurnState


class CampaignSummary(Wire):
    """A campaign in the list; `now` and `last_action_at` are of its own clock. `missing` is what it needs before it can run."""

    id: str
    name: str
    status: CampaignStatus
    status_reason: str
    site: str
    created_at: int
    turns: int
    leads: dict[LeadStatus, int]
    drafts: int
    questions: int
    now: int
    last_action_at: int
    missing: Literal["", "leads", "import", "importing"]


class CampaignList(Wire):
    """A page of campaigns, newest first, and what runs; `next` is where the following page begins."""

    campaigns: list[CampaignSummary]
    next: str | None
    run: RunState


class GateLine(Wire):
    """One gate, open or shut: why, and when that may change (null: only when somebody acts)."""

    code: str
    passes: bool
    sentence: str = ""
    until: int | None = None


class FamilyGates(Wire):
    """The gates of one family of acts, as they stand for the account."""

    family: Needs
    waiting: int
    gates: list[GateLine]


class Question(Wire):
    """Something a task waits for."""

    id: str
    kind: str
    question: str
    choices: list[str]
    created_at: int


class Incident(Wire):
    """The account met something that stops everything until the user clears it with a reason."""

    id: str
    kind: str
    said: str
    opened_at: int
    evidence: str


class Now(Wire):
    """Where the loop stands: the turn machine's state and what it was last about."""

    state: TurnState
    turn: int
    task_id: str | None
    task: str
    task_status: str
    lead_name: str
    lead_headline: str
    action: str
    last_error: str


class CampaignView(Wire):
    """What every screen of a campaign shares, as of event `seq`: it is loaded often, so it is small and every list bounded."""

    id: str
    name: str
    goal: str
    status: CampaignStatus
    status_reason: str
    site: str
    seq: int
    now: int
    utc_offset_ms: int
    present: bool
    position: Now
    leads: dict[LeadStatus, int]
    task_counts: dict[TaskStatus, int]
    drafts_total: int
    questions: list[Question]
    incidents: list[Incident]
    run: RunState


class Reason(Wire):
    """Why the user clears an incident or recovers a campaign."""

    reason: Sentence


class Answer(Wire):
    """The user's answer to a question."""

    answer: str = Field(min_length=1, max_length=2_000)
