"""Second stage of validation: is this proposal, well-formed as it is, the right thing now? Pure; reads facts, answers why not."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from backend.domain.gates.approval import Approval
from backend.domain.model.artifact import BY_MODEL, PROTECTED, Maker
from backend.domain.model.campaign import Campaign
from backend.domain.model.lead import Lead
from backend.domain.model.message import Message
from backend.domain.model.scoring import problem_with, same_rules
from backend.domain.model.sequence import DueAction, DueStep
from backend.domain.model.task import ActionFamily, Task, TaskKind, TaskStatus
from backend.domain.model.tools import TOOLS, LeadParams, RunScript, SendParams, tools_owed
from backend.domain.model.variables import VARIABLES, Recipient, required_variables, value_of
from backend.domain.turn.agent_questions import NOTHING_ASKED, AskedSoFar, refuse_question, refuse_yes_or_no
from backend.domain.turn.proposals import (
    AnalyzeLeads,
    CreateTask,
    ExecuteTool,
    GenerateMessage,
    NoOp,
    PersistArtifact,
    Proposal,
    Rejection,
    RequestUserInput,
    SelectNextTask,
    reject,
)
from backend.domain.values.hidden_characters import as_it_looks, unsendable_character
from backend.domain.values.placeholders import placeholders

MAX_OPEN_CUSTOM_TASKS = 5
"""Tasks made by proposals that are not done, blocked ones too: who makes tasks in vain makes no more of them."""
MAX_CUSTOM_TASKS = 100
"""In all, so that no campaign goes on for ever by making work for itself."""


@dataclass(frozen=True, slots=True)
class ProposedScript:
    """A script as it would be shown for approval; `refused` says why it is not, before anybody sees it."""

    key: str
    source: str
    builtin: bool
    refused: Rejection | None = None


class ProposalFacts(NamedTuple):
    """What was loaded about the ids that a proposal names, all of it from the proposal's own campaign."""

    campaign: Campaign
    now: int
    blocked_families: frozenset[ActionFamily]
    task: Task | None = None
    lead: Lead | None = None
    message: Message | None = None
    approval: Approval | None = None
    due_step: DueStep | None = None
    refused_texts: frozenset[str] = frozenset()
    unscored: int = 0
    lead_fields: tuple[str, ...] = ()
    open_custom_tasks: int = 0
    custom_tasks: int = 0
    duplicate_task: bool = False
    unknown_precondition: str = ""
    preconditions_met: bool = False
    foreign_commitment: str = ""
    for_request: bool = False
    attachments: int = 0
    asked: AskedSoFar = NOTHING_ASKED
    script: ProposedScript | None = None
    """Of a proposal to run one, once it was checked; that takes a moment, so it comes after everything else."""
    sequence_changed: bool = False
    """Whether the sequence was changed since the proposer was asked."""
    maker: Maker = BY_MODEL
    """Whose proposal it is."""
    template_text: str = ""
    """What the template of the due step gives, where a model is to write the texts; else empty."""


def judge(proposal: Proposal, facts: ProposalFacts) -> Rejection | None:
    """None when the proposal may be carried out (gates are asked next, for acts), else why not."""
    if facts.for_request and not proposal.for_request:
        return reject("not_for_a_request", proposal=proposal.type)
    if isinstance(proposal, CreateTask):
        return _create_task(proposal, facts)
    task = facts.task
    if task is None:
        return reject("task_unknown", id=proposal.task_id)
    selecting = isinstance(proposal, SelectNextTask)
    if selecting and task.status is TaskStatus.IN_PROGRESS:
        return reject("task_already_started", id=task.id)
    if not task.eligible(facts.now, facts.blocked_families):
        return reject("task_not_eligible", id=task.id, status=task.status, needs=task.needs)
    if selecting:
        return None
    if task.status is TaskStatus.PENDING:
        return reject("task_not_started", id=task.id)
    return _JUDGES[type(proposal)](proposal, facts, task)


