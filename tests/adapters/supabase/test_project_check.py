"""What a look at a project finds: each thing that can be wrong is named, with what to do."""

from pathlib import Path

import pytest

from backend.adapters.supabase import project_check
from backend.adapters.supabase.project import SupabaseProject as Address
from backend.adapters.supabase.project_check import MOST_SECONDS_APART, examine_project
from backend.domain.events.events import WORKSPACE
from backend.domain.values.health_check import HealthCheck
from backend.ports.shared_store import SCHEMA_VERSION, SharedStoreRefusedError
from backend.store.replication.project_schema import schema_sql
from tests.cli.outrider import Ended, Outrider
from tests.fakes.entries import Stream
from tests.fakes.outgoing import OpenDoor
from tests.postgres import ADMIN, Project
from tests.supabase.signed_in import Devices, hosted

WELL = ["project_address", "project_key", "project_sign_in", "project_clock", "project_pause", "project_schema"]


def look(devices: Devices, *, signed_in: bool = False) -> dict[str, HealthCheck]:
    """The findings by their codes; whatever is not well says what to do."""
    here = devices.of() if signed_in else devices.fresh()
    checks = examine_project(here.project, here.sign_in)
    assert all(bool(check.remedy) == (check.status != "ok") for check in checks)
    return {check.code: check for check in checks}


def test_a_project_that_is_ready_is_well_and_looked_at_further_by_who_is_signed_in(devices: Devices) -> None:
    devices.of()
    devices.gateway.auth.sign_ups = False
    strangers, users = look(devices), look(devices, signed_in=True)
    assert list(strangers) == [*WELL, "project_user"]
    assert list(users) == [*WELL, "project_user", "project_version", "project_rows", "project_size"]
    assert {check.status for check in (strangers | users).values()} == {"ok"}


def test_a_look_changes_nothing_and_signs_nobody_in(devices: Devices) -> None:
    look(devices)
    assert devices.gateway.auth.users == {}


def test_nobody_at_the_address_is_told(devices: Devices) -> None:
    here = devices.fresh("http://127.0.0.1:1")
    (check,) = examine_project(here.project)
    assert (check.code, check.status) == ("project_address", "fail")
    assert "cannot be reached" in check.said


def test_another_project_s_key_is_told(devices: Devices) -> None:
    project = Address(devices.gateway.url, "sb_publishable_of_another", OpenDoor("127.0.0.1"))
    address, key = examine_project(project)
    project.close()
    assert (address.status, key.code, key.status) == ("ok", "project_key", "fail")


def test_a_missing_schema_is_told_with_how_to_install_it(
    postgres_17: object, devices: Devices, project: Project
) -> None:
    with project.server.database("hosted") as bare, hosted(project.server.url(bare, "authenticator")) as empty:
        checks = look(empty)
    assert list(checks) == WELL
    assert checks["project_schema"].status == "fail"
    assert "outrider sync schema" in checks["project_schema"].remedy


def test_what_the_terminal_prints_prepares_a_project_and_may_be_run_again(
    postgres_17: object, project: Project, tmp_path: Path
) -> None:
    printed = Outrider(tmp_path)("sync", "schema").out
    with project.server.database("hosted") as bare, hosted(project.server.url(bare, "authenticator")) as prepared:
        project.server.run(bare, printed, "postgres")
        assert look(prepared, signed_in=True)["project_version"].status == "ok"
        project.server.run(bare, printed, "postgres")
        assert look(prepared, signed_in=True)["project_version"].status == "ok"


def test_an_older_schema_blames_no_entry_and_is_brought_up_to_date_by_the_same_sql_with_what_it_has(
    postgres_17: object, project: Project
) -> None:
    stream = Stream().settings(2)
    older = f"""
        delete from outrider.event_kinds where kind = 'GreetingChosen';
        create or replace function public.project_health() returns json language sql set search_path = pg_catalog, pg_temp
        as $$ select json_build_object('schema_version', {SCHEMA_VERSION - 1}, 'unprotected', '[]'::json, 'bytes', 0) $$;
    """
    with project.server.database() as name, hosted(project.server.url(name, "authenticator")) as devices:
        project.server.run(name, older)
        assert look(devices, signed_in=True)["project_version"].status == "fail"
        here = devices.of()
        here.shared_store.append(stream.batch(), None)
        stream.event("GreetingChosen", "x", {})
        with pytest.raises(SharedStoreRefusedError) as refused:
            here.shared_store.append(stream.batch(2), None)
        assert refused.value.code == "schema_mismatch"
        project.server.run(name, schema_sql(), "postgres")
        assert look(devices, signed_in=True)["project_version"].status == "ok"
        assert list(here.shared_store.pull_events(WORKSPACE, 0, 9)) == stream.events[:2]


def test_a_schema_that_strangers_may_ask_is_told(devices: Devices, project: Project) -> None:
    open_to_all = """
        create or replace function public.project_health() returns json language sql as $$ select '{}'::json $$;
        grant execute on function public.project_health() to anon;
    """
    project.server.run(project.database, open_to_all, ADMIN)
    assert look(devices)["project_schema"].status == "fail"


