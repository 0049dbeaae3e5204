"""Outrider's own window (pywebview): our page, a few named functions, and nothing else of Python within its reach.

pywebview finds a `js_api` object's members by walking dotted names with `getattr`, so page script would reach far more than
was meant; a function passed to `expose` is found by its name alone. Therefore: no `js_api`, no `evaluate_js`, no remote page.
"""

import os
import sys

import webview

from backend.api.auth import LaunchToken

MARK = "?window"
"""Tells the page that the token will come by a function call and that no code has to be typed."""


def display_available() -> bool:
    """Whether a window can be shown: always on macOS and Windows, elsewhere where there is a display."""
    if sys.platform in ("darwin", "win32"):
        return True
    return any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY")) or os.environ.get(
        "QT_QPA_PLATFORM"
    ) == ("offscreen")


class Window:
    """The one window; make it, then `show` it from the main thread."""

    def __init__(self, url: str, token: LaunchToken) -> None:
        webview.settings["ALLOW_FILE_URLS"] = False
        webview.settings["ALLOW_DOWNLOADS"] = False
        if sys.platform.startswith("linux"):
            # Qt comes with Outrider; otherwise pywebview would look for GTK first.
            os.environ.setdefault("PYWEBVIEW_GUI", "qt")

        def outrider_token() -> str:
            return token.value

        window = webview.create_window(
            "Outrider", url + MARK, width=1280, height=860, min_size=(720, 480), text_select=True
        )
        if window is None:
            raise RuntimeError("pywebview made no window")
        # An exposed function's answer goes through `evaluate_js`, which wraps it in `eval`; the page's policy refuses that,
        # and rightly. `run_js` hands over the same script as it is. (The page's half: frontend/src/wire/native.ts.)
        window.evaluate_js = window.run_js  # type: ignore[method-assign, assignment]
        window.expose(outrider_token)
        self._window = window

    def show(self) -> None:
        """Until it is closed."""
        webview.start(private_mode=True, debug=False, http_server=False)

    def close(self) -> None:
        """From any thread."""
        self._window.destroy()
