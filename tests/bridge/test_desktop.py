"""The window on a desktop: opened, used, closed and opened again, with a window manager and a user's keys."""

import sqlite3
import sys
from contextlib import closing

import pytest
from playwright.sync_api import Page, Response, expect

from backend.domain.model.turn import TurnState
from tests.bridge.conftest import Desktop
from tests.bridge.opened import WITHOUT_BROWSER, Opened
from tests.bridge.screen import until
from tests.e2e.using import drafts_left, drafts_wait, to_screen

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="a screen without hardware is X's")
NAME = "Rehearsal 1"


def start_rehearsal(page: Page) -> None:
    page.get_by_role("button", name="Start the rehearsal").click()
    to_screen(page, "Review")
    drafts_wait(page, 1)


def campaign_status(desktop: Desktop) -> str:
    with closing(sqlite3.connect(desktop.data / "outrider.db")) as connection:
        (status,) = connection.execute("SELECT status FROM campaigns").fetchone()
    return str(status)


def test_a_day_in_the_window(desktop: Desktop) -> None:
    """Open, rehearse, approve, stop; go on, close while it runs, which asks; open again: all is there, and closing twice closes."""
    with desktop.open() as (process, page, window):
        start_rehearsal(page)
        until(lambda: NAME in desktop.screen.title(window), "the title says what runs")
        page.get_by_role("button", name="Approve").first.click()
        to_screen(page, "Run")
        expect(page.get_by_label("Leads reached").first).to_have_attribute("aria-valuenow", "1")
        page.get_by_role("button", name="Stop", exact=True).click()
        expect(page.get_by_role("button", name="Continue")).to_be_enabled()
        until(lambda: desktop.screen.title(window).endswith("Outrider"), "the title is the page's again")
        page.get_by_role("button", name="Continue").click()
        expect(page.get_by_role("button", name="Stop", exact=True)).to_be_visible()
        until(lambda: campaign_status(desktop) == "active", "it goes on; closed while it starts, it stays paused")

        desktop.screen.close(window)
        question = page.get_by_role("dialog")
        expect(question).to_contain_text(f"{NAME} is running")
        question.get_by_role("button", name="Keep open").click()
        expect(question).to_be_hidden()
        expect(page.get_by_role("button", name="Stop", exact=True)).to_be_visible()

        desktop.screen.close(window)
        expect(question).to_be_visible()
        question.get_by_role("button", name="Stop and close").click()
        assert process.ended()[0] == 0, process.errors.read_text()
    assert campaign_status(desktop) == "active"

    with desktop.open(WITHOUT_BROWSER) as (process, page, window):
        # The window opens where it was.
        expect(page.get_by_role("button", name="Continue")).to_be_enabled()
        expect(page.get_by_label("Leads reached").first).to_have_attribute("aria-valuenow", "1")
        page.get_by_role("button", name="Continue").click()
        expect(page.get_by_role("button", name="Stop", exact=True)).to_be_visible()
        desktop.screen.close(window)
        expect(page.get_by_role("dialog")).to_be_visible()
        assert process.process.poll() is None
        desktop.screen.close(window)  # without an answer
        assert process.ended()[0] == 0
    assert "Traceback" not in process.errors.read_text()
    assert campaign_status(desktop) == "active"


def turns(desktop: Desktop) -> int:
    with closing(sqlite3.connect(desktop.data / "outrider.db")) as connection:
        (number,) = connection.execute("SELECT count(*) FROM turn_projection").fetchone()
    return int(number)


def asleep(desktop: Desktop) -> bool:
    with closing(sqlite3.connect(desktop.data / "outrider.db")) as connection:
        (state,) = connection.execute("SELECT state FROM runtime_snapshot").fetchone()
    return bool(state == TurnState.SLEEPING)


def tells_it_is_seen(answer: Response) -> bool:
    """The page's word to the server that it is visible, in the window."""
    heartbeat = answer.request.post_data_json or {}
    return answer.url.endswith("/api/presence") and (heartbeat["visible"], heartbeat["in_window"]) == (True, True)


def test_nothing_runs_in_a_hidden_window_only_the_user_s_word_goes_on_and_closing_it_twice_closes_it(
    desktop: Desktop,
) -> None:
    screen = desktop.screen
    with desktop.open(WITHOUT_BROWSER) as (process, page, window):
        start_rehearsal(page)
        drafts_wait(page, 12)
        until(lambda: asleep(desktop), "everything that needs nobody is done, and no turn is in flight")
        before = turns(desktop)
        screen.minimize(window)
        until(lambda: "Paused: " in screen.title(window), "it is paused, and says so")
        page.get_by_role("button", name="Approve").first.dispatch_event(
            "click"
        )  # it is not to be seen, but it is there
        drafts_left(page, 11)

        with page.expect_response(tells_it_is_seen):
            screen.hands("windowactivate", "--sync", window)
        question = page.get_by_role("alert").filter(has_text="Paused while you were away")
        expect(question).to_be_visible()
        assert "Paused: " in screen.title(window)
        assert turns(desktop) == before, "being back is no decision"

        page.evaluate("() => document.activeElement?.blur()")  # on a button Enter means that button
        page.wait_for_function("() => document.hasFocus()")
        screen.hands("key", "Return")
        expect(question).to_be_hidden()
        until(lambda: "Paused: " not in screen.title(window), "it goes on")
        until(lambda: turns(desktop) > before, "turns are taken again: what was approved is sent")
        closing_it_twice_closes_it_even_if_the_page_hangs(desktop, process, page, window)
    assert campaign_status(desktop) == "active"


def closing_it_twice_closes_it_even_if_the_page_hangs(
    desktop: Desktop, process: Opened, page: Page, window: str
) -> None:
    """After the current action."""
    # A function's answer is under way to a page that will never take it; one that leaves the focus where it is.
    hang = "window.pywebview.api.copy_text({ text: 'x' }); setTimeout(() => { for (;;); }, 0);"
    page.evaluate(f"() => {{ setTimeout(() => {{ {hang} }}, 0); }}")
    assert not (desktop.data / "window.json").exists()
    desktop.screen.close(window)
    until((desktop.data / "window.json").exists, "it was asked to close")
    assert desktop.screen.window("Outrider|Rehearsal"), "the first time it stays"
    assert process.process.poll() is None
    desktop.screen.close(window)
    assert process.ended()[0] == 0, process.errors.read_text()
