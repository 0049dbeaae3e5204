"""From the first start to the first draft of a campaign of one's own, by few clicks and two fields."""

from pathlib import Path

from playwright.sync_api import Page, expect

from tests.e2e.conftest import Start
from tests.e2e.test_accessibility import LONG
from tests.e2e.using import drafts_wait
from tests.e2e.walks.walker import Walker

CONNECTIONS = Path(__file__).parents[2] / "data" / "Connections.csv"


def test_from_the_first_start_to_the_first_draft_of_ones_own(start: Start, sheet: Page) -> None:
    outrider = start()
    outrider.enter(sheet)
    walker = Walker(sheet)

    def press(name: str) -> None:
        walker.click(sheet.get_by_role("button", name=name))

    walker.click(sheet.get_by_role("link", name="New campaign"))
    expect(sheet.get_by_role("button", name="Choose a file…")).to_be_focused()
    walker.choose_file(sheet.get_by_role("button", name="Choose a file…"), CONNECTIONS)
    expect(sheet.get_by_test_id("preview-counts")).to_contain_text("38 people")
    press("Next")
    walker.fill(sheet.get_by_label("Name"), "Autumn talks")
    walker.press("Tab")
    walker.fill(sheet.get_by_label("What you want from them"), "Find a few people to talk about careful outreach.")
    press("Next")
    expect(sheet.get_by_text("I hope you are well").first).to_contain_text("Amara")
    assert sheet.evaluate(LONG) == []
    press("Next")
    expect(sheet.get_by_test_id("ramp")).to_contain_text("messages a day")
    press("Create the campaign")
    expect(sheet.get_by_test_id("forecast")).to_contain_text("would go out")
    press("Start the campaign")
    walker.click(sheet.get_by_role("link", name="To approve"))
    drafts_wait(sheet, 1)
    article = sheet.get_by_role("article")
    expect(article).to_contain_text("I hope you are well")
    expect(article).not_to_contain_text("Find a few people")
    print(walker.told("first start to first draft"))
    assert walker.clicks <= 8
    assert walker.fields <= 2
    assert outrider.end() == 0
