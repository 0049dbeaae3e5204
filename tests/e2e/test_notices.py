"""Notices: the number in the title, and the system's notifications while the user looks elsewhere."""

from pathlib import Path

from playwright.sync_api import Page, expect

from backend.domain.events.events import Event
from backend.domain.model.campaign import HOUR
from tests.api import by_hand
from tests.api.app import App, running
from tests.e2e.desk import Desk

# The browser's own notifications and focus, replaced by what a test can read and set.
STAND_IN = """
window.shown = [];
window.elsewhere = false;
document.hasFocus = () => !window.elsewhere;
window.Notification = class {
  static permission = "default";
  static requestPermission = async () => (window.Notification.permission = window.leave ?? "granted");
  constructor(title, { body }) { window.shown.push(`${title} / ${body}`); }
};
"""


def reply(app: App, campaign: str, lead: str, at: int) -> None:
    values = {"lead_id": lead, "kind": "reply", "text": "Yes", "status": "received", "sent_at": at, "created_at": at}
    app.record(campaign, Event("ReplyReceived", f"reply{at}", values), Event("LeadAdvanced", lead, {"replied_at": at}))


def test_a_reply_is_told_where_the_user_is(tmp_path: Path, sheet: Page) -> None:
    with running(tmp_path / "data") as app:
        desk = Desk(app, by_hand.make(app.workspace, tmp_path))
        (first, name), (second, _), (third, third_name) = desk.leads
        now = app.workspace.clock.now()
        sheet.add_init_script(STAND_IN)
        desk.enter(sheet, "leads")
        expect(sheet).to_have_title("Leads · Talks · Outrider")

        reply(app, desk.campaign, first, 5)
        expect(sheet).to_have_title("(1) Leads · Talks · Outrider")
        sheet.evaluate("location.hash = '#/settings/notifications'")
        expect(sheet).to_have_title("(1) Notifications · Settings · Outrider")
        assert sheet.evaluate("[window.Notification.permission, shown]") == ["default", []], "nothing unless wanted"

        sheet.evaluate("window.leave = 'denied'")
        sheet.get_by_role("radio", name="Notifications as well").check()
        expect(sheet.get_by_text("This browser does not let Outrider show notifications.")).to_be_visible()
        sheet.evaluate("window.leave = 'granted'")
        sheet.get_by_role("button", name="Show one now").click()
        sheet.wait_for_function("() => shown.length === 1")
        expect(sheet.get_by_text("This browser does not let")).to_have_count(0)

        reply(app, desk.campaign, second, 6)
        expect(sheet).to_have_title("(2) Notifications · Settings · Outrider")
        assert sheet.evaluate("shown.length") == 1, "who is looking is told by the page"
        sheet.evaluate("window.elsewhere = true")
        reply(app, desk.campaign, third, 7)
        sheet.wait_for_function("() => shown.length === 2")
        assert sheet.evaluate("shown[1]") == f"{third_name} replied / Talks"

        sheet.get_by_role("checkbox", name="Without people's names").check()
        assert app.ask(f"/api/campaigns/{desk.campaign}/threads/{first}/read", {}).status == 204
        expect(sheet).to_have_title("(2) Notifications · Settings · Outrider")
        reply(app, desk.campaign, first, now + HOUR)
        sheet.wait_for_function("() => shown.length === 3")
        assert sheet.evaluate("shown[2]") == "A reply arrived / Talks"
        assert name not in sheet.evaluate("shown[2]")

        with sheet.expect_response("**/api/preferences"):
            sheet.get_by_role("radio", name="Nothing").check()
        expect(sheet).to_have_title("Notifications · Settings · Outrider")
        assert app.ask("/api/preferences").json["notices"] == "off"
        assert sheet.evaluate("shown.length") == 3


def test_what_notices_cover_can_be_scrolled_above_them(app: App, tmp_path: Path, sheet: Page) -> None:
    sheet.set_viewport_size({"width": 1280, "height": 600})
    campaign = by_hand.make(app.workspace, tmp_path)
    sheet.evaluate("hash => { location.hash = hash; }", f"#/campaigns/{campaign}/leads")
    sheet.get_by_text("Thandi Holm").first.click()
    lead = sheet.get_by_test_id("lead-detail")
    lead.get_by_role("textbox", name="Greeting name").fill("Th\u202eandi")
    lead.get_by_role("button", name="Save greeting name").click()
    lead.get_by_placeholder("Add a tag").fill("\u202etag")
    lead.get_by_placeholder("Add a tag").press("Enter")
    notices = sheet.get_by_role("alert")
    expect(notices).to_have_count(2)
    notices.first.hover()  # none goes away while it is read
    last = lead.get_by_role("button", name="Do not contact…")
    last.focus()
    below, above = last.bounding_box(), notices.first.bounding_box()
    assert below is not None
    assert above is not None
    assert below["y"] + below["height"] < above["y"]
