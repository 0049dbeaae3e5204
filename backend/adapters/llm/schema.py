"""The schema a model is given for one snapshot: closed, small, and with nothing in it that would not be accepted now.

It is made from the very types that `parse` reads, so a reply that fits it has the right shape. Ids are the ones that are
known here, so a model can name no other. Providers want one object at the root, so the proposal stands in an envelope.
"""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from pydantic import BaseModel

from backend.domain.model.sequence import DueAction
from backend.domain.model.task import TaskKind, TaskStatus
from backend.domain.model.tools import TOOLS
from backend.domain.turn.agent_questions import may_ask, refuse_yes_or_no
from backend.domain.turn.proposal_check import owed_tools, text_limit
from backend.domain.turn.proposals import (
    ENVELOPE,
    AnalyzeLeads,
    CreateTask,
    ExecuteTool,
    GenerateMessage,
    NoOp,
    PersistArtifact,
    RequestUserInput,
    SelectNextTask,
)
from backend.domain.turn.snapshot import MAX_FIELDS, MAX_TASKS, Focus, Snapshot

Schema = dict[str, Any]

LONGEST_TEXT = 8_000
"""Characters: even if all of them must be escaped, the reply stays under what is read of it."""

_KEPT = ("minLength", "maxLength", "pattern", "minItems", "maxItems", "minimum", "maximum")
_LENGTHS = ("minLength", "maxLength")

_THINKING: dict[TaskKind, tuple[type[BaseModel], ...]] = {
    TaskKind.SCORE_LEADS: (AnalyzeLeads, CreateTask, PersistArtifact),
    TaskKind.CUSTOM: (CreateTask, PersistArtifact),
    TaskKind.REACH_LEAD: (PersistArtifact,),
    TaskKind.ANSWER: (),
    TaskKind.WITHDRAW: (),
    TaskKind.ASSIST: (PersistArtifact, AnalyzeLeads),
}
"""What may be proposed for a task of that kind that has been begun, besides its tools, a question, and doing nothing."""
_BESIDE = (CreateTask, PersistArtifact)
_ABOUT_A_LEAD = (TaskKind.REACH_LEAD, TaskKind.ANSWER, TaskKind.WITHDRAW)
_ABOUT_A_LEAD = (TaskKind.REACH_LEAD, TaskKind.ANSWER, TaskKind.WITHDRAW)
_HAS_A_STEP_OF_ITS_OWN = (TaskKind.SCORE_LEADS, TaskKind.REACH_LEAD)


class _Impossible(Exception):  # noqa: N818 - it is no error that something cannot be named
    """A field can have no value now."""


def proposal_schema(snapshot: Snapshot, *, lengths: bool = True, beside: bool = True) -> Schema:
    """The JSON schema of what may be proposed now; without `lengths` for providers that refuse bounds on a text's length.

    Without `beside` a step of the campaign has nothing that it could go without, for a model with little room.
    """
    variants = list(_variants(snapshot, beside=beside))
    proposal = variants[0] if len(variants) == 1 else {"anyOf": variants}
    schema = _object({ENVELOPE: proposal})
    return schema if lengths else _without(schema, _LENGTHS)


def _variants(snapshot: Snapshot, *, beside: bool) -> Iterable[Schema]:
    focus = snapshot.focus
    if focus.task.status is TaskStatus.PENDING:
        waiting = [task.id for task in snapshot.tasks[:MAX_TASKS] if task.status is TaskStatus.PENDING]
        yield _variant(SelectNextTask, {"task_id": waiting})
        return
    # What brings the task on comes first, what holds it up comes last.
    if calls := list(_tool_calls(snapshot, focus)):
        tool = _variant(ExecuteTool, _known(snapshot))
        tool["properties"]["params"] = calls[0] if len(calls) == 1 else {"anyOf": calls}
        yield tool
    limits = {"text": text_limit(snapshot.campaign, focus.need.step.kind)} if focus.need and focus.need.step else {}
    for model in _proposals(focus):
        if not beside and model in _BESIDE and focus.task.kind in _HAS_A_STEP_OF_ITS_OWN:
            continue
        try:
            variant = _variant(model, _known(snapshot), limits)
        except _Impossible:
            continue
        yield from _spelled_out(model, variant, snapshot)


