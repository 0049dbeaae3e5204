"""Where there is no OpenGL that Chromium can use, the window is drawn by software; without that it would end the process."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import Playwright

from tests.bridge.conftest import Desktop, desktop_for
from tests.bridge.screen import until

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="Qt draws the window only there")

NO_DRIVER = {"LIBGL_DRIVERS_PATH": "/nonexistent"}
NO_EGL = {"__EGL_VENDOR_LIBRARY_DIRS": "/nonexistent"}
QT_DOES_WITHOUT = {"QT_XCB_GL_INTEGRATION": "none"}


def test_the_window_opens_on_a_display_without_glx_as_remote_ones_are(tmp_path: Path, playwright: Playwright) -> None:
    with desktop_for(tmp_path / "data", playwright, "-extension", "GLX") as desktop:
        with desktop.open() as (process, _, _):
            pass
        assert process.end(signal.SIGTERM)[0] == 0


def test_without_opengl_it_opens_where_and_as_large_as_it_was_but_on_no_screen_that_is_gone(desktop: Desktop) -> None:
    screen = desktop.screen
    desktop.data.mkdir()
    (desktop.data / "window.json").write_text(
        json.dumps({"x": 5000, "y": -3000, "width": 9000, "height": 200, "maximized": False})
    )
    with desktop.open(**NO_DRIVER) as (process, _, window):
        shown = screen.geometry(window)
        assert -10 <= shown.x <= shown.x + shown.width <= 1_610, "but for the frame"
        assert -50 <= shown.y <= shown.y + shown.height <= 1_050
        screen.hands("windowmove", "--sync", window, "150", "100", "windowsize", "--sync", window, "1000", "700")
        before = screen.geometry(window)
        screen.close(window)  # nothing runs, so nothing is asked
        assert process.ended()[0] == 0
    assert (desktop.data / "window.json").stat().st_mode & 0o077 == 0

    with desktop.open(**NO_DRIVER, **NO_EGL) as (process, _, window):
        until(lambda: screen.geometry(window) == before, f"{screen.geometry(window)} becomes {before}")
        screen.double_click_title(window)
        until(lambda: "MAXIMIZED" in screen.state(window), "it is maximised")
        screen.close(window)
        assert process.ended()[0] == 0

    with desktop.open(**QT_DOES_WITHOUT) as (process, _, window):
        until(lambda: "MAXIMIZED" in screen.state(window), "it is maximised again")
        screen.double_click_title(window)
        until(lambda: screen.geometry(window)[2:] == before[2:], "it comes back to its own size")
        screen.close(window)
        assert process.ended()[0] == 0


@pytest.mark.parametrize("flags", [None, "--disable-gpu"])
def test_no_distribution_costs_the_window_its_sandbox(flags: str | None) -> None:
    """pywebview turns it off on Arch and others, whoever runs it."""
    script = (
        "import os; from qtpy import QtCore; QtCore.QSysInfo.productType = staticmethod(lambda: 'arch');"
        "from bridge.qt_desktop import CHROMIUM_FLAGS, load_engine;"
        "print(load_engine().is_webengine, os.environ.get(CHROMIUM_FLAGS))"
    )
    environ = {name: value for name, value in os.environ.items() if name != "QTWEBENGINE_CHROMIUM_FLAGS"}
    environ |= {"QTWEBENGINE_CHROMIUM_FLAGS": flags} if flags else {}
    done = subprocess.run([sys.executable, "-c", script], env=environ, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", str(flags)]
