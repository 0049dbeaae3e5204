"""Which Chromium the tests start, and how: its sandbox cannot be had as root."""

import shutil
from pathlib import Path
from typing import Any

from backend.adapters.browser.chromium import VARIABLE, find_browser

HEADLESS_SHELL = Path("/usr/lib/chromium/chromium-headless-shell")
"""Debian's Chromium without windows, tabs and menus, which a hidden browser draws for nobody: a third less CPU time."""

_system = str(HEADLESS_SHELL) if HEADLESS_SHELL.exists() else shutil.which("chromium")

CHROMIUM: dict[str, Any] = {
    "args": ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"],
    **({"executable_path": _system} if _system else {}),
}
"""What all tests share."""

HIDDEN_BROWSER = {VARIABLE: str(HEADLESS_SHELL)} if HEADLESS_SHELL.exists() else {}
"""In the environment of an Outrider with a hidden browser, for tests of what it does there and not of the browser."""


def hidden_browser() -> Path:
    """The same for a browser session of this process."""
    return HEADLESS_SHELL if HEADLESS_SHELL.exists() else find_browser()
