"""The page by itself: pairing, its policy, its labels, what it keeps to itself."""

import re
import sqlite3
from contextlib import closing
from pathlib import Path

from playwright.sync_api import Browser, Page, expect

from backend.app.wiring import open_workspace
from backend.machine.settings import read_settings
from backend.runtime.run.rehearsal import find_or_create_rehearsal
from tests.e2e.conftest import Start, StartProcess
from tests.e2e.test_story_1 import show, turns, turns_beyond
from tests.e2e.using import Started

STORED = "[location.href, document.cookie, JSON.stringify(localStorage), JSON.stringify(sessionStorage)].join('')"


def a_wrong_code_is_refused(outrider: Started, sheet: Page) -> None:
    """In a sentence, with its code behind it."""
    sheet.goto(outrider.url)
    sheet.get_by_label("Code").fill("2222-2222")
    sheet.get_by_role("button", name="Unlock").click()
    expect(sheet.get_by_role("alert").first).to_contain_text("That is not the code in the terminal.")
    details = sheet.get_by_text("pairing_refused")
    expect(details).to_be_hidden()
    sheet.get_by_text("Details", exact=True).click()
    expect(details).to_be_visible()


def test_a_wrong_code_is_refused_and_after_a_kill_the_tab_finds_outrider_where_it_was_and_nothing_is_done_twice(
    start_process: StartProcess, sheet: Page, tmp_path: Path
) -> None:
    with open_workspace(read_settings({}, tmp_path / "data")) as workspace:
        campaign = find_or_create_rehearsal(workspace, None, 10)
    outrider = start_process()
    code = outrider.code()
    a_wrong_code_is_refused(outrider, sheet)
    with sheet.expect_response("**/api/pair") as paired:
        sheet.get_by_label("Code").fill(code.lower())
        sheet.keyboard.press("Enter")
    token = paired.value.json()["token"]
    expect(sheet.get_by_role("link", name="Rehearsal 1").first).to_be_visible()
    expect(sheet.get_by_role("status").filter(has_text="Live")).to_be_visible()
    assert token not in sheet.evaluate(STORED)
    assert sheet.evaluate("document.documentElement.outerHTML").count(token) == 0

    sheet.evaluate("location.hash = '#/settings/privacy'")
    asked: list[str] = []
    sheet.on("request", lambda request: asked.append(request.url) if request.url.endswith("/api/keys") else None)
    for _ in range(2):
        sheet.reload()  # no other code: the tab has a ticket for one return
        expect(sheet.get_by_text("What leaves this machine")).to_be_visible()
        assert sheet.evaluate("sessionStorage.length") == 0, "taken out as soon as the page is there"
    assert len(asked) == 2, "once for each load: the feed was open first"
    assert token not in sheet.evaluate(STORED)
    with sheet.context.expect_page() as opened:
        sheet.evaluate("window.open(location.href)")
    expect(opened.value.get_by_label("Code")).to_be_focused()  # another tab is another page
    opened.value.close()

    # The open tab finds Outrider again after it was killed in the middle of a campaign.
    show(sheet, campaign, "run")
    sheet.get_by_role("button", name="Start", exact=True).click()
    turns_beyond(sheet, 8)
    outrider.process.kill()
    outrider.over()
    again = start_process()
    assert again.url == outrider.url
    again.pair(sheet)
    expect(sheet.get_by_role("status").filter(has_text="Live")).to_be_visible()
    assert sheet.url.endswith(f"#/campaigns/{campaign}/run")
    expect(sheet.get_by_test_id("run-status")).to_contain_text("Interrupted")
    before = turns(tmp_path / "data")
    assert before > 8
    expect(sheet.get_by_test_id("turn")).to_have_text(str(before))
    sheet.get_by_role("button", name="Continue").click()
    expect(sheet.get_by_test_id("run-status")).to_contain_text("10 drafts wait for your approval.")
    assert again.end() == 0
    nothing_was_done_twice(tmp_path / "data")
    assert token not in "".join(outrider.said + again.said)


def nothing_was_done_twice(data: Path) -> None:
    """By a crash or after it."""
    with closing(sqlite3.connect(data / "outrider.db")) as connection:
        per_task = connection.execute(
            "SELECT count(*), max(n) FROM (SELECT count(*) AS n FROM event_log WHERE kind='TaskStarted' GROUP BY entity_id)"
        ).fetchone()
        drafts = connection.execute("SELECT count(*), count(DISTINCT lead_id) FROM messages").fetchone()
        numbers = [number for (number,) in connection.execute("SELECT number FROM turn_projection ORDER BY number")]
    assert per_task == (11, 1)
    assert drafts == (10, 10)
    assert numbers == list(range(1, len(numbers) + 1))


def runs_no_script_but_its_own(outrider: Started, chrome: Browser) -> None:
    """Neither one from elsewhere nor one written into it."""
    other = chrome.new_page()
    other.goto(outrider.url)
    ran = other.evaluate(
        """() => {
          const script = document.createElement('script');
          script.textContent = 'window.ran = true';
          document.head.append(script);
          return window.ran ?? false;
        }"""
    )
    assert ran is False
    assert other.evaluate("fetch('http://127.0.0.1:9/').then(() => 'went', () => 'refused')") == "refused"
    other.close()


def an_address_that_leads_nowhere_says_so_and_offers_the_way_on(sheet: Page) -> None:
    """Of a setting, and of the whole page."""
    nothing = sheet.get_by_text("There is nothing at this address.")
    sheet.evaluate("location.hash = '#/settings/nonsense'")
    expect(nothing).to_be_visible()
    expect(sheet).to_have_title(re.compile("^Settings ·"))
    sections = sheet.get_by_role("navigation", name="Settings")
    expect(sections.locator("[aria-current]")).to_have_count(0)
    sections.get_by_role("link", name="Keys").click()
    expect(nothing).to_have_count(0)
    sheet.evaluate("location.hash = '#/nonsense'")
    expect(nothing).to_be_visible()
    sheet.get_by_role("main").get_by_role("button", name="All campaigns").click()
    expect(sheet).to_have_url(re.compile("#/$"))
    expect(nothing).to_have_count(0)


def test_what_cannot_be_shown_says_so_and_no_script_but_the_page_s_own_runs(
    start: Start, sheet: Page, chrome: Browser
) -> None:
    """Also on the way out: a part still loading when Outrider is closed is no defect of the page."""
    outrider = start()
    outrider.enter(sheet)
    sheet.route("**/assets/Settings-*.js", lambda route: route.abort())
    sheet.get_by_role("link", name="Settings").click()
    failed = sheet.get_by_role("alert").filter(has_text="This part of the page could not be loaded.")
    expect(failed).to_be_visible()
    sheet.unroute("**/assets/Settings-*.js")
    failed.get_by_role("button", name="Reload").click()
    sheet.get_by_role("link", name="Settings").click()
    expect(sheet.get_by_role("heading", name="Settings", exact=True)).to_be_visible()
    an_address_that_leads_nowhere_says_so_and_offers_the_way_on(sheet)
    runs_no_script_but_its_own(outrider, chrome)
    assert outrider.end() == 0
