"""An answer that says no."""

from typing import Any

MOST_SAID = 500


class SupabaseResponseError(Exception):
    """`code` is PostgREST's or PostgreSQL's, "" from what stands before them; `message` is for people."""

    def __init__(self, status: int, error_body: dict[str, Any]) -> None:
        self.status = status
        self.code = text(error_body, "code")
        self.details = text(error_body, "details")
        self.message = text(error_body, "message") or text(error_body, "msg") or f"HTTP {status}"
        super().__init__(self.message)


def text(error_body: dict[str, Any], name: str) -> str:
    """A text of an answer, bounded; "" if it is none."""
    value = error_body.get(name)
    return value[:MOST_SAID] if isinstance(value, str) else ""