def text_length(text: str) -> int:
    """As a site's own text field counts: in UTF-16 units, so that an emoji is two."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def clean_text(text: str, limit: int, *, may_be_empty: bool = False) -> Rejection | None:
    """Whether a text may be sent as it is: not empty, not too long, no placeholder and nothing that no message may hold.

    An invitation's may be empty. Other hidden characters may belong into a name or a language, and what looks like a
    placeholder may be none: the user decides, who is shown them (`approve`).
    """
    if not text and may_be_empty:
        return None
    if not as_it_looks(text):
        return reject("text_empty")
    if text_length(text) > limit:
        return reject("text_too_long", length=text_length(text), limit=limit)
    if unclean := unsendable_character(text):
        return reject("text_not_clean", point=unclean.code_point.removeprefix("U+"))
    if left := placeholders(text).sure:
        return reject("text_placeholder", placeholder=left[0])
    return None


def text_limit(campaign: Campaign, kind: str) -> int:
    """How many characters a text of this kind may have."""
    return campaign.settings.note_limit if kind == "invitation" else campaign.settings.message_limit


def _create_task(proposal: CreateTask, facts: ProposalFacts) -> Rejection | None:
    if facts.duplicate_task:
        return reject("task_duplicate")
    if facts.unknown_precondition:
        return reject("precondition_unknown", id=facts.unknown_precondition)
    if facts.foreign_commitment:
        return reject("commitment_foreign", id=facts.foreign_commitment)
    for count, most in ((facts.open_custom_tasks, MAX_OPEN_CUSTOM_TASKS), (facts.custom_tasks, MAX_CUSTOM_TASKS)):
        if count >= most:
            return reject("too_many_tasks", limit=most)
    return None


def owed_tools(due_step: DueStep | None) -> tuple[str, ...]:
    """The tools that bring the sequence on, if any does."""
    if due_step is None:
        return ()
    kind = due_step.step.kind if due_step.step is not None else ""
    return tools_owed(due_step.due, "message" if due_step.family is ActionFamily.ANSWER else kind)


def _execute_tool(proposal: ExecuteTool, facts: ProposalFacts, task: Task) -> Rejection | None:
    call, spec = proposal.params, TOOLS[proposal.params.tool]
    if task.kind is TaskKind.ASSIST and TaskKind.ASSIST not in spec.tasks:  # nothing acts on the site for a request
        return reject("not_for_a_request", tool=call.tool, proposal=call.tool)
    if spec.family is ActionFamily.ASSIST and task.kind not in spec.tasks:
        return reject("only_for_a_request", tool=call.tool, proposal=call.tool)
    if isinstance(call, RunScript):
        refused = facts.script.refused if facts.script is not None else None
        return refuse_yes_or_no(task.kind, facts.asked) or refused
    if not isinstance(call, LeadParams):
        return None
    refused = _about_the_lead(call.lead_id, facts, task)
    if refused or not spec.owed_when:
        return refused
    due_step = facts.due_step
    if due_step is None:
        return reject("tool_not_allowed", tool=call.tool, why="the lead has no sequence")
    if call.tool not in owed_tools(due_step):
        return reject("out_of_sequence", due=due_step.due, proposed=call.tool)
    if isinstance(call, SendParams) and (facts.message is None or facts.message.id != call.message_id):
        return reject("message_unknown", id=call.message_id)
    return None


def _about_the_lead(lead_id: str, facts: ProposalFacts, task: Task) -> Rejection | None:
    if facts.lead is None or facts.lead.id != lead_id:
        return reject("lead_not_in_campaign", id=lead_id)
    if task.lead_id != lead_id:
        return reject("lead_not_of_task", task=task.id, lead=lead_id)
    return None


def _generate_message(proposal: GenerateMessage, facts: ProposalFacts, task: Task) -> Rejection | None:
    draft, due_step = proposal.params, facts.due_step
    if refused := _about_the_lead(draft.lead_id, facts, task):
        return refused
    if (
        due_step is None
        or due_step.due is not DueAction.DRAFT
        or due_step.step is None
        or due_step.step.key != draft.step
    ):
        due = "nothing" if due_step is None else f"{due_step.due} {due_step.step.key if due_step.step else ''}".strip()
        return reject("out_of_sequence", due=due, proposed=f"draft {draft.step}")
    if facts.sequence_changed:  # by words that do not hold any more
        return reject("sequence_changed")
    if draft.text in facts.refused_texts:
        return reject("text_refused_before")
    if facts.lead is not None and (hole := _hole(draft.text, facts.lead, facts.campaign)):
        return reject("variable_missing", variable=f"{{{hole}}}", name=facts.lead.full_name[:100])
    limit = text_limit(facts.campaign, due_step.step.kind)
    return clean_text(draft.text, limit, may_be_empty=due_step.step.without_note)


def _hole(text: str, lead: Lead, campaign: Campaign) -> str:
    """The first variable left in the text that nothing is known for; any other that was left is a placeholder."""
    to = Recipient(lead.full_name, lead.company, lead.job_title, email="-")
    return next(
        (
            name
            for name in required_variables(text)
            if name in VARIABLES and not value_of(name, to, campaign.settings.topic).strip()
        ),
        "",
    )


BLUEPRINTS_FOR = (TaskKind.SCORE_LEADS, TaskKind.ASSIST)
"""The kinds of task for which a blueprint may be proposed."""


def _analyze_leads(proposal: AnalyzeLeads, facts: ProposalFacts, task: Task) -> Rejection | None:
    blueprint = proposal.params.blueprint
    if blueprint == "current":
        if task.kind is not TaskKind.SCORE_LEADS:
            return reject("tool_not_allowed", tool="analyze_leads", why="the task is not about scoring")
        return None
    if task.kind not in BLUEPRINTS_FOR:
        return reject("tool_not_allowed", tool="analyze_leads", why="the task is not about scoring")
    if same_rules(blueprint, facts.campaign.settings.blueprint):
        return reject("blueprint_unchanged")
    problem = problem_with(blueprint, facts.lead_fields)
    return reject(problem[0], **problem[1]) if problem else refuse_yes_or_no(task.kind, facts.asked)


def _request_user_input(proposal: RequestUserInput, facts: ProposalFacts, task: Task) -> Rejection | None:
    question = proposal.params
    if question.kind == "choice" and len(set(question.choices)) < 2:  # noqa: PLR2004 - a choice is between two
        return reject("choices_missing")
    return refuse_question(task.kind, facts.asked, question.question)


def _persist_artifact(proposal: PersistArtifact, facts: ProposalFacts, task: Task) -> Rejection | None:
    if proposal.params.artifact_type in PROTECTED:
        return reject(
            "artifact_protected", type=proposal.params.artifact_type, how=PROTECTED[proposal.params.artifact_type]
        )
    number = proposal.params.attachment
    if number is not None and number > facts.attachments:
        return reject("attachment_unknown", number=number)
    return refuse_yes_or_no(task.kind, facts.asked)  # nothing is stored before the user says yes


def _always(_: Proposal, __: ProposalFacts, ___: Task) -> Rejection | None:
    return None


_JUDGES: dict[type, Callable[[Any, ProposalFacts, Task], Rejection | None]] = {
    ExecuteTool: _execute_tool,
    GenerateMessage: _generate_message,
    AnalyzeLeads: _analyze_leads,
    RequestUserInput: _request_user_input,
    PersistArtifact: _persist_artifact,
    NoOp: _always,  # a claim of completion only sends the task to verification
}
