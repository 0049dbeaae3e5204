"""The project's rows are the device's rows: the same logs give the same tables, byte for byte."""

import json
import sqlite3
from base64 import b64decode, b64encode
from pathlib import Path
from random import Random
from typing import Any

import psycopg
import pytest

from backend.commands.campaigns import CampaignCommands
from backend.commands.requests import RequestCommands
from backend.domain.erasure.remains import lesser
from backend.domain.events.events import EVENT_KINDS, FENCED, TABLES, WORKSPACE, AuditEntry, Event
from backend.domain.turn.request import Attachment
from backend.domain.values.canonical_json import canonical
from backend.store.log.chain import payload_digest
from backend.store.log.journal import Journal
from tests.fakes.campaign import Stage
from tests.fakes.clock import START, FakeClock
from tests.store.opening import CAMPAIGN, columns_of, lead_imported, open_journal, started, write
from tests.store.streams import Streams
from tests.supabase.tenant import (
    ROWS,
    Tenant,
    append,
    events_of,
    lease,
    local_rows,
    push,
    remote_rows,
    rows_read,
)

TYPES = {"TEXT": "text", "INTEGER": "bigint", "BLOB": "bytea"}
ODD = (
    "plain",
    "漢字 😀",
    "half \ud83d of it",
    "\udc00\ud800",
    "\ud83d\ude00",
    "\ufdd0d800\ufdd0fdd0",
    "\\u0000\\",
    "\x7f\x1f",
)


def same(tenant: Tenant, local: sqlite3.Connection) -> bool:
    """Every row of every table and of both logs; says which table differs by failing there."""
    for table in (*ROWS, "event_log", "audit_log"):
        assert remote_rows(tenant, table) == local_rows(local, table), table
    return True


def pushed(tenant: Tenant, journal: Journal, most: int = 500) -> bool:
    """Whether a project with all of the journal's entries is the same as the device."""
    with journal.database.read() as local:
        push(tenant, local, most, fence=lease(tenant)["fence"])
        return same(tenant, local)


def test_the_project_knows_the_kinds_of_events_that_the_device_records(admin: psycopg.Connection) -> None:
    kinds = admin.execute("select kind, entity, verb, fenced from outrider.event_kinds").fetchall()
    assert sorted(kinds) == sorted(
        (kind, entity, verb.value, kind in FENCED) for kind, (entity, verb) in EVENT_KINDS.items()
    )
    assert dict(admin.execute("select entity, table_name from outrider.entities").fetchall()) == TABLES


def test_tables_have_the_columns_of_the_device_and_the_user_before_each_key(admin: psycopg.Connection) -> None:
    for table in (*ROWS, "event_log", "audit_log"):
        rows = admin.execute(
            "select column_name, data_type, is_nullable = 'NO', column_default from information_schema.columns"
            " where table_schema = 'public' and table_name = %s and is_generated = 'NEVER'",
            (table,),
        )
        columns = {name: (kind, needed, (value or "").removesuffix("::text")) for name, kind, needed, value in rows}
        assert columns.pop("user_id") == ("uuid", True, "")
        assert columns == {
            column.name: (TYPES[column.type], column.not_null or column.key > 0, column.default or "")
            for column in columns_of(table)
            if column.name != "user_id"
        }
        key = admin.execute(
            "select attname from pg_index, unnest(indkey) with ordinality as k(at, place), pg_attribute where attnum = at"
            " and indisprimary and indrelid = %s::regclass and attrelid = indrelid order by place",
            (f"public.{table}",),
        ).fetchall()
        assert key[0] == ("user_id",)
        assert {name for (name,) in key[1:]} == {column.name for column in columns_of(table) if column.key}


