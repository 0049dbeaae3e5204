"""Turns: what happened in each, from the records; found in the audit log without reading all of it."""

import json
import re
from typing import Any

from pydantic import Field

from backend.api.evidence import evidence_pieces
from backend.api.server import cursor
from backend.api.server.endpoint import Routes
from backend.api.shapes import Page, PageQuery
from backend.domain.gates.gates import GATES, GateLine
from backend.domain.model.site import Evidence
from backend.domain.model.task import ActionFamily
from backend.domain.model.tools import TOOLS
from backend.domain.turn.proposals import REJECTIONS, ExecuteTool, Proposal, Rejection, parse
from backend.domain.values.errors import OutriderError
from backend.domain.values.shapes import Shape
from backend.store.database import DatabaseConnection
from backend.store.queries.contact import actions, messages
from backend.store.queries.device import logs
from backend.store.queries.turn import turns
from backend.store.queries.turn.turns import TurnLine

SHOWN_REPLY = 4_000
"""Characters of a reply that are sent unasked."""

SEARCHED = 10_000
"""How many turns are looked at for those of one task, at a time."""

_LOOK_BACK = 200
"""How many audit entries in a row may belong to no turn."""

_OF_A_TURN = re.compile(r"t(\d+)")

_END = 2**53

# --- the audit log: turns follow each other in it, so that one is found by halving ---
Entry = tuple[int, str, dict[str, Any] | None]
"""When, what, and its payload; none if that was erased."""

routes = Routes("turns", "/campaigns/<campaign_id>/turns")


class TurnsQuery(PageQuery):
    """Which turns: those that worked on `task`, by its id; all if it is empty."""

    task: str = Field(default="", max_length=64)


class ModelReply(Shape):
    """The reply as received, or its beginning: `length` characters in all, of which `kept` are on record."""

    text: str
    length: int
    kept: int


class ProposalParameter(Shape):
    """One parameter of a proposal; what is no text is shown as JSON."""

    name: str
    value: str


class Parsed(Shape):
    """A reply that has the shape of a proposal. Exactly one of `task_id` and `justification` is given."""

    type: str
    task_id: str
    justification: str
    rationale: str
    params: list[ProposalParameter]


class ToolCallLine(Shape):
    """A tool that ran during the turn; `us` is how long, in microseconds."""

    tool: str
    outcome: str
    us: int


class ActionLine(Shape):
    """An act with an effect outside: what the site said of it, what was seen, and what that amounts to."""

    id: str
    tool: str
    status: str
    claim: str
    said: str
    text: str
    intended_at: int
    settled_at: int | None
    evidence: list[Evidence]


class TurnDetail(Shape):
    """A turn with its reply, calls, gates and action.

    `recorded` false: its entries of the audit log were not found from here. `rejection` is the code of the rule that the
    reply broke. `gates` as they were answered then, for an act that was asked for.
    """

    line: TurnLine
    recorded: bool
    at: int | None
    reply: ModelReply | None
    parsed: Parsed | None
    rejection: str
    gates: list[GateLine]
    calls: list[ToolCallLine]
    actions: list[ActionLine]


@routes.get()
def list_(connection: DatabaseConnection, campaign_id: str, query: TurnsQuery) -> Page[TurnLine]:
    """Turns, newest first; with a task, those that worked on it, as far as was looked."""
    before = cursor.number_after(query.after)
    if query.task:
        return turns_of_task(connection, campaign_id, query.task, before, query.limit)
    return page(connection, campaign_id, before, query.limit)


@routes.get("/<int(max=999999999):turn>")
def view(connection: DatabaseConnection, campaign_id: str, turn: int) -> TurnDetail:
    """One turn with its reply, calls, gates and action; raises `turn_unknown`."""
    return detail(connection, campaign_id, turn)


@routes.get("/<int(max=999999999):turn>/reply")
def reply(connection: DatabaseConnection, campaign_id: str, turn: int) -> ModelReply:
    """All that is kept of a turn's reply; raises `turn_unknown`."""
    proposal_payload = _last(_entries(connection, campaign_id, turn), "proposal")
    if proposal_payload is None:
        raise OutriderError("turn_unknown", turn=turn)
    return _reply(proposal_payload, None)


def page(connection: DatabaseConnection, campaign_id: str, before: int | None, limit: int) -> Page[TurnLine]:
    """The turns before that one, newest first."""
    rows = turns.turns_before(connection, campaign_id, before or _END, limit)
    return Page(rows=rows, next=str(rows[-1].number) if len(rows) == limit and rows[-1].number > 1 else None)


def turns_of_task(
    connection: DatabaseConnection,
    campaign_id: str,
    task_id: str,
    before: int | None,
    limit: int,
    *,
    searched: int = SEARCHED,
) -> Page[TurnLine]:
    """The turns that worked on a task, among so many before that one; `next` says where the search may go on."""
    end = min(before or _END, turns.last_number(connection, campaign_id) + 1)
    start = max(1, end - searched)
    rows = turns.turns_of_task(connection, campaign_id, task_id, start, end, limit)
    next_number = rows[-1].number if len(rows) == limit else start
    return Page(rows=rows, next=str(next_number) if next_number > 1 else None)


