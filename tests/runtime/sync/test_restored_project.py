"""A project that was put back from a backup, and a project that a device attaches again: each device notices, nothing is lost."""

import json
from pathlib import Path

import pytest

from backend.adapters.signing.ed25519 import Ed25519Signer
from backend.domain.contact.sends import SendContext, ask_what_became_of, outcome_events
from backend.domain.events.events import Event
from backend.domain.events.facts.message import ActionSettled
from backend.domain.model.campaign import HOUR
from backend.domain.model.message import SendOutcome
from backend.domain.model.site import Attempt, SiteAnswer
from backend.situation.unsettled_acts import act_of, open_actions
from backend.store.log import replay
from backend.store.log.log_signer import LogSigner
from backend.store.queries.campaign import campaigns
from backend.store.queries.turn import turns
from backend.store.replication import replica
from tests.fakes.campaign import MESSAGE_ONLY, Killed, Stage
from tests.fakes.pair import Pair
from tests.fakes.sealed import OpenFiles
from tests.fakes.shared_store import FakeProject
from tests.runtime.sync.conftest import CAMPAIGN, Machine


def code(machine: Machine) -> str:
    machine.engine.run_round()
    problem = machine.engine.report.state().problem
    return problem.code if problem else ""


def attach_again(machine: Machine) -> None:
    with machine.journal.transaction() as transaction:
        here = replica.project(transaction.connection)
        assert here is not None
        replica.detach(transaction, machine.clock.now())
        replica.attach(transaction, here)
    signing = machine.journal.signing
    machine.restart()
    machine.journal.signing = signing


def put_back(project: FakeProject, length: int, campaign: str = CAMPAIGN) -> None:
    """The project has so many of the campaign's events, as when its backup was made."""
    user = project.users["ada"]
    user.events[campaign] = user.events[campaign][:length]


def test_who_is_as_long_as_the_project_but_not_the_same_says_so_and_comes_into_step_when_attached_again(
    desk: Machine, laptop: Machine, memory: FakeProject
) -> None:
    desk.campaign()
    assert (code(desk), code(laptop)) == ("", "")
    length = len(memory.users["ada"].events[CAMPAIGN])
    person = {"full_name": "Ada", "profile_url": "https://x.test/1", "member_key": "https://x.test/1", "position": 1}
    desk.record(CAMPAIGN, Event("LeadImported", "lead-1", person))
    assert code(desk) == ""
    put_back(memory, length)
    assert code(desk) == "shared_store_behind"
    laptop.record(CAMPAIGN, Event("CampaignEdited", CAMPAIGN, {"name": "Other"}))
    assert code(laptop) == ""
    assert code(desk) == "shared_store_log_broken"
    attach_again(desk)
    assert (code(desk), code(laptop)) == ("", "")
    assert desk.logs() == laptop.logs()
    with desk.database.read() as connection:
        assert connection.execute("SELECT name FROM campaigns").fetchone() == ("Other",)
        assert connection.execute("SELECT id FROM leads").fetchall() == [("lead-1",)]


def test_a_key_that_comes_back_as_it_is_known_here_is_believed(desk: Machine, laptop: Machine) -> None:
    for machine in (desk, laptop):
        machine.journal.signing = LogSigner(Ed25519Signer(OpenFiles()))
    desk.configure("a", "1")
    desk.shared_store.faults.extend(("", "after"))  # its entries arrive, and the answer is lost
    assert code(desk) == "shared_store_unreachable"
    laptop.configure("b", "2")
    assert (code(laptop), code(desk), code(laptop)) == ("", "", "")
    attach_again(desk)
    laptop.configure("c", "3")
    assert (code(laptop), code(desk)) == ("", "")
    assert desk.configured() == {"a": "1", "b": "2", "c": "3"}


