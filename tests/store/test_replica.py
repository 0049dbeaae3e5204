"""Several devices and one shared store: whatever is recorded where and when, in the end all have the same; nothing is lost."""

import json
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

import pytest

from backend.adapters.skills.readers import BuiltinSkillReader
from backend.commands.user_commands import Commands
from backend.domain.erasure.erasure import ERASED, without_campaign, without_words
from backend.domain.events.events import EVENT_KINDS, AuditEntry, Event
from backend.domain.values.errors import OutriderError
from backend.ports.shared_store import Batch, LoggedEvent
from backend.store.log import replay, verification
from backend.store.log.chain import GENESIS, link_entries, payload_digest
from backend.store.log.erasing_events import erasing_events
from backend.store.log.journal import Journal
from backend.store.log.replay import PROJECTIONS
from backend.store.log.transaction import Committed
from backend.store.replication import replica
from tests.fakes.clock import START, FakeClock
from tests.store.devices import Device, MemorySharedStore, Person
from tests.store.opening import CAMPAIGN, CREATED, lead_imported, write
from tests.stored_rows import all_rows, first_row

LOGS = ("event_log", "audit_log", "log_heads")


def rows(device: Device, *tables: str) -> dict[str, list[tuple[object, ...]]]:
    with device.journal.database.read() as connection:
        return {table: sorted(connection.execute(f"SELECT * FROM {table}"), key=repr) for table in tables}


def assert_sound(device: Device) -> None:
    assert replay.find_differences(device.journal.database) == []
    with device.journal.database.read() as connection:
        assert [report.broken for report in verification.verify(connection) if report.broken] == []
        assert_search_follows(connection)


def assert_search_follows(connection: sqlite3.Connection) -> None:
    """What is in no projection, because triggers keep it: keys, search indexes, the newest version of each artifact."""
    keys = "lead_id, campaign_id, priority_key, freshness_key, name_key, status_key, blocked, manual"
    assert sorted(connection.execute(f"SELECT {keys} FROM lead_keys")) == sorted(
        connection.execute(f"SELECT {keys} FROM lead_keys_now")
    )
    newest = (
        "SELECT id FROM artifacts a WHERE NOT EXISTS (SELECT 1 FROM artifacts n WHERE n.campaign_id=a.campaign_id"
        " AND n.artifact_type=a.artifact_type AND n.artifact_key=a.artifact_key AND n.version>a.version)"
    )
    assert sorted(connection.execute("SELECT artifact_id FROM artifact_heads")) == sorted(connection.execute(newest))
    for words, of in (("leads_text", "lead_keys"), ("artifacts_text", "artifact_heads")):
        numbers = [
            row[0]
            for row in connection.execute(f"SELECT rowid FROM {words} WHERE {words} MATCH 'camp*' ORDER BY rowid")
        ]
        assert numbers == [row[0] for row in connection.execute(f"SELECT number FROM {of} ORDER BY number")]


def everything(device: Device) -> dict[str, list[tuple[object, ...]]]:
    return rows(device, *LOGS, *PROJECTIONS)


def in_sync(shared_store: MemorySharedStore, *devices: Device) -> None:
    for device in (*devices, *devices):
        device.synchronise(shared_store)


def assert_the_same_and_nothing_lost(devices: list[Device], people: list[Person]) -> None:
    for device in devices:
        assert device.behind() == []
        assert_sound(device)
    first, *others = map(everything, devices)
    for other in others:
        for table, table_rows in first.items():
            assert other[table] == table_rows, table
    logged = salts(devices[0], "event_log")
    for device, person in zip(devices, people, strict=True):
        aside = salts(device, "rebase_queue_entries")
        assert {salt: logged[salt] + aside[salt] for salt in person.events} == dict.fromkeys(person.events, 1)
        assert {row[0] for row in rows(device, "rebase_queue")["rebase_queue"] if row[4] == "pending"} == set()
    assert salts(devices[0], "audit_log") == Counter(salt for person in people for salt in person.audits)


