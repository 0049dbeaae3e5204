"""What a campaign needs is checked before it acts, and the page shows each line while that lasts and where it failed."""

from pathlib import Path

from playwright.sync_api import Page, expect

from backend.domain.model.campaign import Limits
from tests.e2e.desk import desk
from tests.patience import SOON


def test_the_checklist_names_what_is_not_well_and_goes_once_all_is(tmp_path: Path, sheet: Page) -> None:
    with desk(tmp_path) as at:
        nothing = Limits(invitations_a_day=0, messages_a_day=0)
        at.app.workspace.commands().campaigns.edit(at.campaign, version=None, limits=nothing)
        at.enter(sheet, "run")
        checklist = sheet.get_by_role("list", name="Checked before the start")
        sheet.get_by_role("button", name="Start", exact=True).click()
        lines = checklist.get_by_role("listitem")
        expect(lines).to_have_count(5, timeout=SOON)
        expect(lines.nth(0)).to_contain_text("opens and is sound")
        expect(lines.nth(1).get_by_role("img")).not_to_have_text("✓")
        expect(lines.nth(1)).to_contain_text("limits")
        for position, code in enumerate(("model", "browser", "selectors"), start=2):
            expect(lines.nth(position)).to_contain_text(f"{code} not checked yet")
        at.app.workspace.commands().campaigns.edit(at.campaign, version=None, limits=Limits())
        sheet.get_by_role("button", name="Start", exact=True).click()
        expect(sheet.get_by_test_id("turn-card")).to_be_visible(timeout=SOON)
        expect(checklist).to_have_count(0)
        assert [check.status for check in at.app.run_service.run_state(at.campaign).checks] == ["ok"] * 5
