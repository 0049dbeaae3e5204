"""A database of the schema before people is upgraded whole: whoever stands in two campaigns is one person afterwards."""

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from backend.store import migrations
from backend.store.database import Database
from backend.store.log import replay
from backend.store.log.journal import Journal
from backend.store.queries.leads import lead_index
from backend.store.queries.people import people, person_index
from tests.fakes.ids import SeededIds
from tests.kills import KILLED
from tests.store.test_people import ANNA, MAIL, campaign, lead, record

ROOT = Path(__file__).resolve().parents[2]
NEWEST = migrations.known()[-1][0]
UPGRADE = """
import os, sqlite3, sys
from pathlib import Path
from backend.store import migrations
from tests.kills import KILL
left = int(sys.argv[2])
def count(sql):
    global left
    left -= 1
    if left < 0:
        os.kill(os.getpid(), KILL)
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.create_function("leaves_no_more", 2, lambda left, before: 1)
connection.execute("PRAGMA journal_mode=WAL")
connection.set_trace_callback(count)
migrations.upgrade(connection, Path(sys.argv[1]))
"""


@pytest.fixture
def earlier(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two campaigns with one person, as the first schema has them: written by the fold of today into the tables of then."""
    path = tmp_path / "o.db"
    first = migrations.known()[:1]
    monkeypatch.setattr(migrations, "known", lambda: first)
    monkeypatch.setattr(person_index, "is_behind", lambda _: False)
    listed = tuple(sql.replace("l.is_counted", "1") for sql in lead_index._LISTED)
    monkeypatch.setattr(lead_index, "_LISTED", listed)
    monkeypatch.setattr(lead_index, "_PUT_IN", lead_index._PUT_IN[:1])
    monkeypatch.setattr(person_index, "index_people", lambda _: None)
    journal = Journal(Database(path), SeededIds("earlier"))
    for name in ("a", "b"):
        campaign(journal, name)
        record(journal, name, lead(f"{name}1", url=ANNA, email=MAIL))
    with journal.database.write() as connection:  # the first schema's own triggers counted new leads, too
        connection.execute("UPDATE lead_counts SET n = 1")
    journal.database.close()
    monkeypatch.undo()
    return path


def value(path: Path, sql: str) -> Any:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(sql).fetchone()[0]


def assert_upgraded(path: Path) -> None:
    journal = Journal(Database(path), SeededIds("now"))
    with journal.database.read() as connection:
        assert people.lead_ids(connection, "a1") == ["a1", "b1"]
    assert replay.find_differences(journal.database) == []
    journal.database.close()
    assert value(path, "PRAGMA integrity_check") == "ok"
    assert value(path, "PRAGMA user_version") == NEWEST


def test_an_earlier_database_is_upgraded_when_it_is_opened(earlier: Path) -> None:
    assert value(earlier, "PRAGMA user_version") == 1
    assert_upgraded(earlier)


@pytest.mark.parametrize("statements", range(0, 50, 7))
def test_an_upgrade_that_is_killed_is_done_whole_by_the_next_start(earlier: Path, statements: int) -> None:
    command = [sys.executable, "-c", UPGRADE, str(earlier), str(statements)]
    killed = subprocess.run(command, cwd=ROOT, check=False)
    assert killed.returncode == KILLED
    assert value(earlier, "PRAGMA user_version") == 1
    assert value(earlier, "SELECT count(*) FROM leads") == 2
    assert_upgraded(earlier)
