"""Where there is no OpenGL that Chromium can use, the window is drawn by software; without that it would end the process."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import Playwright

from tests.bridge.conftest import desktop_for

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="Qt draws the window only there")

WITHOUT_OPENGL: dict[str, tuple[tuple[str, ...], dict[str, str]]] = {
    "a display without GLX, as remote ones are": (("-extension", "GLX"), {}),
    "no driver": ((), {"LIBGL_DRIVERS_PATH": "/nonexistent"}),
    "no driver and no EGL": ((), {"LIBGL_DRIVERS_PATH": "/nonexistent", "__EGL_VENDOR_LIBRARY_DIRS": "/nonexistent"}),
    "Qt is told to do without": ((), {"QT_XCB_GL_INTEGRATION": "none"}),
}


@pytest.mark.parametrize("case", WITHOUT_OPENGL)
def test_the_window_opens_without_opengl(tmp_path: Path, playwright: Playwright, case: str) -> None:
    options, surroundings = WITHOUT_OPENGL[case]
    with desktop_for(tmp_path / "data", playwright, *options) as desktop:
        with desktop.open(**surroundings) as (process, _, _):
            pass
        status, _ = process.end(signal.SIGTERM)
    assert status == 0


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
