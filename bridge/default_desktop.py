"""What the windows of macOS and Windows have in common: by pywebview's own means."""

from abc import abstractmethod
from collections.abc import Callable

import webview

from backend.domain.values.errors import OutriderError
from bridge.desktop import DesktopIntegration
from bridge.navigation import is_same_origin
from bridge.window_geometry import ScreenArea, WindowGeometry, fit_to_screens, side_by_side
from bridge.window_visibility import WindowVisibility, follow_minimizing


class DefaultDesktop(DesktopIntegration):
    """Follows the window's events, because asking it in its own thread would wait for that thread."""

    def start(self, geometry: WindowGeometry) -> WindowGeometry:
        """Fitted to the screens; pywebview takes a place only when the window is made."""
        areas = [ScreenArea(screen.x, screen.y, screen.width, screen.height) for screen in webview.screens]
        self._geometry = fit_to_screens(geometry, areas)
        return self._geometry

    @abstractmethod
    def before_pages(self, home: str) -> None:
        """Look whether the system's engine is there, and prepare its guard."""

    def window_created(
        self, window: webview.Window, home: str, visibility: WindowVisibility, fail: Callable[[OutriderError], None]
    ) -> None:
        """Guard it, and follow it from there."""
        self._window = window
        follow_minimizing(window, visibility)
        window.events.moved += lambda x, y: self._follow(x=int(x), y=int(y))
        window.events.resized += lambda width, height: self._follow(width=int(width), height=int(height))
        window.events.maximized += lambda: self._follow(maximized=True)
        window.events.restored += lambda: self._follow(maximized=False)
        self.guard(window, visibility, fail)

    @abstractmethod
    def guard(
        self, window: webview.Window, visibility: WindowVisibility, fail: Callable[[OutriderError], None]
    ) -> None:
        """By the engine's own means: keep the window on our page, and report what pywebview does not."""

    def geometry(self) -> WindowGeometry:
        """Where it was last."""
        return self._geometry

    def is_showing(self, home: str) -> bool:
        """Whether the page is ours."""
        return is_same_origin(home, self._window.get_current_url() or "")

    @abstractmethod
    def copy(self, text: str) -> str:
        """Put a text on the clipboard; what is there then."""

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
