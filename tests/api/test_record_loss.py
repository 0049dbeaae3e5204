"""The page shows that log entries are missing, nothing acts meanwhile, and the user goes on by one click; backups."""

import http.client
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from backend.runtime.rehearsal import find_or_create_rehearsal
from backend.settings import AppSettings
from backend.wiring import open_workspace
from tests.api.app import App, running
from tests.patience import PATIENCE


@pytest.fixture
def older(tmp_path: Path) -> Path:
    """A data folder whose database was replaced by an older one."""
    folder = tmp_path / "data"
    folder.mkdir()
    with open_workspace(AppSettings(folder, "", 10)) as workspace:
        campaign = find_or_create_rehearsal(workspace, None, None)
        connection = sqlite3.connect(folder / "outrider.db")
        connection.execute("VACUUM INTO ?", (str(tmp_path / "older.db"),))
        connection.close()
        workspace.commands().campaigns.edit(campaign, version=None, name="Later")
    shutil.copy(tmp_path / "older.db", folder / "outrider.db")
    return folder


def test_a_loss_is_shown_nothing_acts_and_the_user_goes_on(older: Path, built_page: Path) -> None:
    with running(older, built_page) as app:
        with app.session.workspace.database.read() as connection:
            ((campaign,),) = connection.execute("SELECT id FROM campaigns").fetchall()
        (line,) = app.ask("/api/record-loss").json["missing"]
        assert campaign in line
        assert "missing" in line
        for way in ("start", "step"):
            refused = app.ask(f"/api/campaigns/{campaign}/{way}", {})
            assert (refused.status, refused.code) == (409, "records_lost")
        assert app.ask("/api/record-loss/accept", {}).json == {"missing": [], "unreadable": ""}
    with running(older, built_page) as app:
        assert app.ask("/api/record-loss").json["missing"] == []


def test_a_backup_is_downloaded_whole_and_leaves_nothing_behind(app: App, campaign: str, tmp_path: Path) -> None:
    with closing(http.client.HTTPConnection(app.authority, timeout=PATIENCE)) as asked:
        asked.request("GET", "/api/backup/export", headers=app.headers())
        (tmp_path / "copy.db").write_bytes(asked.getresponse().read())
    connection = sqlite3.connect(tmp_path / "copy.db")
    assert connection.execute("SELECT id FROM campaigns").fetchall() == [(campaign,)]
    connection.close()
    assert not list((app.session.workspace.settings.data_dir / "uploads").glob("backup-*"))


def test_a_backup_goes_where_the_window_s_dialog_said(app: App, campaign: str, tmp_path: Path) -> None:
    ticket = app.launch.services.files.ticket_for_writing(tmp_path / "mine.db")
    told = app.ask("/api/backup/export", {"ticket": ticket}).json
    assert told["name"] == "mine.db"
    assert (tmp_path / "mine.db").stat().st_size == told["size"]
