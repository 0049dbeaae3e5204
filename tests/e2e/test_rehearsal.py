"""The rehearsal by hand: one click, approval by keyboard, stop, a restart, and on it goes from where it was."""

import json
import re
import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.e2e.conftest import Start
from tests.e2e.using import review, to_screen
from tests.patience import SOON

NONE_LEFT = re.compile("Nothing to approve|You're done|No drafts")
OWN_WORDS = "Hello, an invitation in my own words 🙂"


def turns_taken(data: Path) -> list[int]:
    """The numbers of all turns, in order."""
    with closing(sqlite3.connect(data / "outrider.db")) as connection:
        return [number for (number,) in connection.execute("SELECT number FROM turn_projection ORDER BY number")]


def decide_by_keyboard(page: Page) -> None:
    """Approve the second draft, put the first in own words and approve it, reject the one that comes up then."""
    drafts, shown = page.get_by_role("option"), page.get_by_role("article")
    for _ in range(12):
        page.keyboard.press("k")
    page.keyboard.press("j")
    expect(drafts.nth(1)).to_have_attribute("aria-selected", "true")
    second = shown.get_attribute("aria-label") or ""
    page.keyboard.press("a")
    expect(page.get_by_label(second, exact=True)).to_have_count(0)
    expect(drafts.nth(1)).to_have_attribute("aria-selected", "true")
    page.keyboard.press("k")
    expect(drafts.first).to_have_attribute("aria-selected", "true")
    page.keyboard.press("e")
    box = page.get_by_role("textbox")
    expect(box).to_be_focused()
    box.fill("x" * 201)
    expect(page.get_by_role("button", name="Save")).to_be_disabled()
    box.fill(OWN_WORDS)
    # As the site counts: an emoji is two.
    expect(page.get_by_text(f"{len(OWN_WORDS) + 1} of 200", exact=True)).to_be_visible()
    page.keyboard.press("Control+Enter")
    expect(shown.get_by_text(OWN_WORDS)).to_be_visible()
    page.keyboard.press("a")
    expect(page.get_by_text(OWN_WORDS)).to_have_count(0)
    page.keyboard.press("r")  # without a model there is no other wording, and the words are the user's to write
    expect(page.get_by_text("Write this message yourself, or skip")).to_be_visible()
    page.keyboard.press("Escape")


def watch(page: Page) -> None:
    """Go to the Run screen by keyboard."""
    page.keyboard.press("g")
    page.keyboard.press("u")


def reached(page: Page, leads: int) -> None:
    """Until so many leads were contacted."""
    expect(page.get_by_label("Leads reached").first).to_have_attribute("aria-valuenow", str(leads))


def test_a_rehearsal_from_one_click_to_a_restart(start: Start, sheet: Page, tmp_path: Path) -> None:
    outrider = start()
    outrider.enter(sheet)
    sheet.get_by_role("button", name="Start the rehearsal").click()
    expect(sheet.get_by_role("heading", name="Rehearsal 1", exact=True)).to_be_visible()
    watch(sheet)
    expect(sheet.get_by_test_id("turn-state")).to_have_text("Sleeping")
    reached(sheet, 0)
    review(sheet, 12)
    decide_by_keyboard(sheet)
    watch(sheet)
    expect(sheet.get_by_text("Invitation sent to").first).to_be_visible()
    reached(sheet, 2)
    sheet.get_by_role("button", name="Stop").click()
    expect(sheet.get_by_role("button", name="Continue")).to_be_enabled()
    assert outrider.end() == 0
    before = turns_taken(tmp_path / "data")
    expect(sheet.get_by_text("Reconnecting…")).to_be_visible()

    # Another start on the same folder: the same campaign, and nothing is done twice.
    outrider = start()
    outrider.enter(sheet)
    sheet.get_by_role("link", name="Rehearsal 1").click()
    expect(sheet.get_by_role("heading", name="Rehearsal 1", exact=True)).to_be_visible()
    watch(sheet)
    expect(sheet.get_by_test_id("turn")).to_have_text(str(len(before)))
    sheet.get_by_role("button", name="Continue").click()
    expect(sheet.get_by_role("button", name="Stop")).to_be_visible()
    review(sheet, 9)  # twelve less two that were sent and the one whose text was rejected
    sheet.keyboard.press("a")
    watch(sheet)
    reached(sheet, 3)
    assert outrider.end() == 0  # while it runs: it stops after the current action
    assert len(turns_taken(tmp_path / "data")) > len(before)
    check_what_happened(tmp_path / "data")


