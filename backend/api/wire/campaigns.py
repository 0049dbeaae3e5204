"""Campaigns: the list, the live view, and what the user decides about one as a whole."""

from pydantic import Field

from backend.api.wire.base import Sentence, Wire
from backend.api.wire.runs import RunState
from backend.domain.campaign import CampaignStatus
from backend.domain.lead import LeadStatus
from backend.domain.task import Needs, TaskStatus
from backend.domain.turn import TurnState


class CampaignSummary(Wire):
    """A campaign in the list."""

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


class CampaignList(Wire):
    """Every campaign, newest first, and what runs."""

    campaigns: list[CampaignSummary]
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


class TaskLine(Wire):
    """A task with why it stands where it stands."""

    id: str
    description: str
    status: TaskStatus
    needs: Needs
    reason: str
    ready_at: int | None
    lead_name: str


class TurnLine(Wire):
    """A turn that ended; `steps_us` are the durations of its eight steps."""

    number: int
    faulted: bool
    proposal: str
    verdict: str
    said: str
    task: str
    lead_name: str
    steps_us: list[int]


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
    task: str
    task_status: str
    lead_name: str
    lead_headline: str
    action: str
    last_error: str


class Proposal(Wire):
    """The proposer's last reply exactly as received (cut for display); `verdict` is empty while it is carried out."""

    turn: int
    raw: str
    cut: bool
    type: str
    verdict: str
    sentence: str


class CampaignView(Wire):
    """Everything the live page shows, as of event `seq`; every list is bounded."""

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
    proposal: Proposal | None
    leads: dict[LeadStatus, int]
    task_counts: dict[TaskStatus, int]
    tasks: list[TaskLine]
    families: list[FamilyGates]
    drafts_total: int
    questions: list[Question]
    incidents: list[Incident]
    turns: list[TurnLine]
    run: RunState


class Reason(Wire):
    """Why the user clears an incident or recovers a campaign."""

    reason: Sentence


class Answer(Wire):
    """The user's answer to a question."""

    answer: str = Field(min_length=1, max_length=2_000)