@pytest.mark.parametrize(
    "seed", [*range(8), *(pytest.param(seed, marks=pytest.mark.endurance) for seed in range(8, 200))]
)
def test_all_devices_end_with_the_same_and_nothing_is_lost(tmp_path: Path, seed: int) -> None:
    random, shared_store = Random(seed), MemorySharedStore()
    devices = [Device(tmp_path / f"{n}.db", f"d{n}") for n in range(random.choice((2, 2, 3)))]
    apart = random.choice((0, 1_000_000))  # with the same numbers, what they make collides
    people = [Person(random, device, n * apart) for n, device in enumerate(devices)]
    for _ in range(60):
        device, person = random.choice(list(zip(devices, people, strict=True)))
        if random.random() < 0.7:
            person.decide()
            continue
        for _ in device.synchronise_by_steps(shared_store, page=random.choice((3, 50))):
            if random.random() < 0.05:
                device.reopen()  # it ended there
                break
    in_sync(shared_store, *devices)
    assert_the_same_and_nothing_lost(devices, people)
    for device in devices:
        device.close()


def test_two_devices_that_were_apart_for_five_hundred_decisions_each_end_with_the_same(tmp_path: Path) -> None:
    random, shared_store = Random(1), MemorySharedStore()
    devices = [Device(tmp_path / f"{n}.db", f"d{n}") for n in range(2)]
    people = [Person(random, device, n * 1_000_000) for n, device in enumerate(devices)]
    for _ in range(20):
        people[0].decide()
    in_sync(shared_store, *devices)
    for person in people:
        for _ in range(500):
            person.decide()
    in_sync(shared_store, *devices)
    assert_the_same_and_nothing_lost(devices, people)


# --- what goes there ---


@pytest.fixture
def device(tmp_path: Path) -> Iterator[Device]:
    opened = Device(tmp_path / "o.db", "d")
    yield opened
    opened.close()


def waiting(device: Device) -> int:
    return device.journal.database.query(replica.count_unacknowledged)


def outgoing(device: Device, most: int = 100, most_bytes: int = 10_000) -> Batch | None:
    return device.journal.database.query(replica.next_batch, CAMPAIGN, most=most, most_bytes=most_bytes)


def seqs(batch: Batch | None) -> tuple[list[int], list[int]]:
    assert batch is not None
    return [event.seq for event in batch.events], [audit.seq for audit in batch.audits]


def test_without_a_project_nothing_waits(device: Device) -> None:
    write(device.journal, CREATED)
    assert (waiting(device), device.behind()) == (0, [])


def test_what_waits_is_what_is_not_acknowledged(device: Device) -> None:
    write(device.journal, CREATED)
    device.attach()
    assert (waiting(device), device.behind()) == (1, [CAMPAIGN])
    write(device.journal, lead_imported(1), audits=[AuditEntry("looked", {})])
    device.acknowledge(CAMPAIGN, 2, 0)
    assert (waiting(device), device.behind()) == (0, [CAMPAIGN])  # the audit entry
    device.acknowledge(CAMPAIGN, 2, 1)
    assert device.behind() == []
    assert outgoing(device) is None
    write(device.journal, Event("ConfigSet", "a", {"value": "1"}), campaign="workspace")
    assert (waiting(device), device.behind()) == (1, ["workspace"])  # a stream that is new since then


def test_an_acknowledgement_is_never_more_than_is_here_and_never_less_than_before(device: Device) -> None:
    write(device.journal, CREATED, lead_imported(1))
    device.attach()
    device.acknowledge(CAMPAIGN, 9, 9)
    assert rows(device, "acknowledged")["acknowledged"] == [(CAMPAIGN, 2, 0, 2)]
    device.acknowledge(CAMPAIGN, 1, 0)
    assert rows(device, "acknowledged")["acknowledged"] == [(CAMPAIGN, 2, 0, 2)]


