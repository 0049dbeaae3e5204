"""Turns as they were: a page of them, and one with what the audit log says of it, found without reading the log."""

import json
import re
import sqlite3
from typing import Any

from backend.api.wire.campaigns import GateLine
from backend.api.wire.evidence import EvidencePiece
from backend.api.wire.turns import (
    ActionLine,
    Parameter,
    Parsed,
    Reply,
    ToolCall,
    TurnDetail,
    TurnLine,
    TurnPage,
)
from backend.domain.errors import OutriderError
from backend.domain.gates import GATES
from backend.domain.proposals import REJECTIONS, ExecuteTool, Proposal, Rejection, parse
from backend.domain.task import Needs
from backend.domain.tools import TOOLS

SHOWN_REPLY = 4_000
"""Characters of a reply that are sent unasked."""

SEARCHED = 10_000
"""How many turns are looked at for those of one task, at a time."""

_LOOK_BACK = 200
"""How many audit entries in a row may belong to no turn."""

_OF_A_TURN = re.compile(r"t(\d+)")

_LINE = """
SELECT n.number, n.faulted, n.proposal, n.verdict, n.error, n.task_id, coalesce(t.description, ''), n.lead_id,
       coalesce(l.full_name, ''), n.steps, n.model, n.tokens_in, n.tokens_out, n.cost_micros
FROM turn_projection n LEFT JOIN tasks t ON t.id = n.task_id LEFT JOIN leads l ON l.id = n.lead_id
WHERE n.campaign_id = :c AND n.number < :before
"""
_PAGE = f"{_LINE} ORDER BY n.number DESC LIMIT :limit"
_OF_TASK = f"{_LINE} AND n.number >= :from AND n.task_id = :task ORDER BY n.number DESC LIMIT :limit"
_END = 2**53


def page(connection: sqlite3.Connection, campaign_id: str, before: int | None, limit: int) -> TurnPage:
    """The turns before that one, newest first."""
    where = {"c": campaign_id, "before": before or _END, "limit": limit}
    rows = [_line(row) for row in connection.execute(_PAGE, where)]
    return TurnPage(rows=rows, next=rows[-1].number if len(rows) == limit and rows[-1].number > 1 else None)


def of_task(connection: sqlite3.Connection, campaign_id: str, task_id: str, before: int | None, limit: int) -> TurnPage:
    """The turns that worked on a task, among the `SEARCHED` before that one; `next` says where the search may go on."""
    (last,) = connection.execute(
        "SELECT last_turn FROM runtime_snapshot WHERE campaign_id=?", (campaign_id,)
    ).fetchone()
    end = min(before or _END, last + 1)
    start = max(1, end - SEARCHED)
    where = {"c": campaign_id, "before": end, "from": start, "task": task_id, "limit": limit}
    rows = [_line(row) for row in connection.execute(_OF_TASK, where)]
    reached = rows[-1].number if len(rows) == limit else start
    return TurnPage(rows=rows, next=reached if reached > 1 else None)


def detail(connection: sqlite3.Connection, campaign_id: str, number: int) -> TurnDetail:
    """One turn; raises `turn_unknown`."""
    row = connection.execute(_PAGE, {"c": campaign_id, "before": number + 1, "limit": 1}).fetchone()
    if row is None or row[0] != number:
        raise OutriderError("turn_unknown", turn=number)
    line, entries = _line(row), _entries(connection, campaign_id, number)
    said = _last(entries, "proposal")
    proposal = None if said is None else parse(said["raw"])
    if isinstance(proposal, Rejection):
        proposal = None
    family = TOOLS[proposal.params.tool].family if isinstance(proposal, ExecuteTool) else None
    return TurnDetail(
        line=line,
        recorded=bool(entries),
        at=entries[-1][0] if entries else None,
        reply=None if said is None else _reply(said, SHOWN_REPLY),
        parsed=None if proposal is None else _parsed(proposal),
        rejection=line.verdict if line.verdict in REJECTIONS else "",
        family=family,
        gates=_gates(line, family, _last(entries, "gates")),
        calls=[_call(kind, payload) for _, kind, payload in entries if payload and "us" in payload],
        actions=_actions(connection, campaign_id, number, proposal),
    )


def reply(connection: sqlite3.Connection, campaign_id: str, number: int) -> Reply:
    """All that is kept of a turn's reply; raises `turn_unknown`."""
    said = _last(_entries(connection, campaign_id, number), "proposal")
    if said is None:
        raise OutriderError("turn_unknown", turn=number)
    return _reply(said, None)


def _line(row: tuple[Any, ...]) -> TurnLine:
    number, faulted, proposal, verdict, said, task_id, task, lead_id, lead_name, steps, *paid = row
    model, tokens_in, tokens_out, cost_micros = paid
    return TurnLine(
        number=number,
        faulted=bool(faulted),
        proposal=proposal,
        verdict=verdict,
        said=said,
        task_id=task_id,
        task=task,
        lead_id=lead_id,
        lead_name=lead_name,
        steps_us=json.loads(steps),
        model=model,
        tokens_in=tokens_in,
        tokens_out=tokens_out,
        cost_micros=cost_micros,
    )


