"""Second stage of validation: is this proposal, well-formed as it is, the right thing now? Pure; reads facts, answers why not."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from backend.domain.campaign import Campaign
from backend.domain.lead import Lead
from backend.domain.message import Approval, Message
from backend.domain.proposals import (
    AnalyzeLeads,
    CreateTask,
    ExecuteTool,
    GenerateMessage,
    LookUp,
    NoOp,
    PersistArtifact,
    Proposal,
    Rejection,
    RequestUserInput,
    SelectNextTask,
    SendInvitation,
    SendMessage,
    reject,
)
from backend.domain.scoring import problem_with, same_rules
from backend.domain.sequence import Due, Need
from backend.domain.task import Needs, Task, TaskKind, TaskStatus
from backend.domain.tools import TOOLS
from backend.domain.variables import VARIABLES, Recipient, used, value_of

MAX_OPEN_CUSTOM_TASKS = 50

_UNCLEAN = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u200e\u200f\u2028-\u202e\u2060\u2066-\u2069\ud800-\udfff\ufeff]"
)
_PLACEHOLDER = re.compile(
    r"\{\{?\s*[A-Za-z_][\w .]*(?:\|[^{}]*)?\}?\}|\[(?:first|last|full|your|company)[ _]?\w*\]", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Facts:
    """What was loaded about the ids that a proposal names, all of it from the proposal's own campaign."""

    campaign: Campaign
    now: int
    held: frozenset[Needs]
    task: Task | None = None
    lead: Lead | None = None
    message: Message | None = None
    approval: Approval | None = None
    need: Need | None = None
    refused_texts: frozenset[str] = frozenset()
    unscored: int = 0
    lead_fields: tuple[str, ...] = ()
    open_custom_tasks: int = 0
    duplicate_task: bool = False
    unknown_precondition: str = ""
    preconditions_met: bool = False
    foreign_commitment: str = ""
    for_request: bool = False
    attachments: int = 0


def judge(proposal: Proposal, facts: Facts) -> Rejection | None:
    """None when the proposal may be carried out (gates are asked next, for acts), else why not."""
    if facts.for_request and not isinstance(proposal, _FOR_A_REQUEST):
        return reject("not_for_a_request", proposal=proposal.type)
    if isinstance(proposal, CreateTask):
        return _create_task(proposal, facts)
    task = facts.task
    if task is None:
        return reject("task_unknown", id=proposal.task_id)
    selecting = isinstance(proposal, SelectNextTask)
    if selecting and task.status is TaskStatus.IN_PROGRESS:
        return reject("task_already_started", id=task.id)
    if not task.eligible(facts.now, facts.held):
        return reject("task_not_eligible", id=task.id, status=task.status, needs=task.needs)
    if selecting:
        return None
    if task.status is TaskStatus.PENDING:
        return reject("task_not_started", id=task.id)
    return _JUDGES[type(proposal)](proposal, facts, task)


