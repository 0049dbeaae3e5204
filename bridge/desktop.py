"""What the window needs from its system beyond what pywebview offers everywhere alike."""

from typing import Protocol

import webview

from bridge.window_geometry import ScreenArea, WindowGeometry


class DesktopIntegration(Protocol):
    """One for Qt (Linux), one for the windows that the system draws itself (macOS, Windows)."""

    def start(self, geometry: WindowGeometry) -> WindowGeometry:
        """The place to make the window with; called before there is one."""
        ...

    def before_pages(self) -> None:
        """Called in the main thread once the page's engine is to begin, before it makes a page."""
        ...

    def window_created(self, window: webview.Window, home: str) -> None:
        """The window is there and not shown yet. Called in the window's own thread."""
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
