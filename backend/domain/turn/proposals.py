"""The eight proposals and the first stage of their validation: the shape (spec 001 FR-005d, FR-005i…p).

The second stage, the meaning, needs the state and is in `proposal_check.py`.
"""

import re
from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal, Self

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError, model_validator

from backend.domain.model.artifact import KEY_PATTERN, ArtifactType
from backend.domain.model.message import MessageStatus
from backend.domain.model.scoring import NewBlueprint
from backend.domain.model.tools import TOOLS, Id, SendParams, StrictModel, ToolParams
from backend.domain.turn.commitments import Commitment
from backend.domain.values.json_in_text import object_text, repeated_key

MAX_REPLY_BYTES = 65_536


Short = Annotated[str, Field(min_length=1, max_length=500)]

if TYPE_CHECKING:
    ToolCall = ToolParams
else:
    ToolCall = Annotated[reduce(or_, (spec.params for spec in TOOLS.values())), Field(discriminator="tool")]
"""A call of any of the tools there are."""


class NewTask(StrictModel):
    description: Short
    preconditions: tuple[Id, ...] = Field(default=(), max_length=20)
    commitments: tuple[Commitment, ...] = Field(min_length=1, max_length=10)


class MessageDraft(StrictModel):
    lead_id: Id
    step: Annotated[str, Field(min_length=1, max_length=32)]
    text: Annotated[str, Field(max_length=8_000)]


class LeadAnalysis(StrictModel):
    """Score the next leads by the blueprint in force, or propose another one, which takes effect by the user's yes."""

    blueprint: Literal["current"] | NewBlueprint = "current"


class UserQuestion(StrictModel):
    question: Short
    kind: Literal["confirm", "choice", "text"]
    choices: tuple[Short, ...] = Field(default=(), max_length=10)


class NewArtifact(StrictModel):
    artifact_type: ArtifactType
    artifact_key: Annotated[str, Field(pattern=KEY_PATTERN)]
    content: Annotated[str, Field(min_length=1, max_length=50_000)] | None = None
    attachment: Annotated[int, Field(ge=1, le=5)] | None = None
    """Instead of repeating it: the number of what the user gave with the request, kept character for character."""

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        if (self.content is None) == (self.attachment is None):
            raise ValueError("either content or attachment")
        return self


class NoOpParams(StrictModel):
    claims_done: bool = False
    say: Annotated[str, Field(max_length=4_000)] = ""
    """To the user, in a turn for their request: shown as received."""


class NoParams(StrictModel):
    pass


class _Proposal(StrictModel):
    for_request: ClassVar[bool] = True
    """Whether it may be proposed for a request of the user."""

    task_id: Id
    rationale: Annotated[str, Field(max_length=1_000)] | None = None


class CreateTask(StrictModel):
    """The one proposal without a task: it justifies a new one instead."""

    for_request: ClassVar[bool] = False

    type: Literal["create_task"]
    justification: Short
    params: NewTask
    rationale: Annotated[str, Field(max_length=1_000)] | None = None


class SelectNextTask(_Proposal):
    for_request: ClassVar[bool] = False

    type: Literal["select_next_task"]
    params: NoParams = NoParams()


class ExecuteTool(_Proposal):
    type: Literal["execute_tool"]
    params: ToolCall


class GenerateMessage(_Proposal):
    for_request: ClassVar[bool] = False

    type: Literal["generate_message"]
    params: MessageDraft


class AnalyzeLeads(_Proposal):
    type: Literal["analyze_leads"]
    params: LeadAnalysis = LeadAnalysis()


class RequestUserInput(_Proposal):
    type: Literal["request_user_input"]
    params: UserQuestion


class PersistArtifact(_Proposal):
    type: Literal["persist_artifact"]
    params: NewArtifact


class NoOp(_Proposal):
    """Nothing to do now; `claims_done` moves the task to verification, where the claim itself counts for nothing."""

    type: Literal["no_op"]
    params: NoOpParams = NoOpParams()


Proposal = (
    CreateTask
    | SelectNextTask
    | ExecuteTool
    | GenerateMessage
    | AnalyzeLeads
    | RequestUserInput
    | PersistArtifact
    | NoOp
)

PROPOSAL: TypeAdapter[Proposal] = TypeAdapter(
    Annotated[Proposal, Field(discriminator="type")], config=ConfigDict(defer_build=True)
)
"""Reads a proposal from JSON."""

ENVELOPE = "proposal"
_ENVELOPED = re.compile(r'\s*\{\s*"proposal"\s*:')


class _Enveloped(StrictModel):
    """Providers that hold a model to a schema want one object at its root: the proposal then stands in it."""

    proposal: Annotated[Proposal, Field(discriminator="type")]


UNREADABLE = ("reply_missing", "reply_too_large", "reply_not_json", "unknown_proposal")
COULD_NOT_BE_READ = "The model's answer could not be read. Try again, or choose another model."
"""What people are told of such a reply; the model is told what was wrong with it."""

