"""Outrider's own window (pywebview): our page, a few named functions, and nothing else of Python within its reach.

pywebview finds a `js_api` object's members by walking dotted names with `getattr`, so page script would reach far more than
was meant; a function passed to `expose` is found by its name alone. Therefore: no `js_api`, no `evaluate_js`, no remote page.
"""

import os
import secrets
import sys
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import webview

from backend.api.server.page_files import LastSeen, PlaceInPage
from backend.domain.values.errors import OutriderError, as_told
from backend.store.last_known import load_last_known
from bridge import links
from bridge.close_confirmation import CloseConfirmation
from bridge.desktop import DesktopIntegration
from bridge.window_geometry import (
    SMALLEST,
    ScreenArea,
    WindowGeometry,
    load_geometry,
    load_look,
    load_place,
    save_geometry,
    save_look,
    save_place,
)
from bridge.window_visibility import WindowVisibility

if TYPE_CHECKING:
    from backend.api.server.services import Services

WINDOW_PARAMETER = "window"
"""Tells the page that the token will come by a function call and that no code has to be typed; its value is the window's key."""
DEFAULT_GEOMETRY = WindowGeometry(x=-10_000, y=-10_000, width=1280, height=860)
"""On no screen, hence in the middle of the first."""


class Window:
    """The one window; make it, then `show` it from the main thread.

    It may be shown before there is a backend: its page is painted from files, and waits for its functions.
    """

    def __init__(self, url: str, folder: Path) -> None:
        webview.settings["ALLOW_FILE_URLS"] = False
        webview.settings["ALLOW_DOWNLOADS"] = False
        self._url = url
        self._services: Services | None = None
        self._moved_aside = False
        self.started = threading.Event()
        """Whether Qt has made the window, which then works without Python; set, too, when it could not."""
        self._closed = threading.Event()
        self._folder = folder
        self._failure: OutriderError | None = None
        self._visibility = WindowVisibility()
        self._system = _system()
        self.look = load_look(folder)
        self.seen = LastSeen(load_last_known(folder), load_place(folder))
        self.query = f"{WINDOW_PARAMETER}={secrets.token_urlsafe(16)}"
        geometry = self._system.start(load_geometry(folder) or DEFAULT_GEOMETRY)
        self._closing = CloseConfirmation(self._runs, self._ask_the_page)
        window = webview.create_window(
            "Outrider",
            f"{url}?{self.query}{self.seen.place.address}",
            x=geometry.x,
            y=geometry.y,
            width=geometry.width,
            height=geometry.height,
            maximized=geometry.maximized,
            min_size=SMALLEST,
            text_select=True,
        )
        if window is None:
            raise RuntimeError("pywebview made no window")
        # An exposed function's answer goes through `evaluate_js`, which wraps it in `eval`; the page's policy refuses that,
        # and rightly. `run_js` hands over the same script as it is. (The page's half: frontend/src/lib/desktop/native.ts.)
        # It waits for ever if the window closes meanwhile, and must not keep the process with it.
        window.evaluate_js = lambda script: threading.Thread(  # type: ignore[method-assign, assignment, misc]
            target=window.run_js, args=(script,), daemon=True
        ).start()
        window.events.before_show += self._before_show
        window.events.shown += self._visibility.shown
        window.events.closing += self._may_close
        self._window = window

    def show(self) -> None:
        """Until it is closed; raises what keeps the system from drawing it, or from keeping it on our page."""
        try:
            self._system.before_pages(self._url)
            webview.start(private_mode=True, debug=False, http_server=False)
        finally:
            self.started.set()
            self._closed.set()
        if self._failure is not None:
            raise self._failure

    def attach(self, services: "Services") -> None:
        """Give the page its functions; from any thread, before or after the page has loaded."""
        from bridge.exposed_functions import exposed_functions  # noqa: PLC0415 - with the backend, not before Qt has begun
        from bridge.native import NativeCalls  # noqa: PLC0415

        self._services = services
        self._visibility.listen(services.presence.window_seen)
        native = NativeCalls(services.token, services.files, self)
        self._expose(exposed_functions(native, lambda: self._system.is_showing(self._url)))

    def attach_failure(self, error: Exception, start_again: Callable[[], None]) -> None:
        """Let the page say why there is no backend, from any thread; `start_again` tries once more and waits for the outcome."""
        from bridge.exposed_functions import functions_without_backend  # noqa: PLC0415 - as above

        coded_error = as_told(error)

        usable_functions: dict[str, Callable[..., Any]] = {
            "open_data_folder": self.open_data_folder,
            "set_title": lambda asked: self.name(asked.title),
            "start_again": start_again,
            "stop_and_close": self.stop_and_close,
        }
        self._expose(
            functions_without_backend(coded_error, usable_functions, lambda: self._system.is_showing(self._url))
        )

    def _expose(self, functions: Iterable[Callable[..., Any]]) -> None:
        # pywebview waits for the page without end, also for one that is closed while it loads.
        exposing = threading.Thread(target=self._window.expose, args=tuple(functions), name="exposing", daemon=True)
        exposing.start()
        while exposing.is_alive() and not self._closed.is_set():
            exposing.join(0.05)

    def close(self) -> None:
        """From any thread, without asking."""
        self._closing.decide()
        self._window.destroy()

    # --- what the page may ask for (bridge.native.Shell) ---

    def choose(self, kind: webview.FileDialog, folder: Path, name: str, types: tuple[str, ...]) -> Path | None:
        """Show a file dialog, and wait for the user."""
        chosen = self._window.create_file_dialog(kind, directory=str(folder), save_filename=name, file_types=types)
        if not chosen:
            return None
        return Path(chosen if isinstance(chosen, str) else chosen[0])

    def copy(self, text: str) -> None:
        """Put a text on the clipboard, and see that it is there. Raises `copy_failed`."""
        try:
            copied = self._system.copy(text)
        except OSError as error:
            raise OutriderError("copy_failed") from error
        if copied != text:
            raise OutriderError("copy_failed")

    def open_data_folder(self) -> None:
        """Show it in the system's file manager."""
        links.open_folder(self._folder)

    def keep_place(self, place_in_page: PlaceInPage) -> None:
        """Come back there at the next start."""
        save_place(self._folder, place_in_page)

    def name(self, title: str) -> None:
        """Set the title."""
        self._window.set_title(title)

    def bring_to_front(self) -> None:
        """From any thread; a window that is just being made is in front when it is shown."""
        if self._window.events.shown.is_set():
            self._system.bring_to_front()

    def make_room(self) -> ScreenArea | None:
        """Move it aside and say what is free beside it; only the first time, so that whoever moves it back is not disturbed."""
        if self._moved_aside or not self._window.events.shown.is_set():
            return None
        self._moved_aside = True
        with suppress(Exception):  # it is a convenience: whatever a window system refuses, the rehearsal goes on
            return self._system.make_room()
        return None

    def stop_and_close(self) -> None:
        """Let the current action end, then close; does not wait."""
        self._closing.decide()

        def end() -> None:
            if self._services is not None:
                self._services.run_service.close()
            self._window.destroy()

        threading.Thread(target=end, name="closing", daemon=True).start()

    def keep_open(self) -> None:
        """The user was asked and stays."""
        self._closing.keep_open()

    # --- its own events ---

    def _before_show(self) -> None:
        # pywebview only logs what is raised here, and would show the window without its guard.
        try:
            self._system.window_created(self._window, self._url, self._visibility, self._fail)
        except Exception as error:  # noqa: BLE001 - whatever it is, there is no guard
            self._fail(OutriderError("window_unguarded", detail=f"{type(error).__name__}: {error}"))
        self.started.set()

    def _fail(self, error: OutriderError) -> None:
        """Close the window, which waits until it is shown; `show` raises the error then."""
        self._failure = self._failure or error
        threading.Thread(target=self.close, name="closing", daemon=True).start()

    def _may_close(self) -> bool:
        save_geometry(self._folder, self._system.geometry())
        self._keep_look()
        return self._closing.allowed()

    def _keep_look(self) -> None:
        from backend.api.preferences import preferences  # noqa: PLC0415 - as above

        if self._services is not None:
            with suppress(Exception), self._services.database.read() as connection:  # a look is no reason not to close
                save_look(self._folder, preferences(connection))

    def _runs(self) -> bool:
        return self._services is not None and not self._services.run_service.is_idle

    def _ask_the_page(self) -> bool:
        return self._services is not None and self._services.feed.ask_before_closing()


def _system() -> DesktopIntegration:
    if sys.platform.startswith("linux"):
        # Qt comes with Outrider; otherwise pywebview would look for GTK first.
        os.environ.setdefault("PYWEBVIEW_GUI", "qt")
        from bridge.qt_desktop import QtDesktop  # noqa: PLC0415 - Qt is installed on Linux only

        return QtDesktop()
    if sys.platform == "win32":
        from bridge.windows_desktop import WindowsDesktop  # noqa: PLC0415

        return WindowsDesktop()
    from bridge.mac_desktop import MacDesktop  # noqa: PLC0415

    return MacDesktop()