def test_a_schema_that_does_not_answer_as_ours_is_told(devices: Devices, project: Project) -> None:
    broken = """
        create or replace function public.project_health() returns json language plpgsql
        as $$ begin raise sqlstate 'PT418' using message = 'a teapot'; end $$;
        grant execute on function public.project_health() to anon;
    """
    project.server.run(project.database, broken, ADMIN)
    check = look(devices)["project_schema"]
    assert check.status == "fail"
    assert "a teapot" in check.said


@pytest.mark.parametrize(("version", "remedy"), [(0, "outrider sync schema"), (99, "newer Outrider")])
def test_a_schema_of_another_version_is_told(devices: Devices, project: Project, version: int, remedy: str) -> None:
    other = f"""
        create or replace function public.project_health() returns json language sql
        as $$ select json_build_object('schema_version', {version}, 'unprotected', '[]'::json, 'bytes', 0) $$;
    """
    project.server.run(project.database, other, ADMIN)
    check = look(devices, signed_in=True)["project_version"]
    assert check.status == "fail"
    assert remedy in check.remedy


def test_a_table_whose_rows_everybody_can_read_is_named(devices: Devices, project: Project) -> None:
    project.server.run(project.database, "alter table public.leads disable row level security", ADMIN)
    check = look(devices, signed_in=True)["project_rows"]
    assert check.status == "fail"
    assert "public.leads" in check.said


def test_who_may_make_an_account_and_what_keeps_people_from_signing_in_is_told(devices: Devices) -> None:
    devices.gateway.auth.sign_ups = True
    assert look(devices)["project_sign_in"].status == "warn", "anybody may make an account"
    devices.gateway.auth.by_email = False
    assert look(devices)["project_sign_in"].status == "fail"


@pytest.mark.parametrize(("megabytes", "status"), [(12, "ok"), (399, "ok"), (401, "warn"), (700, "warn")])
def test_how_large_the_database_is_and_what_a_free_project_may_have_is_told(
    devices: Devices, project: Project, megabytes: int, status: str
) -> None:
    sized = f"""
        create or replace function public.project_health() returns json language sql
        as $$ select json_build_object('schema_version', 1, 'unprotected', '[]'::json, 'bytes', {megabytes}000000) $$;
    """
    project.server.run(project.database, sized, ADMIN)
    check = look(devices, signed_in=True)["project_size"]
    assert check.status == status
    assert f"{megabytes} MB of the 500 MB" in check.said
    assert "only its dashboard says" in check.said


def test_when_a_free_project_would_be_paused_is_told_with_what_cannot_be_known() -> None:
    project = Address("https://abc.supabase.co", "anon", OpenDoor())
    sentence = project_check._pause(project, 1_795_348_920.0).said
    assert "not before 29 November 2026" in sentence
    assert "only its dashboard says" in sentence


@pytest.mark.parametrize(
    ("status", "body", "quoted"),
    [(540, {}, "paused"), (402, {"message": "exceed_db_size_quota"}, "exceed_db_size_quota")],
)
def test_a_project_that_is_paused_or_restricted_is_told_with_what_to_do(
    devices: Devices, status: int, body: dict[str, str], quoted: str
) -> None:
    devices.gateway.out_of_order = status, body
    (check,) = examine_project(devices.fresh().project)
    assert (check.code, check.status) == ("project_address", "fail")
    assert quoted in check.said
    assert "dashboard" in check.remedy


def test_a_clock_that_is_wrong_is_told(devices: Devices) -> None:
    devices.gateway.ahead = MOST_SECONDS_APART + 30
    check = look(devices)["project_clock"]
    assert check.status == "warn"
    assert "behind" in check.said


def test_a_session_that_ended_is_told(devices: Devices) -> None:
    here = devices.of()
    devices.of().sign_in.sign_out_others()
    devices.gateway.tokens.expire()
    assert examine_project(here.project, here.sign_in)[-1].status == "fail"


# --- in the terminal ---


def doctor(tmp_path: Path, url: str, **environment: str) -> Ended:
    return Outrider(tmp_path, **environment)("doctor", "--supabase", url, "--json")


def test_doctor_looks_at_a_project_by_its_address(devices: Devices, tmp_path: Path) -> None:
    ended = doctor(tmp_path, devices.gateway.url, OUTRIDER_SUPABASE_KEY=devices.gateway.key)
    assert ended.status == 0, ended.out + ended.err
    assert [check["code"] for check in ended.told["checks"]] == WELL
    wrong = doctor(tmp_path, devices.gateway.url, OUTRIDER_SUPABASE_KEY="sb_secret_key")
    assert wrong.status == 1
    assert [check["code"] for check in wrong.told["checks"]] == ["project_key_secret"]
    assert "sb_secret_key" not in wrong.out + wrong.err


def test_doctor_takes_the_key_from_no_argument_and_asks_for_it_only_in_a_terminal(
    devices: Devices, tmp_path: Path
) -> None:
    assert doctor(tmp_path, devices.gateway.url, OUTRIDER_SUPABASE_KEY="").code == "project_key_missing"
