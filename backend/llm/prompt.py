"""What a model is told: rules, voice, skills, state and schema, composed anew for each turn (spec 004 REQ-DET-001).

Pure: the same snapshot, the same bytes. No prompt depends on an earlier one, and there is no conversation in it.
"""

import json
from dataclasses import dataclass
from typing import Any

from backend.domain.snapshot import RULES, Snapshot


@dataclass(frozen=True, slots=True)
class Prompt:
    """`system` holds what we and the user wrote, `state` what is known as one JSON object; `schema` is the reply's."""

    system: str
    state: str
    schema: dict[str, Any]


def compose(snapshot: Snapshot, schema: dict[str, Any]) -> Prompt:
    """The prompt for one turn; it is complete in itself."""
    parts = ["# Rules\n" + "\n".join(f"- {rule}" for rule in RULES)]
    if snapshot.soul:
        parts.append(f"# Voice\n{snapshot.soul}")
    parts += [f"# Skill: {skill.name} ({skill.version})\n{skill.text}" for skill in snapshot.skills]
    return Prompt("\n\n".join(parts), snapshot.state_json(), schema)


def schema_text(schema: dict[str, Any]) -> str:
    """The schema as it is told to a model whose provider does not enforce it."""
    return json.dumps(schema, sort_keys=True, separators=(",", ":"))