def detail(connection: DatabaseConnection, campaign_id: str, number: int) -> TurnDetail:
    """One turn; raises `turn_unknown`."""
    rows = turns.turns_before(connection, campaign_id, number + 1, 1)
    if not rows or rows[0].number != number:
        raise OutriderError("turn_unknown", turn=number)
    line, entries = rows[0], _entries(connection, campaign_id, number)
    proposal_payload = _last(entries, "proposal")
    proposal = None if proposal_payload is None else parse(proposal_payload["raw"])
    if isinstance(proposal, Rejection):
        proposal = None
    family = TOOLS[proposal.params.tool].family if isinstance(proposal, ExecuteTool) else None
    return TurnDetail(
        line=line,
        recorded=bool(entries),
        at=entries[-1][0] if entries else None,
        reply=None if proposal_payload is None else _reply(proposal_payload, SHOWN_REPLY),
        parsed=None if proposal is None else _parsed(proposal),
        rejection=line.verdict if line.verdict in REJECTIONS else "",
        gates=_gates(line, family, _last(entries, "gates")),
        calls=[_call(kind, payload) for _, kind, payload in entries if payload and "us" in payload],
        actions=_actions(connection, campaign_id, number, proposal),
    )


def _entries(connection: DatabaseConnection, campaign_id: str, number: int) -> list[Entry]:
    """The audit entries that this turn caused, in order; none if they are not where they can be found."""
    low, high = 0, logs.lengths(connection, campaign_id).audits
    while low < high:
        middle = (low + high + 1) // 2
        turn, seq = _nearest_turn(connection, campaign_id, middle)
        if turn <= number:
            low = middle
        else:
            high = seq - 1
    entries: list[Entry] = []
    for audit in logs.audits_until(connection, campaign_id, low, _LOOK_BACK):
        if audit.cause == f"t{number}":
            entries.append((audit.at, audit.kind, json.loads(audit.payload or "{}") or None))
        elif _OF_A_TURN.fullmatch(audit.cause):
            break
    return entries[::-1]


def _nearest_turn(connection: DatabaseConnection, campaign_id: str, seq: int) -> tuple[int, int]:
    """(turn, entry) of the last entry up to `seq` that a turn caused; turn 0 if there is none near."""
    for entry in logs.causes_until(connection, campaign_id, seq, _LOOK_BACK):
        if match := _OF_A_TURN.fullmatch(entry.cause):
            return int(match[1]), entry.seq
    return 0, seq


def _last(entries: list[Entry], kind: str) -> dict[str, Any] | None:
    return next((payload for _, entry_kind, payload in reversed(entries) if entry_kind == kind), None)


def _reply(proposal_payload: dict[str, Any], most: int | None) -> ModelReply:
    raw: str = proposal_payload["raw"]
    # It may hold half a surrogate pair, which no JSON can carry to the page.
    text = raw[:most].encode("utf-8", "backslashreplace").decode()
    return ModelReply(text=text, length=proposal_payload.get("length", len(raw)), kept=len(raw))


def _parsed(proposal: Proposal) -> Parsed:
    return Parsed(
        type=proposal.type,
        task_id=getattr(proposal, "task_id", ""),
        justification=getattr(proposal, "justification", ""),
        rationale=proposal.rationale or "",
        params=[
            ProposalParameter(
                name=name, value=value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            )
            for name, value in proposal.params.model_dump(mode="json", exclude_none=True).items()
        ],
    )


def _gates(line: TurnLine, family: ActionFamily | None, refused: dict[str, Any] | None) -> list[GateLine]:
    """What the gates answered: an act that was carried out was refused by none."""
    if family is None or line.verdict in REJECTIONS or (refused is None and line.verdict.startswith("gate:")):
        return []
    shut = {refusal["gate"]: refusal for refusal in (refused or {}).get("refused", [])}
    return [
        GateLine(code=gate.code, passes=False, sentence=shut[gate.code]["said"], until=shut[gate.code]["until"])
        if gate.code in shut
        else GateLine(code=gate.code, passes=True)
        for gate in GATES
        if family in gate.families
    ]


def _call(tool: str, payload: dict[str, Any] | None) -> ToolCallLine:
    payload = payload or {}
    return ToolCallLine(tool=tool, outcome=str(payload.get("outcome", "")), us=int(payload.get("us", 0)))


def _actions(
    connection: DatabaseConnection, campaign_id: str, number: int, proposal: Proposal | None
) -> list[ActionLine]:
    message_id = getattr(proposal.params, "message_id", None) if proposal is not None else None
    if message_id is None:
        return []
    text = messages.message(connection, campaign_id, message_id)
    return [
        ActionLine.showing(
            attempt, text=text.text if text else "", intended_at=attempt.at, evidence=evidence_pieces(attempt.evidence)
        )
        for attempt in actions.attempts_of_turn(connection, campaign_id, message_id, number)
    ]