@pytest.mark.parametrize("how", ["put back", "detached"])
@pytest.mark.parametrize("by", ["auto_approve", "user"])
@pytest.mark.parametrize("decided", ["note", "approve", "reject", "turns"])
def test_what_was_sent_stays_on_record_whatever_another_device_decided_first(
    tmp_path: Path, how: str, by: str, decided: str
) -> None:
    """The project forgot it, or never heard of it: no turn is a mere attempt then."""
    pair = Pair(tmp_path, lambda stage: stage.campaign(2, settings=MESSAGE_ONLY, connected=True))
    (desk, laptop), campaign = pair.stages, pair.campaign
    desk.run(campaign, approve=False)
    pair.synchronise()
    length = len(pair.project.users["ada"].events[campaign])
    drafts = laptop.query("SELECT id, lead_id FROM messages ORDER BY id")
    for draft, _ in drafts if by == "user" else ():
        digest = pair.desk.review.digest(campaign, draft)
        pair.desk.review.approve(campaign, draft, shown_digest=digest)
    desk.run(campaign)
    if how == "put back":
        pair.engines[0].run_round()
        put_back(pair.project, length, campaign)
    message, lead = drafts[0]
    match decided:
        case "note":
            pair.laptop.leads.note(campaign, lead, "Met in Leeds")
            pair.desk.leads.note(campaign, lead, "Met in York")
        case "approve":
            digest = pair.laptop.review.digest(campaign, message)
            pair.laptop.review.approve(campaign, message, shown_digest=digest)
        case "reject":
            pair.laptop.review.reject(campaign, message)
        case _:
            numbers = desk.query("SELECT entity_id, change_payload FROM event_log WHERE kind='TurnCompleted'")
            shared = {
                number for (number,) in laptop.query("SELECT entity_id FROM event_log WHERE kind='TurnCompleted'")
            }
            turns = [
                Event("TurnCompleted", number, json.loads(turn)) for number, turn in numbers if number not in shared
            ]
            assert turns
            laptop.note_elsewhere(campaign, *turns)
    pair.engines[1].run_round()
    attach_anew(pair)
    for stage in pair.stages:
        assert stage.query("SELECT status FROM actions") == [("sent",)] * 2
        assert stage.query("SELECT status FROM messages") == [("sent",)] * 2
        used = "SELECT p.status FROM actions a LEFT JOIN approvals p ON p.id = a.approval_id"
        assert stage.query(used) == [("used",)] * 2
        assert stage.query("SELECT 1 FROM leads WHERE notes LIKE '%York%'") == [], "a word of the user's is no act"
    pair.close()


def test_a_task_that_was_begun_alone_stays_begun_although_its_turns_number_is_taken(tmp_path: Path) -> None:
    pair = Pair(tmp_path, lambda stage: stage.campaign(1, settings=MESSAGE_ONLY, connected=True))
    (desk, laptop), campaign = pair.stages, pair.campaign
    desk.run(campaign)
    numbers = desk.query("SELECT entity_id, change_payload FROM event_log WHERE kind='TurnCompleted'")
    laptop.note_elsewhere(campaign, *(Event("TurnCompleted", number, json.loads(turn)) for number, turn in numbers))
    pair.engines[1].run_round()
    task = desk.query("SELECT status, needs FROM tasks WHERE kind='reach_lead'")
    attach_anew(pair)
    for stage in pair.stages:
        assert stage.query("SELECT status, needs FROM tasks WHERE kind='reach_lead'") == task
        assert stage.query("SELECT status FROM messages") == [("sent",)]
    pair.close()


def test_what_was_cut_off_while_no_project_was_asked_is_looked_for_and_not_sent_again(tmp_path: Path) -> None:
    pair = Pair(tmp_path, lambda stage: stage.campaign(1, settings=MESSAGE_ONLY, connected=True))
    (desk, laptop), campaign = pair.stages, pair.campaign
    cut_off(desk, campaign)
    ((lead,),) = laptop.query("SELECT id FROM leads")
    pair.laptop.leads.note(campaign, lead, "Met in Leeds")
    pair.engines[1].run_round()
    attach_anew(pair)
    assert [stage.query("SELECT status FROM actions") for stage in pair.stages] == [[("intended",)]] * 2
    desk.run(campaign)
    assert len(desk.delivered()) == 1
    assert desk.query("SELECT status FROM messages") == [("sent",)]
    pair.close()


def test_what_is_known_of_an_act_is_not_unknown_again_because_a_device_acted_alone(tmp_path: Path) -> None:
    pair = Pair(tmp_path, lambda stage: stage.campaign(1, settings=MESSAGE_ONLY, connected=True))
    (desk, laptop), campaign = pair.stages, pair.campaign
    cut_off(desk, campaign)
    pair.synchronise()
    ((act, intent),) = desk.query("SELECT entity_id, change_payload FROM event_log WHERE kind='ActionIntended'")
    laptop.note_elsewhere(campaign, outcome(act, SendOutcome.NOT_SENT))
    pair.engines[1].run_round()
    alone = Event("ActionIntended", "alone", json.loads(intent))
    desk.note_elsewhere(campaign, alone, outcome("alone", SendOutcome.SENT))
    desk.clock.advance(1)
    desk.note_elsewhere(campaign, outcome(act, SendOutcome.OUTCOME_UNKNOWN))
    attach_anew(pair)
    for stage in pair.stages:
        assert dict(stage.query("SELECT id, status FROM actions")) == {act: "not_sent", "alone": "sent"}
    pair.close()


