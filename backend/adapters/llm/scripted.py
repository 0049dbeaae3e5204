"""The proposer that needs no model: it proposes what the sequence owes. The embedded default, and deterministic."""

import json
from typing import Any

from backend.adapters.llm import phrases
from backend.domain.model.campaign import Campaign
from backend.domain.model.lead import Lead
from backend.domain.model.sequence import DueAction, DueStep, Step
from backend.domain.model.task import TaskKind, TaskStatus
from backend.domain.model.variables import GIVEN, Recipient
from backend.domain.sequence.template import template_draft
from backend.domain.turn.proposal_check import owed_tools
from backend.domain.turn.snapshot import Focus, Snapshot
from backend.ports.proposer import OnText, OnUsage, ignore_text, ignore_usage


class ScriptedProposer:
    """Reads the focus of the snapshot and nothing else."""

    name = "scripted"

    def asks_model(self, campaign: Campaign) -> bool:
        """Never."""
        return False

    def reads_overview(self, snapshot: Snapshot) -> bool:
        """Never."""
        return False

    def propose(self, snapshot: Snapshot, on_text: OnText = ignore_text, on_usage: OnUsage = ignore_usage) -> str:
        """One proposal as JSON."""
        kind, params = _next(snapshot, snapshot.focus)
        proposal = {"type": kind, "task_id": snapshot.focus.task.id, "params": params}
        reply = json.dumps(proposal, ensure_ascii=False, separators=(",", ":"))
        on_text(reply)
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


def _for_lead(snapshot: Snapshot, focus: Focus, lead: Lead, due_step: DueStep) -> tuple[str, dict[str, Any]]:
    if due_tools := owed_tools(due_step):
        params = {"tool": due_tools[0], "lead_id": lead.id}
        if due_step.due is not DueAction.SEND:
            return "execute_tool", params
        if focus.message is not None:
            return "execute_tool", {**params, "message_id": focus.message.id}
    if due_step.due is DueAction.DRAFT and due_step.step is not None:
        return _draft(focus, lead, due_step.step, snapshot.campaign)
    return "no_op", {}


def _draft(focus: Focus, lead: Lead, step: Step, campaign: Campaign) -> tuple[str, dict[str, Any]]:
    """The text, or the question for what it lacks: a text with a hole is not even proposed."""
    to = focus.recipient or Recipient(lead.full_name, lead.company, lead.job_title)
    draft = template_draft(step, to, campaign, focus.answers)
    if not draft.lacking:
        return "generate_message", {"lead_id": lead.id, "step": step.key, "text": draft.text}
    title = campaign.settings.sequence.titles.get(step.key, step.key)
    question = _lacking(title, lead, draft.lacking[0])
    if draft.refused:  # what the user said for it will not do
        question += f" Not what you wrote: {draft.refused.sentence}"
    return "request_user_input", {"question": question, "kind": "text"}


def _lacking(step: str, lead: Lead, name: str) -> str:
    """What the user is asked; the variable stands in it, so that the answer is found again."""
    person, variable = lead.full_name[:100], f"{{{name[:60]}}}"
    if name == GIVEN:
        return f"How should {person} be greeted? “{step}” uses their first name ({variable}), which is not certain."
    return f"What should “{step}” to {person} say for {variable}? It is not known."
