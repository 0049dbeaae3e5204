"""Before a campaign acts, database, limits, model, browser and selectors are checked, and each is shown."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from backend.adapters.llm.scripted import ScriptedProposer
from backend.domain.model.campaign import Campaign, Limits
from backend.domain.model.site import SelectorReport
from backend.domain.reports.activation import CHECKED
from backend.domain.values.errors import OutriderError
from backend.domain.values.health_check import FAIL, NOT_CHECKED, OK, HealthCheck
from backend.ports.site import SiteUnavailable
from tests.fakes.campaign import ONE_STEP, Stage

Checks = tuple[HealthCheck, ...]


def run(stage: Stage, campaign: str, **how: Any) -> tuple[list[Checks], str]:
    """What was shown, and the code of the error that ended it."""
    shown: list[Checks] = []
    try:
        stage.run(campaign, on_checked=shown.append, **how)
    except OutriderError as error:
        return shown, error.code
    return shown, ""


def recorded(stage: Stage, campaign: str) -> list[tuple[str, str]]:
    (last,) = stage.audits(campaign, "activation")[-1:]
    return [(check["code"], check["status"]) for check in json.loads(last[1])["checks"]]


def test_all_five_are_checked_shown_one_by_one_and_recorded_before_the_campaign_is_active(stage: Stage) -> None:
    campaign = stage.campaign(1, settings=ONE_STEP)
    shown, error = run(stage, campaign)
    assert error == ""
    assert [sum(check.status == OK for check in checks) for checks in shown] == [1, 2, 3, 4, 5]
    assert [check.code for check in shown[-1]] == list(CHECKED)
    assert all(check.said for check in shown[-1])
    assert recorded(stage, campaign) == [(code, OK) for code in CHECKED]
    order = stage.query("SELECT action_type FROM audit_log WHERE campaign_id=? ORDER BY seq LIMIT 3", campaign)
    assert order == [("browser.open",), ("browser.check_selectors",), ("activation",)]


class Unready:
    """A model that has lost its key."""

    name = "unready"

    def check_ready(self, _: Campaign) -> str:
        raise OutriderError("proposer_key_missing", key="k", variable="K")

    def propose(self, *_: object) -> str:
        raise AssertionError("it is not asked")


def changed_selectors(stage: Stage) -> None:
    stage.site.check_selectors = lambda: SelectorReport(missing=("send button",))  # type: ignore[method-assign]


def damaged(stage: Stage) -> None:
    stage.database.damage = lambda: "row 1 missing from index"  # type: ignore[method-assign]


def no_browser(stage: Stage) -> None:
    def fail() -> None:
        raise SiteUnavailable("the browser did not start")

    stage.site.open = fail  # type: ignore[method-assign]


@pytest.mark.parametrize(
    ("failing", "limits", "prepare", "proposer", "code"),
    [
        ("database", Limits(ramp_days=0), damaged, None, "database_corrupt"),
        ("limits", Limits(messages_a_day=0, invitations_a_day=0), None, None, "limits_allow_nothing"),
        ("limits", Limits(work_days=()), None, None, "hours_empty"),
        ("model", Limits(ramp_days=0), None, Unready(), "proposer_key_missing"),
        ("browser", Limits(ramp_days=0), no_browser, None, "site_unreachable"),
        ("selectors", Limits(ramp_days=0), changed_selectors, None, "selectors_changed"),
    ],
)
def test_the_first_that_fails_keeps_the_campaign_from_acting_and_says_what_to_do(
    stage: Stage,
    failing: str,
    limits: Limits,
    prepare: Callable[[Stage], None] | None,
    proposer: Any,
    code: str,
) -> None:
    campaign = stage.campaign(1, settings=ONE_STEP.model_copy(update={"limits": limits}))
    if prepare:
        prepare(stage)
    shown, error = run(stage, campaign, proposer=proposer or ScriptedProposer())
    assert error == code
    last = {check.code: check for check in shown[-1]}
    position = CHECKED.index(failing)
    assert [last[name].status for name in CHECKED] == [OK] * position + [FAIL] + [NOT_CHECKED] * (4 - position)
    assert last[failing].said
    assert last[failing].remedy
    assert recorded(stage, campaign)[position] == (failing, FAIL)
    assert stage.status(campaign) == "initializing"
    assert stage.query("SELECT 1 FROM turn_projection") == []