def test_a_batch_is_bounded_has_one_entry_at_least_and_ends_between_transactions(device: Device) -> None:
    write(device.journal, CREATED)
    for n in range(3):
        leads = [lead_imported(2 * n + i, full_name="x" * 1_000) for i in range(2)]
        device.journal.record(CAMPAIGN, events=leads, actor="user", cause=f"t{n}", at=START)
    write(device.journal, audits=[AuditEntry("looked", {"n": n}) for n in range(3)])
    device.attach()
    assert seqs(outgoing(device)) == ([1, 2, 3, 4, 5, 6, 7], [1, 2, 3])
    assert seqs(outgoing(device, most=8)) == ([1, 2, 3, 4, 5, 6, 7], [1])
    assert seqs(outgoing(device, most=4)) == ([1, 2, 3], [1])  # the second transaction would not be whole
    assert seqs(outgoing(device, most_bytes=2_600)) == ([1, 2, 3], [])
    device.acknowledge(CAMPAIGN, 1, 0)
    assert seqs(outgoing(device, most=1)) == ([2], [])  # one that is larger than a batch goes in pieces
    assert seqs(outgoing(device, most_bytes=1)) == ([2], [])


def test_of_erasures_a_batch_has_fewer_as_the_shared_store_alters_each_entry_that_they_name(device: Device) -> None:
    write(device.journal, CREATED)
    for n in range(8):
        entries = {f"{n:02}{digit:062}": "{}" for digit in range(20)}
        write(device.journal, Event("EntriesErased", f"erasure{n}", {"entries": entries, "created_at": 1}))
    device.attach()
    device.acknowledge(CAMPAIGN, 1, 0)
    batch = outgoing(device, most_bytes=1_000_000)
    assert batch is not None
    size = len(batch.events[0].payload)
    assert seqs(outgoing(device, most_bytes=8 * size)) == ([2, 3], [])
    assert seqs(outgoing(device, most_bytes=1)) == ([2], [])


# --- what comes from there ---


def other(tmp_path: Path) -> Device:
    """Another device, with a campaign and two leads."""
    made = Device(tmp_path / "other.db", "e")
    write(made.journal, CREATED, audits=[AuditEntry("looked", {"n": 1})])
    write(made.journal, lead_imported(1), lead_imported(2))
    made.attach()
    return made


def test_the_shared_stores_entries_are_taken_over_as_they_are_and_only_once(tmp_path: Path, device: Device) -> None:
    there = other(tmp_path)
    batch = outgoing(there)
    assert batch is not None
    device.attach()
    heard: list[Committed] = []
    device.journal.subscribe(heard.append)
    for _ in range(2):
        device.adopt(batch.campaign_id, batch.events, batch.audits)
    device.adopt(batch.campaign_id, batch.events[1:2], ())
    assert everything(device) == everything(there)
    assert [event.seq for committed in heard for event in committed.events] == [1, 2, 3]
    assert all(committed.adopted for committed in heard)
    assert device.behind() == []
    assert_sound(device)


def altered(entries: tuple[LoggedEvent, ...], at: int, **changes: object) -> tuple[LoggedEvent, ...]:
    return (*entries[:at], entries[at]._replace(**changes), *entries[at + 1 :])  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "spoil",
    [
        lambda events: altered(events, 1, payload=events[1].payload.replace("Person", "Nobody")),
        lambda events: altered(events, 1, actor="user"),
        lambda events: altered(events, 1, hash=b"x" * 32),
        lambda events: altered(events, 2, seq=4),
        lambda events: (events[0], events[2], events[1]),
        lambda events: (events[0], events[2]),
        lambda events: events[1:],
        lambda events: (*events[:2], events[1]),
        lambda events: linked_anew(events, 1, entity_id="lead-2"),  # a person twice: well hashed, and not to be folded
        lambda events: linked_anew(events, 1, kind="LeadNoted", payload='{"notes":"x"}'),  # nobody there
        lambda events: linked_anew(events, 1, payload="[]"),
        lambda events: linked_anew(  # a column's name that is more than a name
            events,
            2,
            kind="LeadNoted",
            entity_id=events[1].entity_id,
            payload='{"notes=(SELECT url FROM project), tags":"[]"}',
        ),
        lambda events: noted_anew(events, '{"id":"lead-9"}'),  # another row than it is about
        lambda events: noted_anew(events, '{"campaign_id":"camp-9","id":"lead-9"}'),
    ],
)
def test_a_log_that_does_not_fit_is_not_taken_over(
    tmp_path: Path, device: Device, spoil: Callable[[tuple[LoggedEvent, ...]], tuple[LoggedEvent, ...]]
) -> None:
    there = other(tmp_path)
    batch = outgoing(there)
    assert batch is not None
    device.attach()
    before = everything(device)
    with pytest.raises(OutriderError) as refused:
        device.adopt(batch.campaign_id, spoil(batch.events), ())
    assert refused.value.code == "shared_store_log_broken"
    assert everything(device) == before


