"""A data folder that is moved, replaced or removed while Outrider runs: nothing is said to be kept that is not, and what is there
now stays as it is."""

import shutil
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from backend.api.app import STILL_ANSWERED
from backend.domain.model.campaign import Settings
from backend.store import backup
from backend.store.database import Database
from tests.api.app import App, running


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


def requests(app: App, campaign: str) -> Iterator[tuple[str, str]]:
    """(method, path) of every route, once each."""
    for rule in app.server.app.url_map.iter_rules():  # type: ignore[attr-defined]
        path = str(rule).replace("<campaign_id>", campaign)
        for name in rule.arguments:
            path = path.replace(f"<int:{name}>", "1").replace(f"<path:{name}>", "x").replace(f"<{name}>", "x")
        yield from ((method, path) for method in sorted((rule.methods or set()) - {"HEAD", "OPTIONS"}))


@pytest.mark.parametrize("happens", [_moved, _removed, _replaced])
def test_no_route_makes_removes_or_alters_a_file_where_the_folder_was_and_no_command_is_carried_out(
    tmp_path: Path, happens: Callable[[Path], None]
) -> None:
    """A backup that was checked and scheduled would be put in another folder's place; its uploads would be emptied."""
    folder = tmp_path / "data"
    with running(folder) as app:
        campaign = app.workspace.commands().campaigns.create(
            "Before", "g", site="practice", account="a", settings=Settings()
        )
        backup.back_up(app.workspace.database, tmp_path / "copy.db")
        chosen = app.services.files.ticket_for_reading(tmp_path / "copy.db", "copy.db").ticket
        assert app.ask("/api/presence", {"page": "p", "visible": True, "idle_ms": 0}).ok, "which is kept at the end"
        happens(folder)
        if folder.exists():  # what another Outrider keeps there
            for name in (
                "uploads/x/people.csv",
                "browser/Default/Cookies",
                "outrider.db.scheduled",
                "campaigns/x/tasks.md",
            ):
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                (folder / name).write_text("another's")
        there = content(folder)
        commands = 0
        for method, path in requests(app, campaign):
            sent = {"ticket": chosen} if method == "POST" else None
            headers = {"Content_Type": "application/octet-stream"} if path.endswith("uploads") else {}
            answer = app.ask(path, b"abc" if headers else sent, method=method, **headers)
            assert content(folder) == there, (method, path)
            assert folder.exists() == (happens is _replaced), (method, path)
            assert answer.status < 500, (method, path, answer.text)
            if method != "GET" and path not in STILL_ANSWERED:
                commands += 1
                assert (answer.status, answer.code) == (409, "data_folder_gone"), (method, path)
        assert commands > 150
    assert content(folder) == there
    assert folder.exists() == (happens is _replaced)
