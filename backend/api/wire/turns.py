"""Turns: the recent ones in a list, and one with everything that is on record about it."""

from backend.api.wire.base import Wire
from backend.api.wire.campaigns import GateLine
from backend.api.wire.evidence import EvidencePiece
from backend.domain.task import Needs


class TurnLine(Wire):
    """A turn that ended; `steps_us` are the durations of its eight steps. `model` is empty where none was paid."""

    number: int
    faulted: bool
    proposal: str
    verdict: str
    said: str
    task_id: str | None
    task: str
    lead_id: str | None
    lead_name: str
    steps_us: list[int]
    model: str
    tokens_in: int
    tokens_out: int
    cost_micros: int


class TurnPage(Wire):
    """Turns, newest first; `next` is where older ones begin. With a task, those that worked on it, as far as was looked."""

    rows: list[TurnLine]
    next: int | None


class Reply(Wire):
    """The reply as received, or its beginning: `length` characters in all, of which `kept` are on record."""

    text: str
    length: int
    kept: int


class Parameter(Wire):
    """One parameter of a proposal; what is no text is shown as JSON."""

    name: str
    value: str


class Parsed(Wire):
    """A reply that has the shape of a proposal. Exactly one of `task_id` and `justification` is given."""

    type: str
    task_id: str
    justification: str
    rationale: str
    params: list[Parameter]


class ToolCall(Wire):
    """A tool that ran during the turn; `us` is how long, in microseconds."""

    tool: str
    outcome: str
    us: int


class ActionLine(Wire):
    """An act with an effect outside: what the site said of it, what was seen, and what that amounts to."""

    id: str
    tool: str
    status: str
    claim: str
    said: str
    text: str
    intended_at: int
    settled_at: int | None
    evidence: list[EvidencePiece]


class TurnDetail(Wire):
    """A turn with its reply, calls, gates and action.

    `recorded` false: its entries of the audit log were not found from here. `rejection` is the code of the rule that the
    reply broke. `gates` as they were answered then, for an act that was asked for.
    """

    line: TurnLine
    recorded: bool
    at: int | None
    reply: Reply | None
    parsed: Parsed | None
    rejection: str
    family: Needs | None
    gates: list[GateLine]
    calls: list[ToolCall]
    actions: list[ActionLine]
