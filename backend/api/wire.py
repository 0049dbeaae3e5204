"""The shapes on the wire, strict both ways; `python -m backend.api.wire [--check] FILE` writes them as TypeScript.

Times are ms UTC of the campaign's own clock (a rehearsal's runs ahead), durations are microseconds where the name says so.
"""

import sys
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from backend.api.typescript import declarations
from backend.domain.campaign import CampaignStatus
from backend.domain.lead import LeadStatus
from backend.domain.task import Needs, TaskStatus
from backend.domain.turn import TurnState

Id = Annotated[str, Field(min_length=1, max_length=64)]
Sentence = Annotated[str, Field(min_length=1, max_length=500)]


class Wire(BaseModel):
    """Base of every shape: no coercion, no unknown field, no change after it was made."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


# --- errors ---


class ErrorShape(Wire):
    """What every failed request answers, and what a run that broke leaves behind."""

    code: str
    sentence: str
    remedy: str


# --- session, pairing, presence ---


class PairRequest(Wire):
    """The code from the terminal, once, for this launch's token."""

    code: str = Field(max_length=32)


class Paired(Wire):
    """The token; it stays in the page's memory."""

    token: str


class Heartbeat(Wire):
    """The page is visible, and this long ago (ms) somebody used it."""

    idle_ms: int = Field(ge=0, le=86_400_000)


class Asleep(Wire):
    """Nothing is eligible before `until` (null: before somebody does something), and why."""

    until: int | None
    held: list[str]


class RunState(Wire):
    """What the background runner does; one campaign at a time."""

    phase: Literal["idle", "starting", "running", "stopping"]
    campaign_id: str | None = None
    asleep: Asleep | None = None
    halt: str | None = None
    because: list[str] = []
    error: ErrorShape | None = None


class SessionView(Wire):
    """This launch of Outrider."""

    version: str
    presence_minutes: int
    hidden_browser: bool
    run: RunState


class Done(Wire):
    """The command was carried out."""

    campaign_id: str


# --- campaigns ---


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


class Draft(Wire):
    """A text that waits in Review; `digest` binds recipient, exact text and campaign version."""

    id: str
    kind: str
    step: str
    recipient: str
    headline: str
    profile_url: str
    text: str
    length: int
    limit: int
    digest: str
    created_at: int
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
    drafts: list[Draft]
    drafts_total: int
    questions: list[Question]
    incidents: list[Incident]
    turns: list[TurnLine]
    run: RunState


class Reason(Wire):
    """Why the user clears an incident or recovers a campaign."""

    reason: Sentence


class Approve(Wire):
    """Approve exactly the text whose digest this is."""

    digest: str = Field(max_length=128)


class Edit(Wire):
    """The draft's new text; it still needs approval."""

    text: str = Field(max_length=20_000)


class Answer(Wire):
    """The user's answer to a question."""

    answer: str = Field(min_length=1, max_length=2_000)


class Nothing(Wire):
    """A command without particulars."""


# --- the live feed ---


class Hello(Wire):
    """The socket's first message: the token, and the last event seen of each campaign."""

    token: str = Field(max_length=128)
    after: dict[Id, Annotated[int, Field(ge=0)]] = Field(max_length=1_000)


class FeedEvent(Wire):
    """That something changed; what it is now is asked for. `seq` has no gaps within a campaign."""

    campaign_id: str
    seq: int
    at: int
    kind: str
    entity: str
    entity_id: str
    actor: str
    cause: str


class Ready(Wire):
    """The feed is open; where each stream stands."""

    type: Literal["ready"] = "ready"
    heads: dict[str, int]


class Events(Wire):
    """Events in order."""

    type: Literal["events"] = "events"
    events: list[FeedEvent]


class Reset(Wire):
    """Too much was missed to be sent one by one: load the campaign again, the feed goes on after `seq`."""

    type: Literal["reset"] = "reset"
    campaign_id: str
    seq: int


class StepTicker(Wire):
    """A turn's step was closed. Not in any log, and may be left out under load."""

    type: Literal["step"] = "step"
    campaign_id: str
    step: int
    what: str


class RunChanged(Wire):
    """The background runner's state; the latest replaces those before it."""

    type: Literal["run"] = "run"
    run: RunState


FeedMessage = Ready | Events | Reset | StepTicker | RunChanged

SHAPES: tuple[type[Wire], ...] = (
    ErrorShape, PairRequest, Paired, Heartbeat, SessionView, Done, CampaignList, CampaignView, Reason, Approve, Edit,
    Answer, Nothing, Hello, Ready, Events, Reset, StepTicker, RunChanged,
)  # fmt: skip


def generated() -> str:
    """The TypeScript file."""
    union = " | ".join(("Ready", "Events", "Reset", "StepTicker", "RunChanged"))
    return f"{declarations(SHAPES)}\n\nexport type FeedMessage = {union};\n"


def main(arguments: list[str]) -> int:
    """Write FILE, or with `--check` say whether it is fresh; 2 on wrong usage."""
    checking = arguments[:1] == ["--check"]
    names = arguments[1:] if checking else arguments
    if len(names) != 1:
        sys.stderr.write("usage: python -m backend.api.wire [--check] FILE\n")
        return 2
    file, text = Path(names[0]), generated()
    if not checking:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8", newline="\n")
        return 0
    if file.exists() and file.read_text(encoding="utf-8") == text:
        return 0
    sys.stderr.write(f"{file} is stale; write it again with `make wire`\n")
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
