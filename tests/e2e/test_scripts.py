"""The Scripts screen in a real browser, by keyboard: paste, review, approve, chart, save, verify; and cancel what never ends."""

import time
from pathlib import Path

from playwright.sync_api import Page, expect

from backend.domain.model.campaign import DAY, Settings
from tests.e2e.conftest import Start
from tests.fakes.campaign import Stage
from tests.patience import PATIENCE

SOURCE = """rows = query("SELECT status, count(*) AS people FROM leads GROUP BY status")
print("one\u200dtwo")  # a joiner nobody sees
result = {row["status"]: row["people"] for row in rows}
"""
LONG = PATIENCE * 1_000


def test_a_script_by_keyboard(tmp_path: Path, start: Start, sheet: Page) -> None:
    (tmp_path / "data").mkdir()
    stage = Stage(tmp_path / "data", now=int(time.time() * 1_000) - 20 * DAY)
    campaign = stage.campaign(6, settings=Settings())
    stage.run(campaign)
    stage.close()
    press, run = sheet.keyboard.press, sheet.get_by_test_id("script-run")
    start().enter(sheet, f"/#/campaigns/{campaign}/leads")
    expect(sheet.get_by_role("navigation", name="Main").get_by_role("link", name="Leads")).to_be_visible()
    press("g")
    press("y")

    # Written, and refused with its line before anything runs.
    area = sheet.get_by_role("textbox", name="Script", exact=True)
    expect(area).to_be_focused()
    sheet.keyboard.insert_text("import os\n" + SOURCE)
    press("Control+Enter")
    expect(sheet.get_by_text("May not run")).to_be_visible(timeout=LONG)
    expect(sheet.locator("[aria-current=true]", has_text="import os")).to_be_visible()
    expect(sheet.get_by_role("button", name="Approve and run")).to_be_disabled()

    # Mended, approved, and drawn.
    press("e")
    area.press("Control+A")
    sheet.keyboard.insert_text(SOURCE)
    press("Control+Enter")
    expect(sheet.get_by_text("May run", exact=False)).to_be_visible(timeout=LONG)
    expect(sheet.get_by_role("img", name="zero-width joiner")).to_be_visible()
    press("a")
    expect(run.get_by_role("img", name="value: ", exact=False)).to_be_visible(timeout=LONG)
    expect(run).to_contain_text("reproducible: both runs gave the same bytes")

    # Saved, and found again on the data as it was.
    press("s")
    expect(run.get_by_role("link", name="saved")).to_be_visible()
    expect(sheet.get_by_role("navigation", name="Scripts").get_by_role("link", name="script v1")).to_have_count(2)
    run.get_by_role("button", name="Verify").press("Enter")
    expect(run.get_by_role("status")).to_have_text("The same answer, byte for byte", timeout=LONG)

    # What an answer hides is shown, in its table and in its chart.
    press("e")
    area.press("Control+A")
    see_what_an_answer_hides(sheet)

    # What never ends is cancelled, and the screen goes on.
    press("e")
    area.press("Control+A")
    sheet.keyboard.insert_text("while True: pass")
    press("Control+Enter")
    expect(sheet.get_by_text("May run", exact=False)).to_be_visible(timeout=LONG)
    press("a")
    expect(run.get_by_role("button", name="Cancel")).to_be_visible(timeout=LONG)
    press("x")
    expect(run.get_by_role("status")).to_have_text("Cancelled", timeout=LONG)
    expect(sheet.get_by_role("region", name="Runs of scripts").get_by_role("row")).to_have_count(4)


def see_what_an_answer_hides(sheet: Page) -> None:
    """From the field of the script, which is empty or marked."""
    run = sheet.get_by_test_id("script-run")
    sheet.keyboard.insert_text('result = [{"who\\u2066": "Mar\\u202eta", "age": 41}, {"who\\u2066": "Jan", "age": 40}]')
    sheet.keyboard.press("Control+Enter")
    expect(sheet.get_by_text("May run", exact=False)).to_be_visible(timeout=LONG)
    sheet.keyboard.press("a")
    expect(run.get_by_role("cell", name="Mar[U+202E]ta")).to_have_attribute("title", "Mar[U+202E]ta", timeout=LONG)
    expect(run.get_by_role("columnheader", name="who[U+2066]")).to_be_visible()
    run.get_by_role("button", name="Bars").click()
    expect(run.get_by_role("img", name="Mar[U+202E]ta 41", exact=False)).to_contain_text("Mar[U+202E]ta")
