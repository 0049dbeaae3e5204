"""What a profile shows may change the score that a lead has, where the blueprint asks for it."""

from dataclasses import replace

from backend.domain.events.events import Event
from backend.domain.model.criteria import Criterion, Keywords
from backend.domain.model.scoring import Blueprint
from backend.domain.model.site import Profile, Relation
from backend.store.queries.campaign import campaigns
from backend.store.queries.leads import leads
from backend.turn.execute.execution import Execution
from backend.turn.execute.look import score_again
from tests.fakes.campaign import Stage


def test_a_new_headline_changes_the_score_of_a_lead_that_has_one(stage: Stage) -> None:
    campaign_id = stage.campaign(1)
    loop = stage.loop()
    run = Execution(
        stage.journal,
        loop.gateway,
        stage.clock,
        lambda _: None,
        loop.read_inputs,
        loop.sync_status,
        loop.presence,
    )
    lead_id = stage.one("SELECT id FROM leads")
    with stage.database.read() as connection:
        campaign, lead = campaigns.campaign(connection, campaign_id), leads.lead(connection, campaign_id, lead_id)
    assert campaign is not None
    assert lead is not None
    asks = Criterion(name="x", weight=100, rule=Keywords(fields=("headline",), words=("founder",)))
    settings = campaign.settings.model_copy(update={"blueprint": Blueprint(criteria=(asks,))})
    asking = replace(campaign, settings=settings)
    seen = Profile(lead.full_name, "Founder of a mill", "", "", "", (), Relation.NONE)

    def points_after(score: int | None) -> list[int]:
        event = Event("LeadScored", lead_id, {"weight_score": score})
        stage.journal.record(campaign_id, events=[event], actor="user", cause="x", at=1)
        return [event.changes["weight_score"] for event in score_again(run, asking, lead, seen, 0)]

    assert points_after(None) == []  # the scoring that is still to come will see the headline
    assert points_after(0) == [100]
    assert points_after(100) == []
    assert score_again(run, campaign, lead, seen, 0) == []  # its blueprint asks for no headline
