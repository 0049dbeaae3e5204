"""Campaigns that act in one browser take their acts by turns, whoever asks first."""

import pytest

from backend.commands import lead_scoring
from backend.domain.gates.consent import CONSENT_SENTENCE
from backend.domain.model.campaign import CampaignStatus, Limits, Settings
from backend.domain.model.channel import DRIVE, LINKEDIN_ACCOUNT
from backend.store.queries.contact import messages
from backend.turn import planner
from backend.turn.loop import NothingEligible
from backend.turn.verifier import verify_waiting
from tests.fakes.campaign import MESSAGE_ONLY, Stage

SPACING = 120
SPACED = Settings(sequence=MESSAGE_ONLY.sequence, limits=Limits(ramp_days=0, spacing_seconds=SPACING))


def on_drive(stage: Stage, skip: int) -> str:
    campaign = stage.campaign(3, settings=SPACED, connected=True, skip=skip, site=DRIVE, account=LINKEDIN_ACCOUNT)
    stage.activate(campaign)
    return campaign


def is_planned(stage: Stage, campaign_id: str) -> bool:
    verify_waiting(stage.journal, stage.clock, campaign_id, stage.loop().outside)
    lead_scoring.finish_scoring(stage.journal, stage.clock, campaign_id, lambda: False)
    with stage.journal.transaction() as transaction:
        return planner.plan(transaction, campaign_id, cause="plan", at=stage.clock.now()) > 0


def rest(stage: Stage, campaign_id: str) -> NothingEligible:
    """Take turns until nothing is eligible; everybody is planned for, and every draft is approved."""
    loop = stage.loop()
    while True:
        turn = loop.run_turn(campaign_id)
        drafts = stage.database.query(messages.drafts, campaign_id, 10)
        if not (stage.approve(campaign_id, drafts) or is_planned(stage, campaign_id)) and isinstance(
            turn, NothingEligible
        ):
            return turn


def senders(stage: Stage) -> list[str]:
    return [campaign for (campaign,) in stage.query("SELECT campaign_id FROM actions ORDER BY intended_at")]


def test_two_campaigns_send_by_turns_although_one_always_asks_first(stage: Stage) -> None:
    stage.commands().consents.give(CONSENT_SENTENCE)
    eager, patient = on_drive(stage, 0), on_drive(stage, 3)
    while len(senders(stage)) < 6:
        untils = [rest(stage, campaign).until for campaign in (eager, patient)]
        stage.clock.advance(max(1, min(until for until in untils if until is not None) - stage.clock.now()))
    assert senders(stage) == [eager, patient] * 3


@pytest.mark.parametrize("other", ["paused", "none"])
def test_a_campaign_that_is_alone_waits_for_nobody(stage: Stage, other: str) -> None:
    stage.commands().consents.give(CONSENT_SENTENCE)
    alone = on_drive(stage, 0)
    if other == "paused":
        stage.commands().campaigns.change_status(on_drive(stage, 3), CampaignStatus.PAUSED, "by the user")
    begun = stage.clock.now()
    assert rest(stage, alone).until == begun + SPACING * 1_000