def test_a_turn_of_another_device_behind_later_ones_is_not_the_last(stage: Stage) -> None:
    campaign = stage.campaign(1, settings=MESSAGE_ONLY)
    stage.run(campaign, approve=False)
    with stage.database.read() as connection:
        last = campaigns.existing_position(connection, campaign).last_turn
    ((turn,),) = stage.query(
        "SELECT change_payload FROM event_log WHERE kind='TurnCompleted' AND entity_id=?", str(last)
    )
    for number in (last + 2, last + 1):
        stage.note_elsewhere(campaign, Event("TurnCompleted", str(number), json.loads(turn)))
    with stage.database.read() as connection:
        assert campaigns.existing_position(connection, campaign).last_turn == last + 2
        assert turns.last_number(connection, campaign) == last + 2


@pytest.mark.parametrize(("decided", "blocked"), [("skip", "skipped"), ("forbid", "do_not_contact")])
def test_no_act_takes_up_again_whom_another_device_left_alone(tmp_path: Path, decided: str, blocked: str) -> None:
    pair = Pair(tmp_path, lambda stage: stage.campaign(1, settings=MESSAGE_ONLY, connected=True))
    (desk, laptop), campaign = pair.stages, pair.campaign
    desk.run(campaign, approve=False)
    pair.synchronise()
    cut_off(desk, campaign)
    for status in (SendOutcome.OUTCOME_UNKNOWN, SendOutcome.SENT):
        with desk.journal.transaction() as transaction:
            (action,) = open_actions(transaction.connection, campaign)
            act = act_of(transaction.connection, campaign, action)
            assert isinstance(act, SendContext)
            now, attempt = desk.clock.now(), Attempt(SiteAnswer.NO_ANSWER, "")
            events = outcome_events(act, status, attempt, now, transaction.new_id)
            events += ask_what_became_of(act, now, transaction.new_id) if status == "outcome_unknown" else []
            transaction.record(campaign, events, actor="controller", cause="t9", at=now)
    ((lead,),) = laptop.query("SELECT id FROM leads")
    if decided == "skip":
        pair.laptop.lead_groups.skip(campaign, [lead])
    else:
        pair.laptop.leads.do_not_contact(campaign, lead, "They asked")
    pair.engines[1].run_round()
    attach_anew(pair)
    for stage in pair.stages:
        assert stage.query("SELECT status FROM actions") == [("sent",)]
        assert stage.query("SELECT blocked FROM leads") == [(blocked,)]
        assert stage.query("SELECT status FROM tasks WHERE kind='reach_lead'") == [("cancelled",)]
    pair.close()


@pytest.mark.parametrize("name", ["last_sent_at", "thread_read_at", "sequence_step"])
@pytest.mark.parametrize("more", [-1, 0, 1])
def test_what_another_device_did_with_somebody_later_is_not_set_back(tmp_path: Path, name: str, more: int) -> None:
    """And whatever else of the act is news is told all the same, in every log alike."""
    pair = Pair(tmp_path, lambda stage: stage.campaign(1, settings=MESSAGE_ONLY, connected=True))
    (desk, laptop), campaign = pair.stages, pair.campaign
    desk.run(campaign)
    columns = "last_sent_at", "thread_read_at", "sequence_step"
    ((lead, *here),) = desk.query(f"SELECT id, {', '.join(columns)} FROM leads")
    recorded = dict(zip(columns, here, strict=True))
    elsewhere = recorded[name] + more * (1 if name == "sequence_step" else HOUR)
    laptop.note_elsewhere(campaign, Event("LeadAdvanced", lead, {name: elsewhere}))
    pair.engines[1].run_round()
    attach_anew(pair)
    expected = recorded | {name: max(recorded[name], elsewhere)}
    for stage in pair.stages:
        assert stage.query("SELECT status FROM actions") == [("sent",)]
        assert stage.query(f"SELECT {', '.join(columns)} FROM leads") == [tuple(expected.values())]
        assert replay.find_differences(stage.database) == []
    pair.close()


def cut_off(desk: Stage, campaign: str) -> None:
    """The desk ends right after an act, before it has noted the outcome."""

    def die(boundary: str) -> None:
        if boundary == "acted":
            raise Killed

    with pytest.raises(Killed):
        desk.run(campaign, boundary=die)
    desk.reopen()


def outcome(act: str, status: SendOutcome) -> Event:
    return ActionSettled(act, status=status, said="", settled_at=1)


def attach_anew(pair: Pair) -> None:
    """The desk is detached, and attached to the same project again; then both are brought into step."""
    desk = pair.stages[0]
    with desk.journal.transaction() as transaction:
        project = replica.project(transaction.connection)
        assert project is not None
        replica.detach(transaction, desk.clock.now())
        replica.attach(transaction, project)
    pair.engines[0] = pair._engine(desk, "desk")
    pair.synchronise()
