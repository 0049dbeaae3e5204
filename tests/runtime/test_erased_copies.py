"""What is erased is in no file of the data folder: replaced databases, files for people, and what a killed restore left go, too."""

from collections.abc import Callable
from pathlib import Path

import pytest

from backend.app.wiring import delete_campaign, erase_in_restored, open_workspace, write_campaign_files
from backend.commands.lead_import import import_leads
from backend.domain.events.events import Event
from backend.domain.model.channel import ASSIST, CHANNELS
from backend.domain.model.sequence import DEFAULT_SEQUENCE
from backend.domain.people.lead_row import LeadRow
from backend.machine.durable_files import UNFINISHED
from backend.machine.settings import AppSettings
from backend.runtime.copies.record_loss import RecordLoss
from backend.runtime.copies.restoring import restore_at_start
from backend.runtime.workspace import Workspace
from backend.store import backup
from backend.store.queries.device import erased_things

NAME, SLUG = "Zoe Quillfeather", "zoe-quill"


def row() -> LeadRow:
    url = f"https://www.linkedin.com/in/{SLUG}"
    return LeadRow(1, "raw", NAME, "Zoe", "Quillfeather", url, url, None, "Acme", "Owner", "2024-03-15", {})


def new_campaign(workspace: Workspace) -> tuple[str, str]:
    """A campaign with her and a task that names her, and her lead in it."""
    commands, channel = workspace.commands(workspace.clock), CHANNELS[ASSIST]
    campaign = commands.campaigns.create_on(channel, "Talk", "A talk.", channel.settings(DEFAULT_SEQUENCE))
    import_leads(workspace.journal, workspace.clock, campaign, [row()], file="people.csv", file_format="csv")
    with workspace.database.read() as connection:
        ((lead,),) = connection.execute("SELECT id FROM leads WHERE campaign_id=?", (campaign,)).fetchall()
    now = workspace.clock.now()
    task = {
        "kind": "custom",
        "lead_id": lead,
        "description": f"Write to {NAME}",
        "status": "pending",
        "needs": "think",
        "created_at": now,
    }
    workspace.journal.record(
        campaign, events=[Event("TaskCreated", f"task-{campaign}", task)], actor="user", cause="test", at=now
    )
    return campaign, lead


def files_naming_her(folder: Path) -> list[str]:
    """Every file below the folder that has her name or her address, read as bytes."""
    words = (NAME.encode(), SLUG.encode())
    files = (path for path in folder.rglob("*") if path.is_file())
    return sorted(path.name for path in files if any(word in path.read_bytes() for word in words))


def put_back(settings: AppSettings, copy: Path) -> Path | None:
    """The backup, in spite of what is missing in it; the database that it replaces."""
    done = backup.restore(settings.database, copy, erase_again=erase_in_restored(), despite_loss=True)
    with open_workspace(settings, despite_loss=True) as workspace:
        RecordLoss(workspace.journal).accept(workspace.clock.now())
        return done.previous_database


def erase(workspace: Workspace, campaign: str, lead: str) -> None:
    workspace.commands(workspace.clock).people.erase(campaign, lead)
    workspace.erased_files.remove()


def delete(workspace: Workspace, campaign: str, _: str) -> None:
    commands = workspace.commands(workspace.clock)
    delete_campaign(workspace, commands, campaign)


@pytest.mark.parametrize("goes", [erase, delete])
def test_no_file_of_the_data_folder_names_whoever_is_erased(
    tmp_path: Path, goes: Callable[[Workspace, str, str], None]
) -> None:
    data = tmp_path / "data"
    data.mkdir()
    settings = AppSettings(data, "", 10)
    with open_workspace(settings) as workspace:
        backup.back_up(workspace.database, tmp_path / "before.db")
        new_campaign(workspace)  # of which the backup does not know
    with_her = put_back(settings, tmp_path / "before.db")
    assert with_her is not None
    (data / "outrider.db.arriving").write_bytes(with_her.read_bytes())  # as a restore leaves it that is killed
    (data / "outrider.db.checked").write_bytes(with_her.read_bytes())  # and one that the user has not decided upon
    with open_workspace(settings) as workspace:
        campaign, lead = new_campaign(workspace)
        write_campaign_files(workspace, campaign)
        mine = data / "campaigns" / campaign / "mine.txt"
        mine.write_text("my own file")
        mine.with_name(f"{UNFINISHED}half").write_text(f"Write to {NAME}")  # as a process leaves it that is killed
        assert {"outrider-before-restore-1.db", "tasks.md"} <= set(files_naming_her(data))
        goes(workspace, campaign, lead)
        assert mine.exists() is (goes is erase)
    assert files_naming_her(data) == []


def test_the_database_that_a_restore_replaced_outlives_what_the_restore_erases_again(tmp_path: Path) -> None:
    settings = AppSettings(tmp_path / "data", "", 10)
    settings.data_dir.mkdir()
    with open_workspace(settings) as workspace:
        campaign, lead = new_campaign(workspace)
        backup.back_up(workspace.database, tmp_path / "with-her.db")
        erase(workspace, campaign, lead)
    put_back(settings, tmp_path / "with-her.db")
    with open_workspace(settings) as workspace:
        workspace.erased_files.remove()
    assert backup.set_aside(settings.database)
    assert files_naming_her(tmp_path / "data") == []


def test_of_what_was_erased_elsewhere_a_replaced_database_that_has_it_goes_alone(tmp_path: Path) -> None:
    """A backup that was put back may know nothing of whom the database before it knew, and another device erases."""
    settings = AppSettings(tmp_path / "data", "", 10)
    settings.data_dir.mkdir()
    with_her, without = (settings.data_dir / f"outrider-before-restore-{number}.db" for number in (1, 12))
    with open_workspace(settings) as workspace:
        campaign, lead = new_campaign(workspace)
        backup.back_up(workspace.database, tmp_path / "with-her.db")
        erase(workspace, campaign, lead)
        backup.back_up(workspace.database, without)
        (tmp_path / "with-her.db").rename(with_her)
        with workspace.database.write() as connection:
            erased_things.note_evidence(connection, [erased_things.OLDER_COPIES])
        workspace.erased_files.remove()
    assert not with_her.exists()
    assert without.exists()
    assert files_naming_her(settings.data_dir) == []


def test_a_start_removes_what_a_killed_restore_left(tmp_path: Path) -> None:
    database = tmp_path / "outrider.db"
    for side in backup.SIDES:
        (tmp_path / f"outrider.db.arriving{side}").write_bytes(NAME.encode())
    assert restore_at_start(database, erase_in_restored()) is None
    assert files_naming_her(tmp_path) == []
