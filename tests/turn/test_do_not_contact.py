"""Nobody whom the do-not-contact list means is planned, written for, or written to: by person, company and domain."""

import json
from collections.abc import Callable

import pytest

from backend.domain.events.facts.lead import LeadMerged
from backend.domain.model.message import MessageStatus
from backend.domain.values.errors import OutriderError
from backend.runtime.run.campaign_runner import RunEnd
from tests.fakes.campaign import MESSAGE_ONLY, ONE_STEP, Stage

LISTED: dict[str, Callable[[Stage], str]] = {
    "person": lambda stage: str(stage.one("SELECT profile_url FROM leads")),
    "e-mail": lambda _: "ada@mail.acme.example",
    "company": lambda stage: f"company:{str(stage.one('SELECT company FROM leads')).casefold()}",
    "domain": lambda _: "domain:acme.example",
}
every_kind = pytest.mark.parametrize("kind", LISTED)


def campaign_of_one(stage: Stage, connected: bool = False) -> str:
    """A campaign with one lead, who has an e-mail address and a company."""
    campaign = stage.campaign(1, settings=MESSAGE_ONLY if connected else ONE_STEP, connected=connected)
    lead = stage.one("SELECT id FROM leads")
    stage.journal.record(
        campaign,
        events=[LeadMerged(lead, profile_updated_at=1, email="Ada@Mail.Acme.example", company="Engines")],
        actor="user",
        cause="test",
        at=1,
    )
    return campaign


def forbid(stage: Stage, kind: str) -> None:
    stage.commands().workspace.add_do_not_contact(LISTED[kind](stage), "", "asked")


@every_kind
def test_nobody_listed_is_planned(stage: Stage, kind: str) -> None:
    campaign = campaign_of_one(stage)
    forbid(stage, kind)
    stage.run(campaign)
    assert stage.one("SELECT count(*) FROM tasks WHERE kind='reach_lead'") == 0
    assert stage.one("SELECT blocked FROM leads") == "do_not_contact"


@every_kind
def test_nothing_is_drafted_for_somebody_listed(stage: Stage, kind: str) -> None:
    campaign = campaign_of_one(stage, connected=True)
    stage.run(campaign, stop_after=3)
    assert stage.one("SELECT count(*) FROM tasks WHERE kind='reach_lead'") == 1
    assert stage.one("SELECT count(*) FROM messages") == 0
    forbid(stage, kind)
    assert stage.run(campaign).halt is RunEnd.NEEDS_YOU
    assert stage.one("SELECT count(*) FROM messages") == 0


@every_kind
def test_what_was_approved_before_is_not_sent_to_somebody_listed(stage: Stage, kind: str) -> None:
    campaign = campaign_of_one(stage)
    assert stage.run(campaign, approve=False).halt is RunEnd.NEEDS_APPROVAL
    forbid(stage, kind)
    assert stage.run(campaign).halt is RunEnd.NEEDS_YOU
    assert stage.received() == []
    assert stage.one("SELECT status FROM messages") == MessageStatus.CANCELLED
    refused = [json.loads(payload) for _, payload in stage.audits(campaign, "gates")]
    assert "not_on_do_not_contact" in str(refused)


@every_kind
@pytest.mark.parametrize("moment", ["click", "bytes"])
def test_in_the_last_moment_too(stage: Stage, kind: str, moment: str) -> None:
    campaign = campaign_of_one(stage)
    fired: list[str] = []

    def during(tool: str, when: str) -> None:
        if (tool, when) == ("send_invitation", moment) and not fired:
            fired.append(tool)
            key = LISTED[kind](stage)
            stage.elsewhere(lambda user: user.workspace.add_do_not_contact(key, "", "asked"))

    stage.site.during = during
    stage.run(campaign)
    assert fired
    assert stage.received() == []


@pytest.mark.parametrize("kind", ["company", "domain"])
def test_an_entry_that_is_taken_back_lets_its_people_go_on(stage: Stage, kind: str) -> None:
    campaign = campaign_of_one(stage)
    stage.run(campaign, approve=False)
    forbid(stage, kind)
    assert stage.run(campaign).halt is RunEnd.NEEDS_YOU
    stage.commands().workspace.remove_do_not_contact(stage.one("SELECT id FROM do_not_contact"))
    assert stage.one("SELECT blocked FROM leads") == ""
    stage.commands().questions.answer(campaign, stage.one("SELECT id FROM input_requests"), "try again")
    assert stage.run(campaign).halt is RunEnd.COMPLETED
    assert len(stage.received()) == 1


def test_of_two_entries_the_other_one_still_holds(stage: Stage) -> None:
    campaign = campaign_of_one(stage)
    forbid(stage, "company")
    forbid(stage, "domain")
    stage.run(campaign)
    entry = stage.one("SELECT id FROM do_not_contact WHERE member_key LIKE 'company:%'")
    stage.commands().workspace.remove_do_not_contact(entry)
    assert stage.one("SELECT blocked FROM leads") == "do_not_contact"


def test_a_single_person_is_not_taken_out_of_an_entry_about_many(stage: Stage) -> None:
    campaign = campaign_of_one(stage)
    forbid(stage, "company")
    with pytest.raises(OutriderError) as caught:
        stage.commands().leads.contact_again(campaign, stage.one("SELECT id FROM leads"))
    assert caught.value.code == "company_listed"