REJECTIONS: dict[str, str] = {
    # shape
    "reply_missing": "There was no reply.",
    "reply_too_large": f"The reply is larger than {MAX_REPLY_BYTES} bytes.",
    "reply_not_json": "The reply is not one JSON object.",
    "unknown_proposal": "There is no such proposal type.",
    "unknown_tool": "There is no such tool.",
    "task_reference": "A proposal names exactly one task, or justifies a new one.",
    "key_repeated": "The reply has the key {key} twice in one object; write each key once.",
    "wrong_shape": "The proposal does not fit its schema: {detail}.",
    # meaning
    "task_unknown": "This campaign has no task {id}.",
    "task_not_eligible": "Task {id} cannot be worked on now: it is {status}, waiting for {needs}.",
    "task_not_started": "Task {id} must be selected before anything is done for it.",
    "task_already_started": "Task {id} is already in progress.",
    "task_duplicate": "There is an open task with the same description.",
    "too_many_tasks": "There are already {limit} tasks made by proposals.",
    "precondition_unknown": "The precondition {id} is not a task of this campaign.",
    "lead_not_in_campaign": "This campaign has no lead {id}.",
    "lead_not_of_task": "Task {task} is not about lead {lead}.",
    "commitment_foreign": "The commitment names {id}, which this campaign does not have.",
    "tool_not_allowed": "{tool} is not allowed for this task now: {why}.",
    "out_of_sequence": "The sequence owes this lead {due}, not {proposed}.",
    "sequence_changed": "The sequence was changed while this message was written; write it again.",
    "message_unknown": "There is no message {id} for this lead and step.",
    "text_empty": "The message is empty.",
    "text_too_long": "The message has {length} characters; the limit is {limit}.",
    "text_not_clean": "The message has a hidden character that must not be sent (U+{point}). Type that place anew.",
    "text_refused_before": "The user has rejected exactly this message; write another.",
    "text_placeholder": "The message still has the placeholder {placeholder}.",
    "blueprint_weights": "The weights of the blueprint add up to {sum}, not 100.",
    "blueprint_too_large": "The blueprint has {size} characters; the limit is {limit}.",
    "blueprint_field_unknown": "No lead of this campaign has the field {field}; there are: {known}.",
    "blueprint_unchanged": "This blueprint is already in force.",
    "variable_missing": "The message says {variable}, which is not known of {name}; write it without, or ask the user.",
    "choices_missing": "A choice needs at least two different choices.",
    "question_answered": "The user has answered a question about this task, and nothing has changed since; go on with the answer.",
    "too_many_questions": "The user was asked {limit} times about this task; go on without asking.",
    "not_for_a_request": "{proposal} cannot be done for a request of the user.",
    "only_for_a_request": "{tool} is only for a request of the user.",
    "artifact_protected": "Outrider alone makes a {type}, by {how}; propose that, or keep your words as a note or research.",
    "attachment_unknown": "There is no attachment {number} with this request.",
}
"""Every way in which a proposal is refused: a stable code and its sentence."""


@dataclass(frozen=True, slots=True)
class Rejection:
    """Why a proposal was not accepted."""

    code: str
    sentence: str


def reject(code: str, /, **facts: object) -> Rejection:
    """The rejection with that code, its sentence filled in."""
    return Rejection(code, REJECTIONS[code].format_map(facts))


def parse(raw: str) -> Proposal | Rejection:
    """First stage: strict shape, no coercion, no unknown field, size limits. Never raises for any text.

    The proposal is the only JSON object in the reply, whatever is said around it.
    """
    if not raw or raw.isspace():
        return reject("reply_missing")
    if len(raw) > MAX_REPLY_BYTES or len(raw.encode("utf-8", "surrogatepass")) > MAX_REPLY_BYTES:
        return reject("reply_too_large")
    outcome = _validated(raw)
    if outcome != reject("reply_not_json") or (inside := object_text(raw)) is None:
        return outcome
    return _validated(inside)


def _validated(text: str) -> Proposal | Rejection:
    enveloped = _ENVELOPED.match(text) is not None
    try:
        proposal = _Enveloped.model_validate_json(text).proposal if enveloped else PROPOSAL.validate_json(text)
    except ValidationError as error:
        return _rejection_of(error, 1 if enveloped else 0)
    key = repeated_key(text)  # of two values the reader took the last one
    return proposal if key is None else reject("key_repeated", key=key[:100])


def _rejection_of(error: ValidationError, depth: int) -> Rejection:
    problems = error.errors(include_url=False, include_context=False, include_input=False)
    for problem in problems:
        kind, where = problem["type"], problem["loc"][depth:]
        if kind.startswith("union_tag") and not _NESTED & {*where}:
            return reject("unknown_tool" if where[:1] == ("execute_tool",) else "unknown_proposal")
        if not where:  # not JSON, not an object, not even text
            return reject("reply_not_json")
        if (kind, *where[1:]) in _REFERENCE:  # at the top: further in, it is only an unknown field
            return reject("task_reference")
    first = problems[0]
    where = first["loc"][depth:]
    return reject("wrong_shape", detail=f"{'.'.join(str(part) for part in where)}: {first['msg']}"[:300])


_NESTED = {"commitments", "criteria"}
"""Where a tag names something else than a proposal or a tool."""

_REFERENCE = {
    ("missing", "task_id"),
    ("extra_forbidden", "task_id"),
    ("missing", "justification"),
    ("extra_forbidden", "justification"),
}


def step_words(proposal: Proposal, lead: str, sent: MessageStatus | None) -> str:
    """What was done and what was not, with the lead's name; "" for what nobody needs to hear.

    `sent` is where the text stands that a step was to send.
    """
    match proposal:
        case ExecuteTool(params=params):
            done = TOOLS[params.tool].done.format(lead=lead)
            if not isinstance(params, SendParams):
                return f"{done}; nothing was sent." if done and lead else ""
            if sent is MessageStatus.SENT:
                return f"{done}, in exactly the words that you approved."
            return f"Tried to write to {lead}; whether it arrived is looked up before anything else is sent."
        case GenerateMessage():
            return f"Wrote a message to {lead}; nothing is sent until you approve it."
        case RequestUserInput():
            return "Asked you a question; it goes on with your answer."
        case AnalyzeLeads():
            return "Scored the leads; nothing was sent."
        case _:
            return ""
