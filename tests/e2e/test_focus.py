"""The keyboard's focus stays where somebody works, whatever the control that had it did: it never falls to the page's beginning."""

from pathlib import Path

from playwright.sync_api import Locator, Page, expect

from tests.api import by_hand
from tests.api.app import App
from tests.api.test_same_person import ANNA, JON, RENAMED, campaign_with


def is_kept(page: Page) -> None:
    """Something has the focus that is not the whole page, and Enter there does nothing by itself."""
    expect(page.locator("body")).not_to_be_focused()


def pressed(control: Locator) -> None:
    control.focus()
    control.press("Enter")


def test_the_focus_stays_after_an_answer_and_where_a_control_replaces_another_and_what_starts_does_not_stop(
    app: App, tmp_path: Path, sheet: Page
) -> None:
    others = "Tom,Moe,tom@elm.example,Elm,CTO,https://www.linkedin.com/in/tom-moe,15 Mar 2024\n"
    renamed = others.replace("tom-moe,", "tom-m-8,")
    campaign_with(app, tmp_path, "Water founders", ANNA + others)
    second = campaign_with(app, tmp_path, "Pumps", RENAMED + renamed)
    sheet.evaluate("hash => { location.hash = hash; }", f"#/campaigns/{second}/leads/same-person")
    cards = sheet.get_by_test_id("same-person")
    expect(cards).to_have_count(2)
    for answer in ("Same person", "Different people"):
        pressed(cards.first.get_by_role("button", name=answer, exact=True))
        expect(cards).to_have_count(1)
        expect(cards).to_be_focused()
        pressed(cards.get_by_role("button", name=answer, exact=True))
        expect(sheet.get_by_text("No open questions")).to_be_visible()
        is_kept(sheet)
        for left in (1, 0):
            pressed(sheet.get_by_test_id("given-answer").first.get_by_role("button", name="Take back"))
            expect(sheet.get_by_test_id("given-answer")).to_have_count(left)
            is_kept(sheet)
        expect(cards).to_have_count(2)

    # A control that another one replaces leaves the focus in its place.
    campaign = campaign_with(app, tmp_path, "Wells", JON)
    sheet.evaluate("hash => { location.hash = hash; }", f"#/campaigns/{campaign}/leads")
    sheet.get_by_role("row").filter(has_text="Jon Vik").click()
    lead = sheet.get_by_test_id("lead-detail")
    for name in (
        "Skip",
        "Resume",
        "Do not contact…",
        "Cancel",
        "Do not contact…",
        "Never contact",
        "Remove from the list",
    ):
        pressed(lead.get_by_role("button", name=name, exact=True))
        expect(lead.get_by_role("button", name=name, exact=True)).to_have_count(0)
        is_kept(sheet)
    the_key_that_started_a_campaign_does_not_stop_it(app, tmp_path, sheet)


def the_key_that_started_a_campaign_does_not_stop_it(app: App, tmp_path: Path, sheet: Page) -> None:
    """Where "Stop" takes the place of "Start"."""
    campaign = by_hand.make(app.workspace, tmp_path)
    sheet.evaluate("hash => { location.hash = hash; }", f"#/campaigns/{campaign}/today")
    pressed(sheet.get_by_role("button", name="Start", exact=True))
    stop = sheet.get_by_role("button", name="Stop", exact=True)
    expect(stop).to_be_enabled()
    expect(stop).not_to_be_focused()
    is_kept(sheet)
