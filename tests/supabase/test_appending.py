"""An append: all or nothing, known by its hashes, refused where the stream does not end or the chain does not follow."""

import threading
from collections import Counter
from pathlib import Path
from typing import Any
from uuid import uuid4

import psycopg
import pytest

from backend.domain.events.events import AuditEntry, Event
from backend.store.log.journal import Journal
from tests.fakes.clock import START
from tests.postgres import Project
from tests.store.opening import CAMPAIGN, CREATED, lead_imported, open_journal, started, task_created, write
from tests.supabase.tenant import (
    ROWS,
    Entries,
    Tenant,
    append,
    audits_of,
    chained,
    events_of,
    lease,
    push,
    refused,
    rows_read,
    signed_in,
)

TURN = Event("TurnCompleted", "1", {"history": "WLPAC", "steps": []})


def everything(tenant: Tenant) -> dict[str, list[tuple[Any, ...]]]:
    """All that this user has."""
    return {table: tenant.rows(table) for table in (*ROWS, "event_log", "audit_log")}


def device(folder: Path) -> Journal:
    """A device with a campaign, four leads and an audit entry for each of the first three."""
    journal = started(folder / "local.db")
    for n in range(1, 5):
        write(journal, lead_imported(n), audits=[AuditEntry("row", {"n": n})] if n < 4 else [])
    return journal


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    """A device to go on writing on."""
    return device(tmp_path)


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Entries, Entries]:
    """What such a device has to push."""
    with device(tmp_path_factory.mktemp("device")).database.read() as local:
        return events_of(local, CAMPAIGN), audits_of(local, CAMPAIGN)


@pytest.fixture
def events(logs: tuple[Entries, Entries]) -> Entries:
    """Its five events."""
    return logs[0]


@pytest.fixture
def audits(logs: tuple[Entries, Entries]) -> Entries:
    """Its three audit entries."""
    return logs[1]


def test_an_append_says_where_the_stream_and_the_workspace_end(alice: Tenant, events: Entries, audits: Entries) -> None:
    assert append(alice, CAMPAIGN, 0, events[:3], audits=audits[:1]) == {
        "event_seq": 3,
        "audit_seq": 1,
        "workspace_seq": 0,
    }
    answer = append(alice, CAMPAIGN, 3, events[3:], expected_audit_seq=1, audits=audits[1:])
    assert answer == {"event_seq": 5, "audit_seq": 3, "workspace_seq": 0}
    assert len(alice.rows("leads")) == 4


def test_an_append_tells_of_the_workspace_s_later_decisions(alice: Tenant, journal: Journal, events: Entries) -> None:
    write(
        journal, Event("ConfigSet", "a", {"value": "1"}), Event("ConfigSet", "b", {"value": "2"}), campaign="workspace"
    )
    append(alice, "workspace", 0, journal.database.query(events_of, "workspace"))
    assert append(alice, CAMPAIGN, 0, events)["workspace_seq"] == 2


def test_the_same_again_changes_nothing(alice: Tenant, events: Entries, audits: Entries) -> None:
    first = append(alice, CAMPAIGN, 0, events, audits=audits)
    before = everything(alice)
    assert append(alice, CAMPAIGN, 0, events, audits=audits) == first
    assert append(alice, CAMPAIGN, 1, events[1:3], expected_audit_seq=2, audits=audits[2:]) == first
    assert append(alice, CAMPAIGN, 5, []) == first
    assert everything(alice) == before


def test_what_is_there_is_passed_over_and_the_rest_appended(alice: Tenant, events: Entries, audits: Entries) -> None:
    append(alice, CAMPAIGN, 0, events[:3], audits=audits[:2])
    answer = append(alice, CAMPAIGN, 1, events[1:], expected_audit_seq=1, audits=audits[1:])
    assert (answer["event_seq"], answer["audit_seq"]) == (5, 3)
    assert [row[0] for row in alice.rows("event_log", "seq")] == [1, 2, 3, 4, 5]