def check_what_happened(data: Path) -> None:
    (ledger,) = (data / "practice").glob("*.jsonl")
    entries = [json.loads(line) for line in ledger.read_text("utf-8").splitlines()]
    invited = Counter((entry["to"], entry["text"]) for entry in entries if entry["kind"] == "invitation")
    assert set(invited.values()) == {1}
    assert [text for _, text in invited if "own words" in text] == [OWN_WORDS]
    with closing(sqlite3.connect(data / "outrider.db")) as connection:
        (status,) = connection.execute("SELECT status FROM campaigns").fetchone()
    numbers = turns_taken(data)
    assert numbers == list(range(1, len(numbers) + 1))
    assert status == "active"


def no_link_leads_to_its_people(sheet: Page) -> None:
    """They have addresses of the practice network; and the funnel moves as soon as one of them is written to."""
    review(sheet, 12)
    shown = sheet.get_by_role("article")
    expect(shown).to_contain_text("https://practice.outrider.example/in/")
    expect(shown.get_by_role("link", name="practice.outrider.example")).to_have_count(0)
    shown.get_by_role("link", name="Lead details").click()
    expect(sheet.get_by_text("Profile address")).to_be_visible()
    expect(sheet.get_by_role("link", name="Profile")).to_have_count(0)
    review(sheet, 12)
    shown.get_by_role("button", name="Approve").click()
    to_screen(sheet, "Insights")
    expect(sheet.get_by_role("img", name="Of 12 leads, 1 were contacted")).to_be_visible()


def test_the_practice_clock_stands_while_a_reply_is_read_and_goes_on_by_a_click(start: Start, sheet: Page) -> None:
    """A reply of 4 December is not answered on the 24th because somebody read for long."""
    outrider = start()
    outrider.enter(sheet)
    sheet.get_by_role("button", name="Start the rehearsal").click()
    waits, drafts = (
        sheet.get_by_text("The practice clock waits for you"),
        sheet.get_by_role("link", name="To approve: "),
    )
    expect(sheet.get_by_role("link", name="To approve: 12. Review")).to_be_visible()
    home = sheet.url
    no_link_leads_to_its_people(sheet)
    sheet.goto(home)
    at_first = clock_of(sheet)
    while not waits.is_visible():
        expect(drafts.or_(waits).first).to_be_visible(timeout=SOON)
        if not waits.is_visible():
            approve_all(sheet)
            sheet.goto(home)
    sheet.reload()  # the status may be shown before the clock of the same moment
    expect(waits).to_be_visible()
    stood = clock_of(sheet)
    assert stood != at_first
    sheet.get_by_role("link", name="Open the inbox").click()
    sheet.get_by_role("listbox").get_by_role("option").first.click()
    expect(sheet.get_by_role("button", name="Continue")).to_be_visible()
    assert clock_of(sheet) == stood
    sheet.get_by_role("button", name="Continue").press("Enter")
    expect(sheet.get_by_text("Practice clock:")).not_to_have_text(stood)
    assert outrider.end() == 0


def clock_of(sheet: Page) -> str:
    """The practice clock as it is shown."""
    return sheet.get_by_text("Practice clock:").inner_text()


def approve_all(sheet: Page) -> None:
    """Whatever waits in Review, one by one."""
    sheet.get_by_role("link", name="To approve: ").click()
    draft = sheet.get_by_role("article")
    # The page comes before its drafts, and the link may lead there after the last was decided: it has to say that none is left.
    expect(draft.or_(sheet.get_by_text(NONE_LEFT)).first).to_be_visible()
    while draft.is_visible():
        shown = draft.get_attribute("aria-label") or ""
        sheet.keyboard.press("a")
        expect(sheet.get_by_label(shown, exact=True)).to_have_count(0)
