"""A backup is saved and put back in the page of the real app, and missing log entries are told until the user decides."""

from pathlib import Path

from playwright.sync_api import Page, expect

from backend.app.wiring import open_workspace
from backend.machine.settings import AppSettings
from backend.runtime.run.rehearsal import find_or_create_rehearsal
from tests.e2e.conftest import Start


def choose(page: Page, file: Path) -> None:
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Restore a backup…").click()
    chooser.value.set_files(file)


def test_a_backup_from_the_page_is_put_back_at_the_next_start_and_its_loss_is_decided(
    tmp_path: Path, sheet: Page, start: Start
) -> None:
    (tmp_path / "data").mkdir()
    with open_workspace(AppSettings(tmp_path / "data", "", 10)) as workspace:
        find_or_create_rehearsal(workspace, None, None)
    outrider = start()
    outrider.enter(sheet, "#/settings/data")
    with sheet.expect_download() as download:
        sheet.get_by_role("button", name="Save a backup").click()
    backup = tmp_path / "mine.db"
    download.value.save_as(backup)

    # A file that is no backup is refused where it was chosen.
    chosen = sheet.get_by_role("group", name="The chosen backup")
    (tmp_path / "holiday.db").write_bytes(b"no database")
    choose(sheet, tmp_path / "holiday.db")
    expect(sheet.get_by_role("alert").filter(has_text="holiday.db is not an intact Outrider database")).to_be_visible()
    expect(chosen).to_have_count(0)

    choose(sheet, backup)
    expect(chosen).to_contain_text("Nothing recorded here is missing from it.")
    chosen.get_by_role("button", name="Cancel").click()
    expect(chosen).to_have_count(0)

    sheet.goto(outrider.url + "#/settings/people")
    sheet.get_by_label("Profile address or e-mail").fill("https://www.linkedin.com/in/ann-later")
    sheet.get_by_role("button", name="Add", exact=True).click()
    expect(sheet.get_by_text("ann-later")).to_be_visible()
    sheet.goto(outrider.url + "#/settings/data")
    choose(sheet, backup)
    expect(chosen).to_contain_text("It is missing what is here:")
    expect(chosen).to_contain_text("do-not-contact list): entr")
    chosen.get_by_role("button", name="Restore at the next start").click()
    waits = sheet.get_by_role("group", name="mine.db will be restored at the next start.")
    waits.get_by_role("button", name="Cancel the restore").click()
    expect(waits).to_have_count(0)
    choose(sheet, backup)
    chosen.get_by_role("button", name="Restore at the next start").click()
    expect(waits).to_contain_text("Nothing runs until then.")
    assert outrider.end() == 0

    outrider = start()
    outrider.enter(sheet, "#/settings/people")
    restored = sheet.get_by_role("group", name="The backup was restored.")
    expect(restored).to_contain_text("outrider-before-restore-1.db")
    expect(sheet.get_by_text("The list is empty.")).to_be_visible()
    restored.get_by_role("button", name="Dismiss").click()
    expect(restored).to_have_count(0)
    lost = sheet.get_by_role("group", name="Log entries that were saved are missing.")
    expect(lost).to_contain_text("do-not-contact list): entr")
    lost.get_by_role("button", name="Continue without them").click()
    expect(lost).to_have_count(0)
    sheet.reload()
    expect(sheet.get_by_text("The list is empty.")).to_be_visible()
    expect(lost).to_have_count(0)
