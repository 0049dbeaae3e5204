"""Lost log entries on the command line: never "sound", never silently a new campaign; backup, restore, and going on."""

import shutil
from pathlib import Path

from backend.app.wiring import open_workspace
from backend.machine.settings import AppSettings
from backend.store import backup as backups
from tests.cli.outrider import Outrider
from tests.stored_rows import all_rows


def older(copy: Outrider, folder: Path) -> Path:
    """A backup, after which the campaign goes on."""
    made = copy("backup", str(folder / "older.db"), "--json")
    assert made.status == 0, made.err
    assert made.told["entries"] > 0
    with open_workspace(AppSettings(copy.data_dir, "", 10)) as workspace:
        workspace.commands().workspace.add_do_not_contact("ann", "Ann", "asked us not to")
        ((campaign, lead),) = workspace.database.query(all_rows, "SELECT campaign_id, id FROM leads LIMIT 1")
        workspace.commands().leads.note(campaign, lead, "Met in Leeds")
    return folder / "older.db"


def test_an_older_database_copied_over_the_present_one_is_told_everywhere_until_the_user_decides(
    copy: Outrider, tmp_path: Path
) -> None:
    backup = older(copy, tmp_path)
    shutil.copy(backup, copy.data_dir / "outrider.db")
    for command in (
        ("status",),
        ("log", "verify"),
        ("replay", "--check"),
        ("rehearse", "--auto-approve", "--headless"),
    ):
        ended = copy(*command, "--json")
        assert ended.status == 1, command
        assert ended.code == "records_lost", command
        assert "do-not-contact list): entry" in ended.told["error"]["sentence"]
        assert "is missing (everything since" in ended.told["error"]["sentence"]
        assert "event log of campaign “Rehearsal 1”: entr" in ended.told["error"]["sentence"]
    doctor = copy("doctor", "--json").told["checks"]
    (database_check,) = [check for check in doctor if check["code"] == "database"]
    assert database_check["status"] == "fail"
    assert "event log of campaign “Rehearsal 1”: entr" in database_check["said"]
    assert "accept-loss" in database_check["remedy"]
    accepted = copy("log", "accept-loss", "--json")
    assert accepted.status == 0
    assert accepted.told["accepted"]
    assert copy("log", "verify", "--json").status == 0
    assert copy("replay", "--check", "--json").status == 0


def test_a_database_that_is_gone_is_never_a_new_campaign(copy: Outrider) -> None:
    for file in copy.data_dir.glob("outrider.db*"):
        file.unlink()
    doctor = copy("doctor", "--json").told["checks"]
    (database_check,) = [check for check in doctor if check["code"] == "database"]
    assert database_check["status"] == "fail"
    assert not (copy.data_dir / "outrider.db").exists(), "the doctor only looks"
    assert copy("rehearse", "--auto-approve", "--headless", "--json").code == "records_lost"
    assert copy("rehearse", "--auto-approve", "--headless", "--json").code == "records_lost"


def test_a_damaged_file_of_heads_is_called_that_and_never_a_loss(copy: Outrider, tmp_path: Path) -> None:
    (copy.data_dir / "outrider.heads").write_bytes(b"\xff" * 3_000)
    for command in (("status",), ("replay", "--check"), ("log", "verify")):
        assert copy(*command, "--json").code == "heads_unreadable", command
    made = copy("backup", str(tmp_path / "copy.db"), "--json")
    assert (made.status, made.told["missing"]) == (0, [])
    assert "It is unknown whether entries are missing" in made.err
    assert copy("log", "accept-loss", "--json").status == 0
    assert copy("log", "verify").status == 0


def test_a_backup_is_put_back_only_if_it_lacks_nothing_or_the_user_says_so(copy: Outrider, tmp_path: Path) -> None:
    backup = older(copy, tmp_path)
    assert copy("backup", str(backup), "--json").code == "backup_exists"
    refused = copy("restore", str(backup), "--json")
    assert refused.code == "backup_older"
    assert "campaign “Rehearsal 1”" in refused.told["error"]["sentence"]
    done = copy("restore", str(backup), "--despite-loss", "--json")
    assert done.status == 0, done.err
    assert any("campaign “Rehearsal 1”" in line for line in done.told["missing"])
    previous = Path(done.told["kept"])
    assert previous.exists()
    assert copy("status", "--json").code == "records_lost"
    again = copy("restore", str(previous), "--json")
    assert again.status == 0, again.err
    assert copy("status", "--json").status == 0, "the one that was kept has everything"


def test_a_damaged_database_is_advised_what_works(copy: Outrider, tmp_path: Path) -> None:
    assert copy("backup", str(tmp_path / "b.db"), "--json").status == 0
    (copy.data_dir / "outrider.db").write_bytes(b"x" * 8_192)
    for tail in ("-wal", "-shm"):
        (copy.data_dir / f"outrider.db{tail}").unlink(missing_ok=True)
    ended = copy("status", "--json")
    assert ended.code == "database_corrupt"
    assert "outrider restore FILE" in ended.told["error"]["remedy"]
    assert copy("restore", str(tmp_path / "b.db"), "--json").status == 0
    assert copy("status", "--json").status == 0


def test_a_backup_that_the_page_scheduled_is_put_back_before_a_run(copy: Outrider, tmp_path: Path) -> None:
    backup = older(copy, tmp_path)
    backups.check(copy.data_dir / "outrider.db", backup)
    backups.schedule(copy.data_dir / "outrider.db")
    assert copy("status", "--json").status == 0, "whoever only looks changes nothing"
    refused = copy("rehearse", "--auto-approve", "--headless", "--json")
    assert refused.code == "records_lost"
    assert "The scheduled backup was restored; the previous database is now" in refused.err


def test_a_restore_by_hand_takes_the_place_of_the_scheduled_one(copy: Outrider, tmp_path: Path) -> None:
    backup = older(copy, tmp_path)
    assert copy("backup", str(tmp_path / "newest.db"), "--json").status == 0
    backups.check(copy.data_dir / "outrider.db", backup)
    backups.schedule(copy.data_dir / "outrider.db")
    assert copy("restore", str(tmp_path / "newest.db"), "--json").told["missing"] == []
    assert not list(copy.data_dir.glob("outrider.db.*"))
