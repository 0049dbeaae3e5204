"""One valid example of each proposal, as a model would write it, and ways to spoil one."""

import copy
from collections.abc import Iterator
from typing import Any

Json = dict[str, Any]

SEQUENCE_FINISHED: Json = {"type": "sequence_finished", "lead_id": "lead-1"}

VALID: dict[str, Json] = {
    "create_task": {
        "type": "create_task",
        "justification": "The goal needs a summary.",
        "rationale": "because",
        "params": {
            "description": "Write a summary",
            "preconditions": ["task-1"],
            "commitments": [
                {"type": "artifact_exists", "artifact_type": "note", "artifact_key": "summary"},
                SEQUENCE_FINISHED,
                {"type": "message_sent", "lead_id": "lead-1", "step": "hello"},
                {"type": "lead_status", "lead_id": "lead-1", "status": "contacted"},
                {"type": "leads_scored"},
            ],
        },
    },
    "select_next_task": {"type": "select_next_task", "task_id": "task-1", "params": {}, "rationale": "because"},
    "execute_tool": {
        "type": "execute_tool",
        "task_id": "task-1",
        "rationale": "because",
        "params": {"tool": "browser.send_invitation", "lead_id": "lead-1", "message_id": "msg-1"},
    },
    "generate_message": {
        "type": "generate_message",
        "task_id": "task-1",
        "rationale": "because",
        "params": {"lead_id": "lead-1", "step": "invite", "text": "Hello Ada"},
    },
    "analyze_leads": {
        "type": "analyze_leads",
        "task_id": "task-1",
        "rationale": "because",
        "params": {"blueprint": "current"},
    },
    "request_user_input": {
        "type": "request_user_input",
        "task_id": "task-1",
        "rationale": "because",
        "params": {"question": "Which one?", "kind": "choice", "choices": ["this", "that"]},
    },
    "persist_artifact": {
        "type": "persist_artifact",
        "task_id": "task-1",
        "rationale": "because",
        "params": {"artifact_type": "note", "artifact_key": "summary", "content": "Text"},
    },
    "no_op": {"type": "no_op", "task_id": "task-1", "rationale": "because", "params": {"claims_done": True}},
}

TOOLS: dict[str, tuple[str, ...]] = {
    "browser.open_profile": ("lead_id",),
    "browser.read_profile": ("lead_id",),
    "browser.read_thread": ("lead_id",),
    "browser.check_selectors": (),
    "browser.send_invitation": ("lead_id", "message_id"),
    "browser.send_message": ("lead_id", "message_id"),
}

OPTIONAL = {
    "rationale",
    "params.preconditions",
    "params.choices",
    "params.claims_done",
    "params.blueprint",
    "select_next_task/params",
    "analyze_leads/params",
    "no_op/params",
}
"""What a proposal may leave out; everything else is required."""


def tool_call(tool: str) -> Json:
    """A valid call of that tool."""
    ids = {"lead_id": "lead-1", "message_id": "msg-1"}
    return {
        "type": "execute_tool",
        "task_id": "task-1",
        "params": {"tool": tool} | {name: ids[name] for name in TOOLS[tool]},
    }


def places(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """The path of everything inside, parents first."""
    items: Any = ()
    if isinstance(value, dict):
        items = value.items()
    elif isinstance(value, list):
        items = enumerate(value)
    for key, inner in items:
        yield (*path, key)
        yield from places(inner, (*path, key))


def get(value: Any, path: tuple[str | int, ...]) -> Any:
    for key in path:
        value = value[key]
    return value


def without(value: Json, path: tuple[str | int, ...]) -> Json:
    """A copy that lacks the thing at `path`."""
    spoiled = copy.deepcopy(value)
    del get(spoiled, path[:-1])[path[-1]]
    return spoiled


def having(value: Json, path: tuple[str | int, ...], new: Any) -> Json:
    """A copy with something else at `path`."""
    spoiled = copy.deepcopy(value)
    get(spoiled, path[:-1])[path[-1]] = new
    return spoiled


LOOK_UPS: dict[str, Json] = {
    "artifacts.search": {"words": "acme", "artifact_type": "job_posting", "day": "yesterday"},
    "artifacts.show": {"artifact_type": "note", "artifact_key": "acme", "version": 2, "since": "2026-06-01"},
    "leads.explain": {"words": "Anna"},
    "leads.response_rates": {"field": "company"},
    "facts.look_up": {"topic": "replied"},
    "campaign.pause": {},
    "campaign.continue": {},
}
"""A call of each tool that is for the user's requests."""


def look_up(name: str, **params: Any) -> Json:
    """A call with these params, or with those of the table."""
    return {"type": "execute_tool", "task_id": "task-1", "params": {"tool": name, **(params or LOOK_UPS[name])}}
