"""What the doctor finds."""

from typing import Literal

from backend.api.wire.base import Wire


class Finding(Wire):
    """One check: what was found, and what to do about it (empty when it is well)."""

    code: str
    status: Literal["ok", "warn", "fail"]
    said: str
    remedy: str


class Diagnosis(Wire):
    """Every finding, and the same as a text that can be passed on."""

    findings: list[Finding]
    report: str
