"""The window on Windows: drawn by WebView2, which pywebview's `EdgeChrome` holds."""

from collections.abc import Callable
from importlib import import_module
from typing import Any

import webview

from backend.domain.values.errors import OutriderError
from bridge import clipboard
from bridge.default_desktop import DefaultDesktop
from bridge.navigation import NavigationGuard
from bridge.window_visibility import WindowVisibility

ENGINE = "webview.platforms.winforms"


class WindowsDesktop(DefaultDesktop):
    """Windows Forms around WebView2."""

    def before_pages(self, home: str) -> None:
        """Raises `webview_missing`: pywebview would take Internet Explorer's engine, in which our page stays empty."""
        if import_module(ENGINE).renderer != "edgechromium":
            raise OutriderError("webview_missing")
        self._guard = NavigationGuard(home)

    def guard(
        self, window: webview.Window, visibility: WindowVisibility, fail: Callable[[OutriderError], None]
    ) -> None:
        """Before WebView2 is ready, which its own thread makes it only after this."""
        native: Any = window.native
        guard_webview(native.browser, self._guard, fail)

    def copy(self, text: str) -> str:
        """Put a text on the clipboard; what is there then."""
        import ctypes  # noqa: PLC0415 - its libraries are Windows's

        libraries: Any = ctypes
        return clipboard.copy_on_windows(text, libraries.WinDLL("user32"), libraries.WinDLL("kernel32"))


def guard_webview(browser: Any, guard: NavigationGuard, fail: Callable[[OutriderError], None]) -> None:
    """Let the guard answer every navigation, frame, new window and other program of pywebview's `EdgeChrome`."""

    def navigate(_: Any, navigation: Any) -> None:
        if not guard.allows(str(navigation.Uri), clicked=bool(navigation.IsUserInitiated)):
            navigation.Cancel = True

    def navigate_frame(_: Any, navigation: Any) -> None:
        if not guard.allows(str(navigation.Uri), clicked=False):
            navigation.Cancel = True

    def open_new_window(_: Any, request: Any) -> None:
        request.Handled = True  # by nothing: no window is made
        guard.open_new_window(str(request.Uri), clicked=bool(request.IsUserInitiated))

    def start_program(_: Any, request: Any) -> None:
        request.Cancel = True  # what may be opened was opened when the navigation began

    def guard_core(control: Any, started: Any) -> None:
        if not started.IsSuccess:
            fail(OutriderError("webview_failed", detail=_first_line(started.InitializationException)))
            return
        control.CoreWebView2.FrameNavigationStarting += navigate_frame
        control.CoreWebView2.LaunchingExternalUriScheme += start_program

    if not callable(
        browser.on_new_window_request
    ):  # which raises where there is none: then it would be of no use to set it
        raise TypeError("pywebview opens new windows in another way")
    browser.on_new_window_request = open_new_window
    browser.webview.NavigationStarting += navigate
    browser.webview.CoreWebView2InitializationCompleted += guard_core


def _first_line(exception: Any) -> str:
    lines = str(exception).splitlines()
    return lines[0].rstrip(".") if lines else "no reason is given"
