"""Nobody reads or writes another user's rows, by any table, view or function. Asked of the catalog: what is new is covered."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from random import Random
from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest

from backend.domain.events.events import AuditEntry
from backend.store.database import Database
from tests.postgres import Project
from tests.store.opening import open_journal
from tests.store.streams import Streams
from tests.supabase.tenant import Tenant, append, lease, push, signed_in

ALICE = UUID("aaaaaaaa-0000-4000-8000-000000000001")
ROLES = ("anon", "authenticated", "service_role")
CANARY = "only-alice-knows"
NAME = "ab" * 32

CALLS: dict[str, dict[str, Any]] = {
    "append_events": {"device_id": CANARY, "campaign": "camp-0", "expected_seq": 0, "fence": 1, "events": []},
    "pull_events": {"campaign": "camp-0", "after_seq": 0, "limit": 100},
    "pull_audits": {"campaign": "camp-0", "after_seq": 0, "limit": 100},
    "pull_signatures": {
        "campaign": "camp-0",
        "after_event": 0,
        "after_audit": 0,
        "head_event": 1_000,
        "head_audit": 1_000,
    },
    "list_campaigns": {},
    "acquire_lease": {"device_id": "bob", "device_name": "Bob", "holder": "bob 1", "seconds": 60.0, "take_over": True},
    "read_lease": {"holder": CANARY},
    "renew_lease": {"device_id": CANARY, "fence": 1, "seconds": 60.0},
    "release_lease": {"device_id": CANARY, "fence": 1},
    "put_blob": {"sha256": NAME, "part": 0, "parts": 1, "content": "Qm9i"},
    "get_blob": {"sha256": NAME, "part": 0},
    "blob_digests": {"sha256": NAME},
    "project_health": {},
}
"""How Bob asks each function for what is Alice's. A function that is not here fails the test: say how it is asked."""


CHECK_WHO_ASKS = {"acquire_lease", "read_lease", "renew_lease", "release_lease", "append_events", "put_blob"}
"""They have rights that nobody who calls them has."""


def relations(admin: psycopg.Connection, kinds: str = "rpvm") -> list[str]:
    """Every table and view that a user might reach."""
    rows = admin.execute(
        "select n.nspname || '.' || c.relname from pg_class c join pg_namespace n on n.oid = c.relnamespace"
        " where n.nspname in ('public', 'outrider') and c.relkind = any(%s) order by 1",
        (list(kinds),),
    )
    return [name for (name,) in rows]


def held(admin: psycopg.Connection, user: UUID, kinds: str = "r") -> dict[str, list[tuple[Any, ...]]]:
    """Everything of a user's, as the superuser sees it; what knows no user, whole."""
    everything = {}
    for name in relations(admin, kinds):
        owned = admin.execute(
            "select 1 from pg_attribute where attrelid = %s::regclass and attname = 'user_id'", (name,)
        ).fetchone()
        where = f" where user_id = '{user}'" if owned else ""
        everything[name] = sorted(admin.execute(f"select * from {name}{where}".encode()), key=repr)
    return everything


def fill(tenant: Tenant, device: Database) -> None:
    """Something of this user's in every table that devices fill."""
    with device.read() as local:
        push(tenant, local, fence=lease(tenant, CANARY)["fence"])
    signature: dict[str, str | int] = dict.fromkeys(("event_hash", "audit_hash", "signature"), "QWxpY2U=")
    signature |= {"event_seq": 1, "audit_seq": 1, "key_id": CANARY, "signed_at": 1}
    append(tenant, "camp-0", 0, [], device=CANARY, signature=json.dumps(signature))
    tenant.call("put_blob", sha256=NAME, part=0, parts=1, content="QWxpY2U=")


@pytest.fixture(scope="module")
def device(tmp_path_factory: pytest.TempPathFactory) -> Database:
    """A device with rows in every table."""
    journal = open_journal(tmp_path_factory.mktemp("device") / "local.db")
    with journal.transaction() as transaction:
        for campaign, at, event in Streams(Random(1), campaigns=1).take(900):
            transaction.record(campaign, [event], actor=CANARY, cause="c", at=at)
            transaction.audit(campaign, [AuditEntry("tool", {"secret": CANARY})], actor="a", cause="c", at=at)
    return journal.database


@pytest.fixture(scope="module", params=[17, 15])
def project(request: pytest.FixtureRequest, device: Database) -> Iterator[Project]:
    """A project with everything of Alice's in it. Each test has strangers of its own, and none may change it."""
    server = request.getfixturevalue(f"postgres_{request.param}")
    with server.database() as database:
        filled = Project(server, database)
        with signed_in(filled, ALICE) as alice:
            fill(alice, device)
        yield filled


@pytest.fixture
def alice(project: Project) -> Iterator[Tenant]:
    """Whose rows they are."""
    with signed_in(project, ALICE) as tenant:
        yield tenant


@contextmanager
def everybody_else(project: Project) -> Iterator[list[Tenant]]:
    """Another user, one without an id, nobody at all, and the role that passes by row security."""
    with (
        signed_in(project, uuid4()) as bob,
        signed_in(project, None) as nameless,
        signed_in(project, None, "anon") as anon,
        signed_in(project, uuid4(), "service_role") as service,
    ):
        yield [bob, nameless, anon, service]


def test_everybody_reads_their_own_rows_and_no_others(
    project: Project, alice: Tenant, admin: psycopg.Connection
) -> None:
    with everybody_else(project) as (bob, nameless, anon, service):
        for name in relations(admin):
            ask = f"select * from {name}".encode()
            refusing = (anon, service) if name.startswith("public.") else (alice, bob, nameless, anon, service)
            for tenant in refusing:
                with pytest.raises(psycopg.errors.InsufficientPrivilege):
                    tenant.connection.execute(ask)
            if name.startswith("public."):
                own_rows = admin.execute(f"select * from {name} where user_id = '{ALICE}'".encode()).fetchall()
                assert sorted(alice.connection.execute(ask), key=repr) == sorted(own_rows, key=repr)
                assert own_rows, name
                assert bob.connection.execute(ask).fetchall() == nameless.connection.execute(ask).fetchall() == []


