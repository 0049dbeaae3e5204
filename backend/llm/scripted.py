"""The proposer that needs no model: it proposes what the sequence owes. The embedded default, and deterministic."""

import json
from typing import Any

from backend.domain.lead import Lead
from backend.domain.sequence import Due, Need
from backend.domain.snapshot import Focus, Snapshot
from backend.domain.task import TaskKind, TaskStatus
from backend.domain.template import Recipient, fill
from backend.llm import phrases
from backend.ports.proposer import Hear, Meter, free, nobody

_TOOL = {Due.VISIT: "browser.read_profile", Due.CHECK: "browser.read_profile", Due.READ: "browser.read_thread"}


class ScriptedProposer:
    """Reads the focus of the snapshot and nothing else."""

    name = "scripted"

    def propose(self, snapshot: Snapshot, hear: Hear = nobody, meter: Meter = free) -> str:
        """One proposal as JSON."""
        kind, params = _next(snapshot, snapshot.focus)
        proposal = {"type": kind, "task_id": snapshot.focus.task.id, "params": params}
        reply = json.dumps(proposal, ensure_ascii=False, separators=(",", ":"))
        hear(reply)
        return reply


def _next(snapshot: Snapshot, focus: Focus) -> tuple[str, dict[str, Any]]:
    if focus.task.status is TaskStatus.PENDING:
        return "select_next_task", {}
    if snapshot.request is not None:
        return phrases.next_step(snapshot.request)
    if focus.task.kind is TaskKind.SCORE_LEADS:
        return "analyze_leads", {}
    if focus.lead is None or focus.need is None:
        return "no_op", {"claims_done": True}
    return _for_lead(snapshot, focus, focus.lead, focus.need)


def _for_lead(snapshot: Snapshot, focus: Focus, lead: Lead, need: Need) -> tuple[str, dict[str, Any]]:
    if need.due in _TOOL:
        return "execute_tool", {"tool": _TOOL[need.due], "lead_id": lead.id}
    if need.due is Due.DRAFT and need.step is not None:
        text = render(need.step.template, lead, snapshot.campaign.goal)
        return "generate_message", {"lead_id": lead.id, "step": need.step.key, "text": text}
    if need.due is Due.SEND and need.step is not None and focus.message is not None:
        tool = f"browser.send_{need.step.kind}"
        return "execute_tool", {"tool": tool, "lead_id": lead.id, "message_id": focus.message.id}
    return "no_op", {}


def render(template: str, lead: Lead, goal: str) -> str:
    """Fill a template's variables; one it does not know stays as it is, and the controller refuses the text."""
    return fill(template, Recipient(lead.full_name, lead.company), goal)
