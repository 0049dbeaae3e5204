"""The end of a console on Windows (its window is closed, the user signs out): a stop signal, which the system waits for.

Windows ends the process as soon as the handler returns. So it never returns: the process ends by itself, or when the time is over.
"""

import ctypes
import signal
import sys
import threading
from collections.abc import Callable
from functools import partial
from typing import Any

_ENDINGS = (2, 5, 6)
"""CTRL_CLOSE_EVENT, CTRL_LOGOFF_EVENT, CTRL_SHUTDOWN_EVENT; Python handles Ctrl-C and Ctrl-Break itself."""
_registered_handlers: list[Any] = []


def handle_console_end() -> None:
    """From now on the end of the console raises SIGBREAK, as Ctrl-Break does. Nothing on other systems."""
    if sys.platform == "win32" and not _registered_handlers:
        stop = partial(signal.raise_signal, signal.SIGBREAK)
        _registered_handlers.append(on_console_end(ctypes.WinDLL("kernel32"), stop, threading.Event().wait))


def on_console_end(kernel32: Any, stop: Callable[[], object], wait: Callable[[], object]) -> Any:
    """Call `stop` and then `wait`, in a thread of the system that never returns; the result must live as long."""

    def handler(event: int) -> int:
        if event in _ENDINGS:
            stop()
            wait()
        return 0

    function = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_uint32)(handler)
    kernel32.SetConsoleCtrlHandler(function, 1)
    return function
