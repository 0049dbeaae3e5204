"""The JSON Schemas of what passes between the parts: proposals, tools, events, and what the MCP server lists."""

import inspect
from typing import Any

from pydantic import TypeAdapter

from backend.domain.device.agent_tools import AGENT_TOOLS
from backend.domain.events.facts import FACTS
from backend.domain.events.facts.fact import Fact
from backend.domain.model.tools import TOOLS
from backend.domain.turn.proposals import PROPOSAL
from backend.mcp.tools import definitions, definitions_digest

Schema = dict[str, Any]
_DIALECT = "https://json-schema.org/draft/2020-12/schema"


def proposals() -> Schema:
    """One proposal, as `parse` reads it."""
    return {"$schema": _DIALECT, "title": "Proposal", **PROPOSAL.json_schema()}


def tools() -> Schema:
    """The parameters of each tool: those of proposals, and those that passive agents ask for."""
    return {
        "$schema": _DIALECT,
        "title": "Tools",
        "$defs": {
            **{name: spec.params.model_json_schema() for name, spec in TOOLS.items()},
            **{name: params.model_json_schema() for name, params in AGENT_TOOLS.items()},
        },
    }


def events() -> Schema:
    """The changed columns of each kind of event, as `change_payload` holds them."""
    return {
        "$schema": _DIALECT,
        "title": "Events",
        "$defs": {kind: event_columns(fact) for kind, fact in FACTS.items()},
    }


def event_columns(fact: type[Fact]) -> Schema:
    """The columns of one kind of event."""
    columns = {name: TypeAdapter(kind).json_schema() for name, kind in fact.column_types().items()}
    return {
        "type": "object",
        "description": inspect.cleandoc(fact.__doc__ or ""),
        "properties": columns,
        "required": [name for name, always in fact.columns.items() if always],
        "additionalProperties": False,
    }


def mcp_tools() -> Schema:
    """What the MCP server's `tools/list` says, and its SHA-256."""
    return {"sha256": definitions_digest(), "tools": definitions()}
