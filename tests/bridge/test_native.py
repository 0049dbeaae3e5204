"""Each of the window's functions, for real: dialogs by keys, the clipboard read back, links in a browser, notices on a bus."""

import json
import shutil
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from playwright.sync_api import Page, Playwright

from backend.api.native import functions
from tests.bridge.conftest import Desktop, desktop_for
from tests.bridge.opened import ROOT
from tests.bridge.screen import Screen, until
from tests.fakes.skills import document
from tests.ports import free_port

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="a screen without hardware is X's")


def call(page: Page, name: str, *arguments: object) -> Any:
    """What the page's own code would get: {"value": …} or {"error": …}."""
    return page.evaluate("([name, given]) => window.pywebview.api[name](...given)", [name, list(arguments)])


def begin(page: Page, name: str, *arguments: object) -> None:
    """Call what waits for the user."""
    script = "([name, given]) => { window.answer = undefined; window.pywebview.api[name](...given).then(a => window.answer = a); }"
    page.evaluate(script, [name, list(arguments)])


def answer(page: Page) -> Any:
    page.wait_for_function("() => window.answer !== undefined")
    return page.evaluate("window.answer")


def users_browser(folder: Path) -> tuple[dict[str, str], Path]:
    """A browser of the user's that writes down what it is asked to open: how the window gets to know it, and where it writes."""
    asked = folder / "asked.txt"
    program = folder / "browser"
    program.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" >> "{asked}"\n')
    program.chmod(0o700)
    return {"BROWSER": str(program)}, asked


class Shared(NamedTuple):
    """A window for all tests that leave it as it was; no service for notices is there."""

    screen: Screen
    page: Page
    desktop: Desktop
    window: str
    asked: Path
    """What the user's browser was asked to open, a line each."""


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory, playwright: Playwright) -> Iterator[Shared]:
    folder, nowhere = tmp_path_factory.mktemp("shared"), "unix:path=/nowhere"
    environ, asked = users_browser(folder)
    with (
        desktop_for(folder / "data", playwright) as made,
        made.open(DBUS_SESSION_BUS_ADDRESS=nowhere, **environ) as (process, page, window),
    ):
        yield Shared(made.screen, page, made, window, asked)
        assert process.end()[0] == 0
        assert "Traceback" not in process.errors.read_text()


def type_path(screen: Screen, dialog: str, path: Path) -> None:
    window = screen.window(dialog)

    def accepted() -> bool:
        """A Return may only take what the dialog would complete the path to, which need not be what was meant."""
        screen.hands("windowactivate", "--sync", window, "key", "--clearmodifiers", "ctrl+a")
        screen.hands("type", "--clearmodifiers", "--delay", "5", str(path))
        screen.hands("key", "--clearmodifiers", "Return")
        return screen.is_gone(dialog, seconds=3)

    until(accepted, f"no window {dialog}")


def test_a_file_is_chosen_in_the_system_s_dialog(shared: Shared, tmp_path: Path) -> None:
    leads = tmp_path / "My leads.csv"
    leads.write_text("First Name,Last Name\n")
    screen, page = shared.screen, shared.page
    begin(page, "open_file", {"kind": "leads"})
    type_path(screen, "Open file", leads)
    offered = answer(page)["value"]
    assert (offered["name"], offered["size"]) == ("My leads.csv", 21)
    assert str(tmp_path) not in json.dumps(offered)

    begin(page, "open_file", {"kind": "any"})
    window = screen.window("Open file")
    assert call(page, "open_file", {"kind": "any"})["error"]["code"] == "dialog_open"
    screen.hands("windowactivate", "--sync", window, "key", "Escape")
    assert answer(page) == {"value": None}


def test_a_folder_is_chosen_in_the_system_s_dialog_and_its_path_is_not_told(shared: Shared, tmp_path: Path) -> None:
    folder = tmp_path / "be-kind"
    folder.mkdir()
    (folder / "SKILL.md").write_text(document("be-kind"))
    screen, page = shared.screen, shared.page
    begin(page, "open_folder")
    type_path(screen, "Open folder", folder)
    offered = answer(page)["value"]
    assert offered["name"] == "be-kind"
    assert str(tmp_path) not in json.dumps(offered)

    begin(page, "open_folder")
    screen.hands("windowactivate", "--sync", screen.window("Open folder"), "key", "Escape")
    assert answer(page) == {"value": None}
    assert call(page, "open_folder", {"path": "/"})["error"]["code"] == "bad_request"


def test_a_place_to_write_is_chosen_in_the_system_s_dialog(shared: Shared, tmp_path: Path) -> None:
    screen, page = shared.screen, shared.page
    begin(page, "save_file", {"suggested": "../leads: all.csv"})
    type_path(screen, "Save file", tmp_path / "out.csv")
    assert list(answer(page)["value"]) == ["ticket"]
    assert not (tmp_path / "out.csv").exists()

    begin(page, "save_file", {"suggested": "x.csv"})
    screen.hands("windowactivate", "--sync", screen.window("Save file"), "key", "Escape")
    assert answer(page) == {"value": None}


def test_a_copied_text_is_on_the_clipboard(shared: Shared) -> None:
    screen, page = shared.screen, shared.page
    text = "Hällo\n\t🙂 'quotes' \\ </script> \u2028 end"
    assert call(page, "copy_text", {"text": text}) == {"value": None}
    until(lambda: screen.clipboard() == text, "the clipboard holds it")


def test_without_a_service_for_notices_it_is_said(shared: Shared) -> None:
    assert call(shared.page, "notify", {"title": "T", "text": ""})["error"]["code"] == "notice_failed"


