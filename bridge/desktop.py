"""What the window needs from its system beyond what pywebview offers everywhere alike."""

from collections.abc import Callable
from typing import Protocol

import webview

from backend.domain.values.errors import OutriderError
from bridge.window_geometry import ScreenArea, WindowGeometry
from bridge.window_visibility import WindowVisibility


class DesktopIntegration(Protocol):
    """One for Qt (Linux), and one for each system that draws the window itself (macOS, Windows)."""

    def start(self, geometry: WindowGeometry) -> WindowGeometry:
        """The place to make the window with; called before there is one."""
        ...

    def before_pages(self, home: str) -> None:
        """Called in the main thread once the page's engine is to begin, before it makes a page."""
        ...

    def window_created(
        self, window: webview.Window, home: str, visibility: WindowVisibility, fail: Callable[[OutriderError], None]
    ) -> None:
        """The window is there and not shown yet: guard it, and report when it is minimised. Called in the window's own thread.

        It raises when that cannot be done; `fail` closes the window when its engine turns out not to work later.
        """
        ...

    def geometry(self) -> WindowGeometry:
        """Where the window is. Called in the window's own thread."""
        ...

    def is_showing(self, home: str) -> bool:
        """Whether the window shows a page of this address, and no other."""
        ...

    def copy(self, text: str) -> str:
        """Put a text on the clipboard; what is there then."""
        ...

    def make_room(self) -> ScreenArea | None:
        """Move the window to the left of its screen; what is free beside it, None where there is no room for both."""
        ...

    def bring_to_front(self) -> None:
        """Above the other windows, as large as it was."""
        ...
