"""What a passive agent found, as lines for a person; the same for terminal, page and artifact."""

from dataclasses import asdict

from backend.agents.supervisor import AgentRun
from backend.domain.values.hidden_characters import reveal

LISTED = 200
NOTHING = "Nothing was found."


def found_lines(run: AgentRun) -> list[str]:
    """A heading with a count for each list, its first entries, and texts as they are; empty if nothing was found."""
    lines = []
    for name, value in asdict(run.agent.context(**run.context)).items():
        if name == "failure":
            continue
        if isinstance(value, tuple):
            lines += [f"{len(value):,} {name}", *(f"  {' '.join(reveal(entry).split())}" for entry in value[:LISTED])]
            if len(value) > LISTED:
                lines.append(f"  and {len(value) - LISTED:,} more; `outrider agent run --json` lists them all")
        elif value:
            lines += ["", *reveal(value).splitlines()]
    return lines
