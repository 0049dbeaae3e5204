"""From the first start to the first text that was sent, by keyboard alone, and no text is sent that was not approved."""

from playwright.sync_api import Page, expect

from tests.e2e.conftest import Start
from tests.e2e.using import drafts_wait
from tests.e2e.walks.walker import Walker

MOST_KEYS = 30


def test_from_the_first_start_to_the_first_text_that_was_sent(start: Start, sheet: Page) -> None:
    outrider = start()
    outrider.enter(sheet)
    at = Walker(sheet)
    expect(sheet.get_by_role("heading", name="With a rehearsal")).to_be_visible()
    at.tab_to(sheet.get_by_role("button", name="Start the rehearsal"))
    at.press("Enter")
    expect(sheet.get_by_role("heading", level=1, name="Rehearsal 1")).to_be_visible()
    # It is told in sentences what goes on, and that nothing is sent meanwhile.
    expect(sheet.get_by_test_id("told")).to_contain_text("nothing is sent until you approve it")
    expect(sheet.get_by_role("link", name="To approve: 12. Review")).to_be_visible()
    at.press("1")
    drafts_wait(sheet, 12)
    at.press("Control+a", "Shift+A")
    at.approve_several(12)
    at.press("g", "o")
    expect(sheet.get_by_test_id("told")).to_contain_text("in exactly the words that you approved")
    print(at.told("first start to first sent text"))
    assert at.keys <= MOST_KEYS
    assert outrider.end() == 0
