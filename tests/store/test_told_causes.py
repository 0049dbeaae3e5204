"""What is told of a failing database is what happened to it: neither its consequence nor a guess."""

import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from backend.domain.values.errors import OutriderError
from backend.store.database import Database, coded
from tests.store.opening import started


def raised(work: Callable[[], object]) -> sqlite3.DatabaseError:
    with pytest.raises(sqlite3.DatabaseError) as error:
        work()
    return error.value


def full() -> sqlite3.DatabaseError:
    """SQLite's own error of a full disk."""
    scratch = sqlite3.connect(":memory:", isolation_level=None)
    scratch.execute("PRAGMA max_page_count=2")
    scratch.execute("CREATE TABLE t (x)")
    return raised(lambda: scratch.execute("INSERT INTO t VALUES (zeroblob(100000))"))


def damaged(folder: Path) -> tuple[Path, sqlite3.DatabaseError]:
    """A damaged file, and SQLite's own error about it."""
    path = folder / "damaged.db"
    path.write_bytes(b"SQLite format 3\0" + bytes(range(256)) * 64)
    connection = sqlite3.connect(path)
    error = raised(lambda: connection.execute("SELECT * FROM sqlite_master").fetchall())
    connection.close()
    return path, error


@pytest.mark.parametrize("way", ["read", "write"])
def test_a_full_disk_is_told_although_the_transaction_cannot_be_ended_then(tmp_path: Path, way: str) -> None:
    database, error = Database(tmp_path / "o.db"), full()

    def work() -> None:
        with database.read() if way == "read" else database.write() as connection:
            connection.execute("ROLLBACK")  # as SQLite itself does when the disk is full
            raise error

    with pytest.raises(OutriderError) as refused:
        work()
    assert refused.value.code == "database_full"
    with database.read() as connection:
        assert connection.execute("SELECT count(*) FROM event_log").fetchone() == (0,)
    database.close()


def told(path: Path, error: sqlite3.DatabaseError) -> OutriderError:
    with pytest.raises(OutriderError) as refused, coded(path):
        raise error
    return refused.value


def test_a_read_error_that_passes_is_not_called_damage(tmp_path: Path) -> None:
    started(tmp_path / "sound.db").database.close()
    path, error = damaged(tmp_path)
    passing = told(tmp_path / "sound.db", error)
    assert passing.code == "database_unread"
    assert "try again" in passing.remedy
    assert told(path, error).code == "database_corrupt"


def test_a_damaged_database_is_told_with_a_remedy_that_exists(tmp_path: Path) -> None:
    remedy = told(*damaged(tmp_path)).remedy
    assert "outrider restore FILE" in remedy
    assert "log verify" not in remedy, "it cannot open the file either"
