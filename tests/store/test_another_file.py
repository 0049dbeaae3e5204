"""Once another file has the place of the database, whatever is asked of it is refused, and that file stays as it is."""

import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from backend.domain.values.errors import OutriderError
from backend.runtime.copies.restoring import RestoreService
from backend.store import backup as backups
from backend.store.backup import back_up
from backend.store.database import Database


def write(database: Database) -> None:
    with database.write() as connection:
        connection.execute("CREATE TABLE ours (one TEXT)")


def read(database: Database) -> None:
    with database.read() as connection:
        connection.execute("SELECT count(*) FROM leads").fetchone()


ASKED: list[Callable[[Database], object]] = [write, read, Database.checkpoint, Database.compact, Database.damage]


def erased_words_wait(database: Database) -> None:
    """A reader is in the way of emptying the write-ahead log of what was erased."""
    reader = sqlite3.connect(database.path, isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM leads").fetchone()
    write(database)
    database.empty_wal()
    reader.close()


def nothing_before(_: Database) -> None:
    """Just opened."""


BEFORE: list[Callable[[Database], None]] = [nothing_before, read, erased_words_wait]


def content(path: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in path.parent.glob(f"{path.name}*")}


@pytest.mark.parametrize("asks", ASKED)
@pytest.mark.parametrize("before", BEFORE)
def test_whatever_is_asked_once_another_file_is_there_is_refused_and_changes_nothing(
    tmp_path: Path, before: Callable[[Database], None], asks: Callable[[Database], object]
) -> None:
    path = tmp_path / "outrider.db"
    database = Database(path, busy_seconds=0.05)
    before(database)
    for file in tmp_path.glob("outrider.db*"):
        file.rename(file.with_name(f"earlier{file.suffix}"))
    Database(path).close()
    there = content(path)
    ours = (tmp_path / "earlier.db").read_bytes()
    with pytest.raises(OutriderError) as refused:
        asks(database)
    assert refused.value.code == "data_folder_gone"
    database.close()
    assert content(path) == there
    assert (tmp_path / "earlier.db").read_bytes() == ours


def compact(database: Database, _: Path) -> None:
    database.compact()


def check_backup(database: Database, copy: Path) -> None:
    RestoreService(database.path, None, database.refuse_another_file).check("ticket", copy, copy.name)


def make_and_go(path: Path) -> None:
    """Everything is moved away, and the folder of another is where it was."""
    move_away(path)
    path.parent.mkdir()
    Database(path).close()


def move_away(path: Path) -> None:
    path.parent.rename(path.parent.with_name("elsewhere"))


@pytest.mark.parametrize("happens", [move_away, make_and_go])
@pytest.mark.parametrize("asks", [compact, check_backup])
def test_a_folder_that_goes_while_something_long_is_done_is_told_as_that_whatever_failed_by_it(
    tmp_path: Path,
    asks: Callable[[Database, Path], None],
    happens: Callable[[Path], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path = tmp_path / "data" / "outrider.db"
    path.parent.mkdir()
    database = Database(path)
    back_up(database, tmp_path / "copy.db")
    gone: list[dict[str, bytes]] = []

    def goes_once() -> None:
        if not gone:
            happens(path)
            gone.append(content(path))

    with monkeypatch.context() as patch:
        if asks is compact:
            unlink = Path.unlink

            def unlinked(file: Path, **options: bool) -> None:  # of what an earlier one left, before it begins
                unlink(file, **options)
                goes_once()

            patch.setattr(Path, "unlink", unlinked)
        else:
            prove = backups._prove

            def proved(copy: Path) -> int:
                goes_once()
                return prove(copy)

            patch.setattr(backups, "_prove", proved)
        with pytest.raises(OutriderError) as refused:
            asks(database, tmp_path / "copy.db")
    assert refused.value.code == "data_folder_gone"
    database.close()
    assert content(path) == gone[0]
