"""What becomes of entries that another device's came before: what was done alone, and what was decided when."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from backend.domain.erasure.erasure import without_words
from backend.domain.events.events import WORKSPACE, AuditEntry, Event
from backend.store.log.chain import payload_digest
from backend.store.replication import rebase_queue, replica
from backend.store.replication.replica import RESTORED, AttachedProject
from tests.fakes.clock import START
from tests.store.devices import Device, MemorySharedStore
from tests.store.opening import CAMPAIGN, CREATED, lead_imported, task_created, write
from tests.stored_rows import all_rows

LEADS = (lead_imported(1), lead_imported(2))


@pytest.fixture
def shared_store() -> MemorySharedStore:
    return MemorySharedStore()


@pytest.fixture
def devices(tmp_path: Path, shared_store: MemorySharedStore) -> Iterator[tuple[Device, Device]]:
    """Two in sync, with a campaign of two leads, and a task for the first."""
    here, there = (Device(tmp_path / f"{name}.db", name) for name in ("here", "there"))
    write(there.journal, CREATED, *LEADS, task_created(1, lead_id="lead-1"))
    in_sync(shared_store, there, here)
    yield here, there
    for device in (here, there):
        device.close()


def in_sync(shared_store: MemorySharedStore, *devices: Device) -> None:
    for device in (*devices, *devices):
        device.synchronise(shared_store)


def decided(device: Device, *events: Event, actor: str = "user", cause: str = "decided", at: int = START) -> None:
    device.journal.record(CAMPAIGN, events=events, actor=actor, cause=cause, at=at)


def noted(lead: int, text: str) -> Event:
    return Event("LeadNoted", f"lead-{lead}", {"notes": text})


def intended(act: str) -> Event:
    columns = {"lead_id": "lead-1", "account": "a", "family": "invite", "tool": "t", "params": {}, "turn": 1}
    return Event("ActionIntended", act, {**columns, "status": "intended", "intended_at": START})


def groups(device: Device) -> list[str]:
    return [
        row[0]
        for row in device.journal.database.query(
            all_rows, "SELECT status FROM rebase_queue ORDER BY queued_at, position"
        )
    ]


def column(device: Device, sql: str) -> list[Any]:
    return [row[0] for row in device.journal.database.query(all_rows, sql)]


def notes(device: Device) -> list[str]:
    return column(device, "SELECT notes FROM leads ORDER BY id")


def detached(device: Device) -> None:
    with device.journal.transaction() as transaction:
        replica.detach(transaction, START)


def rolled_back(device: Device, shared_store: MemorySharedStore) -> None:
    """It ended right behind that: what was rolled back is pending."""
    for step in device.synchronise_by_steps(shared_store):
        if step == "adopted":
            return


def test_an_act_begun_alone_stays_on_record_however_often_another_device_comes_first(
    devices: tuple[Device, Device], shared_store: MemorySharedStore
) -> None:
    here, there = devices
    detached(here)
    decided(here, intended("act"), actor="agent")  # the last before the project comes back
    write(there.journal, noted(2, "first"))
    there.synchronise(shared_store)
    for step in here.synchronise_by_steps(shared_store):
        if step == "followed" and "second" not in notes(there):
            write(there.journal, noted(2, "second"))
            there.synchronise(shared_store)
    in_sync(shared_store, here, there)
    for device in devices:
        assert column(device, "SELECT id FROM actions") == ["act"]


def test_an_act_begun_while_a_project_is_attached_waits_for_its_acknowledgement(
    devices: tuple[Device, Device], shared_store: MemorySharedStore
) -> None:
    here, there = devices
    decided(here, intended("act"), actor="agent")
    write(there.journal, noted(2, "first"))
    in_sync(shared_store, there, here)
    assert column(here, "SELECT id FROM actions") == []
    assert groups(here) == ["dropped"]


@pytest.mark.parametrize(
    ("mine", "becomes"),
    [
        (["mine", "theirs"], ["conflict", "conflict"]),  # made again, the first would undo what the second wants
        (["theirs", "theirs"], ["dropped", "dropped"]),
        (["theirs", "mine"], ["dropped", "conflict"]),
    ],
)
def test_a_decision_that_holds_anyway_waits_for_an_earlier_one_about_the_same(
    devices: tuple[Device, Device], shared_store: MemorySharedStore, mine: list[str], becomes: list[str]
) -> None:
    here, there = devices
    for number, text in enumerate(mine):
        decided(here, noted(1, text), cause=f"decision {number}")
    write(there.journal, noted(1, "theirs"))
    in_sync(shared_store, there, here)
    assert groups(here) == becomes
    assert notes(here) == ["theirs", ""]


def test_what_came_twice_is_new_to_whoever_knew_the_first(
    devices: tuple[Device, Device], shared_store: MemorySharedStore
) -> None:
    here, there = devices
    decided(here, noted(2, "before"))
    write(there.journal, noted(1, "theirs"))
    there.synchronise(shared_store)
    rolled_back(here, shared_store)
    decided(here, noted(1, "knowing"))
    write(there.journal, noted(1, "again"))
    in_sync(shared_store, there, here)
    assert notes(here) == notes(there) == ["again", "before"]
    assert groups(here) == ["rebased", "conflict"]


def test_what_was_decided_before_both_is_compared_with_both(
    devices: tuple[Device, Device], shared_store: MemorySharedStore
) -> None:
    here, there = devices
    decided(here, noted(1, "before"))
    write(there.journal, noted(1, "theirs"))
    there.synchronise(shared_store)
    rolled_back(here, shared_store)
    decided(here, noted(2, "knowing"))
    write(there.journal, Event("LeadTagged", "lead-2", {"tags": ["x"]}))
    in_sync(shared_store, there, here)
    assert notes(here) == notes(there) == ["theirs", "knowing"]
    assert groups(here) == ["conflict", "rebased"]


@pytest.mark.parametrize("left_alone", [{"blocked": "skipped"}, {"finished": "no reply"}, {}])
def test_a_change_of_the_sequence_passes_over_who_is_left_alone_by_now(
    devices: tuple[Device, Device], shared_store: MemorySharedStore, left_alone: dict[str, str]
) -> None:
    here, there = devices
    decided(
        here,
        Event("SequenceChanged", CAMPAIGN, {"settings": {}}),
        Event("LeadAdvanced", "lead-1", {"sequence_step": 2}),
    )
    theirs = Event("LeadAdvanced", "lead-1", {"sequence_step": 3, **left_alone})
    write(there.journal, theirs)
    in_sync(shared_store, there, here)
    assert groups(here) == ["rebased" if left_alone else "conflict"]
    assert column(here, "SELECT sequence_step FROM leads WHERE id='lead-1'") == [3]


def test_a_change_of_the_sequence_by_which_somebody_was_written_to_passes_over_who_is_left_alone_as_well(
    devices: tuple[Device, Device], shared_store: MemorySharedStore
) -> None:
    here, there = devices
    detached(here)
    decided(
        here,
        Event("SequenceChanged", CAMPAIGN, {"settings": {}}),
        task_created(2, lead_id="lead-1"),
        Event("LeadAdvanced", "lead-2", {"sequence_step": 2}),
    )
    act = intended("act")
    decided(here, act._replace(changes={**act.changes, "task_id": "task-2"}), actor="agent", cause="act")
    write(there.journal, Event("LeadAdvanced", "lead-2", {"sequence_step": 3, "blocked": "skipped"}))
    in_sync(shared_store, there, here)
    for device in devices:
        assert column(device, "SELECT id FROM actions") == ["act"]
        assert column(device, "SELECT sequence_step FROM leads WHERE id='lead-2'") == [3]
    assert set(groups(here)) == {"rebased"}, "nobody is asked"


def test_a_change_of_the_sequence_that_is_decided_again_still_names_everybody(
    devices: tuple[Device, Device], shared_store: MemorySharedStore
) -> None:
    here, there = devices
    decided(
        here,
        Event("SequenceChanged", CAMPAIGN, {"settings": {}}),
        Event("LeadAdvanced", "lead-1", {"sequence_step": 2}),
        Event("LeadAdvanced", "lead-2", {"sequence_step": 2}),
    )
    write(
        there.journal,
        Event("LeadAdvanced", "lead-1", {"sequence_step": 3, "blocked": "skipped"}),
        Event("LeadAdvanced", "lead-2", {"sequence_step": 3}),
    )
    in_sync(shared_store, there, here)
    assert groups(here) == ["conflict"]
    (conflict,) = here.journal.database.query(rebase_queue.open_conflicts)
    assert [event.entity_id for event in conflict.events] == [CAMPAIGN, "lead-1", "lead-2"]
    since = here.journal.database.query(replica.recorded_since, conflict)
    assert [entry.event.entity_id for _, entry in since] == ["lead-1", "lead-2"]


def test_audit_entries_alone_leave_the_log_as_well_and_come_back_in_their_order(
    devices: tuple[Device, Device], shared_store: MemorySharedStore
) -> None:
    here, there = devices
    for device, name in ((here, "mine"), (there, "theirs")):
        for n in (1, 2):
            device.journal.record(
                CAMPAIGN, events=[], audits=[AuditEntry(f"{name} {n}", {})], actor="user", cause=str(n), at=START
            )
    in_sync(shared_store, there, here)
    order = "SELECT action_type FROM audit_log ORDER BY seq"
    assert column(here, order) == column(there, order) == ["theirs 1", "theirs 2", "mine 1", "mine 2"]


def test_what_a_dropped_turn_cost_is_billed_as_of_when_it_was_paid(
    devices: tuple[Device, Device], shared_store: MemorySharedStore
) -> None:
    here, there = devices
    paid = {"history": "x", "steps": [], "model": "m", "tokens_in": 1, "tokens_out": 2, "cost_micros": 30}
    decided(here, Event("TurnCompleted", "1", paid), actor="agent", at=START - 5)
    decided(there, Event("TurnCompleted", "1", {**paid, "cost_micros": 31}), actor="agent")
    in_sync(shared_store, there, here)
    assert column(here, "SELECT timestamp FROM event_log WHERE kind='ReplyBilled'") == [START - 5]


def test_detaching_brings_back_what_was_pending_before_what_was_decided_since(
    devices: tuple[Device, Device], shared_store: MemorySharedStore
) -> None:
    here, there = devices
    decided(here, noted(1, "first"))
    write(there.journal, noted(2, "theirs"))
    there.synchronise(shared_store)
    rolled_back(here, shared_store)
    decided(here, noted(1, "second"))
    detached(here)
    assert notes(here) == ["second", "theirs"]
    assert groups(here) == ["rebased", "rebased"]


def test_a_push_whose_answer_was_lost_is_not_in_the_logs_twice(
    devices: tuple[Device, Device], shared_store: MemorySharedStore
) -> None:
    here, there = devices
    here.journal.record(
        CAMPAIGN, events=[noted(1, "mine")], audits=[AuditEntry("mine", {})], actor="user", cause="c", at=START
    )
    batch = here.journal.database.query(replica.next_batch, CAMPAIGN, most=9, most_bytes=10_000)
    assert batch is not None
    with here.journal.transaction() as transaction:
        assert replica.roll_back_unacknowledged(transaction, CAMPAIGN, START) == 1
    shared_store.append(batch)
    assert all(here.journal.database.query(replica.is_own, CAMPAIGN, event) for event in batch.events)
    assert not any(there.journal.database.query(replica.is_own, CAMPAIGN, event) for event in batch.events)
    in_sync(shared_store, here, there)
    for log in ("event_log WHERE kind='LeadNoted'", "audit_log WHERE action_type='mine'"):
        assert column(here, f"SELECT count(*) FROM {log}") == column(there, f"SELECT count(*) FROM {log}") == [1]


def test_an_approval_that_nobody_else_can_have_heard_of_is_known(
    devices: tuple[Device, Device], shared_store: MemorySharedStore
) -> None:
    here, _ = devices
    approval = {
        "message_id": "m1",
        "status": "open",
        "digest": "d",
        "given_by": "user",
        "created_at": START,
        "expires_at": START + 1,
    }
    decided(here, Event("MessageDrafted", "m1", {"lead_id": "lead-1", "task_id": "task-1"} | DRAFT))
    decided(here, Event("ApprovalGiven", "yes", approval))
    approvals = here.journal.database.query(replica.unacknowledged_approvals)
    assert approvals == [(CAMPAIGN, "m1")]
    here.synchronise(shared_store)
    assert here.journal.database.query(replica.unacknowledged_approvals) == []


DRAFT = {"kind": "message", "status": "draft", "text": "Hi", "step": "hello", "created_at": START}
OTHER_PROJECT = {"url": "https://y.test"}


@pytest.mark.parametrize(
    ("restored", "previous", "device_id", "machine"),
    [
        ({}, {}, "here", "m"),
        ({"device_id": "there"}, {}, "here", "m"),  # another device's backup of the same project
        ({"device_id": "there"}, OTHER_PROJECT, "there", RESTORED),
        ({"device_id": "there"}, {"user_id": "v"}, "there", RESTORED),
        ({"device_id": "there"}, None, "there", RESTORED),
        ({}, None, "here", RESTORED),
    ],
)
def test_after_a_backup_was_put_back_no_two_folders_are_one_device(
    tmp_path: Path, restored: dict[str, Any], previous: dict[str, Any] | None, device_id: str, machine: str
) -> None:
    device = Device(tmp_path / "o.db", "o")
    own = AttachedProject("https://x.test", "key", "u", "u@x.test", "here", "here", START, "m")
    with device.journal.transaction() as transaction:
        replica.attach(transaction, own._replace(**restored))
        replica.keep_device(transaction, None if previous is None else own._replace(**previous))
        project = replica.project(transaction.connection)
        assert project is not None
        assert (project.device_id, project.machine) == (device_id, machine)
    device.close()


def test_a_decision_of_the_workspace_holds_its_person_in_every_campaign(
    devices: tuple[Device, Device], shared_store: MemorySharedStore
) -> None:
    here, there = devices
    for device, same in ((here, 1), (there, 0)):
        columns = {"member_keys": ["x/1", "y"], "same": same, "status": "given", "created_at": START}
        event = Event("IdentityAnswered", "answer", columns)
        device.journal.record(WORKSPACE, events=[event], actor="user", cause="c", at=START)
    in_sync(shared_store, there, here)
    assert groups(here) == ["conflict"]
    for lead, is_in_conflict in (("lead-1", True), ("lead-2", False)):
        assert here.journal.database.query(rebase_queue.is_person_in_conflict, CAMPAIGN, lead) is is_in_conflict


def test_a_decision_about_somebody_who_was_not_imported_again_holds_who_stands_there(
    devices: tuple[Device, Device], shared_store: MemorySharedStore
) -> None:
    here, there = devices
    decided(here, lead_imported(3, member_key="x/9"))
    decided(here, Event("LeadBlocked", "lead-3", {"blocked": "skipped"}), cause="skipped")
    write(there.journal, lead_imported(4, member_key="x/9"))
    in_sync(shared_store, there, here)
    assert groups(here) == ["dropped", "conflict"]
    for lead, is_in_conflict in (("lead-4", True), ("lead-1", False)):
        assert here.journal.database.query(rebase_queue.is_person_in_conflict, CAMPAIGN, lead) is is_in_conflict


@pytest.mark.parametrize(("later", "stands"), [(1, True), (0, False), (-1, False)])
@pytest.mark.parametrize(
    ("seen_at", "seen", "shown"),
    [("visited_at", {"relation": "pending"}, "connected"), ("profile_updated_at", {"headline": "As I saw it"}, "New")],
)
def test_a_look_of_an_act_counts_by_when_it_was_recorded(
    devices: tuple[Device, Device],
    shared_store: MemorySharedStore,
    seen_at: str,
    seen: dict[str, str],
    shown: str,
    later: int,
    stands: bool,
) -> None:
    """Not by when it follows again: of two looks the later one stands, whichever became known first."""
    here, there = devices
    ((name, before),) = seen.items()
    detached(here)
    decided(here, intended("act"), Event("LeadAdvanced", "lead-1", {**seen}), actor="agent", at=START + 9)
    theirs = Event("LeadAdvanced", "lead-1", {name: shown, seen_at: START + 9 + later})
    decided(there, theirs, actor="controller", at=START + 9 + later)
    in_sync(shared_store, there, here)
    for device in devices:
        assert column(device, "SELECT id FROM actions") == ["act"]
        assert column(device, f"SELECT {name} FROM leads WHERE id='lead-1'") == [shown if stands else before]


def test_what_an_erasure_left_of_an_entry_follows_again_as_it_is(
    devices: tuple[Device, Device], shared_store: MemorySharedStore
) -> None:
    """Nobody can tell any more what it was, only that this is what the erasure left of it: even if a part is no news."""
    here, there = devices
    detached(here)
    sent = {"last_sent_at": START, "headline": "Likes tea", "sequence_step": 1}
    decided(here, intended("act"), Event("LeadAdvanced", "lead-1", sent), actor="agent")
    decided(there, Event("LeadAdvanced", "lead-1", {"last_sent_at": START + 5}), actor="controller")
    there.synchronise(shared_store)
    rolled_back(here, shared_store)
    waiting = "SELECT payload, salt FROM rebase_queue_entries WHERE kind='LeadAdvanced'"
    ((payload, salt),) = here.journal.database.query(all_rows, waiting)
    left = without_words("lead", "lead-1", json.loads(payload))
    entries = {payload_digest(salt, payload).hex(): left}
    decided(here, Event("EntriesErased", "erasure-1", {"entries": entries, "created_at": START}))
    in_sync(shared_store, there, here)
    for device in devices:
        erased = "SELECT change_payload FROM event_log WHERE payload_digest IS NOT NULL"
        assert column(device, erased) == [left]
        assert column(device, "SELECT id FROM actions") == ["act"]


def test_a_row_of_a_file_follows_on_the_row_before_it(
    devices: tuple[Device, Device], shared_store: MemorySharedStore
) -> None:
    here, there = devices
    decided(
        here, lead_imported(3), Event("LeadMerged", "lead-3", {"company": "Acme"}), lead_imported(4, member_key="x/9")
    )
    write(there.journal, lead_imported(5, member_key="x/9"))
    in_sync(shared_store, there, here)
    people = "SELECT id || ' ' || company FROM leads WHERE position > 2 ORDER BY id"
    assert column(here, people) == column(there, people) == ["lead-3 Acme", "lead-5 "]


def test_what_the_workspace_has_to_say_goes_first(devices: tuple[Device, Device]) -> None:
    here, _ = devices
    write(here.journal, Event("CampaignCreated", "a-campaign", CREATED.changes), campaign="a-campaign")
    here.journal.record(WORKSPACE, events=[], audits=[AuditEntry("x", {})], actor="user", cause="c", at=START)
    assert here.behind() == [WORKSPACE, "a-campaign"]