def test_entries_that_do_not_follow_one_another_are_a_conflict(alice: Tenant, events: Entries) -> None:
    for expected, chosen in ((1, [1, 2]), (0, [1, 2]), (0, [0, 2]), (3, [])):
        with refused("PT409", "conflict"):
            append(alice, CAMPAIGN, expected, [events[at] for at in chosen])
    assert not any(everything(alice).values())


def test_an_entry_that_comes_twice_in_one_append_is_refused(alice: Tenant, events: Entries) -> None:
    with refused("PT422", "append_refused"):
        append(alice, CAMPAIGN, 0, [events[0], events[1], events[1]])
    assert not any(everything(alice).values())


def test_another_entry_in_the_same_place_is_a_conflict(alice: Tenant, events: Entries, tmp_path: Path) -> None:
    other = started(tmp_path / "other.db", lead_imported(9), lead_imported(8), lead_imported(7), seed="other")
    their_entries = other.database.query(events_of, CAMPAIGN)
    append(alice, CAMPAIGN, 0, events[:3])
    before = everything(alice)
    for start in (0, 2):
        with refused("PT409", "conflict"):
            append(alice, CAMPAIGN, start, their_entries[start:])
    assert everything(alice) == before


def test_audits_of_a_device_that_is_behind_are_a_conflict(alice: Tenant, events: Entries, audits: Entries) -> None:
    append(alice, CAMPAIGN, 0, events, audits=audits[:1])
    with refused("PT409", "conflict"):
        append(alice, CAMPAIGN, 2, events[2:4], expected_audit_seq=1, audits=audits[1:])
    assert len(alice.rows("audit_log")) == 1


def test_an_entry_that_was_altered_on_the_way_is_refused(alice: Tenant, events: Entries, audits: Entries) -> None:
    for log, names in ((events, "timestamp kind entity_type entity_id"), (audits, "timestamp action_type")):
        for name in (*names.split(), "payload", "actor", "cause", "salt", "hash"):
            other = {"timestamp": START + 1, "kind": "LeadMerged"}.get(name, "other")
            altered = {**log[1], name: log[2][name] if name in ("payload", "salt", "hash") else other}
            sent = [[altered if entry is log[1] else entry for entry in whole] for whole in (events, audits)]
            with refused("PT422", "append_refused"):
                append(alice, CAMPAIGN, 0, sent[0], audits=sent[1])
    assert not any(everything(alice).values())


def test_an_entry_of_another_stream_does_not_fit(alice: Tenant, events: Entries) -> None:
    with refused("PT422", "append_refused", "hash of event 1"):
        append(alice, "camp-2", 0, events)


def test_what_no_row_can_become_is_refused_whole(alice: Tenant, events: Entries) -> None:
    append(alice, CAMPAIGN, 0, events)
    before = everything(alice)
    for event, why in (
        (lead_imported(1), "leads_pkey"),
        (lead_imported(9, member_key="x/1"), "unique"),
        (Event("LeadNoted", "lead-9", {"notes": "?"}), "alters one that is not"),
        (Event("LeadNoted", "lead-1", {"notes": None}), "null value"),
        (Event("LeadNoted", "lead-1", {"shoe_size": 41}), "has no shoe_size"),
        (Event("LeadNoted", "lead-1", {"position": "far"}), "(22P02)"),
        (Event("LeadDreamt", "lead-1", {}), "not known"),
        (Event("SecretKept", "s", {"key_name": "k", "encrypted_value": "", "config_type": "?"}), "null value"),
    ):
        with refused("PT422", "append_refused", why):
            append(alice, CAMPAIGN, 5, chained(events[-1], task_created(1), event))
    assert everything(alice) == before


def test_a_row_made_twice_in_one_append_is_refused(alice: Tenant, events: Entries) -> None:
    append(alice, CAMPAIGN, 0, events)
    with refused("PT422", "append_refused", "makes a row that is there"):
        append(alice, CAMPAIGN, 5, chained(events[-1], task_created(1), task_created(1)))