def noted_anew(events: tuple[LoggedEvent, ...], payload: str) -> tuple[LoggedEvent, ...]:
    return linked_anew(events, 2, kind="LeadNoted", entity_id=events[1].entity_id, payload=payload)


def linked_anew(events: tuple[LoggedEvent, ...], at: int, **changes: object) -> tuple[LoggedEvent, ...]:
    return tuple(link_entries(CAMPAIGN, 0, GENESIS, altered(events, at, **changes)))


@pytest.mark.parametrize(
    ("newer", "what"),
    [
        ({"kind": "LeadTeleported"}, "LeadTeleported"),
        ({"kind": "LeadNoted", "payload": '{"mood":"","notes":""}'}, "LeadNoted.mood"),
    ],
)
def test_an_entry_of_a_later_outrider_says_so(tmp_path: Path, device: Device, newer: dict[str, str], what: str) -> None:
    batch = outgoing(other(tmp_path))
    assert batch is not None
    device.attach()
    with pytest.raises(OutriderError) as refused:
        device.adopt(CAMPAIGN, linked_anew(batch.events, 1, entity_id=batch.events[1].entity_id, **newer), ())
    assert refused.value.code == "shared_store_newer"
    assert refused.value.facts["kind"] == what


@pytest.mark.parametrize("at", [1, 2])
def test_what_was_acknowledged_is_not_changed_by_the_shared_store_either(
    tmp_path: Path, device: Device, at: int
) -> None:
    batch = outgoing(other(tmp_path))
    assert batch is not None
    device.attach()
    device.adopt(CAMPAIGN, batch.events, batch.audits)
    with pytest.raises(OutriderError) as refused:
        device.adopt(CAMPAIGN, linked_anew(batch.events, at, payload='{"full_name":"Other"}'), ())
    assert refused.value.code == "shared_store_log_broken"


def erase_name(journal: Journal, seq: int) -> None:
    """The name of the lead that this event imported is erased."""
    lead_id, salt, payload = journal.database.query(
        first_row, "SELECT entity_id, salt, change_payload FROM event_log WHERE seq=?", seq
    )
    left = {payload_digest(salt, payload).hex(): without_words("lead", lead_id, json.loads(payload))}
    write(journal, Event("EntriesErased", "erasure-1", {"entries": left, "created_at": START}))


def test_erased_entries_are_taken_over_erased(tmp_path: Path, device: Device) -> None:
    there = other(tmp_path)
    erase_name(there.journal, 2)
    batch = outgoing(there)
    assert batch is not None
    device.attach()
    device.adopt(CAMPAIGN, batch.events, batch.audits)
    assert rows(device, *LOGS) == rows(there, *LOGS)
    assert_sound(device)


def test_a_device_that_comes_back_erases_what_was_erased_meanwhile(tmp_path: Path) -> None:
    shared_store, there, here = MemorySharedStore(), other(tmp_path), Device(tmp_path / "here.db", "d")
    in_sync(shared_store, there, here)
    write(here.journal, Event("LeadNoted", "lead-2", {"notes": "decided here while offline"}))
    erase_name(there.journal, 2)
    there.synchronise(shared_store)
    here.synchronise(shared_store)
    there.synchronise(shared_store)
    assert everything(here) == everything(there)
    assert rows(here, "leads")["leads"][0][2] == ERASED
    assert_sound(here)
    assert_sound(there)


# --- the rebase ---


