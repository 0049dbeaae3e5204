"""One answer of a person ends every campaign's sequence for them, at the next turn that concerns them."""

from collections.abc import Callable

import pytest

from backend.domain.events.facts.lead import LeadAdvanced, LeadMerged
from backend.domain.model.lead import Label
from backend.domain.model.message import MessageStatus
from backend.runtime.run.campaign_runner import RunEnd
from tests.fakes.campaign import MESSAGE_ONLY, ONE_STEP, Stage


def answers(stage: Stage, campaign: str) -> None:
    """They answer in that campaign."""
    lead = stage.one("SELECT id FROM leads WHERE campaign_id=?", campaign)
    replied = LeadAdvanced(lead, replied_at=stage.clock.now())
    stage.journal.record(campaign, events=[replied], actor="controller", cause="test", at=stage.clock.now())


def two_campaigns(stage: Stage, connected: bool = False) -> tuple[str, str]:
    """(the one that runs, the one in which they answer), with one person in both."""
    settings = MESSAGE_ONLY if connected else ONE_STEP
    campaign = stage.campaign(1, settings=settings, connected=connected)
    return campaign, stage.campaign(1, settings=settings, connected=connected, name="Spring")


def lead_of(stage: Stage, campaign: str, column: str) -> object:
    return stage.one(f"SELECT {column} FROM leads WHERE campaign_id=?", campaign)


def test_whoever_answered_in_another_campaign_is_not_planned(stage: Stage) -> None:
    campaign, other = two_campaigns(stage)
    answers(stage, other)
    stage.run(campaign)
    assert lead_of(stage, campaign, "blocked") == "answered_elsewhere"
    assert stage.received() == []


def test_a_label_that_is_taken_back_lets_every_campaign_begin_with_them(stage: Stage) -> None:
    campaign, other = two_campaigns(stage)
    there = str(lead_of(stage, other, "id"))
    stage.commands().replies.label(other, there, Label.NO)
    assert stage.run(campaign).halt is RunEnd.COMPLETED
    assert lead_of(stage, campaign, "blocked") == "answered_elsewhere"
    stage.commands().replies.label(other, there, Label.WRONG_PERSON)
    assert lead_of(stage, campaign, "blocked") == "answered_elsewhere", "that is an answer, too"
    stage.commands().replies.label(other, there, None)
    assert lead_of(stage, campaign, "blocked") == ""
    stage.run(campaign)
    assert len(stage.received()) == 1


def test_nothing_is_drafted_for_them(stage: Stage) -> None:
    campaign, other = two_campaigns(stage, connected=True)
    stage.run(campaign, stop_after=3)
    answers(stage, other)
    assert stage.run(campaign).halt is RunEnd.COMPLETED
    assert stage.one("SELECT count(*) FROM messages WHERE campaign_id=?", campaign) == 0
    assert lead_of(stage, campaign, "finished") == "answered in another campaign"


def test_what_was_approved_is_not_sent_to_them(stage: Stage) -> None:
    campaign, other = two_campaigns(stage)
    assert stage.run(campaign, approve=False).halt is RunEnd.NEEDS_APPROVAL
    answers(stage, other)
    assert stage.run(campaign).halt is RunEnd.COMPLETED
    assert stage.received() == []
    assert stage.one("SELECT status FROM messages WHERE campaign_id=?", campaign) == MessageStatus.CANCELLED


@pytest.mark.parametrize("moment", ["click", "bytes"])
def test_nor_in_the_last_moment(stage: Stage, moment: str) -> None:
    campaign, other = two_campaigns(stage)
    fired: list[str] = []

    def during(tool: str, when: str) -> None:
        if (tool, when) == ("send_invitation", moment) and not fired:
            fired.append(tool)
            lead = stage.one("SELECT id FROM leads WHERE campaign_id=?", other)
            stage.note_elsewhere(other, LeadAdvanced(lead, replied_at=stage.clock.now()))

    stage.site.during = during
    stage.run(campaign)
    assert fired
    assert stage.received() == []


def by_email(stage: Stage) -> None:
    """Both campaigns know them by one e-mail address and different profiles."""
    stage.outside.execute("UPDATE leads SET email='Ada@acme.example'")


def by_profile(stage: Stage) -> None:
    """As they are."""


@pytest.mark.parametrize("identify", [by_profile, by_email])
@pytest.mark.parametrize("practice", [True, False])
def test_a_rehearsal_and_the_real_thing_are_apart(
    stage: Stage, identify: Callable[[Stage], None], practice: bool
) -> None:
    campaign, other = two_campaigns(stage)
    identify(stage)
    if identify is by_email:
        stage.outside.execute("UPDATE leads SET member_key='another' WHERE campaign_id=?", (other,))
    if not practice:
        stage.outside.execute("UPDATE campaigns SET site='linkedin_assist', account='linkedin' WHERE id=?", (other,))
    answers(stage, other)
    stage.run(campaign)
    assert (lead_of(stage, campaign, "blocked") == "answered_elsewhere") is practice


def test_who_is_in_a_campaign_under_two_addresses_with_one_email_is_one_person(stage: Stage) -> None:
    campaign = stage.campaign(2, settings=MESSAGE_ONLY, connected=True)
    (first,), (second,) = stage.query("SELECT id FROM leads ORDER BY id")
    same = [
        LeadMerged(first, profile_updated_at=1, email="Ana@one.example"),
        LeadMerged(second, profile_updated_at=1, email="ana@one.example"),
    ]
    replied = LeadAdvanced(first, replied_at=stage.clock.now())
    stage.journal.record(campaign, events=[*same, replied], actor="controller", cause="test", at=stage.clock.now())
    stage.run(campaign)
    assert stage.delivered() == []


def test_who_is_not_to_be_contacted_is_known_by_their_email_under_another_address(stage: Stage) -> None:
    own_campaign = stage.campaign(1, settings=MESSAGE_ONLY, connected=True)
    other = stage.campaign(1, settings=MESSAGE_ONLY, connected=True, skip=5, name="Spring")
    for campaign, email in ((own_campaign, "ana@one.example"), (other, "Ana@One.example")):
        merged = LeadMerged(str(lead_of(stage, campaign, "id")), profile_updated_at=1, email=email)
        stage.journal.record(campaign, events=[merged], actor="controller", cause="test", at=stage.clock.now())
    stage.commands().leads.do_not_contact(other, str(lead_of(stage, other, "id")), "asked")
    stage.run(own_campaign)
    assert stage.delivered() == []
    stage.commands().leads.contact_again(other, str(lead_of(stage, other, "id")))
    assert stage.query("SELECT DISTINCT status FROM do_not_contact") == [("removed",)]