@pytest.mark.parametrize(
    "theirs",
    [Event("LeadNoted", "lead-1", {"notes": "?"}), Event("CampaignEdited", CAMPAIGN, {"name": "?"})],
    ids=lambda event: event.kind,
)
def test_a_row_of_another_campaign_is_not_altered(
    alice: Tenant, events: Entries, tmp_path: Path, theirs: Event
) -> None:
    append(alice, CAMPAIGN, 0, events)
    other = open_journal(tmp_path / "other.db")
    created = Event("CampaignCreated", "camp-2", CREATED.changes)
    write(other, created, campaign="camp-2")
    their_entries = other.database.query(events_of, "camp-2")
    append(alice, "camp-2", 0, their_entries)
    with refused("PT422", "append_refused", "alters one that is not"):
        append(alice, "camp-2", 1, chained(their_entries[0], theirs, stream="camp-2"))


def test_a_stream_without_its_campaign_is_refused(alice: Tenant, events: Entries) -> None:
    with refused("PT422", "append_refused", "no such campaign"):
        append(alice, CAMPAIGN, 0, chained(None, lead_imported(1)))


def test_unique_values_may_change_places_in_one_append(alice: Tenant, journal: Journal) -> None:
    write(journal, Event("LeadMerged", "lead-1", {"member_key": "free"}))
    write(journal, Event("LeadMerged", "lead-2", {"member_key": "x/1"}))
    write(journal, Event("LeadMerged", "lead-1", {"member_key": "x/2"}))
    entries = journal.database.query(events_of, CAMPAIGN)
    append(alice, CAMPAIGN, 0, entries[:5])
    append(alice, CAMPAIGN, 5, entries[5:])
    assert alice.rows("leads", "id, member_key")[:2] == [("lead-1", "x/2"), ("lead-2", "x/1")]


def test_only_the_holder_of_the_lease_records_turns(alice: Tenant, events: Entries) -> None:
    append(alice, CAMPAIGN, 0, events)
    turn = chained(events[-1], TURN)
    for fence in (0, 1):
        with refused("PT423", "lease_lost"):
            append(alice, CAMPAIGN, 5, turn, fence=fence)
    granted_lease = lease(alice)
    with refused("PT423", "lease_lost"):
        append(alice, CAMPAIGN, 5, turn, fence=granted_lease["fence"] + 1)
    assert append(alice, CAMPAIGN, 5, turn, fence=granted_lease["fence"])["event_seq"] == 6
    alice.call("release_lease", device_id="device-1", fence=granted_lease["fence"])
    assert append(alice, CAMPAIGN, 5, turn, fence=0)["event_seq"] == 6  # what is there needs nobody's leave
    with refused("PT423", "lease_lost"):
        append(
            alice,
            CAMPAIGN,
            6,
            chained(turn[-1], Event("TurnCompleted", "2", TURN.changes)),
            fence=granted_lease["fence"],
        )


def test_a_revoked_device_records_no_turn_with_the_lease_it_has(
    project: Project, alice: Tenant, events: Entries
) -> None:
    append(alice, CAMPAIGN, 0, events)
    granted_lease = lease(alice)
    joined = Event("DeviceJoined", "device-1", {"name": "Laptop", "created_at": START})
    revoked = Event("DeviceRevoked", "device-1", {"revoked_at": START})
    with signed_in(project, alice.user) as desk:
        append(desk, "workspace", 0, chained(None, joined, revoked, stream="workspace"), device="desk")
        with refused("PT423", "lease_lost"):  # nor does another device with that device's fence
            append(desk, CAMPAIGN, 5, chained(events[-1], TURN), fence=granted_lease["fence"], device="desk")
    with refused("PT403", "device_revoked"):
        append(alice, CAMPAIGN, 5, chained(events[-1], TURN), fence=granted_lease["fence"])


