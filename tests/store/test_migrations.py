"""The schema: from nothing, killed in the middle, by two at once, newer than the program, not ours at all."""

import hashlib
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest

from backend.domain.events.events import Event
from backend.domain.values.errors import OutriderError
from backend.store import migrations
from backend.store.database import Database
from backend.store.log import replay
from backend.store.log.journal import Journal
from backend.store.queries.leads import lead_index
from tests.fakes.ids import SeededIds
from tests.kills import KILLED
from tests.store.opening import (
    CREATED,
    dump,
    integrity,
    lead_imported,
    open_journal,
    schema,
    started,
    task_created,
    write,
)

ROOT = Path(__file__).resolve().parents[2]
NEWEST = migrations.known()[-1][0]

pytestmark = pytest.mark.usefixtures("made_by_steps")


def version(path: Path) -> int:
    connection = sqlite3.connect(path)
    try:
        return int(connection.execute("PRAGMA user_version").fetchone()[0])
    finally:
        connection.close()


def test_a_scratch_database_gets_the_schema_of_a_file_that_went_through_all_steps(tmp_path: Path) -> None:
    Database(tmp_path / "o.db").close()
    for name in (":memory:", str(tmp_path / "scratch.db")):
        with closing(sqlite3.connect(name)) as scratch:
            migrations.copy_schema(scratch)
            scratch.execute("INSERT INTO approved_commands VALUES ('[]', 1)")
            scratch.commit()
            assert scratch.execute("PRAGMA user_version").fetchone() == (NEWEST,)
            assert migrations.first_difference(scratch) == ""
            whole = "SELECT name, sql FROM sqlite_schema ORDER BY name"
            with closing(sqlite3.connect(tmp_path / "o.db")) as database:
                assert scratch.execute(whole).fetchall() == database.execute(whole).fetchall()
                assert database.execute("SELECT count(*) FROM approved_commands").fetchone() == (0,)
    with closing(sqlite3.connect(":memory:")) as next_one:
        migrations.copy_schema(next_one)
        assert next_one.execute("SELECT count(*) FROM approved_commands").fetchone() == (0,), "the first had its own"


def test_the_steps_are_numbered_from_one_without_a_gap() -> None:
    assert [number for number, _ in migrations.known()] == list(range(1, NEWEST + 1))


def test_steps_that_another_process_made_after_our_look_are_not_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = "CREATE INDEX by_x ON leads(x)"
    first, again = f"CREATE TABLE leads(x); {index}", f"DROP INDEX by_x; {index}"
    steps = ((1, first), (2, again), (3, "ALTER TABLE leads ADD COLUMN y"))
    monkeypatch.setattr(migrations, "known", lambda: steps)
    with closing(sqlite3.connect(tmp_path / "o.db", isolation_level=None)) as connection:
        migrations.upgrade(connection, tmp_path)
        monkeypatch.setattr(migrations, "look", lambda *_: 0)
        migrations.upgrade(connection, tmp_path)
        assert connection.execute("SELECT count(*) FROM pragma_table_info('leads')").fetchone() == (2,)
    assert version(tmp_path / "o.db") == 3


def test_an_empty_file_gets_the_newest_schema(tmp_path: Path) -> None:
    path = tmp_path / "o.db"
    Database(path).close()
    assert version(path) == NEWEST
    assert set(dump(path)) == set(schema())
    assert integrity(path) == "ok"


def test_opening_again_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "o.db"
    started(path).database.close()
    before = hashlib.sha256(path.read_bytes()).digest()
    for _ in range(3):
        Database(path).close()
    assert hashlib.sha256(path.read_bytes()).digest() == before


def test_a_file_of_no_bytes_is_a_new_one(tmp_path: Path) -> None:
    path = tmp_path / "o.db"
    path.touch()
    Database(path).close()
    assert version(path) == NEWEST


def _refused(path: Path) -> OutriderError:
    with pytest.raises(OutriderError) as refused:
        Database(path)
    return refused.value


@pytest.mark.parametrize("ahead", [1, 7, 1_000])
def test_a_newer_schema_is_refused_and_left_untouched(tmp_path: Path, ahead: int) -> None:
    path = tmp_path / "o.db"
    started(path).database.close()
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode=DELETE")
    connection.execute(f"PRAGMA user_version={NEWEST + ahead}")
    connection.close()
    before = path.read_bytes()
    refused = _refused(path)
    assert refused.code == "database_newer"
    assert refused.facts == {"path": path, "found": NEWEST + ahead, "known": NEWEST}
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["o.db"]


def test_a_database_of_another_program_is_refused_and_left_untouched(tmp_path: Path) -> None:
    path = tmp_path / "o.db"
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("CREATE TABLE notes(text)")
    connection.execute("INSERT INTO notes VALUES ('mine')")
    connection.close()
    before = path.read_bytes()
    assert _refused(path).code == "database_corrupt"
    assert path.read_bytes() == before


def test_a_file_that_is_no_database_is_refused_and_left_untouched(tmp_path: Path) -> None:
    path = tmp_path / "o.db"
    path.write_text("First Name,Last Name\n" * 1_000)
    before = path.read_bytes()
    assert _refused(path).code == "database_corrupt"
    assert path.read_bytes() == before


