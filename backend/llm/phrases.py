"""What users usually say to the assistant, understood without a model: an ordered table of patterns, the first that fits."""

import re
from collections.abc import Callable
from re import Match
from typing import Any

from backend.domain.snapshot import Request

Step = tuple[str, dict[str, Any]]
"""A proposal's type and its params."""

HELP = (
    "Without a model I understand: “save this job posting as an artifact” (with the text or a file), “list my saved"
    " artifacts”, “show me the job posting from yesterday”, “prioritise my leads for CTOs in fintech”, “show response rates"
    " by industry”, “why was Anna not contacted?”, “pause” and “continue”."
)
UNKNOWN = f"I do not understand that. {HELP}"


def next_step(request: Request) -> Step:
    """What to propose for this request now: what its words ask for, and nothing more once something came of it."""
    if request.results:
        return "no_op", {}
    for pattern, step in _PHRASES:
        if match := pattern.search(request.text):
            return step(match, request)
    return "no_op", {"say": UNKNOWN}


def _say(text: str) -> Callable[[Match[str], Request], Step]:
    return lambda *_: ("no_op", {"say": text})


def _tool(name: str, **params: Any) -> Step:
    return "execute_tool", {"tool": name, **{key: value for key, value in params.items() if value}}


def _list(match: Match[str], _: Request) -> Step:
    return _tool("artifacts.search")


def _phrase(
    pattern: str, step: Callable[[Match[str], Request], Step]
) -> tuple[re.Pattern[str], Callable[[Match[str], Request], Step]]:
    return re.compile(pattern, re.IGNORECASE | re.DOTALL), step


_PHRASES = (
    _phrase(r"^\W*help\b", _say(HELP)),
    _phrase(r"^\W*(list|show|what are)\b.*\bartifacts?\b", _list),
)
