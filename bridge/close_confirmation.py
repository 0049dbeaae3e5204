"""Whether the window may close: while a campaign runs, only after the user was asked, or asked for it twice."""

import threading
from collections.abc import Callable


class CloseConfirmation:
    """`running` says whether a campaign does; `ask` has the page ask and says whether there is one that can."""

    def __init__(self, running: Callable[[], bool], ask: Callable[[], bool]) -> None:
        self._running = running
        self._ask = ask
        self._lock = threading.Lock()
        self._decided = False

    def allowed(self) -> bool:
        """The user wants to close. A second time they mean it, whatever became of the page that was to ask them."""
        with self._lock:
            if self._decided or not self._running():
                return True
            self._decided = True
        return not self._ask()

    def decide(self) -> None:
        """Close without asking from now on."""
        with self._lock:
            self._decided = True

    def keep_open(self) -> None:
        """The user was asked and stays."""
        with self._lock:
            self._decided = False
