"""The proposer that needs no model: it proposes what the sequence owes. The embedded default, and deterministic."""

import json
from typing import Any

from backend.domain.campaign import Campaign
from backend.domain.judgement import clean_text, text_limit
from backend.domain.lead import Lead
from backend.domain.sequence import Due, Need, Step
from backend.domain.snapshot import Focus, Snapshot
from backend.domain.task import TaskKind, TaskStatus
from backend.domain.variables import Recipient, fill, used
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
        return phrases.next_step(snapshot.request, snapshot.lead_fields)
    if focus.task.kind is TaskKind.SCORE_LEADS:
        return "analyze_leads", {}
    if focus.lead is None or focus.need is None:
        return "no_op", {"claims_done": True}
    return _for_lead(snapshot, focus, focus.lead, focus.need)


def _for_lead(snapshot: Snapshot, focus: Focus, lead: Lead, need: Need) -> tuple[str, dict[str, Any]]:
    if need.due in _TOOL:
        return "execute_tool", {"tool": _TOOL[need.due], "lead_id": lead.id}
    if need.due is Due.DRAFT and need.step is not None:
        return _draft(focus, lead, need.step, snapshot.campaign)
    if need.due is Due.SEND and need.step is not None and focus.message is not None:
        tool = f"browser.send_{need.step.kind}"
        return "execute_tool", {"tool": tool, "lead_id": lead.id, "message_id": focus.message.id}
    return "no_op", {}


def _draft(focus: Focus, lead: Lead, step: Step, campaign: Campaign) -> tuple[str, dict[str, Any]]:
    """The text, or the question for what it lacks: a text with a hole is not even proposed."""
    to = focus.recipient or Recipient(lead.full_name, lead.company, lead.job_title)
    given = {name: _said(focus, _lacking(step, lead, name)) for name in used(step.template)}
    text, missing = fill(step.template, to, campaign.goal, given)
    if missing:
        return "request_user_input", {"question": _lacking(step, lead, missing[0]), "kind": "text"}
    refused = clean_text(text, text_limit(campaign, step.kind))
    word = next((name for name, said in given.items() if said), None)
    if refused and word:  # what the user said for it will not do
        question = f"{_lacking(step, lead, word)} Not what you wrote: {refused.sentence}"
        return "request_user_input", {"question": question, "kind": "text"}
    return "generate_message", {"lead_id": lead.id, "step": step.key, "text": text}


def _said(focus: Focus, question: str) -> str:
    """The user's last word on it, whether asked once or again."""
    return next((answer for asked, answer in reversed(focus.answers) if asked.startswith(question)), "")


def _lacking(step: Step, lead: Lead, name: str) -> str:
    return f"The text “{step.key}” for {lead.full_name[:100]} says {{{name[:60]}}}, which is not known. What should stand there?"
