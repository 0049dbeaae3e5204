"""A finding: one thing that was looked at, what was found, and what to do about it."""

from dataclasses import dataclass
from typing import Literal

HealthStatus = Literal["ok", "warn", "fail", "not checked"]

OK: HealthStatus = "ok"
WARN: HealthStatus = "warn"
FAIL: HealthStatus = "fail"
NOT_CHECKED: HealthStatus = "not checked"


@dataclass(frozen=True, slots=True)
class HealthCheck:
    """A stable code, a status, what was found, and what to do about it (empty when ok)."""

    code: str
    status: HealthStatus
    said: str
    remedy: str = ""
