"""Today: one quiet line says what happened since the user was last here."""

import re
from pathlib import Path

from playwright.sync_api import Page, expect

from backend.domain.device.visit import ABSENCE
from backend.domain.events.events import Event
from tests.api import by_hand
from tests.api.app import running
from tests.e2e.desk import Desk


def only_the_user_can_continue_it(desk: Desk, sheet: Page) -> None:
    """A paused campaign is named, whatever else waits, and continued."""
    desk.app.record(
        desk.campaign,
        Event("CampaignActivated", desk.campaign, {"status": "active"}),
        Event("CampaignPaused", desk.campaign, {"status": "paused"}),
    )
    heading = re.compile("^Nothing needs you now, but .+ is paused$")
    expect(sheet.get_by_role("heading", name=heading, level=2)).to_be_visible()
    sheet.evaluate("location.hash = '#/'")
    expect(sheet.get_by_role("heading", name=heading, level=1)).to_be_visible()  # above all campaigns
    desk.draft(2, "Hello")
    heading = re.compile("^1 thing needs you, and .+ is paused$")
    expect(sheet.get_by_role("heading", name=heading, level=1)).to_be_visible()
    sheet.get_by_role("button", name="Continue").click()  # in the list below, and nowhere twice
    expect(sheet.get_by_role("heading", name=heading, level=1)).to_have_count(0)


def test_who_comes_back_is_told_what_happened_and_led_there_and_what_stands_still(tmp_path: Path, sheet: Page) -> None:
    with running(tmp_path / "data") as app:
        desk = Desk(app, by_hand.make(app.workspace, tmp_path))
        (lead, _), (other, _), *_ = desk.leads
        desk.app.services.visits.note(idle_ms=2 * ABSENCE)
        desk.enter(sheet, "today")
        line = sheet.get_by_test_id("since")
        expect(sheet.get_by_role("heading", name="Nothing needs you now")).to_be_visible()
        expect(line).to_have_count(0)  # nothing happened

        only_the_user_can_continue_it(desk, sheet)

        desk.app.record(
            desk.campaign,
            Event("LeadAdvanced", lead, {"status": "responded", "accepted_at": 1, "replied_at": 2}),
            Event("LeadAdvanced", other, {"status": "responded", "replied_at": 2}),
        )
        expect(line).to_have_text(re.compile(r"^\s*Since (yesterday )?\d\d:\d\d:\s+1 accepted, 2 replies\s*$"))
        sheet.evaluate("location.hash = '#/'")
        expect(line).to_contain_text("1 accepted, 2 replies")  # of all campaigns
        sheet.route("**/api/today*", lambda route: route.fulfill(status=404, json={}))
        sheet.reload()
        again = sheet.get_by_role("alert").get_by_role("button", name="Try again")
        expect(again).to_be_visible()  # above the list, which is there
        sheet.unroute("**/api/today*")
        again.click()
        line.get_by_role("link", name="2 replies").click()
        expect(sheet).to_have_url(re.compile(f"#/campaigns/{desk.campaign}/inbox"))
