"""The do-not-contact list in the page: a file is shown before it is in force, imported, and taken back."""

from pathlib import Path

from playwright.sync_api import Page, expect

from tests.e2e.desk import Desk, desk

TABLE = """kind;value;name;reason
person;{profile};;asked on the phone
person;ada@acme.example;Ada Lovelace;unsubscribed
company;Nono GmbH;;competitor
domain;acme.example;;
person;Somebody;;
"""


def open_list(there: Desk, page: Page) -> None:
    page.goto(f"{there.app.origin}/#/settings/people")
    there.pair(page)


def test_a_file_is_shown_before_it_is_in_force_and_can_be_taken_back(sheet: Page, tmp_path: Path) -> None:
    with desk(tmp_path / "data") as there:
        there.draft(0, "Hello")
        with there.app.workspace.database.read() as connection:
            (profile,) = connection.execute("SELECT profile_url FROM leads ORDER BY id LIMIT 1").fetchone()
        file = tmp_path / "old tool.csv"
        file.write_text(TABLE.format(profile=profile), "utf-8")
        open_list(there, sheet)
        with sheet.expect_file_chooser() as chooser:
            sheet.get_by_role("button", name="Import…").click()
        chooser.value.set_files(file)
        expect(sheet.get_by_test_id("list-counts")).to_have_text("2 people, 1 company, 1 domain")
        expect(sheet.get_by_test_id("list-stops")).to_contain_text("1 lead stops")
        expect(sheet.get_by_test_id("list-rejected")).to_contain_text("Line 6:")
        expect(sheet.get_by_text("The list is empty.")).to_be_visible()
        sheet.get_by_role("button", name="Put 2 people, 1 company, 1 domain on the list").click()
        expect(sheet.get_by_test_id("list-import")).to_contain_text("1 lead stopped")
        expect(sheet.get_by_role("button", name="Remove Nono GmbH")).to_be_visible()
        sheet.get_by_role("button", name="Undo the import of old tool.csv").click()
        expect(sheet.get_by_role("alertdialog", name="Undo this import")).to_be_focused()
        sheet.keyboard.press("Escape")
        expect(sheet.get_by_test_id("undo-list-import")).to_have_count(0)
        sheet.get_by_role("button", name="Undo the import of old tool.csv").click()
        expect(sheet.get_by_test_id("undo-list-import")).to_contain_text(
            "4 entries off the list, 1 lead may be contacted again."
        )
        sheet.get_by_role("button", name="Undo the import", exact=True).click()
        expect(sheet.get_by_text("The list is empty.")).to_be_visible()
        expect(sheet.get_by_test_id("list-import")).to_contain_text("Undone: 4 entries removed")

        # The list is saved as a file.
        sheet.get_by_label("Who").select_option(label="Everyone at a domain")
        domain = sheet.get_by_label("Domain, such as acme.com")
        domain.fill("acme.example")
        sheet.get_by_role("button", name="Add", exact=True).click()
        expect(domain).to_have_value("")
        expect(domain).to_be_focused()
        with sheet.expect_download() as download:
            sheet.get_by_role("button", name="Export").click()
        assert "domain,acme.example" in Path(download.value.path()).read_text("utf-8")
