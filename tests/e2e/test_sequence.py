"""The sequence of a campaign is changed on its screen: the difference first, then applied, then taken back."""

from pathlib import Path

from playwright.sync_api import Page, expect

from tests.e2e.desk import desk
from tests.e2e.test_accessibility import too_wide
from tests.e2e.using import to_screen


def test_a_step_is_reworded_applied_and_taken_back(tmp_path: Path, sheet: Page) -> None:
    with desk(tmp_path) as at:
        at.draft(0, "Hi there")
        at.enter(sheet, "sequence")
        _focus_goes_with_the_step(sheet)
        version, bar = sheet.get_by_test_id("sequence-version"), sheet.get_by_test_id("difference")
        expect(version).to_have_text("version 1")
        expect(sheet.get_by_test_id("template-check")).to_contain_text("Longest for ")
        text = sheet.get_by_label("Message of step 2")
        before = text.input_value()
        text.fill("Hello {first_name}, about {nothing}.")
        expect(bar).to_contain_text("there is no variable {nothing}")
        expect(bar.get_by_role("button", name="Apply")).to_be_disabled()
        text.fill("Hello {first_name}.")
        expect(bar).to_contain_text("1 message rewritten")
        bar.get_by_role("button", name="Show people").click()
        expect(bar.get_by_role("table")).to_contain_text("Invite with a note with the new words")
        text.press("Control+Enter")
        expect(version).to_have_text("version 2")
        expect(bar).to_have_count(0)
        assert at.status("draft000") == "cancelled"
        sheet.get_by_role("button", name="Undo the last change").click()
        expect(version).to_have_text("version 3")
        expect(sheet.get_by_label("Message of step 2", exact=True)).to_have_value(before)
        assert at.status("draft000") == "draft"
        sheet.get_by_role("button", name="Add a variant").click()
        sheet.get_by_label("Message of step 2, variant New").fill("Good day {first_name}.")
        expect(bar).to_contain_text("B for")
        _what_is_not_applied_is_there_again(sheet)
        bar.get_by_role("button", name="Apply").click()
        expect(version).to_have_text("version 4")
        expect(sheet.get_by_role("button", name="B", exact=True)).to_be_visible()
        _branches(sheet)


def _what_is_not_applied_is_there_again(sheet: Page) -> None:
    """Whoever looks at another screen meanwhile goes on where they were."""
    to_screen(sheet, "Inbox")
    expect(sheet.get_by_test_id("difference")).to_have_count(0)
    to_screen(sheet, "Sequence")
    expect(sheet.get_by_test_id("difference")).to_contain_text("B for")


def _branches(sheet: Page) -> None:
    """A condition by keyboard, the other way beside it, and both in force."""
    steps, bar = sheet.get_by_role("region", name="Steps"), sheet.get_by_test_id("difference")
    steps.get_by_role("button", name="Message 1").click()
    expect(sheet.get_by_label("Message of step 3", exact=True)).to_be_visible()
    sheet.keyboard.press("c")
    expect(sheet.get_by_label("What condition 1 asks")).to_be_focused()
    sheet.get_by_label("Days of condition 1").fill("10")
    sheet.get_by_role("button", name="Else").click()
    expect(steps).to_contain_text("If they accept within 10 days")
    expect(steps).to_contain_text("Else: they do not accept within 10 days")
    expect(bar).to_contain_text("Message 1: 0 match, 0 do not, 12 not decided yet")
    bar.get_by_role("button", name="Apply").click()
    expect(sheet.get_by_test_id("sequence-version")).to_have_text("version 5")
    expect(steps.get_by_role("button", name="End")).to_contain_text("0 here")


def _focus_goes_with_the_step(sheet: Page) -> None:
    """And comes back from its text."""
    steps = sheet.get_by_role("region", name="Steps")
    steps.get_by_role("button", name="Message 1").click()
    sheet.keyboard.press("a")
    assert too_wide(sheet) == []
    added = steps.get_by_role("button", name="Message 2")
    expect(added).to_have_attribute("aria-current", "step")
    expect(added).to_be_focused()
    sheet.get_by_label("Message of step 4").focus()
    sheet.keyboard.press("Escape")
    expect(added).to_be_focused()
    sheet.get_by_test_id("difference").get_by_role("button", name="Discard").click()
    expect(sheet.get_by_test_id("difference")).to_have_count(0)
    steps.get_by_role("button", name="Invite with a note").click()
