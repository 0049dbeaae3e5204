"""An exception nobody expected, wherever in a turn: the reply is kept, both logs say what happened, the user can go on."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from backend.adapters.llm.scripted import ScriptedProposer
from backend.domain.model.campaign import CampaignStatus
from backend.domain.model.turn import TurnState
from backend.domain.turn.snapshot import Snapshot
from backend.domain.values.errors import OutriderError
from backend.runtime.run.campaign_runner import RunEnd
from backend.turn.gateway import ToolGateway
from tests.fakes.campaign import MESSAGE_ONLY, Stage
from tests.fakes.folds import run_history
from tests.fakes.proposers import MockProposer

DEFECT = RuntimeError("nobody thought of this")
STEPS = [f"step-{number}" for number in range(1, 9)]


def fail_once() -> Callable[..., None]:
    """Raises the first time that it is called."""
    left = [DEFECT]

    def fail(*_: object) -> None:
        if left:
            raise left.pop()

    return fail


def assert_recorded(stage: Stage, campaign: str) -> None:
    """The faulted turn, its audit entry, and the campaign in `error` with the reason."""
    assert stage.status(campaign) == "error"
    assert stage.one("SELECT status_reason FROM campaigns") == f"RuntimeError: {DEFECT}"
    ((kind, _, payload),) = stage.events(campaign, "TurnFaulted")
    assert run_history(TurnState.IDLE, json.loads(payload)["history"]) is TurnState.FAULTED, kind
    assert stage.query("SELECT state, turn_lock FROM runtime_snapshot") == [("Faulted", 0)]
    failed = [json.loads(payload) for _, payload in stage.audits(campaign, "turn_failed")]
    assert [(entry["code"], str(DEFECT) in entry["said"]) for entry in failed] == [("unexpected_failure", True)]
    assert failed[0]["raised_at"]


def assert_it_goes_on(stage: Stage, campaign: str) -> None:
    """The user recovers it, and nothing is lost or sent twice."""
    stage.commands().campaigns.change_status(campaign, CampaignStatus.PAUSED, "looked at it, it was a test")
    assert stage.run(campaign).halt is RunEnd.COMPLETED
    assert (stage.duplicates(), stage.missing()) == (0, [])
    assert len(stage.delivered()) == 1
    numbers = [number for (number,) in stage.query("SELECT number FROM turn_projection ORDER BY number")]
    assert numbers == list(range(1, len(numbers) + 1))


@pytest.mark.parametrize("step", STEPS)
def test_a_defect_in_any_step_stops_the_campaign_in_error_and_it_can_be_recovered(stage: Stage, step: str) -> None:
    campaign = stage.campaign(1, settings=MESSAGE_ONLY, connected=True)
    fail = fail_once()
    with pytest.raises(OutriderError) as raised:
        stage.run(campaign, boundary=lambda name: fail() if name == step else None)
    assert raised.value.code == "unexpected_failure"
    assert raised.value.__cause__ is DEFECT
    assert_recorded(stage, campaign)
    replied = int(step[-1]) >= 3
    assert len(stage.audits(campaign, "proposal")) == int(replied)
    assert_it_goes_on(stage, campaign)


def test_a_defect_in_the_turn_in_which_the_user_pauses_is_an_error_all_the_same(stage: Stage) -> None:
    campaign = stage.campaign(1, settings=MESSAGE_ONLY, connected=True)
    fail = fail_once()

    def pause_and_fail(name: str) -> None:
        if name == "step-3" and stage.status(campaign) == "active":
            stage.elsewhere(lambda user: user.campaigns.change_status(campaign, CampaignStatus.PAUSED))
            fail()

    with pytest.raises(OutriderError, match="unexpected_failure"):
        stage.run(campaign, boundary=pause_and_fail)
    assert_recorded(stage, campaign)


@pytest.mark.parametrize("boundary", ["intent", "acted", "step-5", "step-7", "before-commit"])
def test_a_defect_around_an_act_keeps_the_reply_and_every_call(stage: Stage, boundary: str) -> None:
    campaign = stage.campaign(1, settings=MESSAGE_ONLY, connected=True)
    fail = fail_once()
    sends: list[str] = []

    def breaks(name: str) -> None:
        sends.extend([name] if name == "intent" else [])
        if sends and name == boundary:
            fail()

    with pytest.raises(OutriderError, match="unexpected_failure"):
        stage.run(campaign, boundary=breaks)
    assert_recorded(stage, campaign)
    assert "send_message" in stage.audits(campaign, "proposal")[-1][1]
    acted = stage.site.calls.count("send_message")
    assert len(stage.audits(campaign, "browser.send_message")) == acted == int(boundary != "intent")
    assert_it_goes_on(stage, campaign)


def test_a_defect_after_the_commit_leaves_the_turn_as_it_was_recorded(stage: Stage) -> None:
    campaign = stage.campaign(1, settings=MESSAGE_ONLY, connected=True)
    fail = fail_once()
    with pytest.raises(OutriderError, match="unexpected_failure"):
        stage.run(campaign, boundary=lambda name: fail() if name == "after-commit" else None)
    assert stage.status(campaign) == "error"
    assert stage.kinds(campaign)["TurnFaulted"] == 0
    assert len(stage.audits(campaign, "turn_failed")) == 1
    assert_it_goes_on(stage, campaign)


@pytest.mark.parametrize("call", ["read_profile", "read_thread", "send_message"])
@pytest.mark.parametrize("when", ["before", "after"])
def test_a_defect_in_the_site_is_no_silence(stage: Stage, call: str, when: str) -> None:
    campaign = stage.campaign(1, settings=MESSAGE_ONLY, connected=True)
    fail = fail_once()
    stage.site.during = lambda tool, moment: fail() if (tool, moment) == (call, when) else None
    with pytest.raises(OutriderError, match="unexpected_failure"):
        stage.run(campaign)
    assert_recorded(stage, campaign)
    assert call in stage.audits(campaign, "proposal")[-1][1]
    assert_it_goes_on(stage, campaign)


def test_a_defect_in_the_gateway_is_one_of_the_turn(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    campaign = stage.campaign(1, settings=MESSAGE_ONLY, connected=True)
    fail, observe = fail_once(), ToolGateway.observe

    def breaks(*arguments: Any, **named: Any) -> Any:
        fail()
        return observe(*arguments, **named)

    monkeypatch.setattr(ToolGateway, "observe", breaks)
    with pytest.raises(OutriderError, match="unexpected_failure"):
        stage.run(campaign)
    assert_recorded(stage, campaign)
    assert len(stage.audits(campaign, "browser.send_message")) == 1
    assert_it_goes_on(stage, campaign)


def test_a_defect_in_the_proposer_is_one_of_the_turn(stage: Stage) -> None:
    campaign = stage.campaign(1, settings=MESSAGE_ONLY, connected=True)

    def breaks(_: Snapshot) -> str:
        raise DEFECT

    with pytest.raises(OutriderError, match="unexpected_failure"):
        stage.run(campaign, proposer=MockProposer([ScriptedProposer().propose, breaks]))
    assert_recorded(stage, campaign)
    assert_it_goes_on(stage, campaign)


def test_what_the_controller_decides_is_not_recorded_as_the_users_act(stage: Stage) -> None:
    """Out of money, the controller holds the campaign, which stays on; stopped, the user has paused it."""
    campaign = stage.campaign(1, settings=MESSAGE_ONLY, connected=True)

    def spent(_: Snapshot) -> str:
        raise OutriderError("model_budget_spent", spent="$5.00", budget="$5.00")

    assert stage.run(campaign, proposer=MockProposer([spent])).halt is RunEnd.HELD
    assert stage.run(campaign, stop_after=1).halt is RunEnd.STOPPED
    kinds = "('CampaignActivated', 'CampaignHeld', 'CampaignContinued', 'CampaignPaused')"
    assert stage.query(f"SELECT kind, actor FROM event_log WHERE kind IN {kinds} ORDER BY seq") == [
        ("CampaignActivated", "user"),
        ("CampaignHeld", "controller"),
        ("CampaignContinued", "user"),
        ("CampaignPaused", "user"),
    ]


def test_a_defect_outside_of_a_turn_stops_the_campaign_in_error_too(stage: Stage) -> None:
    campaign = stage.campaign(1, settings=MESSAGE_ONLY, connected=True)
    fail = fail_once()
    with pytest.raises(OutriderError, match="unexpected_failure"):
        stage.run(campaign, on_turn=fail)
    assert stage.status(campaign) == "error"
    assert stage.one("SELECT loop_enabled FROM runtime_snapshot") == 0
    assert len(stage.audits(campaign, "unexpected_failure")) == 1
    assert_it_goes_on(stage, campaign)
