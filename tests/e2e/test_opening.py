"""The window's page before there is a backend: what was known last, marked as such, and corrected when the backend is there."""

import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from playwright.sync_api import Page, expect

from backend.api.app import create_app
from backend.api.native import functions
from backend.api.server.page_files import PAGE, LastSeen, PlaceInPage, Preferences
from backend.app.launch import RunningBackend, open_backend
from backend.domain.model.campaign import Settings
from backend.machine.settings import read_settings
from backend.store.last_known import LastKnown, load_last_known
from bridge.early_page import EarlyPage
from bridge.listener import open_listener, url_of
from bridge.server import LoopbackServer
from tests.api.app import NEVER_TIMED_OUT, running

QUERY = "window=0123"
WINDOW = """answers => {
  window.pywebview = {
    api: {},
    _returnValuesCallbacks: {},
    _checkValue: (name, resolve) => resolve(answers[name] ?? { value: null }),
    _jsApiCallback: () => {},
  };
  window.pywebview._createApi(Object.keys(answers).map(func => ({ func })));
  window.dispatchEvent(new Event("pywebviewready"));
}"""
"""What pywebview does once Python has said which functions there are."""
TOPS = """[...document.querySelectorAll("main a")].map(
  link => [link.textContent.trim(), link.closest("li")?.getBoundingClientRect().top])"""
"""Where each line begins that leads somewhere."""


class Opening:
    """A window's page that waits for its backend, which comes with `come`."""

    def __init__(self, page: Page, data: Path, listener: socket.socket, early: EarlyPage, stack: ExitStack) -> None:
        self.page = page
        self._data, self._listener, self._early, self._held = data, listener, early, stack

    def come(self) -> RunningBackend:
        settings = read_settings({}, self._data)
        launch = self._held.enter_context(open_backend(settings, show_code=lambda _: None, hidden_browser=True))
        server = LoopbackServer(create_app(launch.services), self._listener, launch.services.caller_of, NEVER_TIMED_OUT)
        launch.authority[0] = server.authority
        server.start(self._early.hand_over())
        self._held.callback(server.close)
        self._held.callback(launch.services.feed.close)
        answers: dict[str, object] = {row.name: {"value": None} for row in functions()}
        self.page.evaluate(WINDOW, {**answers, "outrider_token": {"value": launch.services.token.value}})
        return launch


@contextmanager
def opening(page: Page, data: Path, seen: LastSeen) -> Iterator[Opening]:
    with ExitStack() as stack:
        listener = stack.enter_context(open_listener())
        early = EarlyPage(listener, PAGE, Preferences(), QUERY, seen)
        early.start()
        stack.callback(early.close)
        page.goto(f"{url_of(listener)}?{QUERY}{seen.place.address}")
        try:
            yield Opening(page, data, listener, early, stack)
        finally:
            page.goto("about:blank")  # before what it asks is gone


def campaigns(data: Path, *names: str) -> list[str]:
    """Made and closed again; their ids."""
    with running(data) as app:
        make = app.workspace.commands().campaigns.create_on_practice
        return [make(name, "Talk", Settings(), key=name.replace(" ", "")) for name in names]


def seen(data: Path, address: str = "#/", above: int = 0) -> LastSeen:
    return LastSeen(load_last_known(data), PlaceInPage(address=address, above=above))


def test_the_list_as_it_was_last_is_shown_at_once_and_corrected_without_a_jump(sheet: Page, tmp_path: Path) -> None:
    data = tmp_path / "data"
    campaigns(data, "Autumn talks", "Winter talks")
    with opening(sheet, data, seen(data)) as first:  # how it looks at last, which leaves its height behind
        first.come()
        expect(sheet.get_by_role("status").filter(has_text="Live")).to_be_visible()
        expect(
            sheet.get_by_role("button", name="Add leads").or_(sheet.get_by_role("link", name="Add leads"))
        ).not_to_have_count(0)
        expect(sheet.get_by_role("list", name="Needs attention")).to_be_visible()
        above = sheet.locator("main h1").first.locator("xpath=../..").evaluate("e => e.clientHeight")
    with opening(sheet, data, seen(data, above=above)) as window:
        remembered = sheet.get_by_role("list").filter(has=sheet.get_by_role("link", name="Winter talks")).last
        expect(remembered).to_have_attribute("aria-busy", "true")
        expect(sheet.get_by_text("As you left them…")).to_be_visible()
        expect(sheet.get_by_role("status").filter(has_text="Opening…")).to_be_visible()
        before = sheet.evaluate(TOPS)
        link = sheet.get_by_role("link", name="Autumn talks", exact=True)
        link.focus()
        window.come()
        expect(remembered).to_have_attribute("aria-busy", "false")
        expect(sheet.get_by_text("Opening…")).to_have_count(0)
        expect(link).to_be_focused()
        expect(sheet.get_by_role("list", name="Needs attention")).to_be_visible()
        after = sheet.evaluate(TOPS)
        assert [line for line in after if line in before] == before