def test_nobody_writes_any_table_or_view_by_any_verb(
    project: Project, alice: Tenant, admin: psycopg.Connection
) -> None:
    before = held(admin, ALICE)
    tables = relations(admin, "rp")
    with everybody_else(project) as others:
        for name in relations(admin):
            (column,) = admin.execute(
                "select attname from pg_attribute where attrelid = %s::regclass and attnum = 1", (name,)
            ).fetchone() or ("",)
            for verb in (
                f"insert into {name} default values",
                f"update {name} set {column} = {column}",
                f"delete from {name}",
                f"truncate {name}",
                f"select * from {name} for update",
                f"alter table {name} disable row level security",
            ):
                for tenant in (alice, *others):
                    # a view is refused in other words: it cannot be written at all
                    with pytest.raises(psycopg.errors.InsufficientPrivilege if name in tables else psycopg.Error):
                        tenant.connection.execute(verb.encode())
    assert held(admin, ALICE) == before


def test_functions_give_and_take_nothing_of_another_user_s(project: Project, admin: psycopg.Connection) -> None:
    before = held(admin, ALICE)
    functions = [
        name for (name,) in admin.execute("select proname from pg_proc where pronamespace = 'public'::regnamespace")
    ]
    assert sorted(functions) == sorted(CALLS)
    with everybody_else(project) as (bob, nameless, anon, service), signed_in(project, uuid4()) as newcomer:
        for name, arguments in CALLS.items():
            for stranger in (*[nameless] * (name in CHECK_WHO_ASKS), anon, service):
                with pytest.raises(psycopg.errors.InsufficientPrivilege):
                    stranger.call(name, **arguments)
            if name not in CHECK_WHO_ASKS:  # under row security nobody has no rows
                assert nameless.call(name, **arguments) == newcomer.call(name, **arguments)
            try:
                answer = str(bob.call(name, **arguments))
            except psycopg.Error as error:
                answer = str(error)
            assert CANARY not in answer, name
            assert "camp-" not in answer, name
            assert "QWxpY2U" not in answer, name
        assert held(admin, ALICE) == before
        assert bob.call("get_blob", sha256=NAME, part=0) == "Qm9i"


def test_bob_pushing_the_same_campaign_leaves_alice_s_as_it_is(
    project: Project, admin: psycopg.Connection, device: Database
) -> None:
    """Even the same ids: each user has a store of their own."""
    before = held(admin, ALICE)
    with signed_in(project, bob := uuid4()) as tenant:
        fill(tenant, device)
    assert held(admin, ALICE) == before
    their_rows = held(admin, bob, "rp")
    assert [name for name in their_rows if name.startswith("public.") and not their_rows[name]] == []


def test_every_table_has_row_security_and_every_function_a_fixed_path(admin: psycopg.Connection) -> None:
    open_tables = admin.execute(
        "select relname from pg_class where relnamespace in ('public'::regnamespace, 'outrider'::regnamespace)"
        " and relkind in ('r', 'p') and not relrowsecurity"
    ).fetchall()
    assert open_tables == []
    loose = admin.execute(
        "select proname from pg_proc where pronamespace in ('public'::regnamespace, 'outrider'::regnamespace)"
        " and (not coalesce('search_path=pg_catalog, pg_temp' = any(proconfig), false)"
        " or (prosecdef and pronamespace <> 'outrider'::regnamespace))"
    ).fetchall()
    assert loose == []


def test_no_function_that_can_be_called_from_outside_has_more_rights_than_who_asks(admin: psycopg.Connection) -> None:
    """The dashboard's security advisor warns of any that has (lints 0028 and 0029)."""
    definers = "select pronamespace::regnamespace::text, proname from pg_proc where prosecdef and proname = any(%s)"
    rows = admin.execute(definers, (list(CALLS),)).fetchall()
    assert sorted(rows) == [("outrider", name) for name in sorted(CHECK_WHO_ASKS)]


def test_every_view_asks_with_the_rights_of_who_asks(admin: psycopg.Connection) -> None:
    asking = admin.execute(
        "select relname from pg_class where relnamespace = 'public'::regnamespace and relkind = 'v'"
        " and not coalesce('security_invoker=true' = any(reloptions), false)"
    ).fetchall()
    assert asking == []


def test_of_what_is_ours_alone_users_can_call_only_what_checks_who_asks(admin: psycopg.Connection) -> None:
    for role in ROLES:
        called = CHECK_WHO_ASKS if role == "authenticated" else set()
        reached = admin.execute("select has_schema_privilege(%s, 'outrider', 'usage')", (role,)).fetchone()
        assert reached == (bool(called),)
        allowed = admin.execute(
            "select proname from pg_proc where pronamespace = 'outrider'::regnamespace"
            " and has_function_privilege(%s, oid, 'execute')",
            (role,),
        )
        assert {name for (name,) in allowed} == called


def test_everything_is_explained(admin: psycopg.Connection) -> None:
    unexplained = admin.execute(
        "select relname from pg_class where relnamespace in ('public'::regnamespace, 'outrider'::regnamespace)"
        " and relkind in ('r', 'p', 'v') and obj_description(oid, 'pg_class') is null"
        " union all select proname from pg_proc where pronamespace in ('public'::regnamespace, 'outrider'::regnamespace)"
        " and obj_description(oid, 'pg_proc') is null"
    ).fetchall()
    assert unexplained == []