def text_length(text: str) -> int:
    """As a site's own text field counts: in UTF-16 units, so that an emoji is two."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def clean_text(text: str, limit: int) -> Rejection | None:
    """Whether a text may be sent as it is: not empty, not too long, nothing invisible, no placeholder left."""
    if not text.strip():
        return reject("text_empty")
    if text_length(text) > limit:
        return reject("text_too_long", length=text_length(text), limit=limit)
    if unclean := _UNCLEAN.search(text):
        return reject("text_not_clean", point=f"{ord(unclean.group()):04X}")
    if placeholder := _PLACEHOLDER.search(text):
        return reject("text_placeholder", placeholder=placeholder.group())
    return None


def text_limit(campaign: Campaign, kind: str) -> int:
    """How many characters a text of this kind may have."""
    return campaign.settings.note_limit if kind == "invitation" else campaign.settings.message_limit


def _create_task(proposal: CreateTask, facts: Facts) -> Rejection | None:
    if facts.duplicate_task:
        return reject("task_duplicate")
    if facts.open_custom_tasks >= MAX_OPEN_CUSTOM_TASKS:
        return reject("too_many_tasks", limit=MAX_OPEN_CUSTOM_TASKS)
    if facts.unknown_precondition:
        return reject("precondition_unknown", id=facts.unknown_precondition)
    if facts.foreign_commitment:
        return reject("commitment_foreign", id=facts.foreign_commitment)
    return None


_TOOL_FOR_DUE = {
    Due.VISIT: ("browser.read_profile",),
    Due.CHECK: ("browser.read_profile",),
    Due.READ: ("browser.read_thread",),
}


def owed_tools(need: Need | None) -> tuple[str, ...]:
    """The tools that bring the sequence on, if any does."""
    if need is None:
        return ()
    if need.due is Due.SEND and need.step is not None:
        return (f"browser.send_{need.step.kind}",)
    return _TOOL_FOR_DUE.get(need.due, ())


def _execute_tool(proposal: ExecuteTool, facts: Facts, task: Task) -> Rejection | None:
    call = proposal.params
    look_up = TOOLS[call.tool].family is Needs.ASSIST
    if look_up != (task.kind is TaskKind.ASSIST):  # nothing that acts on the site is done for a request
        return reject("only_for_a_request" if look_up else "not_for_a_request", tool=call.tool, proposal=call.tool)
    if isinstance(call, LookUp):
        return None
    if call.tool == "browser.check_selectors":
        return None
    refused = _about_the_lead(call.lead_id, facts, task)
    if refused or call.tool == "browser.open_profile":
        return refused
    need = facts.need
    if need is None:
        return reject("tool_not_allowed", tool=call.tool, why="the lead has no sequence")
    if call.tool not in owed_tools(need):
        return reject("out_of_sequence", due=need.due, proposed=call.tool)
    if isinstance(call, (SendInvitation, SendMessage)) and (
        facts.message is None or facts.message.id != call.message_id
    ):
        return reject("message_unknown", id=call.message_id)
    return None


def _about_the_lead(lead_id: str, facts: Facts, task: Task) -> Rejection | None:
    if facts.lead is None or facts.lead.id != lead_id:
        return reject("lead_not_in_campaign", id=lead_id)
    if task.lead_id != lead_id:
        return reject("lead_not_of_task", task=task.id, lead=lead_id)
    return None


def _generate_message(proposal: GenerateMessage, facts: Facts, task: Task) -> Rejection | None:
    draft, need = proposal.params, facts.need
    if refused := _about_the_lead(draft.lead_id, facts, task):
        return refused
    if need is None or need.due is not Due.DRAFT or need.step is None or need.step.key != draft.step:
        due = "nothing" if need is None else f"{need.due} {need.step.key if need.step else ''}".strip()
        return reject("out_of_sequence", due=due, proposed=f"draft {draft.step}")
    if draft.text in facts.refused_texts:
        return reject("text_refused_before")
    if facts.lead is not None and (hole := _hole(draft.text, facts.lead, facts.campaign)):
        return reject("variable_missing", variable=f"{{{hole}}}", name=facts.lead.full_name[:100])
    return clean_text(draft.text, text_limit(facts.campaign, need.step.kind))


def _hole(text: str, lead: Lead, campaign: Campaign) -> str:
    """The first variable left in the text that nothing is known for; any other that was left is a placeholder."""
    to = Recipient(lead.full_name, lead.company, lead.job_title, email="-")
    return next(
        (name for name in used(text) if name in VARIABLES and not value_of(name, to, campaign.goal).strip()), ""
    )


BLUEPRINTS_FOR = (TaskKind.SCORE_LEADS, TaskKind.ASSIST)
"""The kinds of task for which a blueprint may be proposed."""


def _analyze_leads(proposal: AnalyzeLeads, facts: Facts, task: Task) -> Rejection | None:
    wanted = proposal.params.blueprint
    if wanted == "current":
        if task.kind is not TaskKind.SCORE_LEADS:
            return reject("tool_not_allowed", tool="analyze_leads", why="the task is not about scoring")
        return None
    if task.kind not in BLUEPRINTS_FOR:
        return reject("tool_not_allowed", tool="analyze_leads", why="the task is not about scoring")
    if same_rules(wanted, facts.campaign.settings.blueprint):
        return reject("blueprint_unchanged")
    problem = problem_with(wanted, facts.lead_fields)
    return reject(problem[0], **problem[1]) if problem else None


def _request_user_input(proposal: RequestUserInput, _: Facts, __: Task) -> Rejection | None:
    question = proposal.params
    if question.kind == "choice" and len(set(question.choices)) < 2:  # noqa: PLR2004 - a choice is between two
        return reject("choices_missing")
    return None


def _persist_artifact(proposal: PersistArtifact, facts: Facts, _: Task) -> Rejection | None:
    number = proposal.params.attachment
    if number is not None and number > facts.attachments:
        return reject("attachment_unknown", number=number)
    return None  # nothing is stored before the user says yes


def _always(_: Proposal, __: Facts, ___: Task) -> Rejection | None:
    return None


_JUDGES: dict[type, Callable[[Any, Facts, Task], Rejection | None]] = {
    ExecuteTool: _execute_tool,
    GenerateMessage: _generate_message,
    AnalyzeLeads: _analyze_leads,
    RequestUserInput: _request_user_input,
    PersistArtifact: _persist_artifact,
    NoOp: _always,  # a claim of completion only sends the task to verification
}

_FOR_A_REQUEST = (ExecuteTool, AnalyzeLeads, RequestUserInput, PersistArtifact, NoOp)
