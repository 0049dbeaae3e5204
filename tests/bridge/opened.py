"""Outrider's real window in a process of its own, without a screen, and Playwright looking into it."""

import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, Playwright

from tests.chromium import HIDDEN_BROWSER
from tests.patience import PATIENCE, SOON
from tests.ports import free_port

ROOT = Path(__file__).parents[2]
AS_ROOT = {"QTWEBENGINE_DISABLE_SANDBOX": "1"} if hasattr(os, "geteuid") and os.geteuid() == 0 else {}
"""What the window's surroundings have where the tests run as root, who cannot have Chromium's sandbox; everybody else keeps it."""


BRIDGE = (sys.executable, "-m", "bridge")
WITHOUT_BROWSER = (
    sys.executable,
    "-c",
    """
import sys
from backend.app import launch
from bridge.__main__ import main
from tests.fakes.network_here import rehearse_here
rehearse_here(launch)
sys.exit(main())
""",
)
"""`python -m bridge`, whose rehearsals act on a practice network in its process: for what is not about the browser."""


def hidden(program: Sequence[str], data_dir: Path) -> Sequence[str]:
    """The command that starts it on this data folder, its browser hidden."""
    return [*program, "--headless-browser", "--data-dir", str(data_dir)]


class Opened:
    """`python -m bridge` with its window, or another command that opens one in surroundings of its own."""

    def __init__(
        self,
        data_dir: Path,
        errors: Path,
        command: Sequence[str] | None = None,
        surroundings: Mapping[str, str] | None = None,
    ) -> None:
        self.port = free_port()
        environ = {
            **({**os.environ, "QT_QPA_PLATFORM": "offscreen"} if surroundings is None else surroundings),
            "QTWEBENGINE_REMOTE_DEBUGGING": f"127.0.0.1:{self.port}",
            **HIDDEN_BROWSER,
            "PYTHONFAULTHANDLER": "1",  # one that does not end can be asked where it stands
            **AS_ROOT,
        }
        self.errors = errors
        with errors.open("wb") as error_file:
            self.process = subprocess.Popen(
                command or hidden(BRIDGE, data_dir),
                cwd=ROOT,
                env=environ,
                stdout=subprocess.PIPE,
                stderr=error_file,
            )

    def target(self) -> Any:
        """The window's page, as the debugging port lists it, once it has a title; whoever attaches before may wait for ever."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline and self.process.poll() is None:
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/json", timeout=2) as answer:
                    targets = [target for target in json.load(answer) if "Outrider" in target["title"]]
            except OSError:
                targets = []
            if targets:
                return targets[0]
            time.sleep(0.05)
        raise AssertionError(f"the window did not open: {self.errors.read_text()}")

    def end(self, number: int = signal.SIGTERM) -> tuple[int, str]:
        """Ask it to end; the exit status and what it printed."""
        self.process.send_signal(number)
        return self.ended()

    def ended(self) -> tuple[int, str]:
        try:
            output, _ = self.process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.send_signal(signal.SIGABRT)
            self.process.communicate()
            raise AssertionError(f"it does not end: {self.errors.read_text()}") from None
        return self.process.returncode, output.decode()


@contextmanager
def looking_into(window: Opened, playwright: Playwright) -> Iterator[Page]:
    """The window's own page."""
    window.target()
    browser = playwright.chromium.connect_over_cdp(f"http://127.0.0.1:{window.port}", no_defaults=True, timeout=SOON)
    try:
        page = browser.contexts[0].pages[0]
        page.set_default_timeout(SOON)
        yield page
    finally:
        browser.close()


@contextmanager
def opened(
    data_dir: Path, surroundings: Mapping[str, str] | None = None, program: Sequence[str] = BRIDGE
) -> Iterator[Opened]:
    window = Opened(data_dir, data_dir.parent / "window.txt", hidden(program, data_dir), surroundings)
    try:
        yield window
    finally:
        if window.process.poll() is None:
            window.process.kill()
        window.process.communicate()