@pytest.mark.parametrize("statements", [0, 1, 5, 20, 45])
def test_a_migration_killed_in_the_middle_leaves_the_old_schema(tmp_path: Path, statements: int) -> None:
    """The process dies inside the step's transaction, after some of its statements; the next start does it all."""
    path = tmp_path / "o.db"
    program = f"""
import os, sqlite3, sys
from pathlib import Path
from backend.store import migrations
from tests.kills import KILL
seen = 0
def count(sql):
    global seen
    seen += "CREATE " in sql
    if seen > {statements}:
        os.kill(os.getpid(), KILL)
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("PRAGMA journal_mode=WAL")
connection.set_trace_callback(count)
migrations.upgrade(connection, Path(sys.argv[1]))
"""
    killed = subprocess.run([sys.executable, "-c", program, str(path)], cwd=ROOT, check=False)
    assert killed.returncode == KILLED
    assert version(path) == 0
    connection = sqlite3.connect(path)
    assert connection.execute("SELECT count(*) FROM sqlite_master").fetchone() == (0,)
    connection.close()
    journal = open_journal(path)
    write(journal, CREATED)
    journal.database.close()
    assert version(path) == NEWEST
    assert integrity(path) == "ok"


def test_several_that_open_a_new_file_at_once_all_get_the_same_schema(tmp_path: Path) -> None:
    for attempt in range(15):
        path, barrier = tmp_path / f"{attempt}.db", Barrier(4)

        def open_(path: Path = path, barrier: Barrier = barrier) -> Database:
            barrier.wait()
            return Database(path)

        with ThreadPoolExecutor(4) as threads:
            opened = [threads.submit(open_) for _ in range(4)]
            for database in opened:
                database.result().close()
        assert version(path) == NEWEST


def test_two_processes_that_open_a_new_file_at_once_both_get_it(tmp_path: Path) -> None:
    program = (
        "import sys, pathlib; from backend.store.database import Database; input();"
        " Database(pathlib.Path(sys.argv[1])).close()"
    )
    for attempt in range(4):
        path = tmp_path / f"{attempt}.db"
        command = [sys.executable, "-c", program, str(path)]
        both = [subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(2)]
        for process in both:
            assert process.stdin is not None
            process.stdin.write(b"\n")
            process.stdin.flush()
        errors = [process.communicate()[1].decode() for process in both]
        assert [process.returncode for process in both] == [0, 0], errors
        assert version(path) == NEWEST


class _SecondToUpgrade(sqlite3.Connection):
    """A connection before which another process upgrades, right after it has looked at the version."""

    path: Path
    too_late = False

    def execute(self, sql: str, /, *arguments: Any) -> sqlite3.Cursor:
        cursor = super().execute(sql, *arguments)
        if sql == "PRAGMA user_version" and not self.too_late:
            self.too_late = True
            row = cursor.fetchone()
            cursor.close()
            Database(self.path).close()
            return super().execute("SELECT ?", row)
        return cursor


def test_an_upgrade_by_another_process_between_two_looks_is_not_taken_for_a_foreign_file(tmp_path: Path) -> None:
    path = tmp_path / "o.db"
    connection = sqlite3.connect(path, isolation_level=None, factory=_SecondToUpgrade)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.path = path
    try:
        migrations.upgrade(connection, path)
    finally:
        connection.close()
    assert version(path) == NEWEST


def test_a_later_step_that_fails_leaves_the_version_before_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "o.db"
    started(path).database.close()
    before = dump(path)
    steps = [*migrations.known(), (NEWEST + 1, "CREATE TABLE later(x); CREATE TABLE leads(x)")]
    monkeypatch.setattr(migrations, "known", lambda: steps)
    with pytest.raises(OutriderError, match="already exists"):
        Database(path)
    monkeypatch.undo()
    assert version(path) == NEWEST
    assert dump(path) == before
    connection = sqlite3.connect(path)
    assert connection.execute("SELECT count(*) FROM sqlite_master WHERE name='later'").fetchone() == (0,)
    connection.close()


def test_a_later_migration_is_applied_to_an_older_file_with_everything_in_it_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A made-up one: from the first release on, each later migration has a test of its own here."""
    path = tmp_path / "o.db"
    leads = [lead_imported(1, full_name="Zoë Ärmel", company=""), lead_imported(2, company="Acme")]
    started(path, *leads, task_created(1, lead_id="lead-1")).database.close()
    before = dump(path)
    added = "CREATE TABLE later(x); ALTER TABLE leads ADD COLUMN phone TEXT NOT NULL DEFAULT ''"
    steps = [*migrations.known(), (NEWEST + 1, added)]
    monkeypatch.setattr(migrations, "known", lambda: steps)
    database = Database(path)
    assert version(path) == NEWEST + 1
    assert dump(path) == before
    assert replay.find_differences(database) == []
    # The triggers of the earlier schema go on.
    write(Journal(database, SeededIds("after")), Event("LeadMerged", "lead-2", {"company": "Bolt", "phone": "1"}))
    assert found(database, "zoe") == ["lead-1"]
    assert found(database, "acme") == []
    assert found(database, "bolt") == ["lead-2"]
    assert replay.find_differences(database) == []
    database.close()
    assert integrity(path) == "ok"


@pytest.mark.posix  # modes
def test_the_folder_of_a_missing_path_is_named_and_not_made(tmp_path: Path) -> None:
    path = tmp_path / "missing" / "o.db"
    refused = _refused(path)
    assert refused.code.startswith("database_")
    assert str(path) in refused.sentence
    assert not path.parent.exists()


def found(database: Database, words: str) -> list[str]:
    """The leads that a search finds."""
    with database.read() as connection:
        return sorted(
            row[0]
            for row in connection.execute(
                "SELECT k.lead_id FROM leads_text t JOIN lead_keys k ON k.number = t.rowid WHERE leads_text MATCH ?",
                (lead_index.expression(words),),
            )
        )
