"""One Chromium for all, a fresh page for each; everything that was started is ended."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from backend.app import launch
from tests.api.app import App, running
from tests.e2e.desk import pair
from tests.e2e.using import InProcess, Outrider, Started
from tests.fakes.network_here import rehearse_here
from tests.patience import SOON

Start = Callable[[], Started]
StartProcess = Callable[[], Outrider]

NOTED_BY_CHROMIUM = ("status of 4", "net::ERR_", "before receiving a handshake response")
"""That a code or an approval was refused (4xx), and that Outrider was ended, maybe while the page was connecting again."""


@pytest.fixture
def chrome(browser: Browser) -> Browser:
    """The session's one Chromium: there can be only one Playwright in a thread."""
    return browser


@pytest.fixture
def sheet(chrome: Browser) -> Iterator[Page]:
    """A page whose console must stay clean, and on which no time is drawn away by what only moves."""
    context = chrome.new_context(viewport={"width": 1280, "height": 900}, reduced_motion="reduce")
    context.set_default_timeout(SOON)
    page = context.new_page()
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    yield page
    context.close()
    assert [line for line in complaints if not any(note in line for note in NOTED_BY_CHROMIUM)] == []


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Start Outrider on the test's data folder; again after it was ended."""
    started: list[InProcess] = []

    def begin() -> InProcess:
        started.append(InProcess(tmp_path / "data"))
        return started[-1]

    yield begin
    for outrider in started:
        outrider.end()


@pytest.fixture
def app(tmp_path: Path, sheet: Page) -> Iterator[App]:
    """The app in this process, on an empty data folder, and the page paired with it."""
    (tmp_path / "data").mkdir()
    with running(tmp_path / "data") as app:
        sheet.goto(app.origin)
        pair(sheet, app)
        yield app


@pytest.fixture(autouse=True)
def network_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Most of a rehearsal's time is its browser's: what is about the page acts on the network itself.

    So do the processes of `start_process`. The `outrider` command has a browser and a network process, as a user's has.
    """
    rehearse_here(launch, monkeypatch.setattr)


@pytest.fixture
def start_process(tmp_path: Path) -> Iterator[StartProcess]:
    """The same in a process of its own, for what is about the process."""
    started: list[Outrider] = []

    def begin() -> Outrider:
        started.append(Outrider(tmp_path / "data"))
        return started[-1]

    yield begin
    for outrider in started:
        if outrider.process.poll() is None:
            outrider.process.kill()
            outrider.over()
