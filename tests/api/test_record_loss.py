"""The page shows that log entries are missing, nothing acts meanwhile, and the user goes on by one click; backups."""

import http.client
import shutil
import sqlite3
from contextlib import closing
from io import BytesIO
from pathlib import Path

import pytest

from backend.app.wiring import open_workspace
from backend.machine.settings import AppSettings
from backend.runtime.run.rehearsal import find_or_create_rehearsal
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
        with app.workspace.database.read() as connection:
            ((campaign,),) = connection.execute("SELECT id FROM campaigns").fetchall()
        (line,) = app.ask("/api/record-loss").json["missing"]
        assert "campaign “" in line, "it is called as the user calls it"
        assert campaign not in line
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
    assert not list((app.workspace.settings.data_dir / "uploads").glob("backup-*"))


def test_a_backup_goes_where_the_window_s_dialog_said(app: App, campaign: str, tmp_path: Path) -> None:
    ticket = app.launch.services.files.ticket_for_writing(tmp_path / "mine.db")
    saved = app.ask("/api/backup/export", {"ticket": ticket}).json
    assert saved["name"] == "mine.db"
    assert (tmp_path / "mine.db").stat().st_size == saved["size"]


def chosen(app: App, tmp_path: Path) -> str:
    """A backup of now, chosen in the window's dialog; its ticket."""
    destination = app.launch.services.files.ticket_for_writing(tmp_path / "mine.db")
    assert app.ask("/api/backup/export", {"ticket": destination}).ok
    return app.launch.services.files.ticket_for_reading(tmp_path / "mine.db", "mine.db").ticket


def test_a_backup_is_put_back_at_the_next_start_and_nothing_acts_until_then(tmp_path: Path, built_page: Path) -> None:
    with running(tmp_path / "data", built_page) as app:
        campaign = find_or_create_rehearsal(app.workspace, None, None)
        ticket = chosen(app, tmp_path)
        app.workspace.commands().campaigns.edit(campaign, version=None, name="Later")
        checked = app.ask("/api/backup/check", {"ticket": ticket}).json
        assert checked["name"] == "mine.db"
        assert checked["entries"] > 0
        assert "campaign “Later”" in checked["missing"][0]
        assert app.ask("/api/backup").json == {"scheduled": None, "restored": None}
        scheduled = app.ask("/api/backup/restore", {"ticket": ticket}).json
        assert scheduled == {"scheduled": checked, "restored": None}
        for way in ("start", "step"):
            assert app.ask(f"/api/campaigns/{campaign}/{way}", {}).code == "restore_scheduled"
    with running(tmp_path / "data", built_page) as app:
        restored = app.ask("/api/backup").json["restored"]
        assert Path(restored["kept"]).exists()
        assert (restored["problem"], restored["erased_again"]) == (None, 0)
        assert app.ask(f"/api/campaigns/{campaign}/start", {}).code == "records_lost", "the user decides about it first"
        assert app.ask(f"/api/campaigns/{campaign}").json["name"] != "Later"
        assert app.ask("/api/backup/dismiss", {}).json == {"scheduled": None, "restored": None}
    with running(tmp_path / "data", built_page) as app:
        assert app.ask("/api/backup").json["restored"] is None


def test_a_backup_is_scheduled_only_as_it_was_checked_and_can_be_cancelled(app: App, tmp_path: Path) -> None:
    ticket = chosen(app, tmp_path)
    assert app.ask("/api/backup/restore", {"ticket": ticket}).code == "file_ticket_unknown", "not checked yet"
    broken = app.upload("broken.db", b"no database")
    refused = app.ask("/api/backup/check", {"ticket": broken})
    assert refused.code == "backup_damaged"
    assert refused.json["sentence"].startswith("broken.db is not"), "by the name that the user knows"
    assert app.ask("/api/backup/restore", {"ticket": broken}).code == "file_ticket_unknown"
    app.ask("/api/backup/check", {"ticket": ticket})
    assert app.ask("/api/backup/restore", {"ticket": ticket}).json["scheduled"]["missing"] == []
    assert app.ask("/api/backup/cancel", {}).json == {"scheduled": None, "restored": None}
    app.services.restoring.refuse()  # raises nothing: campaigns may run


def test_what_a_replaced_database_names_is_kept_with_it(tmp_path: Path, built_page: Path) -> None:
    with running(tmp_path / "data", built_page) as app:
        campaign = find_or_create_rehearsal(app.workspace, None, None)
        ticket = chosen(app, tmp_path)
        blobs = app.launch.services.blobs
        app.services.commands(campaign).artifacts.save(
            campaign, "note", "k", BytesIO(b"\xff of later"), blobs, follows=0
        )
        app.ask("/api/backup/check", {"ticket": ticket})
        app.ask("/api/backup/restore", {"ticket": ticket})
    with running(tmp_path / "data", built_page):
        assert len([file for file in (tmp_path / "data" / "artifacts").rglob("*") if file.is_file()]) == 1
