"""One person in two campaigns by hand: the window says with which one they are, asks who is who, and undoes every answer."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.api.app import App
from tests.api.by_hand import start_and_approve
from tests.api.runs import follow, idle
from tests.api.test_same_person import ANNA, JON, LISTED_ANNA, RENAMED, campaign_with, wrote_before


@pytest.fixture
def campaigns(app: App, tmp_path: Path) -> tuple[str, str]:
    """Jon is approved in the first campaign and a lead of the second; of Anna it is asked whether she is the same."""
    first = campaign_with(app, tmp_path, "Water founders", JON + ANNA)
    start_and_approve(app, first, texts=2)
    app.ask(f"/api/campaigns/{first}/stop", {})
    follow(app, lambda: idle(app))
    return first, campaign_with(app, tmp_path, "Pumps", JON + RENAMED)


def shown(page: Page, campaign: str, *path: str) -> None:
    page.evaluate("hash => { location.hash = hash; }", "/".join(["#/campaigns", campaign, *path]))


def test_who_was_in_touch_before_or_may_be_on_the_do_not_contact_list_is_said_so_in_each_campaign(
    app: App, tmp_path: Path, sheet: Page
) -> None:
    campaigns = [campaign_with(app, tmp_path, name, JON) for name in ("Water founders", "Pumps")]
    wrote_before(app, campaigns[0])
    lead = sheet.get_by_test_id("lead-detail")
    for campaign in campaigns:
        shown(sheet, campaign, "leads")
        row = sheet.get_by_role("row").filter(has_text="Jon Vik")
        expect(row).to_contain_text("In touch before")
        row.click()
        expect(lead.get_by_role("button", name="Contact anyway")).to_have_count(1)
        expect(lead.get_by_role("button", name="Do not contact…")).to_be_visible()
    lead.get_by_role("button", name="Contact anyway").click()
    lead.get_by_label("Why they are contacted from here, too").fill("He asked at the fair")
    sheet.keyboard.press("Enter")
    expect(lead.get_by_role("button", name="Contact anyway")).to_have_count(0)

    # Who has the name of somebody on the do-not-contact list is put on it, and taken off again.
    sheet.reload()  # without what was said of the answer
    app.ask("/api/do-not-contact", LISTED_ANNA)
    campaign = campaign_with(app, tmp_path, "Wells", ANNA)
    shown(sheet, campaign, "today")
    sheet.get_by_role("link", name="Same person?: 1. Answer").click()
    card = sheet.get_by_test_id("same-person")
    expect(card).to_contain_text("linkedin.com/in/anna-before")
    card.get_by_role("button", name="Same person: never contact").press("Enter")
    expect(sheet.get_by_text("No open questions")).to_be_visible()
    expect(sheet.get_by_text("They will not be contacted in any campaign.")).to_be_visible()
    sheet.get_by_role("button", name="Undo").press("Enter")
    expect(card).to_be_visible()
    card.get_by_role("button", name="Different people").press("Enter")
    expect(sheet.get_by_test_id("given-answer")).to_contain_text("Different people: Anna Berg (Wells)")


def test_who_is_the_same_person_is_answered_and_whom_another_campaign_has_is_moved_here_or_contacted_anyway(
    app: App, campaigns: tuple[str, str], sheet: Page
) -> None:
    first, second = campaigns
    shown(sheet, second, "today")
    sheet.get_by_role("link", name="Same person?: 1. Answer").click()
    card = sheet.get_by_test_id("same-person")
    expect(card).to_contain_text("Water founders: planned")
    expect(card).to_contain_text("Pumps: not contacted yet")
    card.get_by_role("button", name="Different people").press("Enter")
    expect(sheet.get_by_text("No open questions")).to_be_visible()
    expect(sheet.get_by_text("Different people from now on. 1 approved message waits in Review again.")).to_be_visible()
    sheet.get_by_test_id("given-answer").get_by_role("button", name="Take back").press("Enter")
    expect(card).to_be_visible()
    shown(sheet, first, "review")
    expect(sheet.get_by_test_id("person-note")).to_contain_text("Say first whether they are the same person.")
    expect(sheet.get_by_role("button", name="Approve", exact=True)).to_be_disabled()
    sheet.keyboard.press("a")
    expect(sheet.get_by_role("alert").filter(has_text="Not approved: say first whether")).to_be_visible()

    # Whom another campaign has is moved here or contacted anyway, and back.
    sheet.reload()  # without what was said of the answers
    shown(sheet, second, "leads")
    sheet.get_by_role("button", name="With another campaign (1)").click()
    row = sheet.get_by_role("row").filter(has_text="Jon Vik")
    expect(row).to_contain_text("With another campaign")
    row.click()
    choice = sheet.get_by_test_id("other-campaign")
    expect(choice).to_contain_text("With “Water founders” since")
    choice.get_by_role("button", name="Contact anyway…").press("Enter")
    reason = choice.get_by_label("Why they are contacted from here, too")
    expect(reason).to_be_focused()
    reason.fill("He asked at the fair")
    reason.press("Enter")
    expect(choice).to_contain_text("You chose to contact them anyway: He asked at the fair.")
    expect(row).to_have_count(0)  # nothing holds them back any more, so the filter leaves them out
    sheet.get_by_role("button", name="Undo").click()
    expect(choice.get_by_role("button", name="Move here")).to_be_visible()
    expect(row).to_contain_text("With another campaign")
    choice.get_by_role("button", name="Move here").press("Enter")
    expect(choice).to_contain_text("Moved here from “Water founders”.")
    choice.get_by_role("button", name="Move back").press("Enter")
    expect(choice).to_contain_text("You moved them to “Water founders”")
