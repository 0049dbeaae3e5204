"""A campaign's last days: nobody is begun with after the one, and every sequence is over after the other."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from backend.domain.contact.withdrawals import LAST_DAY_OVER
from backend.domain.model.campaign import DAY, HOUR, MINUTE, Settings
from backend.domain.model.days import in_utc
from backend.domain.model.message import MessageStatus
from backend.domain.turn.assistant_results import LeadExplained
from backend.domain.turn.assumption import Assumption
from backend.runtime.run.campaign_runner import RunEnd
from backend.runtime.run.dry_run import dry_run
from backend.situation.situations import TurnInputs
from backend.situation.wait_reasons import explain_lead
from backend.store.log import replay
from backend.store.queries.campaign import campaigns
from backend.turn.last_days import NOT_BEGUN, LastDays
from tests.fakes.campaign import MONDAY_NOON, ONE_STEP, QUICK, Stage
from tests.fakes.send_desk import EVERY_DAY, MESSAGES, desk


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    made = Stage(tmp_path, people=400)
    yield made
    assert replay.find_differences(made.database) == []
    made.close()


def limited(settings: Settings = QUICK, **limits: Any) -> Settings:
    return settings.model_copy(update={"limits": settings.limits.model_copy(update=limits)})


def who_never_accepts(stage: Stage, count: int) -> None:
    cards = [card for card in stage.cards(400) if stage.behaviour(card.slug).accepts == "never"][:count]
    stage.cards = lambda count, *, skip=0: cards[skip : skip + count]  # type: ignore[method-assign]


def finished(stage: Stage) -> list[str]:
    return [why for (why,) in stage.query("SELECT finished FROM leads ORDER BY position")]


def test_after_the_last_day_for_first_contacts_those_who_were_written_to_go_on_and_nobody_else(stage: Stage) -> None:
    who_never_accepts(stage, 30)
    until = MONDAY_NOON + 12 * HOUR
    campaign = stage.campaign(30, settings=limited(first_contact_until=until, invitations_a_day=5))
    forecast = dry_run(stage.database, campaign, stage.clock, 60, Assumption())
    assert stage.run(campaign).halt is RunEnd.COMPLETED
    assert len(stage.delivered()) == len(forecast.acts) == 5
    assert all(act.at < until for act in forecast.acts)
    assert finished(stage).count("not accepted") == forecast.finished["not accepted"] == 5
    assert finished(stage).count(NOT_BEGUN) == forecast.finished[NOT_BEGUN] > 0
    assert forecast.ends_at == stage.clock.now()


def test_a_text_that_waits_for_approval_on_the_last_day_is_withdrawn_and_the_campaign_completes(stage: Stage) -> None:
    campaign = stage.campaign(3, settings=limited(ONE_STEP, ends_at=MONDAY_NOON + DAY))
    assert stage.run(campaign, approve=False).halt is RunEnd.NEEDS_APPROVAL
    stage.clock.advance(DAY)
    assert stage.run(campaign).halt is RunEnd.COMPLETED
    assert stage.received() == []
    assert finished(stage) == [LAST_DAY_OVER] * 3
    assert {status for (status,) in stage.query("SELECT status FROM messages")} == {MessageStatus.CANCELLED}


def test_a_last_day_reached_in_the_very_moment_of_the_click_keeps_the_text_back(stage: Stage) -> None:
    campaign = stage.campaign(1, settings=limited(ONE_STEP, ends_at=MONDAY_NOON + HOUR))

    def during(tool: str, when: str) -> None:
        if (tool, when) == ("send_invitation", "click"):
            stage.clock.advance(2 * HOUR)

    stage.site.during = during
    assert stage.run(campaign).halt is RunEnd.COMPLETED
    assert stage.received() == []
    assert finished(stage) == [LAST_DAY_OVER]


def test_a_last_day_that_the_user_moves_to_an_earlier_one_is_noticed_within_a_minute(stage: Stage) -> None:
    campaign = stage.campaign(1, settings=limited(ONE_STEP, ends_at=MONDAY_NOON + 10 * DAY))
    assert stage.run(campaign, approve=False).halt is RunEnd.NEEDS_APPROVAL
    days = LastDays(stage.journal, stage.clock, campaign)
    assert not days.end_sequences()
    assert not days.is_due()
    limits = ONE_STEP.limits.model_copy(update={"ends_at": stage.clock.now()})
    stage.commands().campaigns.edit(campaign, version=None, limits=limits)
    stage.clock.advance(MINUTE)
    assert days.is_due()
    assert days.end_sequences()
    assert finished(stage) == [LAST_DAY_OVER]


def test_moving_the_last_day_lets_people_begin_again(stage: Stage) -> None:
    campaign = stage.campaign(30, settings=ONE_STEP)
    edit = stage.commands().campaigns.edit
    edit(campaign, version=None, limits=ONE_STEP.limits.model_copy(update={"first_contact_until": MONDAY_NOON}))
    assert stage.run(campaign).halt is RunEnd.COMPLETED
    assert stage.received() == []
    with stage.database.read() as connection:
        made = campaigns.campaign(connection, campaign)
        assert made is not None
        someone = str(stage.one("SELECT id FROM leads WHERE sequence_step IS NULL LIMIT 1"))
        explanation = explain_lead(connection, made, TurnInputs(stage.clock.now(), in_utc, present=True), someone)
    assert isinstance(explanation, LeadExplained)
    assert explanation.sentences[0].startswith("The last day for a first contact was ")
    edit(campaign, version=None, limits=ONE_STEP.limits)
    assert stage.one("SELECT count(*) FROM leads WHERE sequence_step IS NULL AND blocked=''") == 30


def test_where_the_user_sends_nobody_is_handed_over_after_the_last_day(stage: Stage) -> None:
    ends = stage.clock.now() + DAY
    it = desk(stage, MESSAGES, limits=EVERY_DAY.model_copy(update={"ends_at": ends}))
    handed = it.hand_over(no_reply=True)
    stage.clock.advance(DAY)
    state = it.state()
    assert [person.lead.id for person in state.people] == [handed], "what was handed over is still answered"
    assert any("last day" in sentence for sentence in state.hold_reasons)
    assert LastDays(stage.journal, stage.clock, it.campaign).end_sequences()
    assert it.lead(handed, "finished") == "", "not before it is known what became of it"
    assert stage.one("SELECT count(*) FROM leads WHERE finished=?", LAST_DAY_OVER) > 0