def rebased(tmp_path: Path, *own_events: Event, their_event: Event) -> tuple[Device, Device, MemorySharedStore]:
    """Two devices with a campaign and two leads: what each decided then, and the other's came first."""
    shared_store, there, here = MemorySharedStore(), other(tmp_path), Device(tmp_path / "here.db", "d")
    in_sync(shared_store, there, here)
    heard: list[Committed] = []
    here.journal.subscribe(heard.append)
    for n, event in enumerate(own_events):
        here.journal.record(CAMPAIGN, events=[event], actor="user", cause=f"decision {n}", at=START)
    write(there.journal, their_event)
    there.synchronise(shared_store)
    here.synchronise(shared_store)
    there.synchronise(shared_store)
    assert everything(here) == everything(there)
    assert_sound(here)
    assert [event.event for committed in heard if committed.adopted for event in committed.events] == [their_event]
    return here, there, shared_store


def noted(lead: int, text: str) -> Event:
    return Event("LeadNoted", f"lead-{lead}", {"notes": text})


def groups(device: Device) -> list[str]:
    with device.journal.database.read() as connection:
        return [row[0] for row in connection.execute("SELECT status FROM rebase_queue ORDER BY position")]


def notes(device: Device) -> dict[str, str]:
    return dict(device.journal.database.query(all_rows, "SELECT id, notes FROM leads WHERE notes<>''"))


def test_a_decision_about_something_else_follows(tmp_path: Path) -> None:
    here, _, _ = rebased(tmp_path, noted(1, "mine"), their_event=noted(2, "theirs"))
    assert notes(here) == {"lead-1": "mine", "lead-2": "theirs"}
    assert groups(here) == ["rebased"]


def test_a_decision_about_the_same_is_kept_for_the_user(tmp_path: Path) -> None:
    here, _, _ = rebased(tmp_path, noted(1, "mine"), their_event=noted(1, "theirs"))
    assert notes(here) == {"lead-1": "theirs"}
    assert groups(here) == ["conflict"]
    assert "mine" in str(rows(here, "rebase_queue_entries"))


def test_a_decision_that_is_so_anyway_is_not_asked_again(tmp_path: Path) -> None:
    here, _, _ = rebased(tmp_path, noted(1, "same"), their_event=noted(1, "same"))
    assert groups(here) == ["dropped"]


def test_a_turn_is_dropped_its_cost_stays_and_its_audit_entries_say_so(tmp_path: Path) -> None:
    shared_store, there, here = MemorySharedStore(), other(tmp_path), Device(tmp_path / "here.db", "d")
    in_sync(shared_store, there, here)
    paid = {"model": "m", "tokens_in": 1, "tokens_out": 2, "cost_micros": 30}
    turn, theirs = (Event("TurnCompleted", "1", {"history": "x", "steps": [took], **paid}) for took in (1, 2))
    origin = {"actor": "controller", "cause": "t1", "at": START}
    here.journal.record(CAMPAIGN, events=[turn], audits=[AuditEntry("proposal", {"raw": "{}"})], **origin)  # type: ignore[arg-type]
    there.journal.record(CAMPAIGN, events=[theirs], audits=[AuditEntry("proposal", {"raw": "[]"})], **origin)  # type: ignore[arg-type]
    there.synchronise(shared_store)
    here.synchronise(shared_store)
    assert groups(here) == ["dropped", "rebased"]
    causes = [row[7] for row in sorted(rows(here, "audit_log")["audit_log"])]
    assert causes == ["a test", "t1", "not reapplied: t1"]
    assert rows(here, "model_spend")["model_spend"] == [(CAMPAIGN, "m", 2, 2, 4, 60)]  # both replies were paid for
    assert_sound(here)


def test_what_rests_on_a_decision_that_does_not_follow_does_not_follow_either(tmp_path: Path) -> None:
    here, _, _ = rebased(
        tmp_path,
        lead_imported(3, member_key="x/9"),
        noted(3, "about them"),
        noted(1, "mine"),
        their_event=lead_imported(4, member_key="x/9"),
    )
    assert notes(here) == {"lead-1": "mine"}


