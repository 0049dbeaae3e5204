"""How the window is drawn: by OpenGL where Chromium can have it, and by software elsewhere.

Without an OpenGL that it can use, Chromium ends the whole process when it draws first ("GLOzone not found"): in virtual machines,
on remote displays, and where the drivers of the graphics card are missing. Software always works.
"""

import ctypes
import os

from PySide6.QtGui import QGuiApplication, QOpenGLContext

SCENE_GRAPH = "QT_QUICK_BACKEND"
"""Read by Qt when it makes the first page; `software` keeps Chromium from asking for OpenGL."""


def draw_by_software_where_needed() -> None:
    """Once there is an application and before there is a page; whoever has set the variable decides."""
    if not has_opengl():
        os.environ.setdefault(SCENE_GRAPH, "software")


def has_opengl() -> bool:
    """Whether this session's display has what Chromium needs; on a platform without a display Qt itself knows."""
    platform = QGuiApplication.platformName()
    if platform == "xcb" and not _x_server_has_glx():
        return False  # Qt would do with EGL, Chromium would not
    return QOpenGLContext().create() if platform == "xcb" or platform.startswith("wayland") else True


def _x_server_has_glx() -> bool:
    try:
        x11 = ctypes.CDLL("libX11.so.6")
    except OSError:
        return False
    x11.XOpenDisplay.restype = ctypes.c_void_p
    address: int | None = x11.XOpenDisplay(None)
    if address is None:
        return False
    display = ctypes.c_void_p(address)
    try:
        numbers = (ctypes.c_int * 3)()
        places = [ctypes.byref(numbers, at * ctypes.sizeof(ctypes.c_int)) for at in range(3)]
        return bool(x11.XQueryExtension(display, b"GLX", *places))
    finally:
        x11.XCloseDisplay(display)
