"""Outrider as a person uses it without a screen: its page in a real Chromium, the rest in this process or its own."""

import queue
import re
import signal
import subprocess
import threading
from contextlib import ExitStack
from pathlib import Path
from typing import Protocol

from playwright.sync_api import Page, expect

from tests.api.app import running
from tests.bridge.opened import WITHOUT_BROWSER
from tests.patience import PATIENCE

ROOT = Path(__file__).parents[2]
HOOD = ("Run", "Tasks", "Artifacts", "Timeline")
"""The screens that stand under "Under the hood"."""


def drafts_left(page: Page, waiting: int) -> None:
    """Until exactly so many drafts wait in Review, whether or not they are enough for the next days."""
    expect(page.get_by_test_id("drafts")).to_have_text(re.compile(rf"^{waiting} to decide\b"))


def drafts_wait(page: Page, at_least: int) -> None:
    """Until Review shows its list, so many wait there, and keys mean the draft that is shown."""
    page.wait_for_function(
        "n => parseInt(document.querySelector('[data-testid=drafts]')?.textContent ?? '0') >= n",
        arg=at_least,
    )
    expect(page.get_by_role("listbox", name="Drafts").get_by_role("option").first).to_be_visible()
    expect(page.get_by_role("article")).to_be_visible()


def review(page: Page, at_least: int) -> None:
    """Go from another of the campaign's screens to Review by keyboard, and wait until so many drafts wait there."""
    page.keyboard.press("g")
    page.keyboard.press("r")
    drafts_wait(page, at_least)


def to_screen(page: Page, name: str) -> None:
    """Go to one of the campaign's screens by the navigation: screens have links of their own, some of the same name."""
    main = page.get_by_role("navigation", name="Main")
    if name in HOOD and main.get_by_role("link", name=name).count() == 0:
        main.get_by_role("button", name="Under the hood").click()
    main.get_by_role("link", name=name).click()


class Started(Protocol):
    """Outrider on a data folder, with its page."""

    url: str

    def code(self) -> str:
        """The code for the next page."""
        ...

    def end(self) -> int:
        """Close it; the exit status."""
        ...

    def enter(self, page: Page, path: str = "") -> None:
        """Open the page and pair it."""
        page.goto(self.url + path)
        self.pair(page)

    def pair(self, page: Page) -> None:
        """Type the next code."""
        page.get_by_label("Code").fill(self.code())
        page.keyboard.press("Enter")


class InProcess(Started):
    """The same backend, server and page in this process: nothing is imported and compiled anew."""

    def __init__(self, data_dir: Path) -> None:
        data_dir.mkdir(exist_ok=True)
        self._held = ExitStack()
        self._app = self._held.enter_context(running(data_dir))
        self.url = self._app.origin

    def code(self) -> str:
        return self._app.codes[-1]

    def end(self) -> int:
        """Again is once."""
        self._held.close()
        return 0


class Outrider(Started):
    """`python -m bridge --no-window`, and what it says."""

    def __init__(self, data_dir: Path) -> None:
        self.process = subprocess.Popen(
            [*WITHOUT_BROWSER, "--no-window", "--data-dir", str(data_dir)],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.said: list[str] = []
        self._codes: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._urls: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()
        self.url = self._urls.get(timeout=PATIENCE)

    def _listen(self) -> None:
        assert self.process.stdout
        for line in self.process.stdout:
            self.said.append(line)
            if match := re.search(r"http://\S+", line):
                self._urls.put(match[0])
            if match := re.search(r"[Cc]ode for the .*page: (\S+)", line):
                self._codes.put(match[1])

    def code(self) -> str:
        """The code for the next page."""
        return self._codes.get(timeout=PATIENCE)

    def end(self) -> int:
        """Ctrl-C; the exit status."""
        self.process.send_signal(signal.SIGINT)
        return self.over()

    def over(self) -> int:
        status = self.process.wait(PATIENCE)
        self._listener.join()
        assert self.process.stdout
        self.process.stdout.close()
        return status