def test_what_was_decided_after_a_decision_that_does_not_follow_waits_with_it(tmp_path: Path) -> None:
    shared_store, there, here = MemorySharedStore(), other(tmp_path), Device(tmp_path / "here.db", "d")
    in_sync(shared_store, there, here)
    write(here.journal, noted(1, "mine"), noted(2, "mine"))
    here.journal.record(CAMPAIGN, events=[noted(2, "and more")], actor="user", cause="later", at=START)
    write(there.journal, noted(1, "theirs"))
    in_sync(shared_store, there, here)
    assert notes(here) == {"lead-1": "theirs"}
    assert "conflict" in groups(here)
    assert_sound(here)


def test_what_was_decided_when_theirs_was_known_follows(tmp_path: Path) -> None:
    """Rolled back twice, before anything could be reapplied: each decision is held against what came after it."""
    shared_store, there, here = MemorySharedStore(), other(tmp_path), Device(tmp_path / "here.db", "d")
    in_sync(shared_store, there, here)
    write(here.journal, noted(1, "before"))
    write(there.journal, noted(1, "theirs"))
    there.synchronise(shared_store)
    for step in here.synchronise_by_steps(shared_store):
        if step == "adopted":
            break  # it ended there: what was rolled back is pending
    write(here.journal, noted(1, "knowing"))
    write(there.journal, noted(2, "theirs"))
    in_sync(shared_store, there, here)
    assert notes(here) == notes(there) == {"lead-1": "knowing", "lead-2": "theirs"}
    assert [row[4] for row in sorted(rows(here, "rebase_queue")["rebase_queue"])] == ["dropped", "rebased"]
    assert_sound(here)


def test_a_file_that_both_imported_comes_in_once(tmp_path: Path) -> None:
    shared_store, there, here = MemorySharedStore(), other(tmp_path), Device(tmp_path / "here.db", "d")
    in_sync(shared_store, there, here)
    own_events = [lead_imported(n) for n in range(3, 8)]
    their_events = [lead_imported(n + 10, member_key=f"x/{n}") for n in range(5, 9)]
    here.journal.record(CAMPAIGN, events=own_events, actor="user", cause="import a", at=START)
    there.journal.record(CAMPAIGN, events=their_events, actor="user", cause="import b", at=START)
    there.synchronise(shared_store)
    here.synchronise(shared_store)
    with here.journal.database.read() as connection:
        members = [row[0] for row in connection.execute("SELECT member_key FROM leads ORDER BY member_key")]
    assert members == [f"x/{n}" for n in range(1, 9)]
    assert groups(here) == ["dropped"]
    assert_sound(here)


def test_what_only_the_database_refuses_is_kept_like_what_the_rules_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replica, "can_reapply", lambda *_, **__: True)
    here, _, _ = rebased(
        tmp_path, lead_imported(3, member_key="x/9"), noted(2, "mine"), their_event=lead_imported(4, member_key="x/9")
    )
    assert groups(here) == ["dropped", "rebased"]
    assert notes(here) == {"lead-2": "mine"}


def test_an_artifacts_earlier_version_is_the_newest_again(tmp_path: Path) -> None:
    def saved(device: str, version: int) -> Event:
        values = {
            "artifact_type": "note",
            "artifact_key": "k",
            "made_by": "user",
            "content": f"{device} wrote {version}",
        }
        return Event("ArtifactPersisted", f"{device}-{version}", {**values, "version": version, "created_at": START})

    shared_store, there, here = MemorySharedStore(), other(tmp_path), Device(tmp_path / "here.db", "d")
    write(there.journal, saved("there", 1))
    in_sync(shared_store, there, here)
    for version in (2, 3):
        write(here.journal, saved("here", version))
    with here.journal.transaction() as transaction:
        assert replica.roll_back_unacknowledged(transaction, CAMPAIGN, START) == 2
    with here.journal.database.read() as connection:
        assert connection.execute("SELECT artifact_id FROM artifact_heads").fetchall() == [("there-1",)]
        query = (
            "SELECT artifact_id FROM artifact_heads"
            " WHERE number IN (SELECT rowid FROM artifacts_text WHERE artifacts_text MATCH ?)"
        )
        assert connection.execute(query, ("there",)).fetchall() == [("there-1",)]
        assert connection.execute(query, ("here",)).fetchall() == []