# --- the audit log: turns follow each other in it, so that one is found by halving ---

Entry = tuple[int, str, dict[str, Any] | None]
"""When, what, and its payload; none if that was erased."""


def _entries(connection: sqlite3.Connection, campaign_id: str, number: int) -> list[Entry]:
    """The audit entries that this turn caused, in order; none if they are not where they can be found."""
    head = connection.execute("SELECT audit_seq FROM log_heads WHERE campaign_id=?", (campaign_id,)).fetchone()
    low, high = 0, head[0] if head else 0
    while low < high:
        middle = (low + high + 1) // 2
        turn, seq = _nearest_turn(connection, campaign_id, middle)
        if turn <= number:
            low = middle
        else:
            high = seq - 1
    rows = connection.execute(
        "SELECT timestamp, action_type, payload, cause FROM audit_log WHERE campaign_id=? AND seq<=?"
        " ORDER BY seq DESC LIMIT ?",
        (campaign_id, low, _LOOK_BACK),
    )
    found: list[Entry] = []
    for at, kind, payload, cause in rows:
        if cause == f"t{number}":
            found.append((at, kind, json.loads(payload) if payload else None))
        elif _OF_A_TURN.fullmatch(cause):
            break
    return found[::-1]


def _nearest_turn(connection: sqlite3.Connection, campaign_id: str, seq: int) -> tuple[int, int]:
    """(turn, entry) of the last entry up to `seq` that a turn caused; turn 0 if there is none near."""
    rows = connection.execute(
        "SELECT seq, cause FROM audit_log WHERE campaign_id=? AND seq<=? ORDER BY seq DESC LIMIT ?",
        (campaign_id, seq, _LOOK_BACK),
    )
    for at, cause in rows:
        if match := _OF_A_TURN.fullmatch(cause):
            return int(match[1]), at
    return 0, seq


def _last(entries: list[Entry], kind: str) -> dict[str, Any] | None:
    return next((payload for _, found, payload in reversed(entries) if found == kind), None)


def _reply(said: dict[str, Any], most: int | None) -> Reply:
    raw: str = said["raw"]
    # It may hold half a surrogate pair, which no JSON can carry to the page.
    text = raw[:most].encode("utf-8", "backslashreplace").decode()
    return Reply(text=text, length=said.get("length", len(raw)), kept=len(raw))


def _parsed(proposal: Proposal) -> Parsed:
    return Parsed(
        type=proposal.type,
        task_id=getattr(proposal, "task_id", ""),
        justification=getattr(proposal, "justification", ""),
        rationale=proposal.rationale or "",
        params=[
            Parameter(name=name, value=value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
            for name, value in proposal.params.model_dump(mode="json").items()
        ],
    )


def _gates(line: TurnLine, family: Needs | None, refused: dict[str, Any] | None) -> list[GateLine]:
    """What the gates answered: an act that was carried out was refused by none."""
    if family is None or line.verdict in REJECTIONS or (refused is None and line.verdict.startswith("gate:")):
        return []
    shut = {one["gate"]: one for one in (refused or {}).get("refused", [])}
    return [
        GateLine(code=gate.code, passes=False, sentence=shut[gate.code]["said"], until=shut[gate.code]["until"])
        if gate.code in shut
        else GateLine(code=gate.code, passes=True)
        for gate in GATES
        if family in gate.families
    ]


def _call(tool: str, payload: dict[str, Any] | None) -> ToolCall:
    payload = payload or {}
    return ToolCall(tool=tool, outcome=str(payload.get("outcome", "")), us=int(payload.get("us", 0)))


def _actions(
    connection: sqlite3.Connection, campaign_id: str, number: int, proposal: Proposal | None
) -> list[ActionLine]:
    message_id = getattr(proposal.params, "message_id", None) if proposal is not None else None
    if message_id is None:
        return []
    rows = connection.execute(
        "SELECT a.id, a.tool, a.status, a.claim, a.said, m.text, a.intended_at, a.settled_at, a.evidence"
        " FROM actions a JOIN messages m ON m.id = a.message_id"
        " WHERE a.message_id=? AND a.campaign_id=? AND a.turn=? ORDER BY a.intended_at, a.id",
        (message_id, campaign_id, number),
    )
    return [
        ActionLine(
            id=id_,
            tool=tool,
            status=status,
            claim=claim,
            said=said,
            text=text,
            intended_at=intended_at,
            settled_at=settled_at,
            evidence=[EvidencePiece(**piece) for piece in json.loads(evidence)],
        )
        for id_, tool, status, claim, said, text, intended_at, settled_at, evidence in rows
    ]
