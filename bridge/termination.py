"""How a launch is ended from outside: by Ctrl-C, SIGTERM or the end of its terminal.

These are heard even while the window's own loop holds the main thread.
"""

import os
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NoReturn

from backend.adapters.processes import stop_signals

STRAY_SECONDS = 1.0


@contextmanager
def on_termination_signal(then: Callable[[], None]) -> Iterator[None]:
    """Call `then`, in a thread of its own, at the first signal; the second ends the process at once.

    Python runs signal handlers between two steps of the main thread, and Qt's loop makes none; the byte on the wakeup
    socket is written by the handler below Python.
    """
    hears, speaks = socket.socketpair()
    speaks.setblocking(False)

    def listen() -> None:
        if hears.recv(1):
            then()
            if hears.recv(1):
                os._exit(130)

    previous = {number: signal.signal(number, lambda *_: None) for number in stop_signals()}
    before = signal.set_wakeup_fd(speaks.fileno(), warn_on_full_buffer=False)
    threading.Thread(target=listen, name="ending", daemon=True).start()
    try:
        yield
    finally:
        signal.set_wakeup_fd(before)
        for number, handler in previous.items():
            signal.signal(number, handler)
        speaks.close()  # which ends the thread


def exit_process(status: int) -> NoReturn:
    """End the process, whatever still waits in it.

    pywebview answers a call of the page in a thread of its own and waits there for the page; a page that hangs or is gone
    would keep the process for ever. Our own work is done: closing the backend waited for a campaign's current action.
    """
    for thread in threading.enumerate():
        if thread is not threading.main_thread() and not thread.daemon:
            thread.join(STRAY_SECONDS)
    if any(not thread.daemon for thread in threading.enumerate() if thread is not threading.main_thread()):
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)
    sys.exit(status)
