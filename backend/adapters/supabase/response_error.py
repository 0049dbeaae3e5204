"""An answer that says no."""

from typing import Any

MOST_SAID = 500


class SupabaseResponseError(Exception):
    """`code` is PostgREST's or PostgreSQL's, "" from what stands before them; `said` is for people."""

    def __init__(self, status: int, told: dict[str, Any]) -> None:
        self.status = status
        self.code = text(told, "code")
        self.details = text(told, "details")
        self.said = text(told, "message") or text(told, "msg") or f"HTTP {status}"
        super().__init__(self.said)


def text(told: dict[str, Any], name: str) -> str:
    """A text of an answer, bounded; "" if it is none."""
    value = told.get(name)
    return value[:MOST_SAID] if isinstance(value, str) else ""
