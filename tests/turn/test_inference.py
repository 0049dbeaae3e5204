"""While a slow proposer is asked, the stored state says so; a kill meanwhile leaves a trace, and nothing is lost."""

import json

import pytest

from backend.adapters.llm.scripted import ScriptedProposer
from backend.domain.events.events import Event
from backend.domain.model.campaign import CampaignStatus
from backend.domain.turn.snapshot import Snapshot
from backend.domain.values.errors import OutriderError
from backend.ports.proposer import OnText, OnUsage, ignore_text, ignore_usage
from backend.runtime.run.campaign_runner import RunEnd
from backend.turn.loop import TurnReport
from tests.fakes.campaign import MESSAGE_ONLY, Killed, Noted, Stage
from tests.fakes.proposers import MockProposer


class Slow(Noted):
    """As a real model: it declares that it may take long."""

    def is_slow(self, _: Snapshot) -> bool:
        return True


def stored(stage: Stage) -> tuple[str, int]:
    """(state, turn lock)"""
    ((state, lock),) = stage.query("SELECT state, turn_lock FROM runtime_snapshot")
    return state, lock


def test_inferring_is_stored_with_its_turn_before_a_slow_proposer_is_asked(stage: Stage) -> None:
    campaign = stage.campaign(1, settings=MESSAGE_ONLY, connected=True)
    stage.activate(campaign)
    seen: list[tuple[str, int]] = []
    before = stage.journal.commits
    loop = stage.loop(Slow(ScriptedProposer(), lambda _: seen.append(stored(stage))))
    assert isinstance(loop.run_turn(campaign), TurnReport)
    assert seen == [("Inferring", 1)]
    assert stage.journal.commits - before == 2
    assert stored(stage) == ("Idle", 0)
    cause = stage.one("SELECT cause FROM event_log WHERE kind='RuntimeChanged' ORDER BY seq DESC LIMIT 1")
    assert cause == "t1"


def test_an_instant_proposer_needs_no_commit_of_its_own(stage: Stage) -> None:
    campaign = stage.campaign(1, settings=MESSAGE_ONLY, connected=True)
    stage.activate(campaign)
    seen: list[tuple[str, int]] = []
    before = stage.journal.commits
    assert isinstance(
        stage.loop(Noted(ScriptedProposer(), lambda _: seen.append(stored(stage)))).run_turn(campaign), TurnReport
    )
    assert seen == [("Idle", 0)]
    assert stage.journal.commits - before == 1


def test_a_whole_campaign_with_a_slow_proposer_ends_as_with_an_instant_one(stage: Stage) -> None:
    campaign = stage.campaign(2)
    assert stage.run(campaign, proposer=Slow(ScriptedProposer())).halt is RunEnd.COMPLETED
    assert (stage.duplicates(), stage.missing()) == (0, [])
    assert {history for (history,) in stage.query("SELECT history FROM turn_projection")} == {"WLPAC"}


def test_a_kill_while_the_proposer_is_asked_is_read_and_logged_by_recovery(stage: Stage) -> None:
    campaign = stage.campaign(1, settings=MESSAGE_ONLY, connected=True)

    def die(_: Snapshot) -> None:
        raise Killed

    with pytest.raises(Killed):
        stage.run(campaign, proposer=Slow(ScriptedProposer(), die))
    assert stored(stage) == ("Inferring", 1)
    stage.reopen()
    assert stage.run(campaign, proposer=Slow(ScriptedProposer())).halt is RunEnd.COMPLETED
    (failed,) = [json.loads(payload) for _, payload in stage.audits(campaign, "turn_failed")]
    assert (failed["code"], failed["turn"]) == ("cut_off", 1)
    assert "Inferring" in failed["said"]
    assert len(stage.delivered()) == 1


def test_a_reply_that_was_never_asked_for_leaves_the_state_at_rest(stage: Stage) -> None:
    campaign = stage.campaign(1, settings=MESSAGE_ONLY, connected=True)

    class Stopped(MockProposer):
        def is_slow(self, _: Snapshot) -> bool:
            return True

        def propose(self, snapshot: Snapshot, on_text: OnText = ignore_text, on_usage: OnUsage = ignore_usage) -> str:
            raise OutriderError("proposer_stopped")

    assert stage.run(campaign, proposer=Stopped([])).halt is RunEnd.STOPPED
    assert stored(stage) == ("Idle", 0)
    assert stage.one("SELECT count(*) FROM turn_projection") == 0
    assert stage.run(campaign).halt is RunEnd.COMPLETED


@pytest.mark.parametrize("paused", [True, False])
def test_what_is_decided_while_a_slow_proposer_thinks_is_what_counts(stage: Stage, paused: bool) -> None:
    campaign = stage.campaign(1, settings=MESSAGE_ONLY, connected=True)
    stage.activate(campaign)

    def decide(_: Snapshot) -> None:
        if paused:
            stage.elsewhere(lambda user: user.campaigns.change_status(campaign, CampaignStatus.PAUSED))
        else:
            stage.note_elsewhere(campaign, Event("CampaignEdited", campaign, {"goal": "changed meanwhile"}))

    loop = stage.loop(Slow(ScriptedProposer(), decide))
    if paused:
        with pytest.raises(OutriderError, match="campaign_not_active"):
            loop.run_turn(campaign)
        assert len(stage.audits(campaign, "proposal")) == 1
    else:
        ran = loop.run_turn(campaign)
        assert isinstance(ran, TurnReport)
        assert ran.verdict == "accepted"
    assert stored(stage) == ("Idle", 0)