def _spelled_out(model: type[BaseModel], variant: Schema, snapshot: Snapshot) -> Iterable[Schema]:
    """What else a proposal's shape asks of its fields, where a schema can say it."""
    if model is PersistArtifact:
        yield from _kept(variant, snapshot)
    elif model is AnalyzeLeads and snapshot.focus.task.kind is TaskKind.ASSIST:
        yield from _of_its_own(variant)
    else:
        yield _asking(variant) if model is RequestUserInput else variant


def _of_its_own(variant: Schema) -> Iterable[Schema]:
    """For a request a blueprint is proposed or nothing: the one in force scores by itself."""
    params = variant["properties"]["params"]
    options = params["properties"]["blueprint"].get("anyOf", [])
    for blueprint in (option for option in options if option["type"] == "object"):
        yield {**variant, "properties": {**variant["properties"], "params": _object({"blueprint": blueprint})}}


def _kept(variant: Schema, snapshot: Snapshot) -> Iterable[Schema]:
    """What is to be kept is written out, or is the number of what the user gave: one of the two."""
    params = variant["properties"]["params"]
    attachment_count = len(snapshot.request.attached) if snapshot.request else 0
    null_schema, written = {"type": "null"}, params["properties"]["content"]["anyOf"][0]
    options = [{"content": written, "attachment": null_schema}]
    if attachment_count:
        options.append(
            {"content": null_schema, "attachment": {"type": "integer", "minimum": 1, "maximum": attachment_count}}
        )
    for option in options:
        yield {**variant, "properties": {**variant["properties"], "params": _object(params["properties"] | option)}}


def _proposals(focus: Focus) -> Iterable[type[BaseModel]]:
    drafting = focus.need is not None and focus.need.due is DueAction.DRAFT
    if drafting:
        yield GenerateMessage
    for model in _THINKING.get(focus.task.kind, ()):
        if model is not PersistArtifact or _may_save(focus, drafting=drafting):
            yield model
    yield NoOp
    if may_ask(focus.task.kind, focus.asked):
        yield RequestUserInput


def _may_save(focus: Focus, *, drafting: bool) -> bool:
    """Something worth keeping turns up while a text is written, not while a page is opened."""
    worth_saving = drafting or focus.task.kind is not TaskKind.REACH_LEAD
    return worth_saving and refuse_yes_or_no(focus.task.kind, focus.asked) is None


def _tool_calls(snapshot: Snapshot, focus: Focus) -> Iterable[Schema]:
    tools = owed_tools(focus.need) if focus.task.kind in _ABOUT_A_LEAD else snapshot.tools
    for tool in tools:
        if tool in snapshot.tools:
            try:
                yield _closed(*_shape(TOOLS[tool].params), _ids(snapshot), {})
            except _Impossible:
                continue


def _ids(snapshot: Snapshot) -> dict[str, list[str]]:
    """What a tool may name; a report's field is no blueprint's."""
    return {name: ids for name, ids in _known(snapshot).items() if name not in ("field", "fields")}


def _known(snapshot: Snapshot) -> dict[str, list[str]]:
    """Which ids there are to be named; a list of tasks to wait for may always be empty."""
    focus, fields = snapshot.focus, list(snapshot.lead_fields[:MAX_FIELDS])
    step = focus.need.step if focus.need is not None else None
    return {
        "field": fields,
        "fields": fields,
        "task_id": [focus.task.id],
        "lead_id": [focus.lead.id] if focus.lead is not None else [],
        "message_id": [focus.message.id] if focus.message is not None else [],
        "step": [step.key] if step is not None else [],
        "preconditions": [focus.task.id],
    }


