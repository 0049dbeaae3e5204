"""Settings: a program is connected and disconnected again, a servitor is dismissed, an agent runs on a folder, then as a task."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from backend.commands.servitors import ServitorCommands
from backend.runtime.run.rehearsal import find_or_create_rehearsal
from tests.api.app import running
from tests.patience import SOON


def test_a_program_is_connected_a_servitor_dismissed_and_an_agent_run(
    sheet: Page, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Path, "home", lambda: tmp_path / "home")
    papers = tmp_path / "Papers"
    papers.mkdir()
    (papers / "Report.pdf").write_bytes(b"%PDF-1.4 broken")
    with running(tmp_path / "data") as app:
        journal = app.workspace.journal
        campaign = find_or_create_rehearsal(app.workspace, None, None)
        ServitorCommands(journal, app.services.clock(campaign)).summon(campaign, "Sum up the replies", "Rook")
        sheet.goto(f"{app.origin}/#/settings/connect")
        sheet.get_by_label("Code").fill(app.codes[-1])
        sheet.keyboard.press("Enter")

        sheet.get_by_text("Cursor", exact=True).click()
        shown = sheet.get_by_label("Configuration of Cursor").inner_text()
        sheet.get_by_role("button", name="Write this file").locator("visible=true").click()
        expect(sheet.get_by_role("button", name="Undo").locator("visible=true").first).to_be_visible()
        written = tmp_path / "home" / ".cursor" / "mcp.json"
        assert written.read_text().strip() == shown.strip()
        sheet.get_by_role("region", name="Connect a program").get_by_role("button", name="Undo").click()
        expect(sheet.get_by_text("set up", exact=True)).to_have_count(0)
        assert not written.exists()

        expect(sheet.get_by_label("Tasks of connected programs").get_by_text("Rook", exact=True)).to_be_visible()
        sheet.get_by_role("button", name="Dismiss Rook").click()
        expect(sheet.get_by_text("No tasks yet.")).to_be_visible()

        sheet.get_by_role("link", name="Agents").click()
        sheet.get_by_label("Folder").fill(str(papers))
        sheet.get_by_role("button", name="Run", exact=True).click()
        expect(sheet.get_by_test_id("found")).to_contain_text("Report.pdf", timeout=SOON)
        expect(sheet.get_by_label("States of recent-pdfs").get_by_role("listitem")).to_have_count(5)
        sheet.get_by_role("button", name="Save as artifact").click()
        expect(sheet.get_by_role("link", name="the artifact “recent-pdfs”")).to_be_visible()

        sheet.get_by_role("button", name="Run", exact=True).click()
        expect(sheet.get_by_label("States of recent-pdfs").locator("visible=true")).to_have_count(2)  # both stay open

        sheet.get_by_label("Result").select_option(value=campaign)
        sheet.get_by_role("button", name="Run", exact=True).click()
        sheet.get_by_role("status").get_by_role("link", name="Open the task").click()
        expect(sheet.get_by_test_id("task-detail")).to_contain_text("From the user")
        expect(sheet.get_by_test_id("task-detail")).to_contain_text("Done, and verified.", timeout=SOON)