def test_a_push_whose_answer_was_lost_is_known_when_it_comes_back(tmp_path: Path) -> None:
    """Also when another device went on behind it, and when only the beginning of a transaction had gone."""
    shared_store, there, here = MemorySharedStore(), other(tmp_path), Device(tmp_path / "here.db", "d")
    in_sync(shared_store, there, here)
    here.journal.record(CAMPAIGN, events=[noted(1, "a"), noted(1, "b")], actor="user", cause="c", at=START)
    batch = outgoing(here, most=1)
    assert batch is not None
    shared_store.append(batch)
    there.synchronise(shared_store)
    write(there.journal, noted(2, "theirs"))
    there.synchronise(shared_store)
    here.synchronise(shared_store)
    there.synchronise(shared_store)
    assert notes(here) == notes(there) == {"lead-1": "b", "lead-2": "theirs"}
    assert groups(here) == ["rebased"]
    assert rows(here, "rebase_queue_entries")["rebase_queue_entries"] == []


def test_a_device_that_attaches_again_to_the_same_project_has_nothing_twice(tmp_path: Path) -> None:
    here, there, shared_store = rebased(tmp_path, noted(1, "mine"), their_event=noted(2, "theirs"))
    with here.journal.transaction() as transaction:
        replica.detach(transaction, START)
    write(here.journal, noted(1, "alone"))
    write(there.journal, noted(2, "meanwhile"))
    in_sync(shared_store, there, here)
    assert everything(here) == everything(there)
    assert notes(here) == {"lead-1": "alone", "lead-2": "meanwhile"}
    assert set(groups(here)) == {"rebased"}


def test_skills_that_both_devices_shipped_are_no_conflict(tmp_path: Path) -> None:
    shared_store, devices = MemorySharedStore(), [Device(tmp_path / f"{n}.db", f"d{n}") for n in range(2)]
    for device in devices:
        Commands(device.journal, FakeClock(), "controller").skills.update_builtin(BuiltinSkillReader().folders())
    in_sync(shared_store, *devices)
    before = everything(devices[0])
    assert groups(devices[1]) == ["dropped"]
    Commands(devices[1].journal, FakeClock(), "controller").skills.update_builtin(BuiltinSkillReader().folders())
    in_sync(shared_store, *devices)
    assert everything(devices[0]) == everything(devices[1]) == before


# --- append-only, but for a rebase ---


def refuses(device: Device, *statements: str) -> None:
    for sql in statements:
        with pytest.raises(sqlite3.IntegrityError, match="append-only"), device.journal.database.write() as connection:
            connection.execute(sql)


DELETES = ("DELETE FROM event_log WHERE seq=2", "DELETE FROM audit_log WHERE seq=1")
KEEP = (
    "INSERT INTO rebase_queue_entries SELECT 'g', 'event', campaign_id, seq, timestamp, kind, entity_type, entity_id,"
    " change_payload, actor, cause, salt, payload_digest, hash FROM event_log WHERE seq=2",
    "INSERT INTO rebase_queue_entries SELECT 'g', 'audit', campaign_id, seq, timestamp, action_type, '', '',"
    " payload, actor, cause, salt, payload_digest, hash FROM audit_log WHERE seq=1",
)


def keep(device: Device) -> None:
    with device.journal.database.write() as connection:
        for sql in KEEP:
            connection.execute(sql)


@pytest.fixture
def filled(device: Device) -> Device:
    write(device.journal, CREATED, lead_imported(1), audits=[AuditEntry("looked", {"n": 1})])
    return device


def test_nothing_leaves_the_log_while_no_project_is_attached(filled: Device) -> None:
    keep(filled)
    refuses(filled, *DELETES)
    filled.attach()
    with filled.journal.transaction() as transaction:
        replica.detach(transaction, START)
    refuses(filled, *DELETES)


