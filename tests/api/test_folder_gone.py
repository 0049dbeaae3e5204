"""A data folder that is moved, replaced or removed while Outrider runs: nothing is said to be kept that is not, and what is there
now stays as it is."""

import shutil
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from backend.domain.model.campaign import Settings
from backend.store.database import Database
from tests.api.app import running


def _moved(folder: Path) -> None:
    folder.rename(folder.with_name("elsewhere"))


def _removed(folder: Path) -> None:
    shutil.rmtree(folder)


def _replaced(folder: Path) -> None:
    _moved(folder)
    folder.mkdir()
    Database(folder / "outrider.db").close()


def _replaced_by_one_in_use(folder: Path) -> None:
    """Its last commits are in its write-ahead log only."""
    _moved(folder)
    folder.mkdir()
    other = Database(folder / "outrider.db")
    IN_USE.append(other)
    with other.write() as connection:
        connection.execute("CREATE TABLE written_by_another (one TEXT)")


def _database_replaced(folder: Path) -> None:
    (folder / "outrider.db").rename(folder / "earlier.db")
    Database(folder / "outrider.db").close()


IN_USE: list[Database] = []


@pytest.fixture
def in_use() -> Iterator[None]:
    yield
    while IN_USE:
        IN_USE.pop().close()


def content(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.usefixtures("in_use")
@pytest.mark.parametrize("happens", [_moved, _removed, _replaced, _replaced_by_one_in_use, _database_replaced])
def test_nothing_is_kept_nor_said_to_be_once_the_folder_is_not_ours(
    tmp_path: Path, happens: Callable[[Path], None]
) -> None:
    folder = tmp_path / "data"
    with running(folder) as app:
        made = app.workspace.commands().campaigns.create(
            "Before", "g", site="practice", account="a", settings=Settings()
        )
        app.ask("/api/campaigns")
        happens(folder)
        there = content(folder) if folder.exists() else None
        for path, body in ((f"{made}/rename", {"name": "After"}), (f"{made}/archive", {})):
            answer = app.ask(f"/api/campaigns/{path}", body)
            assert (answer.status, answer.code) == (409, "data_folder_gone")
    assert (content(folder) if folder.exists() else None) == there
    if happens is _replaced_by_one_in_use:
        with sqlite3.connect(folder / "outrider.db") as other:
            assert other.execute("SELECT count(*) FROM written_by_another").fetchone() == (0,)
    if (elsewhere := folder.with_name("elsewhere")).exists():
        with Database(elsewhere / "outrider.db").read() as connection:
            assert connection.execute("SELECT name FROM campaigns").fetchall() == [("Before",)]