def _variant(model: type[BaseModel], enums: Mapping[str, list[str]], limits: Mapping[str, int] | None = None) -> Schema:
    shape, definitions = _shape(model)
    # What kind it is comes first, so that everything after it is written knowing that. Nothing depends on a rationale.
    names = sorted(
        shape["properties"].keys() - {"rationale"}, key=lambda name: (name != "type", name == "params", name)
    )
    ordered = {**shape, "properties": {name: shape["properties"][name] for name in names}}
    return _closed(ordered, definitions, enums, limits or {})


def _asking(question: Schema) -> Schema:
    """A choice offers at least two things, anything else offers none."""
    params = question["properties"]["params"]["properties"]
    most = params["choices"]["maxItems"]
    kinds = (("choice",), 2, most), (tuple(kind for kind in params["kind"]["enum"] if kind != "choice"), 0, 0)
    variants = [
        _object(
            {
                **params,
                "kind": {"type": "string", "enum": list(words)},
                "choices": {**params["choices"], "minItems": least, "maxItems": most},
            }
        )
        for words, least, most in kinds
    ]
    return _object({**question["properties"], "params": {"anyOf": variants[::-1]}})


@lru_cache(maxsize=64)
def _shape(model: type[BaseModel]) -> tuple[Schema, Schema]:
    schema = model.model_json_schema()
    return schema, schema.get("$defs", {})


def _closed(
    shape: Schema, definitions: Schema, enums: Mapping[str, list[str]], limits: Mapping[str, int], name: str = ""
) -> Schema:
    """The shape without references, titles, defaults and open ends. Raises `_Impossible` for what nothing can fill now."""
    if "$ref" in shape:
        return _closed(definitions[shape["$ref"].rpartition("/")[2]], definitions, enums, limits, name)
    if options := shape.get("anyOf") or shape.get("oneOf"):
        return _any_of(options, definitions, enums, limits, name)
    match shape["type"]:
        case "object":
            if shape.get("additionalProperties") is not False:
                raise TypeError(f"{name or 'a shape'} is an open map, which no model can be held to")
            properties = shape.get("properties", {})
            return _object({key: _closed(value, definitions, enums, limits, key) for key, value in properties.items()})
        case "array":
            items = _closed(shape["items"], definitions, enums, limits, name)
            return {"type": "array", "items": items, **_bounds(shape)}
        case "string":
            return _text(shape, enums, limits, name)
        case _:
            return {"type": shape["type"], **_bounds(shape)}


def _any_of(
    options: list[Schema], definitions: Schema, enums: Mapping[str, list[str]], limits: Mapping[str, int], name: str
) -> Schema:
    possible = []
    for option in options:
        try:
            possible.append(_closed(option, definitions, enums, limits, name))
        except _Impossible:
            continue
    if not possible:
        raise _Impossible(name)
    return possible[0] if len(possible) == 1 else {"anyOf": possible}


def _text(shape: Schema, enums: Mapping[str, list[str]], limits: Mapping[str, int], name: str) -> Schema:
    if "const" in shape or "enum" in shape:
        return {"type": "string", "enum": list(shape.get("enum") or [shape["const"]])}
    if name in enums:
        if not enums[name]:
            raise _Impossible(name)
        return {"type": "string", "enum": enums[name]}
    longest = min(shape.get("maxLength", LONGEST_TEXT), limits.get(name, LONGEST_TEXT), LONGEST_TEXT)
    return {"type": "string", **_bounds(shape), "maxLength": longest}


def _bounds(shape: Schema) -> Schema:
    return {keyword: shape[keyword] for keyword in _KEPT if keyword in shape}


def _object(properties: Schema) -> Schema:
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def _without(schema: Any, keywords: tuple[str, ...]) -> Any:
    if isinstance(schema, dict):
        return {name: _without(value, keywords) for name, value in schema.items() if name not in keywords}
    return [_without(value, keywords) for value in schema] if isinstance(schema, list) else schema
