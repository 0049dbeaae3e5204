"""An agent's task is done on the machine where it was assigned, as whichever device that is known by then."""

from backend.commands.agent_tasks import AgentTaskCommands
from backend.domain.device.passive_agent import AgentInputs
from backend.domain.events.events import WORKSPACE, Event
from backend.store.queries.device import agent_runs
from backend.store.replication import replica
from tests.fakes.campaign import Stage


def attach(stage: Stage, device: str, machine: str) -> None:
    with stage.journal.transaction() as transaction:
        if replica.project(transaction.connection) is not None:
            replica.detach(transaction, 1)
        replica.attach(
            transaction, replica.AttachedProject("http://x", "key", "ada", "a@b.c", device, device, 1, machine)
        )


def is_wanted(stage: Stage) -> bool:
    return len(stage.database.query(agent_runs.open_tasks)) == 1


def assigned(stage: Stage) -> Stage:
    attach(stage, "desk", "this machine")
    campaign = stage.campaign(1)
    AgentTaskCommands(stage.journal, stage.clock).assign(campaign, "pending-invitations", AgentInputs("/papers/", 7))
    assert is_wanted(stage)
    return stage


def test_a_folder_that_is_attached_again_goes_on_with_its_agents_tasks(stage: Stage) -> None:
    attach(assigned(stage), "desk again", "this machine")
    assert is_wanted(stage)


def test_where_no_project_is_attached_any_more_nobody_else_would_do_them(stage: Stage) -> None:
    with assigned(stage).journal.transaction() as transaction:
        replica.detach(transaction, 1)
    assert is_wanted(stage)


def test_another_device_does_them_once_their_devices_access_is_taken_away(stage: Stage) -> None:
    attach(assigned(stage), "laptop", "another machine")
    assert not is_wanted(stage)
    stage.note_elsewhere(WORKSPACE, Event("DeviceJoined", "desk", {"name": "Desk", "created_at": 1}))
    assert not is_wanted(stage)
    stage.note_elsewhere(WORKSPACE, Event("DeviceRevoked", "desk", {"revoked_at": 2}))
    assert is_wanted(stage)


def test_machines_that_nobody_can_tell_apart_are_told_by_their_devices(stage: Stage) -> None:
    attach(stage, "desk", "")
    campaign = stage.campaign(1)
    AgentTaskCommands(stage.journal, stage.clock).assign(campaign, "pending-invitations", AgentInputs("/papers/", 7))
    attach(stage, "laptop", "")
    assert not is_wanted(stage)


def test_of_a_deleted_campaign_nothing_is_done_and_nothing_is_kept(stage: Stage) -> None:
    campaign, commands = stage.campaign(1), AgentTaskCommands(stage.journal, stage.clock)
    begun = commands.assign(campaign, "pending-invitations", AgentInputs("/papers/", 7))
    assert is_wanted(stage)
    stage.commands().campaigns.delete(campaign)
    assert not is_wanted(stage)
    assert not commands.finish(begun, "Clara waits", commands.erasures())
    commands.fail(begun, "Clara's file is unreadable")
    assert stage.query("SELECT id FROM artifacts WHERE artifact_key LIKE 'pending%'") == []
    assert stage.one("SELECT status FROM tasks WHERE id=?", begun.id) == "in_progress"


def test_what_was_found_before_somebody_was_erased_is_looked_for_again(stage: Stage) -> None:
    campaign, commands = stage.campaign(2), AgentTaskCommands(stage.journal, stage.clock)
    begun = commands.assign(campaign, "pending-invitations", AgentInputs("/papers/", 7))
    before = commands.erasures()
    stage.commands().people.erase(campaign, stage.one("SELECT id FROM leads ORDER BY position LIMIT 1"))
    assert not commands.finish(begun, "Clara waits", before)
    assert is_wanted(stage)
    assert commands.finish(begun, "nobody waits", commands.erasures())
    assert stage.query("SELECT content FROM artifacts WHERE content LIKE '%waits'") == [("nobody waits",)]
