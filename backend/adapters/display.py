"""Whether this session's display can be opened: a variable that names one may be older than the display.

Qt aborts the process that cannot open it, so a process of its own is asked (`bridge/opened_display.py`).
"""

import os
import re
import socket
import subprocess
import sys
from contextlib import closing
from ctypes import CDLL
from importlib.util import find_spec
from pathlib import Path

from backend.adapters.processes import DISPLAY, command

SECONDS = 15
_VARIABLES = ("WAYLAND_DISPLAY", "DISPLAY", "QT_QPA_PLATFORM")
_LOCAL = re.compile(r"(?:unix)?:(\d+)(?:\.\d+)?")
_WELCOME = b"\x01"
_HELLO = b"l\0\x0b\0\0\0\0\0\0\0\0\0"
"""To an X server: little endian, protocol 11.0, without a cookie."""


def why_no_display(*, open_it: bool = False) -> str:
    """What keeps windows from being shown, in a clause; empty if one can be. `open_it` asks Qt, however sure it is without."""
    variables = ", ".join(f"{name}={os.environ[name]}" for name in _VARIABLES if os.environ.get(name))
    if sys.platform != "linux" or os.environ.get("QT_QPA_PLATFORM") == "offscreen":
        return ""
    if not variables:
        return "there is no display (DISPLAY is not set)"
    if not open_it and (_compositor_listens() if os.environ.get("WAYLAND_DISPLAY") else _x_server_answers()):
        return ""
    try:
        opened = subprocess.run(command(DISPLAY), capture_output=True, timeout=SECONDS, check=False)  # noqa: S603 - our own
    except subprocess.TimeoutExpired:
        return f"the display does not answer ({variables})"
    except OSError as error:
        return f"the display cannot be tried: {error.strerror}"
    return "" if opened.returncode == 0 else f"the display cannot be opened ({variables})"


def why_no_window() -> str:
    """The same of our own window: its engine ends the process where a library is missing, or where it runs as root."""
    return why_not_as_root() or ("" if sys.platform != "linux" else _why_not_loaded())


def why_not_as_root() -> str:
    """Whether the engine would end at once because nothing would confine its pages."""
    confines = "--no-sandbox" not in os.environ.get("QTWEBENGINE_CHROMIUM_FLAGS", "").split()
    if (
        sys.platform == "linux"
        and os.geteuid() == 0
        and confines
        and os.environ.get("QTWEBENGINE_DISABLE_SANDBOX") != "1"
    ):
        return "it does not run as root"
    return ""


def _why_not_loaded() -> str:
    """Which library of the system is missing. What is loaded here the window needs anyway."""
    qt = find_spec("PySide6")
    if qt is None or qt.origin is None:
        return "Qt is not installed"
    folder = Path(qt.origin).parent / "Qt"
    needed = ["lib/libQt6Gui.so.6", "lib/libQt6WebEngineCore.so.6"]
    if os.environ.get("QT_QPA_PLATFORM", "xcb") == "xcb" and not os.environ.get("WAYLAND_DISPLAY"):
        needed.append("plugins/platforms/libqxcb.so")
    for library in needed:
        try:
            if (folder / library).exists():
                CDLL(str(folder / library))
        except OSError as error:
            name, colon, _ = str(error).partition(": cannot open shared object")
            return f"Qt misses {name}" if colon else f"Qt cannot be loaded ({error})"
    return ""


def _compositor_listens() -> bool:
    """Whether there is one behind the socket: a thousandth of the time that Qt needs to say so."""
    if sys.platform == "win32":
        return False
    with closing(socket.socket(socket.AF_UNIX)) as compositor:
        try:
            compositor.connect(os.path.join(os.environ.get("XDG_RUNTIME_DIR", ""), os.environ["WAYLAND_DISPLAY"]))  # noqa: PTH118 - it may be absolute
        except OSError:
            return False
    return True


def _x_server_answers() -> bool:
    """Whether a server of this machine lets us in as we are, as most do."""
    local = _LOCAL.fullmatch(os.environ.get("DISPLAY", ""))
    if local is None or sys.platform == "win32":
        return False
    for address in (f"\0/tmp/.X11-unix/X{local[1]}", f"/tmp/.X11-unix/X{local[1]}"):  # noqa: S108 - where X servers listen
        with closing(socket.socket(socket.AF_UNIX)) as server:
            server.settimeout(1)
            try:
                server.connect(address)
                server.sendall(_HELLO)
                return server.recv(1) == _WELCOME
            except OSError:
                continue
    return False
