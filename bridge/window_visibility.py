"""Whether the user can see the window, by the window system's own word: presence rests on it, not on what the page believes.

WebView2 leaves a page "visible" while its window is minimised, so the page cannot be asked.
"""

import threading
from collections.abc import Callable

import webview
from webview.event import Event


class WindowVisibility:
    """Not seen until it is shown, and not while it is minimised or its program is hidden. Any thread may report and ask."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._shown = self._minimized = self._program_hidden = False
        self._listener: Callable[[bool], None] = lambda _: None

    def listen(self, listener: Callable[[bool], None]) -> None:
        """Tell it now whether the window is seen, and whenever that is reported."""
        with self._lock:
            self._listener = listener
            self._tell()

    def shown(self) -> None:
        """The window is on the screen; it may be minimised there."""
        with self._lock:
            self._shown = True
            self._tell()

    def minimized(self, minimized: bool) -> None:
        """The window was minimised, or is one no more."""
        with self._lock:
            self._minimized = minimized
            self._tell()

    def program_hidden(self, hidden: bool) -> None:
        """The whole program was hidden (macOS), or is shown again."""
        with self._lock:
            self._program_hidden = hidden
            self._tell()

    def _tell(self) -> None:
        self._listener(self._shown and not self._minimized and not self._program_hidden)


def follow_minimizing(window: webview.Window, visibility: WindowVisibility) -> None:
    """By pywebview's events; before the window is shown.

    A window that was maximised before it was minimised comes back with `maximized`, not with `restored`. pywebview runs the
    functions of these events in a thread for each, which may overtake each other; of an event with a lock it awaits them.
    """
    for name in ("minimized", "restored", "maximized"):
        setattr(window.events, name, Event(window, should_lock=True))
    window.events.minimized += lambda: visibility.minimized(True)
    window.events.restored += lambda: visibility.minimized(False)
    window.events.maximized += lambda: visibility.minimized(False)
