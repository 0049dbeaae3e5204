"""What the window needs from its system beyond what pywebview offers everywhere alike."""

from typing import Protocol

import webview

from bridge.place import Place


class System(Protocol):
    """One for Qt (Linux), one for the windows that the system draws itself (macOS, Windows)."""

    def made(self, window: webview.Window, home: str, place: Place | None) -> None:
        """The window is there and not shown yet: put it in its place. Called in the window's own thread."""
        ...

    def place(self) -> Place:
        """Where the window is. Called in the window's own thread."""
        ...

    def shows(self, home: str) -> bool:
        """Whether the window shows a page of this address, and no other."""
        ...

    def copy(self, text: str) -> None:
        """Put a text on the clipboard."""
        ...

    def bring_to_front(self) -> None:
        """Above the other windows, as large as it was."""
        ...
