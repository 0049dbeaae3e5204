"""The page by itself: pairing, its policy, its labels, what it keeps to itself."""

from playwright.sync_api import Browser, Page, expect

from tests.e2e.conftest import Start, StartProcess
from tests.e2e.using import to_screen

STORED = "[location.href, document.cookie, JSON.stringify(localStorage), JSON.stringify(sessionStorage)].join('')"


def test_a_wrong_code_is_refused_and_the_right_one_opens(start_process: StartProcess, sheet: Page) -> None:
    outrider = start_process()
    code = outrider.code()
    sheet.goto(outrider.url)
    sheet.get_by_label("Code").fill("2222-2222")
    sheet.get_by_role("button", name="Unlock").click()
    expect(sheet.get_by_role("alert").first).to_contain_text("That is not the code in the terminal.")
    details = sheet.get_by_text("pairing_refused")
    expect(details).to_be_hidden()
    sheet.get_by_text("Details", exact=True).click()
    expect(details).to_be_visible()
    with sheet.expect_response("**/api/pair") as paired:
        sheet.get_by_label("Code").fill(code.lower())
        sheet.keyboard.press("Enter")
    token = paired.value.json()["token"]
    expect(sheet.get_by_role("button", name="Start the rehearsal")).to_be_visible()
    expect(sheet.get_by_role("status").filter(has_text="Live")).to_be_visible()
    assert token not in sheet.evaluate(STORED)
    assert sheet.evaluate("document.documentElement.outerHTML").count(token) == 0

    sheet.evaluate("location.hash = '#/settings/privacy'")
    for _ in range(2):
        sheet.reload()  # no other code: the tab has a ticket for one return
        expect(sheet.get_by_text("What leaves this machine")).to_be_visible()
        assert sheet.evaluate("sessionStorage.length") == 0, "taken out as soon as the page is there"
    assert token not in sheet.evaluate(STORED)
    with sheet.context.expect_page() as opened:
        sheet.evaluate("window.open(location.href)")
    expect(opened.value.get_by_label("Code")).to_be_focused()  # another tab is another page
    opened.value.close()
    assert outrider.end() == 0
    assert token not in "".join(outrider.said)


def test_script_from_elsewhere_and_inline_script_do_not_run(start: Start, chrome: Browser) -> None:
    outrider = start()
    sheet = chrome.new_page()
    sheet.goto(outrider.url)
    ran = sheet.evaluate(
        """() => {
          const script = document.createElement('script');
          script.textContent = 'window.ran = true';
          document.head.append(script);
          return window.ran ?? false;
        }"""
    )
    assert ran is False
    assert sheet.evaluate("fetch('http://127.0.0.1:9/').then(() => 'went', () => 'refused')") == "refused"
    sheet.close()
    assert outrider.end() == 0


def test_another_page_s_decision_is_noticed(start: Start, sheet: Page) -> None:
    """The text changes while the approval of the old one is under way: it is refused, shown, and approved when read."""
    outrider = start()
    outrider.enter(sheet)
    sheet.get_by_role("button", name="Start the rehearsal").click()
    to_screen(sheet, "Review")
    approve = sheet.get_by_role("button", name="Approve").first
    approve.wait_for()
    sheet.route("**/approve", lambda route: route.continue_(post_data='{"digest":"' + "0" * 64 + '"}'), times=1)
    approve.click()
    expect(sheet.get_by_role("alert").filter(has_text="approval_text_changed")).to_be_visible()
    expect(sheet.get_by_text("The message has changed since you saw it.")).to_be_visible()
    approve.click()
    expect(sheet.get_by_text("The message has changed since you saw it.")).to_have_count(0)
    assert outrider.end() == 0


def test_a_part_of_the_page_that_cannot_be_loaded_says_so_and_how_to_go_on(start: Start, sheet: Page) -> None:
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
    assert outrider.end() == 0


def test_an_open_tab_finds_outrider_again_after_it_was_killed(start_process: StartProcess, sheet: Page) -> None:
    first = start_process()
    first.enter(sheet, "#/settings/appearance")
    expect(sheet.get_by_text("Live", exact=True)).to_be_visible()
    first.process.kill()
    first.over()
    again = start_process()
    assert again.url == first.url
    again.pair(sheet)
    expect(sheet.get_by_text("Live", exact=True)).to_be_visible()
    assert sheet.url.endswith("#/settings/appearance")
