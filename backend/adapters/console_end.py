"""The end of a console on Windows (its window is closed, the user signs out): a stop signal, which the system waits for.

Windows ends whoever has answered it. So nothing is answered: the process ends by itself, or is ended when the time is over.
"""

import ctypes
import signal
import sys
import threading
from collections.abc import Callable
from functools import partial
from typing import Any

_ENDINGS = (2, 5, 6)
"""CTRL_CLOSE_EVENT, CTRL_LOGOFF_EVENT, CTRL_SHUTDOWN_EVENT; Python hears of Ctrl-C and Ctrl-Break itself."""
_functions: list[Any] = []


def hear_console_end() -> None:
    """From here on it is SIGBREAK, which Ctrl-Break is, too; once for each process, and nothing elsewhere."""
    if sys.platform == "win32" and not _functions:
        stop = partial(signal.raise_signal, signal.SIGBREAK)
        _functions.append(on_console_end(ctypes.WinDLL("kernel32"), stop, threading.Event().wait))


def on_console_end(kernel32: Any, stop: Callable[[], object], wait: Callable[[], object]) -> Any:
    """Call `stop` and then `wait`, in a thread of the system's, which does not come back; the answer must live as long."""

    def happens(event: int) -> int:
        if event in _ENDINGS:
            stop()
            wait()
        return 0

    function = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_uint32)(happens)
    kernel32.SetConsoleCtrlHandler(function, 1)
    return function
