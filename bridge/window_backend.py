"""The backend of an open window: opened while the page is painted, opened again when that failed and the user asks for it."""

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from bridge.early_page import EarlyPage
from bridge.window import Window

if TYPE_CHECKING:
    from backend.api.server.services import Services

Serving = Callable[[Callable[["Services"], None]], AbstractContextManager[None]]
"""Opens the backend, gives its services to the function, and answers until left."""


class WindowBackend:
    """`run` it in a thread of its own, beside the window; `failure` is what went wrong before there was a window."""

    def __init__(self, window: Window, early: EarlyPage, serving: Serving, failure: Exception | None) -> None:
        self._window, self._early, self._serving = window, early, serving
        self._failure = failure
        self._closed = threading.Event()
        self._go_on = threading.Event()
        """Whether something is to be done after a failure: to start again, or to end."""
        self._settled = threading.Event()
        """Whether the latest attempt is over, well or not."""

    def run(self) -> None:
        """Until the window is closed; raises what the last attempt failed with."""
        self._early.start()
        try:
            self._window.started.wait()  # both are Python at work, which takes turns; the window's is seen first
            failure = self._failure or self._serve()
            while failure is not None:
                self._window.attach_failure(failure, self._start_again)
                self._settled.set()
                self._go_on.wait()
                self._go_on.clear()
                if self._closed.is_set():
                    raise failure
                failure = self._serve()
        finally:
            self._early.close()
            self._settled.set()
            self.close_window()

    def close_window(self) -> None:
        """Unless it is closed."""
        if not self._closed.is_set():
            self._window.close()

    def window_closed(self) -> None:
        """Nothing is shown any more."""
        self._closed.set()
        self._go_on.set()

    def _serve(self) -> Exception | None:
        """Until the window is closed; what kept the backend from being opened."""
        try:
            with self._serving(self._attach):
                self._closed.wait()
        except Exception as error:
            if self._closed.is_set() or self._early.handed_over:
                raise
            return error
        return None

    def _attach(self, services: "Services") -> None:
        self._window.attach(services)
        self._settled.set()

    def _start_again(self) -> None:
        self._settled.clear()
        self._go_on.set()
        self._settled.wait()
