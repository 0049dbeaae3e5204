"""macOS and Windows: the window by pywebview's own means."""

import sys
from importlib import import_module
from urllib.parse import urlsplit

import webview

from bridge import clipboard
from bridge.desktop import DesktopIntegration
from bridge.window_geometry import ScreenArea, WindowGeometry, fit_to_screens, side_by_side


class DefaultDesktop(DesktopIntegration):
    """Follows the window's events, because asking it in its own thread would wait for that thread."""

    def start(self, geometry: WindowGeometry) -> WindowGeometry:
        """Fitted to the screens; pywebview takes a place only when the window is made."""
        areas = [ScreenArea(screen.x, screen.y, screen.width, screen.height) for screen in webview.screens]
        self._geometry = fit_to_screens(geometry, areas)
        return self._geometry

    def before_pages(self) -> None:
        """The system draws them."""

    def window_created(self, window: webview.Window, home: str) -> None:
        """Follow it from there."""
        self._window = window
        window.events.moved += lambda x, y: self._follow(x=int(x), y=int(y))
        window.events.resized += lambda width, height: self._follow(width=int(width), height=int(height))
        window.events.maximized += lambda: self._follow(maximized=True)
        window.events.restored += lambda: self._follow(maximized=False)

    def geometry(self) -> WindowGeometry:
        """Where it was last."""
        return self._geometry

    def is_showing(self, home: str) -> bool:
        """Whether the page is ours."""
        return _origin(self._window.get_current_url() or "") == _origin(home)

    def copy(self, text: str) -> str:
        """Put a text on the clipboard; what is there then."""
        if sys.platform == "win32":
            import ctypes  # noqa: PLC0415 - its libraries are Windows's

            return clipboard.copy_on_windows(text, ctypes.WinDLL("user32"), ctypes.WinDLL("kernel32"))
        return clipboard.copy_on_mac(text, import_module("AppKit"))

    def make_room(self) -> ScreenArea | None:
        """Move the window to the left of the first screen; what is free beside it, None where there is no room for both."""
        screens = webview.screens
        screen = screens[0] if screens else None
        areas = side_by_side(ScreenArea(screen.x, screen.y, screen.width, screen.height)) if screen else None
        if areas is None:
            return None
        window_area, browser_area = areas
        self._window.restore()
        self._window.move(window_area.x, window_area.y)
        self._window.resize(window_area.width, window_area.height)
        return browser_area

    def bring_to_front(self) -> None:
        """Above the other windows."""
        self._window.restore()
        self._window.show()

    def _follow(self, **changes: int | bool) -> None:
        if self._geometry.maximized and "maximized" not in changes:
            return  # the size of the screen is not the size to come back to
        self._geometry = self._geometry.model_copy(update=changes)


def _origin(url: str) -> tuple[str, str]:
    """Scheme and host with its port and whoever is named before it: an address that only begins like ours is another."""
    parts = urlsplit(url)
    return parts.scheme, parts.netloc
