"""Who has no page on the site waits for the user alone; only several in a row say something of the account."""

import pytest

from backend.domain.model.site import IncidentKind
from backend.runtime.run.campaign_runner import RunEnd
from backend.turn.gateway import NO_ADDRESS
from tests.fakes.campaign import ONE_STEP, Stage


@pytest.mark.parametrize(
    ("without_page", "invited", "incidents"),
    [({0}, 3, []), ({0, 1}, 2, []), ({0, 1, 2}, 0, [IncidentKind.UNKNOWN_PAGE])],
)
def test_who_has_no_page_is_asked_about_and_the_others_go_on(
    stage: Stage, without_page: set[int], invited: int, incidents: list[IncidentKind]
) -> None:
    campaign = stage.campaign(4, settings=ONE_STEP)
    for position in without_page:
        stage.outside.execute("UPDATE leads SET profile_url=profile_url || '-gone' WHERE position=?", (position,))
    stage.run(campaign)
    assert len(stage.received()) == invited
    assert [kind for (kind,) in stage.query("SELECT kind FROM incidents")] == incidents
    blocked = stage.query("SELECT reason FROM tasks WHERE status='blocked'")
    assert blocked == [("This page could not be found",)] * len(without_page)
    assert stage.one("SELECT count(*) FROM input_requests WHERE kind='unblock'") == len(without_page)


def test_a_campaign_ends_without_whom_the_user_leaves(stage: Stage) -> None:
    campaign = stage.campaign(2, settings=ONE_STEP)
    stage.outside.execute("UPDATE leads SET profile_url=profile_url || '-gone' WHERE position=1")
    assert stage.run(campaign).halt is RunEnd.NEEDS_YOU
    question = str(stage.one("SELECT id FROM input_requests WHERE status='open'"))
    stage.commands().questions.answer(campaign, question, "leave it")
    assert stage.run(campaign).halt is RunEnd.COMPLETED
    assert len(stage.received()) == 1


@pytest.mark.parametrize("turns", [4, 8, 12, 16, 24])
def test_a_campaign_asks_about_whom_it_cannot_look_for_and_ends(stage: Stage, turns: int) -> None:
    """Whatever they had come to when their address was gone: no waiting brings it back."""
    campaign = stage.campaign(2)
    stage.run(campaign, stop_after=turns)
    stage.outside.execute("UPDATE leads SET profile_url='' WHERE position=1")
    assert stage.run(campaign).halt is RunEnd.NEEDS_YOU
    assert stage.query("SELECT reason FROM tasks WHERE status='blocked'") == [(NO_ADDRESS,)]
    question = str(stage.one("SELECT id FROM input_requests WHERE status='open'"))
    stage.commands().questions.answer(campaign, question, "leave it")
    assert stage.run(campaign).halt is RunEnd.COMPLETED
    assert stage.query("SELECT kind FROM incidents") == []
