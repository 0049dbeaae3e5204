"""A start: the window's engine begins before the backend is imported, and a backend that cannot open is still told."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import pytest
from playwright.sync_api import Error as PlaywrightError
from playwright.sync_api import Playwright, expect

from backend.adapters.instance_lock import InstanceLock
from backend.app.wiring import delete_campaign, open_workspace
from backend.domain.model.campaign import Settings
from backend.machine.settings import read_settings
from bridge.window_geometry import PLACE_FILE
from tests.bridge.opened import looking_into, opened
from tests.bridge.screen import until
from tests.patience import PATIENCE

IMPORTED = "import json, sys; import {name}; print(json.dumps(sorted(sys.modules)))"
NOT_BEFORE_THE_WINDOW = {
    "backend.api.app",
    "backend.app.launch",
    "backend.runtime.run.run_service",
    "flask",
    "sqlite3",
    "werkzeug",
}
NOT_FOR_A_START = {"backend.terminal.app", "desktop_notifier", "playwright", "rich", "typer"}


def imported(name: str) -> set[str]:
    script = IMPORTED.format(name=name)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=PATIENCE, check=True)
    return set(json.loads(done.stdout))


def test_the_window_begins_without_the_backend() -> None:
    assert imported("bridge.__main__").isdisjoint(NOT_BEFORE_THE_WINDOW | NOT_FOR_A_START)


def test_the_backend_brings_only_what_a_start_needs() -> None:
    assert imported("bridge.launch").isdisjoint(NOT_FOR_A_START)


needs_qt = pytest.mark.skipif(sys.platform != "linux", reason="the window is Qt's, without a screen")


@needs_qt
def test_quitting_a_failed_start_says_why_in_the_terminal_too(tmp_path: Path, playwright: Playwright) -> None:
    data = tmp_path / "data"
    with open_workspace(read_settings({}, data)) as workspace, workspace.database.write() as connection:
        connection.execute("PRAGMA user_version = 9999")
    with opened(data) as window, looking_into(window, playwright) as page:
        expect(page.get_by_role("alert")).to_contain_text("database_newer")
        expect(page.get_by_role("button", name="Start again")).to_have_count(0)
        with suppress(PlaywrightError):  # the window may be gone before the click is answered
            page.get_by_role("button", name="Quit").click()
        assert window.ended()[0] == 1
        assert "\ndatabase_newer: " in window.errors.read_text()


NEVER_ANSWERS = """
import runpy, sys, threading, webview
webview.Window.expose = lambda *_: (sys.stderr.write("waits"), sys.stderr.flush(), threading.Event().wait())
runpy.run_module("bridge", run_name="__main__")
"""
"""What pywebview does with a page that is closed while it loads."""


@needs_qt
def test_a_page_that_never_answers_does_not_keep_it_from_ending(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with opened(data, program=(sys.executable, "-c", NEVER_ANSWERS)) as window:
        until(lambda: "waits" in window.errors.read_text(), "the page is to get its functions")
        assert window.end()[0] == 0


@contextmanager
def locked(data: Path) -> Iterator[Path]:
    """In use, such as by a command in a terminal."""
    with InstanceLock(data):
        yield data


@needs_qt
def test_what_cannot_be_opened_says_why_until_it_can_and_the_window_opens_where_it_was_or_at_the_list_when_that_is_gone(
    tmp_path: Path, playwright: Playwright
) -> None:
    data = tmp_path / "data"
    with open_workspace(read_settings({}, data)) as workspace:
        campaign = workspace.commands().campaigns.create_on_practice("Autumn talks", "Talk", Settings(), key="k")
    with (
        ExitStack() as in_use,
        opened(in_use.enter_context(locked(data))) as window,
        looking_into(window, playwright) as page,
    ):
        expect(page.get_by_role("alert")).to_contain_text("instance_running")
        expect(page.get_by_role("button", name="Open the data folder")).to_have_count(0)
        in_use.close()
        page.get_by_role("button", name="Start again").click()
        page.get_by_role("link", name="Autumn talks").click()
        page.get_by_role("link", name="Sequence").click()
        expect(page.get_by_role("heading", name="Autumn talks")).to_be_visible()
        expect(page).to_have_title("Sequence · Autumn talks · Outrider")
        until(lambda: "sequence" in (data / PLACE_FILE).read_text(), "the place is kept")
        window.process.kill()  # it need not have been closed
        window.ended()
    with opened(data) as window, looking_into(window, playwright) as page:
        expect(page).to_have_title("Sequence · Autumn talks · Outrider")
        expect(page.get_by_role("link", name="Sequence")).to_have_attribute("aria-current", "page")
        assert window.end()[0] == 0
    with open_workspace(read_settings({}, data)) as workspace:
        delete_campaign(workspace, workspace.commands(), campaign)
    a_damaged_file_is_told_until_it_is_whole_again(tmp_path, playwright)


def a_damaged_file_is_told_until_it_is_whole_again(folder: Path, playwright: Playwright) -> None:
    """In the window, which then opens at the list: the place where it was is gone."""
    data, asked, browser = folder / "data", folder / "asked.txt", folder / "browser"
    database, whole = data / "outrider.db", folder / "whole.db"
    database.rename(whole)
    database.write_bytes(b"not a database" * 1_000)
    browser.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" >> "{asked}"\n')
    browser.chmod(0o700)
    surroundings = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "BROWSER": str(browser)}
    with opened(data, surroundings) as window, looking_into(window, playwright) as page:
        why = page.get_by_role("alert").filter(has_text="Outrider could not be opened")
        expect(why).to_contain_text("is damaged")
        expect(why).to_contain_text("database_corrupt")
        page.get_by_role("button", name="Open the data folder").click()
        until(lambda: asked.exists() and data.as_uri() in asked.read_text(), "the folder is shown")
        page.get_by_role("button", name="Start again").click()
        expect(why).to_contain_text("database_corrupt")
        whole.replace(database)
        page.get_by_role("button", name="Start again").click()
        expect(page.get_by_role("button", name="Start the rehearsal")).to_be_visible()
        expect(page.get_by_role("status").filter(has_text="Live")).to_be_visible()
        assert page.url.endswith("#/")
        assert window.end()[0] == 0


def test_help_names_the_command_that_was_typed() -> None:
    command = [sys.executable, "-m", "bridge", "--help"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=True)
    assert done.stdout.startswith("usage: outrider app ")
