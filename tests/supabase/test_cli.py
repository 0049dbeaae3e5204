"""The official CLI applies the schema and finds nothing to complain about."""

import os
import subprocess
from pathlib import Path

import psycopg
import pytest

from backend.store.replication.project_schema import schema_sql
from tests.patience import PATIENCE
from tests.postgres import ADMIN, Server

ROOT = Path(__file__).parents[2]
CLI = ROOT / "frontend" / "node_modules" / "@supabase" / "cli-linux-x64" / "bin" / "supabase"


def supabase(server: Server, database: str, folder: Path, *words: str, user: str = "postgres") -> str:
    """What the CLI says, with nothing of this machine's."""
    migration = folder / "supabase" / "migrations" / "20261130000000_outrider.sql"
    migration.parent.mkdir(parents=True, exist_ok=True)
    migration.write_text(schema_sql(), "utf-8")
    environment = {name: value for name, value in os.environ.items() if name in ("PATH", "SYSTEMROOT")}
    done = subprocess.run(
        [CLI, "--workdir", folder, *words, f"--remote={server.url(database, user).replace('@', ':unused@')}"],
        env={**environment, "HOME": str(folder), "DO_NOT_TRACK": "1", "SUPABASE_TELEMETRY_DISABLED": "1"},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    output = done.stdout + done.stderr
    assert done.returncode == 0, output
    return output


here = pytest.mark.skipif(
    not CLI.exists(), reason="the Supabase CLI is locked for Linux on x64 only; npm left it out here"
)


@here
def test_the_cli_applies_the_schema_to_a_new_project_and_its_advisors_are_content(
    postgres_17: Server, tmp_path: Path
) -> None:
    with postgres_17.database("hosted") as database:
        output = supabase(postgres_17, database, tmp_path, "db", "push", "--yes")
        assert "20261130000000_outrider.sql" in output
        supabase(postgres_17, database, tmp_path, "db", "advisors", "--level", "warn", "--fail-on", "warn")


@here
def test_the_cli_finds_no_fault_in_any_function(postgres_15: Server, tmp_path: Path) -> None:
    with postgres_15.database() as database:
        with psycopg.connect(postgres_15.url(database), autocommit=True) as admin:
            if not admin.execute("select 1 from pg_available_extensions where name = 'plpgsql_check'").fetchone():
                pytest.skip("plpgsql_check is not installed here (`make setup` installs postgresql-15-plpgsql-check)")
            admin.execute("create extension plpgsql_check")
        lint = ("db", "lint", "--schema", "public,outrider", "--level", "warning", "--fail-on", "warning")
        supabase(postgres_15, database, tmp_path, *lint, user=ADMIN)
