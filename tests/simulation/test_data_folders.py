"""A connection that is kept reads what was written over its file, and nothing of before."""

import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from backend.domain.values.errors import OutriderError
from tests.fakes.prepared import Prepared
from tests.simulation.data_folders import DataFolders, write_over
from tests.simulation.machine import SimulatedDatabase, empty_database

DAYS = "SELECT rebuilt_at FROM projection_rebuild"


@pytest.fixture
def folders(monkeypatch: pytest.MonkeyPatch) -> Iterator[DataFolders]:
    own = DataFolders()
    monkeypatch.setattr("tests.simulation.machine.FOLDERS", own)
    yield own
    while (folder := own.take()).joinpath("outrider.db").exists():
        connection = own.connection(folder / "outrider.db")
        assert connection is not None
        connection.close()


def opened(folders: DataFolders) -> SimulatedDatabase:
    path = folders.take() / "outrider.db"
    write_over(path, empty_database())
    return SimulatedDatabase(path)


def keep(database: SimulatedDatabase, at: int) -> None:
    with database.write() as connection:
        connection.execute("INSERT OR REPLACE INTO projection_rebuild VALUES (1, ?, 0)", (at,))


def kept(database: SimulatedDatabase) -> list[tuple[int]]:
    with database.read() as connection:
        return list(connection.execute(DAYS).fetchall())


def test_what_is_written_over_a_file_is_all_that_it_holds(tmp_path: Path) -> None:
    path = tmp_path / "file"
    for content in (b"short", b"much longer than before", b"", b"short again"):
        write_over(path, content)
        assert path.read_bytes() == content


def test_a_launch_reads_the_file_and_the_write_ahead_log_that_it_was_given(
    folders: DataFolders, tmp_path: Path
) -> None:
    first = opened(folders)
    keep(first, 1)
    shutil.copytree(first.path.parent, tmp_path, dirs_exist_ok=True)
    assert (tmp_path / "outrider.db").read_bytes() == empty_database(), "all of it is in the write-ahead log"
    keep(first, 2)
    (first.path.parent / "artifacts").mkdir()
    connection = first._writer
    prepared = Prepared(connection)
    assert kept(first) == [(2,)]
    first.give_back()

    second = opened(folders)
    assert second._writer is connection
    assert [file.name for file in second.path.parent.iterdir() if file.is_dir()] == []
    reads: list[list[tuple[int]]] = []
    assert not prepared.during(lambda: reads.append(kept(second)))
    assert reads == [[]]
    keep(second, 3)
    second.give_back()

    folder = folders.take()
    for file in tmp_path.iterdir():
        shutil.copyfile(file, folder / file.name)
    third = SimulatedDatabase(folder / "outrider.db")
    assert third._writer is connection
    assert kept(third) == [(1,)]
    third.give_back()


def test_a_file_that_was_put_in_its_place_gets_a_connection_of_its_own(folders: DataFolders) -> None:
    first = opened(folders)
    keep(first, 1)
    connection = first._writer
    first.give_back()
    path = folders.take() / "outrider.db"
    other = path.with_name("other.db")
    other.write_bytes(empty_database())
    other.replace(path)
    second = SimulatedDatabase(path)
    assert second._writer is not connection
    assert kept(second) == []
    second.give_back()


def test_a_folder_in_which_somebody_still_reads_is_not_used_again(folders: DataFolders) -> None:
    first = opened(folders)
    keep(first, 1)
    reading: sqlite3.Cursor = first._writer.execute("SELECT name FROM sqlite_schema")
    assert reading.fetchone()
    first.give_back()
    assert not first.path.parent.exists()
    assert folders.take() != first.path.parent


def test_folders_that_somebody_else_tidied_away_are_made_anew(folders: DataFolders) -> None:
    first, second = opened(folders), opened(folders)
    for database in (first, second):
        keep(database, 1)
        database.give_back()
    assert folders.are_there()
    shutil.rmtree(first.path.parent.parent)
    assert not folders.are_there()
    third = opened(folders)
    assert folders.are_there()
    assert kept(third) == []
    third.give_back()


def test_whoever_is_left_of_a_launch_has_no_part_in_the_next(folders: DataFolders) -> None:
    first = opened(folders)
    first.give_back()
    second = opened(folders)
    assert second.path == first.path
    with pytest.raises(OutriderError, match="closed"):
        keep(first, 1)
    second.give_back()
