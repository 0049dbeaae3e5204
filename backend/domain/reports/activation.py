"""What must be well before a campaign acts (spec 001 FR-055): a checklist of five, each with what to do where it fails."""

from collections.abc import Iterable

from backend.domain.model.campaign import Campaign, refuse_empty_hours
from backend.domain.values.errors import OutriderError
from backend.domain.values.health_check import FAIL, NOT_CHECKED, OK, HealthCheck

CHECKED = ("database", "limits", "model", "browser", "selectors")
"""In the order in which they are looked at: what costs least comes first, and the first failure ends it."""


def passed(code: str, finding: str) -> HealthCheck:
    """It is well."""
    return HealthCheck(code, OK, finding)


def failed(code: str, error: OutriderError) -> HealthCheck:
    """It is not, and what to do about it."""
    return HealthCheck(code, FAIL, error.sentence, error.remedy)


def checklist(checks: Iterable[HealthCheck]) -> tuple[HealthCheck, ...]:
    """All five, those that nobody came to as not checked."""
    checks_by_code = {check.code: check for check in checks}
    return tuple(checks_by_code.get(code, HealthCheck(code, NOT_CHECKED, "")) for code in CHECKED)


def check_limits(campaign: Campaign) -> str:
    """What the limits allow, for people. Raises `hours_empty` and `limits_allow_nothing`.

    A model's budget is asked before each call: a run without one is held, and may go on once there is more.
    """
    limits = campaign.settings.limits
    refuse_empty_hours(limits)
    if not (limits.invitations_a_day and limits.invitations_a_week) and not limits.messages_a_day:
        raise OutriderError("limits_allow_nothing")
    return f"{limits.invitations_a_day} invitations and {limits.messages_a_day} messages a day at most"