@pytest.fixture(scope="module", params=range(3))
def wild(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Journal:
    """A device on which anything that may happen has happened, in any order."""
    random = Random(request.param)
    journal = open_journal(tmp_path_factory.mktemp("wild") / "local.db")
    with journal.transaction() as transaction:
        for campaign, at, event in Streams(random).take(700):
            transaction.record(campaign, [event], actor="agént \x7f😀", cause='"c\\"', at=at)
            audits = [AuditEntry("tool", {"said": random.choice(ODD)})] * random.randint(0, 1)
            transaction.audit(campaign, audits, actor="a", cause="\u202e", at=at)
    return journal


@pytest.mark.parametrize("most", [7, 150])
def test_the_project_makes_of_a_log_what_the_device_makes_of_it(most: int, alice: Tenant, wild: Journal) -> None:
    assert pushed(alice, wild, most)


def test_a_whole_campaign_is_the_same_in_the_project(alice: Tenant, tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    stage.run(stage.campaign(5))
    assert len(stage.turns) > 20
    assert pushed(alice, stage.journal, most=40)
    stage.close()


@pytest.mark.parametrize("text", ODD)
def test_any_text_is_the_same_in_a_row_and_within_nested_values(text: str, alice: Tenant, tmp_path: Path) -> None:
    odd = lead_imported(1, full_name=text, extra={text: [text, True, None, {"deep": text}], "b": 1.5}, blocked="x")
    journal = started(tmp_path / "local.db", odd)
    write(journal, Event("LeadNoted", "lead-1", {"notes": text, "tags": [text, "\x00"]}))
    assert pushed(alice, journal)


def test_flags_are_numbers_in_rows(alice: Tenant, tmp_path: Path) -> None:
    journal = started(tmp_path / "local.db", lead_imported(1, position=True, weight_score=False))
    write(journal, Event("ConfigSet", "flag", {"value": True}), campaign=WORKSPACE)
    assert pushed(alice, journal)


def test_a_nul_is_kept_by_the_log_and_replaced_in_a_row(alice: Tenant, tmp_path: Path) -> None:
    journal = started(tmp_path / "local.db", lead_imported(1, full_name="a\x00b", extra={"kept": "\x00"}))
    with journal.database.read() as local:
        push(alice, local)
        assert remote_rows(alice, "event_log") == local_rows(local, "event_log")
    assert alice.rows("leads", "full_name, extra") == [("a\ufffdb", '{"kept":"\\u0000"}')]


@pytest.mark.parametrize(
    "ending",
    [
        Event("TurnCompleted", "1", {"history": "W", "steps": [], "faulted": True, "error": 'said "no" 漢'}),
        Event("TurnFaulted", "1", {"history": "W", "steps": [], "faulted": 0, "task_id": "t", "lead_id": None}),
        Event(
            "TurnCompleted", "1", {"history": "W", "steps": [], "proposal": "execute_tool", "error": "Message sent."}
        ),
        Event("TurnCompleted", "1", {"history": "W", "steps": [], "faulted": False, "request_id": "r"}),
        Event("TurnCompleted", "1", {"history": "W", "steps": [], "faulted": 1, "request_id": None}),
    ],
)
def test_where_a_campaign_stands_follows_its_turns_and_actions(ending: Event, alice: Tenant, tmp_path: Path) -> None:
    journal = started(tmp_path / "local.db")
    intent = {
        "turn": 1,
        "account": "me",
        "family": "look",
        "tool": "t",
        "params": {},
        "status": "intended",
        "lead_id": "l",
    }
    write(journal, Event("ActionIntended", "act-1", {**intent, "intended_at": START}), ending)
    assert pushed(alice, journal)


def test_an_erased_event_leaves_its_place_in_the_log_and_the_row_what_is_left(alice: Tenant, tmp_path: Path) -> None:
    journal = started(tmp_path / "local.db", lead_imported(1), lead_imported(2))
    write(journal, Event("LeadNoted", "lead-2", {"notes": "stays"}))
    events = journal.database.query(events_of, CAMPAIGN)
    events[2] = erased(events[2])
    append(alice, CAMPAIGN, 0, events)
    assert alice.rows("leads", "id, full_name, member_key, position, notes") == [
        ("lead-1", "Person 1", "x/1", 1, ""),
        ("lead-2", "", "x/2", 2, "stays"),
    ]
    assert alice.rows("event_log", "seq, salt is null") == [(1, False), (2, False), (3, True), (4, False)]


def test_an_erasure_takes_the_words_out_of_the_rows_and_leaves_what_other_events_say(
    alice: Tenant, tmp_path: Path
) -> None:
    journal = started(tmp_path / "local.db", lead_imported(1), lead_imported(2))
    write(
        journal,
        Event("LeadNoted", "lead-2", {"notes": "née \ud800 O'Hara"}),
        Event("LeadNoted", "lead-1", {"notes": "stays"}),
    )
    assert pushed(alice, journal)
    with journal.database.read() as local:
        events = [event for event in events_of(local, CAMPAIGN) if event["entity_id"] == "lead-2"]
    left = {b64decode(gone["digest"]).hex(): gone["payload"] for gone in map(erased, events)}
    write(journal, Event("EntriesErased", "erasure-1", {"entries": left, "created_at": 1}))
    assert pushed(alice, journal)
    rows = "id, full_name, member_key, position, notes"
    assert alice.rows("leads", rows) == [("lead-1", "Person 1", "x/1", 1, "stays"), ("lead-2", "", "x/2", 2, "")]
    with journal.database.read() as local:
        assert alice.rows("leads", rows) == local.execute(f"SELECT {rows} FROM leads ORDER BY id").fetchall()
    assert alice.rows("event_log", "seq, salt is null")[2:] == [(3, True), (4, True), (5, False), (6, False)]


@pytest.mark.parametrize("later", [{}, {"request_id": "r"}], ids=["the last turn", "a request's turn came later"])
def test_where_a_campaign_stands_forgets_what_was_erased_from_its_last_turn(
    later: dict[str, str], alice: Tenant, tmp_path: Path
) -> None:
    journal = started(tmp_path / "local.db")
    turn = {"history": "W", "steps": [], "faulted": True}
    write(journal, Event("TurnCompleted", "1", {**turn, "error": "ZEBRA 漢 \ud800 is gone"}))
    if later:
        write(journal, Event("TurnCompleted", "2", {**turn, **later, "error": "asked"}))
    assert pushed(alice, journal)
    with journal.database.read() as local:
        (event,) = (event for event in events_of(local, CAMPAIGN) if event["entity_id"] == "1")
    digest = payload_digest(b64decode(event["salt"]), event["payload"])
    left = canonical({**json.loads(event["payload"]), "error": ""})
    write(journal, Event("EntriesErased", "erasure-1", {"entries": {digest.hex(): left}, "created_at": 1}))
    assert pushed(alice, journal)
    assert alice.rows("runtime_snapshot", "last_error") == [("",)]


def test_an_erasure_reads_what_it_erases_however_long_the_log_is(
    alice: Tenant, admin: psycopg.Connection, tmp_path: Path
) -> None:
    journal = started(tmp_path / "local.db", lead_imported(1), lead_imported(2))
    assert pushed(alice, journal)
    short = _read_by_an_erasure(admin, alice, journal)
    write(journal, *(Event("RuntimeChanged", CAMPAIGN, {"loop_enabled": n % 2}) for n in range(2_000)))
    assert pushed(alice, journal)
    assert _read_by_an_erasure(admin, alice, journal) <= short


def _read_by_an_erasure(admin: psycopg.Connection, tenant: Tenant, journal: Journal) -> int:
    """How many rows the project reads to erase one lead's, which it does not keep."""
    with journal.database.read() as local:
        events = events_of(local, CAMPAIGN)
    gone = [erased(event) for event in events if event["entity_id"] == "lead-2"]
    entries = {b64decode(event["digest"]).hex(): event["payload"] for event in gone}
    last, ((user,), *_) = events[-1]["seq"], tenant.rows("log_heads", "user_id")
    with admin.transaction(force_rollback=True):
        admin.execute(
            "insert into public.event_log (user_id, campaign_id, seq, timestamp, kind, entity_type, entity_id, change_payload,"
            " actor, cause, salt, hash) values (%s, %s, %s, 0, 'EntriesErased', 'erasure', 'e', %s, '', '', '', '')",
            (user, CAMPAIGN, last + 1, json.dumps({"entries": entries})),
        )
        before = rows_read(admin)
        admin.execute("select outrider.erase(%s, %s, %s)", (user, CAMPAIGN, last))
        read = (rows_read(admin) - before).total()
        asked = "select count(*) from public.event_log where user_id = %s and salt is null"
        assert admin.execute(asked, (user,)).fetchone() == (len(gone),)
    return read


def test_no_word_of_an_erased_conversation_is_left_in_the_project(alice: Tenant, tmp_path: Path) -> None:
    journal = started(tmp_path / "local.db")
    requests = RequestCommands(journal, FakeClock())
    request = requests.begin(CAMPAIGN, "ZEBRA, please", [Attachment("ZEBRA.txt", "ZEBRA plans")], key="k1")
    requests.abandon(CAMPAIGN, request, "Ended: ZEBRA", "ended")
    assert pushed(alice, journal)
    tables = (*ROWS, "event_log", "audit_log")
    assert any("ZEBRA" in repr(remote_rows(alice, table)) for table in tables)
    requests.erase(CAMPAIGN)
    assert pushed(alice, journal)
    assert not [table for table in tables if "ZEBRA" in repr(remote_rows(alice, table))]


def test_no_word_of_a_deleted_campaign_is_left_in_the_project(alice: Tenant, tmp_path: Path) -> None:
    journal = started(tmp_path / "local.db", lead_imported(1))
    write(
        journal,
        Event("LeadNoted", "lead-1", {"notes": "likes ZEBRA"}),
        Event("CampaignPaused", CAMPAIGN, {"status": "paused", "status_reason": "ZEBRA"}),
    )
    assert pushed(alice, journal)
    CampaignCommands(journal, FakeClock()).delete(CAMPAIGN)
    assert pushed(alice, journal)
    tables = (*ROWS, "event_log", "audit_log")
    assert not [table for table in tables if {"ZEBRA", "Person 1"} & set(repr(remote_rows(alice, table)).split())]
    with journal.database.read() as local:
        rows = "id, full_name, member_key, notes"
        assert alice.rows("leads", rows) == local.execute(f"SELECT {rows} FROM leads").fetchall()
        assert (
            alice.rows("campaigns", "name, settings, deleted_at")
            == local.execute("SELECT name, settings, deleted_at FROM campaigns").fetchall()
        )


def erased(event: dict[str, Any]) -> dict[str, Any]:
    """What a person's request leaves of it: no names and no salt, but the digest of what it was, so that the chain holds."""
    digest = payload_digest(b64decode(event["salt"]), event["payload"])
    left = canonical(
        {
            **json.loads(event["payload"]),
            **dict.fromkeys({"full_name", "notes"} & json.loads(event["payload"]).keys(), ""),
        }
    )
    return {**event, "payload": left, "salt": None, "digest": b64encode(digest).decode()}


def test_json_is_spelled_as_on_the_device(alice: Tenant, tmp_path: Path) -> None:
    journal = started(
        tmp_path / "local.db", lead_imported(1, extra={"z": 1e300, "a": [1.0, -0.5, 12345678901234567890]})
    )
    assert pushed(alice, journal)
    ((extra,),) = alice.rows("leads", "extra")
    assert json.loads(extra)["a"][2] == 12345678901234567890


TEXTS = [
    "", "(erased)", "Omar Haddad", "(erased) (erased)", "Omar (erased)", 'said \\"Zo\u00eb\\"\\n\\tto Lena', "C:\\\\new \\\\u00e9",
    "\u2028 \x00 \ud800",
    '{"who": "Omar \u00e9", "n": 1}', '{"who": "(erased) \u00e9", "n": 1}', "a; (b), c\\\\",
    "[]", "{}", "**Omar**", "**(erased)**",
]  # fmt: skip
VALUES: list[Any] = [
    *TEXTS,
    None,
    0,
    17,
    203,
    True,
    [],
    ["Omar", "Lena"],
    ["(erased)", "Lena"],
    {},
    {"Omar": "x"},
    {"(erased)": "x"},
    {"Omar Haddad": None, "p0@x.y": 1},
    {"(erased)": 1, "(erased) (erased)": None},
]
KEYS = ["erased-lead-1", "deleted-lead-1", "forgotten:ab", "example.com/in/omar", "zz"]


def test_what_two_erasures_leave_is_combined_as_on_a_device(admin: psycopg.Connection) -> None:
    payloads = [
        canonical({"content": value, "member_key": KEYS[at % 5], "n": at % 3}) for at, value in enumerate(VALUES)
    ]
    payloads += [canonical({"content": "Omar", "gone": 1}), "{}"]
    pairs = [(first, other) for first in payloads for other in payloads]
    query = "select outrider.lesser(one, other) from unnest(%s::text[], %s::text[]) with ordinality as t (one, other, n) order by n"
    combined = admin.execute(query, tuple(map(list, zip(*pairs, strict=True)))).fetchall()
    assert [row[0] for row in combined] == [lesser(*pair) for pair in pairs]
