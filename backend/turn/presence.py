"""Explicit presence: automation runs only in a session that the user started and while the user is here."""

import threading


class Presence:
    """A session with a heartbeat. A terminal that the user watches is present for as long as the command runs."""

    def __init__(self, *, minutes: int = 10, attended: bool = False) -> None:
        self._lock = threading.Lock()
        self._window_ms = minutes * 60_000
        self._attended = attended
        self._last_input: int | None = None

    def heartbeat(self, now: int) -> None:
        """The window is visible and was used just now (ms UTC)."""
        with self._lock:
            self._last_input = now if self._last_input is None else max(self._last_input, now)

    def leave(self) -> None:
        """The window was closed or hidden: presence ends at once."""
        with self._lock:
            self._last_input = None

    def is_present(self, now: int) -> bool:
        """Whether the user is here."""
        with self._lock:
            if self._attended:
                return True
            return self._last_input is not None and now - self._last_input <= self._window_ms
