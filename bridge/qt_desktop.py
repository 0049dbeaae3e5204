"""What pywebview leaves to its engine on Linux: done by Qt, in Qt's own thread.

Only Outrider's own page is ever shown: pywebview's names come with whatever page the window is on, so a link that led the
window elsewhere would hand them over. Other addresses are refused here; a new window is not made at all.
"""

import os
from collections.abc import Callable
from concurrent.futures import Future
from types import ModuleType
from typing import Any, TypeVar

import webview
from PySide6.QtCore import QEvent, QObject, QPoint, QRect, Qt, QUrl, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWebEngineCore import QWebEngineNavigationRequest
from PySide6.QtWidgets import QWidget

from backend.domain.values.errors import OutriderError
from bridge.desktop import DesktopIntegration
from bridge.navigation import NavigationGuard, is_same_origin
from bridge.rendering import draw_by_software_where_needed
from bridge.window_geometry import ScreenArea, WindowGeometry, fit_to_screens, side_by_side
from bridge.window_visibility import WindowVisibility

Result = TypeVar("Result")
CHROMIUM_FLAGS = "QTWEBENGINE_CHROMIUM_FLAGS"
SECONDS = 10.0
"""How long a call waits for Qt's thread; a window that is being closed may never come to it."""


def load_engine() -> ModuleType:
    """pywebview's engine for Qt. On some distributions it turns Chromium's sandbox off while it loads; the user's flags stay."""
    flags = os.environ.get(CHROMIUM_FLAGS)
    from webview.platforms import qt  # noqa: PLC0415 - Qt's own modules have to be loaded in its order

    if flags is None:
        os.environ.pop(CHROMIUM_FLAGS, None)
    else:
        os.environ[CHROMIUM_FLAGS] = flags
    engine: ModuleType = qt
    return engine


class QtDesktop(DesktopIntegration):
    """pywebview's window from Qt's side."""

    def start(self, geometry: WindowGeometry) -> WindowGeometry:
        """As it was; the screens are known once Qt runs."""
        self._geometry = geometry
        return geometry

    def before_pages(self, home: str) -> None:
        """Make the application, which is there once, and see how its pages can be drawn."""
        make_application: Callable[[], None] = load_engine().setup_app
        make_application()
        draw_by_software_where_needed()

    def window_created(
        self, window: webview.Window, home: str, visibility: WindowVisibility, fail: Callable[[OutriderError], None]
    ) -> None:
        """Guard it and put it in its place, before it is shown."""
        view: Any = window.native
        self._view = view
        page = view.webview.page()
        self._thread = _QtThread()

        def tell(minimized: bool) -> None:
            page.setVisible(not minimized)
            visibility.minimized(minimized)

        self._watch = _Minimized(tell)
        view.installEventFilter(self._watch)
        guard = NavigationGuard(home)
        page.navigationRequested.connect(lambda request: _stay(request, guard))
        page.nav_handler = None  # pywebview's would hand any address of any scheme to the system
        geometry = fit_to_screens(
            self._geometry, [_area(screen.availableGeometry()) for screen in QGuiApplication.screens()]
        )
        view.resize(geometry.width, geometry.height)
        view.move(geometry.x, geometry.y)

    def geometry(self) -> WindowGeometry:
        """Where it is; `move` takes the corner of the frame, `resize` the size without it."""
        maximized = bool(self._view.isMaximized())
        inside = self._view.normalGeometry() if maximized else self._view.geometry()
        frame = QPoint() if maximized else self._view.pos() - inside.topLeft()
        corner = inside.topLeft() + frame
        return WindowGeometry(
            x=corner.x(), y=corner.y(), width=inside.width(), height=inside.height(), maximized=maximized
        )

    def is_showing(self, home: str) -> bool:
        """Whether the page is ours."""
        return is_same_origin(home, self._thread.call(lambda: _text(self._view.webview.url())))

    def copy(self, text: str) -> str:
        """Put a text on the clipboard; what is there then."""
        self._thread.call(lambda: QGuiApplication.clipboard().setText(text))
        return str(self._thread.call(lambda: QGuiApplication.clipboard().text()))

    def make_room(self) -> ScreenArea | None:
        """Move the window to the left of its screen; what is free beside it, None where there is no room for both."""
        return self._thread.call(self._move_aside)

    def _move_aside(self) -> ScreenArea | None:
        areas = side_by_side(_area(self._view.screen().availableGeometry()))
        if areas is None:
            return None
        window_area, browser_area = areas
        frame = self._view.frameGeometry().size() - self._view.size()
        self._view.showNormal()
        self._view.move(window_area.x, window_area.y)
        self._view.resize(window_area.width - frame.width(), window_area.height - frame.height())
        return browser_area

    def bring_to_front(self) -> None:
        """Above the other windows, as large as it was."""
        self._thread.call(self._raise)

    def _raise(self) -> None:
        self._view.setWindowState(self._view.windowState() & ~Qt.WindowState.WindowMinimized)
        self._view.show()
        self._view.raise_()
        self._view.activateWindow()


class _QtThread(QObject):
    """Runs functions in the thread in which it was made."""

    _asked = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self._asked.connect(self._run)

    def call(self, function: Callable[[], Result]) -> Result:
        """From any other thread; raises what the function raises, and TimeoutError when Qt does not come to it."""
        done: Future[Result] = Future()

        def job() -> None:
            try:
                done.set_result(function())
            except Exception as error:  # noqa: BLE001 - raised again where it was asked for
                done.set_exception(error)

        self._asked.emit(job)
        return done.result(SECONDS)

    def _run(self, job: Callable[[], None]) -> None:
        job()


class _Minimized(QObject):
    """Hears when the window is minimised, also when it was maximised before, of which pywebview says nothing.

    Qt leaves it to us to tell the page; presence depends on it.
    """

    def __init__(self, tell: Callable[[bool], None]) -> None:
        super().__init__()
        self._tell = tell

    def eventFilter(self, view: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        """Hears every event of the window and keeps none from it."""
        if event.type() == QEvent.Type.WindowStateChange and isinstance(view, QWidget):
            self._tell(view.isMinimized())
        return False


def _stay(request: QWebEngineNavigationRequest, guard: NavigationGuard) -> None:
    if not guard.allows(_text(request.url()), clicked=False):
        request.reject()


def _text(url: QUrl) -> str:
    return url.toString(QUrl.ComponentFormattingOption.FullyEncoded)


def _area(rectangle: QRect) -> ScreenArea:
    return ScreenArea(rectangle.x(), rectangle.y(), rectangle.width(), rectangle.height())
