"""A campaign's least score: whoever has less is not begun with, is shown with that reason, and can be taken up."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from backend.domain.model.days import in_utc
from backend.domain.model.lead import BELOW_LEAST_SCORE
from backend.domain.turn.assistant_results import LeadExplained
from backend.domain.turn.assumption import Assumption
from backend.runtime.run.campaign_runner import RunEnd
from backend.runtime.run.dry_run import dry_run
from backend.situation.situations import TurnInputs
from backend.situation.wait_reasons import explain_lead
from backend.store.queries.campaign import campaigns
from tests.fakes.campaign import QUICK, Stage

LIMITS = QUICK.limits.model_copy(update={"least_score": 60})


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    made = Stage(tmp_path, people=400)
    yield made
    made.close()


def begun(stage: Stage) -> set[str]:
    return {lead for (lead,) in stage.query("SELECT id FROM leads WHERE sequence_step IS NOT NULL")}


def taking(stage: Stage, least: int) -> set[str]:
    """Who has that score at least."""
    return {lead for (lead,) in stage.query("SELECT id FROM leads WHERE weight_score>=?", least)}


def test_whoever_is_below_it_is_left_out_with_the_reason_until_taken_up(stage: Stage) -> None:
    campaign_id = stage.campaign(20, settings=QUICK.model_copy(update={"limits": LIMITS}))
    forecast = dry_run(stage.database, campaign_id, stage.clock, 60, Assumption())
    assert stage.run(campaign_id).halt is RunEnd.COMPLETED
    first = taking(stage, 60)
    assert 0 < len(first) < 20
    assert begun(stage) == first
    assert forecast.left_out == {BELOW_LEAST_SCORE: 20 - len(first)}
    assert forecast.unplanned == 0

    below = stage.one("SELECT id FROM leads WHERE weight_score<60 ORDER BY id LIMIT 1")
    with stage.database.read() as connection:
        campaign = campaigns.campaign(connection, campaign_id)
        assert campaign is not None
        explained = explain_lead(connection, campaign, TurnInputs(stage.clock.now(), in_utc, present=True), below)
    assert isinstance(explained, LeadExplained)
    assert "is below this campaign's least score of 60" in explained.sentences[0]

    stage.commands().leads.prioritise(campaign_id, below, 59)
    assert stage.status(campaign_id) == "completed"
    stage.commands().leads.prioritise(campaign_id, below, 60)
    assert stage.status(campaign_id) == "paused", "somebody is to be begun with"
    assert stage.run(campaign_id).halt is RunEnd.COMPLETED
    assert begun(stage) == first | {below}


def test_a_lower_least_score_takes_up_the_others_also_when_the_campaign_was_done(stage: Stage) -> None:
    campaign_id = stage.campaign(20, settings=QUICK.model_copy(update={"limits": LIMITS}))
    assert stage.run(campaign_id).halt is RunEnd.COMPLETED
    edit = stage.commands().campaigns.edit
    edit(campaign_id, version=None, limits=LIMITS.model_copy(update={"messages_a_day": 7}))
    assert stage.status(campaign_id) == "completed"
    edit(campaign_id, version=None, limits=LIMITS.model_copy(update={"least_score": 0}))
    assert stage.status(campaign_id) == "paused"
    assert stage.run(campaign_id).halt is RunEnd.COMPLETED
    assert len(begun(stage)) == 20