def test_of_two_that_append_at_once_exactly_one_wins(project: Project, alice: Tenant, events: Entries) -> None:
    append(alice, CAMPAIGN, 0, events)
    rivals = [chained(events[-1], task_created(n)) for n in range(2)]
    answers: list[str] = []
    both = threading.Barrier(2)

    def rival(entries: Entries) -> None:
        with signed_in(project, alice.user) as tenant:
            both.wait()
            try:
                answers.append(str(append(tenant, CAMPAIGN, 5, entries)["event_seq"]))
            except psycopg.Error as error:
                answers.append(str(error.diag.message_primary))

    threads = [threading.Thread(target=rival, args=(entries,)) for entries in rivals]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(answers) == ["6", "conflict"]
    assert len(alice.rows("tasks")) == 1


def test_an_append_waits_for_the_one_before_it(project: Project, alice: Tenant, events: Entries) -> None:
    """The rival's first transaction is open: ours must see what it decides, not what was before."""
    append(alice, CAMPAIGN, 0, events)
    own_entries = chained(events[-1], task_created(1))
    answer: list[str] = []

    def append_ours() -> None:
        try:
            append(alice, CAMPAIGN, 5, own_entries)
        except psycopg.Error as error:
            answer.append(str(error.diag.message_primary))

    with signed_in(project, alice.user) as rival, psycopg.connect(project.url(), autocommit=True) as admin:
        with rival.connection.transaction():
            append(rival, CAMPAIGN, 5, chained(events[-1], task_created(2)))
            thread = threading.Thread(target=append_ours)
            thread.start()
            while not admin.execute("select 1 from pg_stat_activity where wait_event_type = 'Lock'").fetchone():
                assert thread.is_alive()
        thread.join()
    assert answer == ["conflict"]


@pytest.mark.parametrize("table", ["event_log", "audit_log"])
def test_nobody_alters_a_log_not_even_its_owner(
    table: str, alice: Tenant, events: Entries, audits: Entries, project: Project, admin: psycopg.Connection
) -> None:
    append(alice, CAMPAIGN, 0, events, audits=audits)
    before = alice.rows(table)
    parts = [
        f"outrider.{name}"
        for (name,) in admin.execute(
            "select c.relname from pg_inherits, pg_class c where inhparent = %s::regclass and c.oid = inhrelid",
            (table,),
        )
    ]
    assert len(parts) == 8
    for role in ("supabase_admin", "postgres"):
        with psycopg.connect(project.url(role), autocommit=True) as owner:
            for name in (f"public.{table}", *parts):
                rows = owner.execute(f"select count(*) from {name}".encode()).fetchone()
                erased = "update {} set salt = null, payload_digest = sha256('x')"  # the digest of something else
                for verb in ("update {} set actor = 'x'", erased, "delete from {}", "truncate {}"):
                    if rows == (0,) and "truncate" not in verb:
                        continue  # there is nothing to refuse
                    with pytest.raises(psycopg.errors.RaiseException, match="append-only"):
                        owner.execute(verb.format(name).encode())
    assert alice.rows(table) == before


def test_an_append_reads_no_more_rows_however_much_there_is(
    alice: Tenant, admin: psycopg.Connection, tmp_path: Path
) -> None:
    """Flat cost, as a count and not as a time: the same append before and after thousands of other rows."""
    admin.execute(
        "select set_config('request.jwt.claims', %s, false)", (f'{{"sub": "{alice.user}", "session_id": "{uuid4()}"}}',)
    )
    journal = started(tmp_path / "local.db", lead_imported(1), task_created(1))
    counts: list[Counter[str]] = []
    for count in (10, 3_000):
        write(journal, *(lead_imported(count * 10 + n) for n in range(count)))
        with journal.database.read() as local:
            push(alice, local)
            write(journal, Event("LeadNoted", "lead-1", {"notes": str(count)}), task_created(count))
            seq = local.execute("SELECT event_seq FROM log_heads").fetchone()[0]
        with journal.database.read() as local, admin.transaction(force_rollback=True):
            before = rows_read(admin)
            append(Tenant(admin, alice.user), CAMPAIGN, seq, events_of(local, CAMPAIGN, seq))
            counts.append(rows_read(admin) - before)
    assert counts[0] == counts[1]
    assert counts[1].total() < 50