def test_what_is_known_wrongly_is_corrected(sheet: Page, tmp_path: Path) -> None:
    data = tmp_path / "data"
    (real,) = campaigns(data, "Real")
    (remembered,) = (load_last_known(data) or LastKnown(campaigns=[])).campaigns
    wrong = LastKnown(
        campaigns=[
            remembered.model_copy(update={"name": "Old name", "needs": {"approve": 7}, "status": "active"}),
            remembered.model_copy(update={"id": "gone", "name": "Gone <b>"}),
        ]
    )
    with opening(sheet, data, LastSeen(wrong)) as window:
        expect(sheet.get_by_role("heading", name="7 things needed you when you left")).to_be_visible()
        expect(sheet.get_by_role("link", name="Gone <b>", exact=True)).to_be_visible()
        window.come()
        expect(sheet.get_by_role("link", name="Real", exact=True)).to_be_visible()
        expect(sheet.get_by_text("Gone <b>")).to_have_count(0)
        expect(sheet.get_by_text("Old name")).to_have_count(0)
        expect(sheet.get_by_role("heading", name="7 things needed you when you left")).to_have_count(0)
        assert sheet.locator(f"a[href='#/campaigns/{real}/today']").count() > 0


def test_a_click_before_the_backend_is_there_is_kept(sheet: Page, tmp_path: Path) -> None:
    data = tmp_path / "data"
    campaigns(data, "Autumn talks")
    with opening(sheet, data, seen(data)) as window:
        sheet.get_by_role("link", name="Autumn talks", exact=True).click()
        expect(sheet.get_by_role("heading", name="Autumn talks")).to_be_visible()
        sheet.keyboard.press("g")
        sheet.keyboard.press("q")
        window.come()
        expect(sheet).to_have_title("Sequence · Autumn talks · Outrider")
        expect(
            sheet.get_by_role("button", name="Add step").or_(sheet.locator("[aria-label^='Message of step']")).first
        ).to_be_visible()


def test_without_anything_known_the_plain_frame_is_shown(sheet: Page, tmp_path: Path) -> None:
    for position, last in enumerate((LastSeen(), LastSeen(LastKnown(campaigns=[])))):
        with opening(sheet, tmp_path / f"data{position}", last) as window:
            expect(sheet.get_by_role("heading", name="Campaigns")).to_be_visible()
            expect(sheet.get_by_role("status", name="Loading").first).to_be_visible()
            expect(sheet.get_by_role("listitem")).to_have_count(0)
            window.come()
            expect(sheet.get_by_role("button", name="Start the rehearsal")).to_be_visible()


def test_a_start_that_failed_says_why(sheet: Page, tmp_path: Path) -> None:
    data = tmp_path / "data"
    campaigns(data, "Autumn talks")
    with opening(sheet, data, seen(data)):
        remedy = "Install the newer Outrider. `outrider doctor` says more."
        why = {"code": "database_newer", "sentence": "It is newer.", "remedy": remedy}
        sheet.evaluate(WINDOW, {row.name: {"error": why} for row in functions()})
        expect(sheet.get_by_role("alert")).to_contain_text(
            "It is newer. Install the newer Outrider. outrider doctor says more.", use_inner_text=True
        )
        expect(sheet.get_by_role("alert").locator("code").first).to_have_text("outrider doctor")
        expect(sheet.get_by_text("Autumn talks")).to_have_count(0)
        expect(sheet.get_by_role("button")).to_have_text(["Open the data folder", "Quit"])
