"""What a device asks for: its streams, the entries that follow, parts of files, and whether the project is well."""

import os
from base64 import b64encode
from pathlib import Path
from uuid import uuid4

import psycopg

from backend.domain.events.events import WORKSPACE, AuditEntry, Event
from backend.ports.shared_store import SCHEMA_VERSION
from tests.postgres import Project
from tests.store.opening import CAMPAIGN, lead_imported, open_journal, started, write
from tests.supabase.tenant import Tenant, audits_of, events_of, push, refused, signed_in

NAME = "ab" * 32


def test_what_was_pushed_is_pulled_in_order_and_in_pieces(alice: Tenant, tmp_path: Path) -> None:
    journal = started(tmp_path / "local.db")
    for n in range(20):
        write(
            journal, lead_imported(n, full_name="漢字 \x00 \ud800"), audits=[AuditEntry("row", {"n": n, "t": "😀\x00"})]
        )
    with journal.database.read() as local:
        push(alice, local)
        for function, all_of in (
            ("pull_events", events_of(local, CAMPAIGN)),
            ("pull_audits", audits_of(local, CAMPAIGN)),
        ):
            assert alice.call(function, campaign=CAMPAIGN, after_seq=0, limit=5000) == all_of
            assert alice.call(function, campaign=CAMPAIGN, after_seq=3, limit=7) == all_of[3:10]
            assert alice.call(function, campaign=CAMPAIGN, after_seq=len(all_of), limit=10) == []
            assert alice.call(function, campaign="camp-2", after_seq=0, limit=10) == []


def test_an_answer_ends_after_four_megabytes_and_has_one_entry_at_least(alice: Tenant, tmp_path: Path) -> None:
    journal = started(tmp_path / "local.db")
    for n in range(6):
        write(journal, lead_imported(n, notes="x" * (5_000_000 if n == 0 else 1_500_000)))
    with journal.database.read() as local:
        push(alice, local, most=1)
        pulled: list[int] = []
        sizes: list[int] = []
        while answer := alice.call("pull_events", campaign=CAMPAIGN, after_seq=len(pulled), limit=100):
            pulled.extend(entry["seq"] for entry in answer)
            sizes.append(len(answer))
    assert pulled == list(range(1, 8))
    assert sizes == [2, 3, 2]


def test_every_stream_is_listed_with_where_it_ends(project: Project, alice: Tenant, tmp_path: Path) -> None:
    assert alice.call("list_campaigns") == []
    journal = started(tmp_path / "local.db", lead_imported(1))
    write(journal, Event("ConfigSet", "k", {"value": "v"}), audits=[AuditEntry("a", {})], campaign=WORKSPACE)
    with journal.database.read() as local:
        push(alice, local)
    listed = alice.call("list_campaigns")
    hashes = [(row.pop("event_hash"), row.pop("audit_hash")) for row in listed]
    assert listed == [
        {"campaign_id": CAMPAIGN, "name": "Research", "status": "active", "event_seq": 2, "audit_seq": 0},
        {"campaign_id": WORKSPACE, "name": "", "status": "", "event_seq": 1, "audit_seq": 1},
    ]
    assert [[bool(entry_hash) for entry_hash in pair] for pair in hashes] == [[True, False], [True, True]]
    with signed_in(project, uuid4()) as bob:
        assert bob.call("list_campaigns") == []


def test_counts_are_those_of_the_device(alice: Tenant, tmp_path: Path) -> None:
    journal = started(
        tmp_path / "local.db", *(lead_imported(n) for n in range(3)), lead_imported(3, full_name="(erased)")
    )
    write(journal, Event("LeadAdvanced", "lead-1", {"status": "contacted"}))
    bill = {"model": "m", "tokens_in": 1, "tokens_out": 2, "cost_micros": 3}
    write(journal, Event("ReplyBilled", "b", bill), Event("TurnCompleted", "1", {"history": "W", "steps": [], **bill}))
    with journal.database.read() as local:
        fence = alice.call("acquire_lease", device_id="d", device_name="D", holder="d 1", seconds=60.0)["fence"]
        push(alice, local, fence=fence)
        for view in ("lead_counts", "task_counts", "model_spend"):
            names = [row[1] for row in local.execute(f"PRAGMA table_info({view})")]
            device_counts = local.execute(f"SELECT {', '.join(names)} FROM {view}")
            assert alice.rows(view, ", ".join(names)) == sorted(device_counts, key=repr)


def test_a_file_is_kept_in_parts_and_the_same_part_again_is_the_same(alice: Tenant) -> None:
    parts = [os.urandom(1024 * 1024), b"the end"]
    for _ in range(2):
        for at, part in enumerate(parts):
            alice.call("put_blob", sha256=NAME, part=at, parts=2, content=b64encode(part).decode())
    assert [alice.call("get_blob", sha256=NAME, part=at) for at in range(3)] == [
        *(b64encode(p).decode() for p in parts),
        None,
    ]
    assert len(alice.rows("blobs")) == 2


def test_what_is_no_part_of_a_file_is_refused(alice: Tenant) -> None:
    good = {"sha256": NAME, "part": 0, "parts": 1, "content": "AAAA"}
    for wrong in (
        {"sha256": "../../etc"},
        {"part": 1},
        {"part": -1},
        {"parts": 0},
        {"content": "not base64!"},
        {"content": b64encode(bytes(1024 * 1024 + 1)).decode()},
    ):
        with refused("PT422", "append_refused"):
            alice.call("put_blob", **{**good, **wrong})
    assert alice.rows("blobs") == []


def test_a_project_that_is_well_says_so_and_names_a_table_that_is_open(
    alice: Tenant, admin: psycopg.Connection
) -> None:
    (size,) = admin.execute("select pg_database_size(current_database())").fetchone() or (0,)
    health = alice.call("project_health")
    assert size * 0.9 < health.pop("bytes") < size * 1.1
    assert health == {"schema_version": SCHEMA_VERSION, "unprotected": []}
    admin.execute("create table public.open (a int); create table outrider.open (a int)")
    try:
        assert alice.call("project_health")["unprotected"] == ["outrider.open", "public.open"]
    finally:
        admin.execute("drop table public.open; drop table outrider.open")


def test_an_empty_device_has_nothing_to_push(alice: Tenant, tmp_path: Path) -> None:
    with open_journal(tmp_path / "local.db").database.read() as local:
        push(alice, local)
    assert alice.rows("log_heads") == []
