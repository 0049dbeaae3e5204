"""Nobody is written to while a decision about them, which came after another device's, waits for the user's choice."""

import pytest

from backend.commands import conflicts
from backend.domain.device.rebase import RebaseStatus
from backend.domain.model.task import TaskStatus
from backend.runtime.run.campaign_runner import RunEnd
from backend.store.queries.contact import messages
from backend.store.replication import rebase_queue
from tests.fakes.campaign import ONE_STEP, Stage


def in_conflict(stage: Stage, campaign: str, entity: str) -> str:
    """The last decision about such an entity came into conflict; its id."""
    with stage.journal.database.write() as connection:
        (seq,) = connection.execute(
            "SELECT max(seq) FROM event_log WHERE campaign_id=? AND entity_type=?", (campaign, entity)
        ).fetchone()
        rebase_queue.stash(connection, stage.journal.ids.new, campaign, "event", seq - 1, 0, 1)
        (group,) = connection.execute(
            "SELECT id FROM rebase_queue WHERE campaign_id=? ORDER BY position LIMIT 1", (campaign,)
        ).fetchone()
        assert rebase_queue.set_status(connection, group, RebaseStatus.CONFLICT, 1)
    return str(group)


def approved(stage: Stage, people: int) -> str:
    """A campaign whose texts are all approved, and nothing is sent."""
    campaign = stage.campaign(people, settings=ONE_STEP)
    assert stage.run(campaign, approve=False).halt is RunEnd.NEEDS_APPROVAL
    drafts = stage.journal.database.query(messages.drafts, campaign, people)
    assert stage.approve(campaign, drafts)
    return campaign


def choose(stage: Stage, group: str) -> None:
    with stage.journal.database.write() as connection:
        assert rebase_queue.set_status(connection, group, RebaseStatus.THEIRS, 1)


@pytest.mark.parametrize("entity", ["task", "message", "approval"])
def test_who_a_conflict_is_about_is_not_written_to_until_the_user_has_chosen(stage: Stage, entity: str) -> None:
    campaign = approved(stage, 1)
    group = in_conflict(stage, campaign, entity)
    settled_at = "SELECT settled_at FROM rebase_queue WHERE id=?"
    assert stage.one(settled_at, group) is None
    assert stage.run(campaign).halt is RunEnd.NEEDS_YOU
    assert stage.received() == []
    assert stage.one("SELECT status FROM tasks WHERE kind='reach_lead'") == TaskStatus.BLOCKED
    choose(stage, group)
    assert stage.one(settled_at, group) == 1
    stage.commands().tasks.retry(campaign, str(stage.one("SELECT id FROM tasks WHERE kind='reach_lead'")))
    stage.run(campaign)
    assert len(stage.received()) == 1


def test_a_conflict_about_somebody_else_holds_nobody(stage: Stage) -> None:
    campaign = approved(stage, 2)
    in_conflict(stage, campaign, "approval")
    assert stage.run(campaign).halt is RunEnd.NEEDS_YOU
    assert len(stage.received()) == 1


def test_a_conflict_about_a_note_holds_nobody(stage: Stage) -> None:
    campaign = approved(stage, 1)
    stage.commands().leads.note(campaign, str(stage.one("SELECT id FROM leads")), "met in Bern")
    in_conflict(stage, campaign, "lead")
    stage.run(campaign)
    assert len(stage.received()) == 1


def test_a_choice_about_one_campaign_settles_nothing_that_was_decided_in_another(stage: Stage) -> None:
    groups = []
    for skip in (0, 10):
        campaign = stage.campaign(1, settings=ONE_STEP, skip=skip)
        lead = stage.one("SELECT id FROM leads WHERE campaign_id=?", campaign)
        stage.commands().leads.note(campaign, str(lead), "met in Bern")
        groups.append(in_conflict(stage, campaign, "lead"))
    chosen = next(row for row in stage.database.query(rebase_queue.open_conflicts) if row.id == groups[0])
    conflicts.resolve(lambda _: stage.commands(), chosen, "theirs")
    assert [row.id for row in stage.database.query(rebase_queue.open_conflicts)] == groups[1:]


@pytest.mark.parametrize("moment", ["click", "bytes"])
def test_a_conflict_of_the_last_moment_calls_the_act_off(stage: Stage, moment: str) -> None:
    campaign = approved(stage, 1)
    fired: list[str] = []

    def during(tool: str, when: str) -> None:
        if (tool, when) == ("send_invitation", moment) and not fired:
            fired.append(in_conflict(stage, campaign, "approval"))

    stage.site.during = during
    stage.run(campaign)
    assert fired
    assert stage.received() == []
