"""What is sent back."""

import json
from typing import Any, NamedTuple


class Answer(NamedTuple):
    """A status, a body (JSON, or nothing at all) and further headers. `reason`: the words beside the status, if not the usual."""

    status: int
    body: bytes = b""
    headers: tuple[tuple[str, str], ...] = ()
    reason: str | None = None


def told(status: int, content: Any, *headers: tuple[str, str]) -> Answer:
    """An answer of JSON."""
    return Answer(status, json.dumps(content).encode(), headers)