def test_nothing_leaves_the_log_that_is_not_kept_beside_it(filled: Device) -> None:
    filled.attach()
    refuses(filled, *DELETES)


@pytest.mark.parametrize("spoilt", ["payload='{}'", "salt=x'00'", "campaign_id='other'", "seq=7", "hash=x'00'"])
def test_nothing_leaves_the_log_that_is_not_kept_whole(filled: Device, spoilt: str) -> None:
    filled.attach()
    with filled.journal.database.write() as connection:
        for sql in KEEP:
            connection.execute(sql)
        connection.execute(f"UPDATE rebase_queue_entries SET {spoilt}")
    refuses(filled, *DELETES)


def test_nothing_leaves_the_log_that_is_acknowledged(filled: Device) -> None:
    filled.attach()
    filled.acknowledge(CAMPAIGN, 2, 1)
    keep(filled)
    refuses(filled, *DELETES)


def test_what_is_neither_acknowledged_nor_lost_may_leave_the_log(filled: Device) -> None:
    filled.attach()
    keep(filled)
    with filled.journal.database.write() as connection:
        for sql in DELETES:
            assert connection.execute(sql).rowcount == 1


def test_detaching_leaves_the_logs_the_rows_and_what_waits_for_a_choice(tmp_path: Path) -> None:
    here, _, _ = rebased(tmp_path, noted(1, "mine"), their_event=noted(1, "theirs"))
    before = rows(here, *LOGS, *PROJECTIONS, "rebase_queue", "rebase_queue_entries")
    with here.journal.transaction() as transaction:
        replica.detach(transaction, START)
    assert rows(here, *before) == before
    assert rows(here, "project", "acknowledged") == {"project": [], "acknowledged": []}
    with pytest.raises(OutriderError) as refused, here.journal.transaction() as transaction:
        replica.acknowledge(transaction, CAMPAIGN, 1, 1)
    assert refused.value.code == "not_attached"


def salts(device: Device, table: str) -> Counter[bytes]:
    return Counter(row[0] for row in device.journal.database.query(all_rows, f"SELECT salt FROM {table}"))


@pytest.mark.parametrize(
    ("event", "index"),
    [
        (lead_imported(7, full_name="Zanzibarina Quagga"), "leads_text"),
        (lead_imported(7, full_name="Łucja Zanzibarina"), "leads_text_typed"),
        (
            Event(
                "ArtifactPersisted",
                "words",
                {
                    "artifact_type": "note", "artifact_key": "k", "made_by": "user", "content": "Zanzibarina Quagga",
                    "version": 1, "created_at": START,
                },
            ),
            "artifacts_text",
        ),
    ],
)  # fmt: skip
def test_what_is_erased_of_an_entry_that_only_waits_beside_the_log_leaves_no_word_in_a_search_index(
    tmp_path: Path, event: Event, index: str
) -> None:
    """A deleted row's words stay in the index's pages until a merge; world 870245 found them."""

    def words() -> bytes:
        pages = here.journal.database.query(all_rows, f"SELECT block FROM {index}_data")
        return b"".join(page for (page,) in pages)

    shared_store, there, here = MemorySharedStore(), other(tmp_path), Device(tmp_path / "here.db", "d")
    in_sync(shared_store, there, here)
    write(here.journal, event)
    with here.journal.transaction() as transaction:
        assert replica.roll_back_unacknowledged(transaction, CAMPAIGN, START) == 1
    assert b"anz" in words()
    with here.journal.transaction() as transaction:
        salt, payload = transaction.connection.execute("SELECT salt, payload FROM rebase_queue_entries").fetchone()
        entity, changes = EVENT_KINDS[event.kind].entity, json.loads(payload)
        left = {payload_digest(salt, payload).hex(): without_campaign(entity, event.entity_id, changes)}
        erasing = erasing_events(transaction, CAMPAIGN, left, START)
        transaction.record(CAMPAIGN, erasing, actor="user", cause="c", at=START)
    assert "Zanzibarina" not in str(rows(here, "rebase_queue_entries"))
    assert b"anz" not in words()
    assert_sound(here)