BAD: list[list[object]] = [[], [None], [1], ["x"], [[]], [{}], [{"more": 1}], [{}, {}], [{"text": "\ud800"}]]


def test_a_bad_call_is_a_coded_answer(shared: Shared) -> None:
    taking = [row for row in functions() if row.takes is not None]
    page = shared.page
    for row in taking:
        for arguments in BAD:
            answer = call(page, row.name, *arguments)
            assert list(answer) == ["error"], (row.name, arguments)
            assert set(answer["error"]) == {"code", "sentence", "remedy"}
            assert answer["error"]["code"] == "bad_request", (row.name, arguments)
    assert call(page, "outrider_token", {})["error"]["code"] == "bad_request"
    assert call(page, "copy_text", {"text": "x" * 300_000})["error"]["code"] == "request_too_large"
    assert call(page, "set_title", {"title": "two\nlines"})["error"]["code"] == "bad_request"


def test_a_link_opens_in_the_user_s_browser_and_only_to_the_web(shared: Shared) -> None:
    page, asked = shared.page, shared.asked
    for refused in (
        "file:///etc/passwd", "javascript:alert(1)", "mailto:a@b.example", "//example.org", "https://", "-h",
        "https://bank.example@evil.example/", "https://example.org/ --flag", "https://example.org/\n-h", "http://[",
        "https://example.org:x/",
    ):  # fmt: skip
        assert call(page, "open_link", {"url": refused})["error"]["code"] == "link_refused", refused
    assert call(page, "open_link", {"url": "https://example.org/in/ada?x=1&y=%20#z"}) == {"value": None}
    assert until(lambda: asked.exists() and asked.read_text(), "the browser is asked") == (
        "https://example.org/in/ada?x=1&y=%20#z\n"
    )


WAYS_OUT = """other => setTimeout(() => {
  window.open(other);
  window.open('file:///etc/passwd');
  for (const address of [other, 'file:///etc/passwd', 'data:text/html,x']) location.href = address;
  setTimeout(async () => {
    await window.pywebview.api.copy_text({ text: location.href });
    window.pywebview.api.open_file({ kind: "leads" });
  }, 1500);
}, 1000)"""
"""The page tries to leave, has its address copied and asks for a file."""


@contextmanager
def elsewhere() -> Iterator[str]:
    """Another site on this machine."""
    port = free_port()
    server = subprocess.Popen(
        [sys.executable, "-m", "http.server", "--bind", "127.0.0.1", str(port)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=ROOT / "docs",
    )
    address = f"http://127.0.0.1:{port}/"

    def answers() -> bool:
        try:
            return bool(urllib.request.urlopen(address, timeout=2).status == 200)
        except OSError:
            return False

    try:
        until(answers, "the other site is there")
        yield address
    finally:
        server.terminate()
        server.wait()


@pytest.fixture
def bus() -> Iterator[tuple[dict[str, str], subprocess.Popen[str]]]:
    """A session bus with a notification service on it, and the service's output."""
    if shutil.which("dbus-daemon") is None:
        pytest.skip("not installed here: dbus-daemon")
    daemon = subprocess.Popen(
        ["dbus-daemon", "--session", "--nofork", "--print-address"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert daemon.stdout
    environ = {"DBUS_SESSION_BUS_ADDRESS": daemon.stdout.readline().strip()}
    service = subprocess.Popen(
        [sys.executable, "-m", "tests.bridge.notices_service"], cwd=ROOT, env=environ, stdout=subprocess.PIPE, text=True
    )
    assert service.stdout
    assert service.stdout.readline() == "ready\n"
    yield environ, service
    for process in (service, daemon):
        process.terminate()
        process.communicate()


def test_a_notice_reaches_the_desktop_the_window_stays_on_its_page_and_an_open_dialog_does_not_keep_it_from_ending(
    desktop: Desktop, bus: tuple[dict[str, str], subprocess.Popen[str]], tmp_path: Path
) -> None:
    (on_the_bus, service), (environ, asked) = bus, users_browser(tmp_path)
    with elsewhere() as other:
        with desktop.open(**on_the_bus, **environ) as (process, page, _):
            notice = {"title": "Outrider is paused", "text": "5 < 6 & <b>plain</b>"}
            assert call(page, "notify", notice) == {"value": None}
            assert service.stdout
            shown = json.loads(service.stdout.readline())
            assert shown == ["Outrider", "Outrider is paused", "5 &lt; 6 &amp; &lt;b&gt;plain&lt;/b&gt;"]
            home = page.url
            page.evaluate(WAYS_OUT, other)
        # Playwright looks away now: it would wait for the window that is not made and the page that does not come.
        until(lambda: desktop.screen.clipboard() == home, "the page is where it was, and its functions still work")
        assert process.target()["url"] == home
        desktop.screen.window("Open file")
        assert process.end()[0] == 0, process.errors.read_text()
    assert not asked.exists()


def test_a_second_start_brings_the_first_window_to_the_front(shared: Shared) -> None:
    screen, page, window = shared.screen, shared.page, shared.window
    screen.minimize(window)
    page.wait_for_function("() => document.visibilityState === 'hidden'")
    second = shared.desktop.start()
    status, output = second.ended()
    assert status == 0, second.errors.read_text()
    assert output.splitlines()[1] == "Its window is in front now."
    page.wait_for_function("() => document.visibilityState === 'visible'")
    until(lambda: screen.hands("getactivewindow") == window, "it is in front")
