"""A finding: one thing that was looked at, what was found, and what to do about it."""

from typing import NamedTuple

OK, WARN, FAIL = "ok", "warn", "fail"


class Check(NamedTuple):
    """A stable code, ok/warn/fail, what was found, and what to do about it (empty when ok)."""

    code: str
    status: str
    said: str
    remedy: str = ""
