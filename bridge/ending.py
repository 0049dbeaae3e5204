"""How a launch is ended from outside: Ctrl-C or SIGTERM, heard even while the window's own loop holds the main thread."""

import os
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NoReturn

SIGNALS = (signal.SIGINT, signal.SIGTERM)
STRAY_SECONDS = 1.0


@contextmanager
def when_asked_to_end(then: Callable[[], None]) -> Iterator[None]:
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

    previous = {number: signal.signal(number, lambda *_: None) for number in SIGNALS}
    before = signal.set_wakeup_fd(speaks.fileno(), warn_on_full_buffer=False)
    threading.Thread(target=listen, name="ending", daemon=True).start()
    try:
        yield
    finally:
        signal.set_wakeup_fd(before)
        for number, handler in previous.items():
            signal.signal(number, handler)
        speaks.close()  # which ends the thread


def leave(status: int) -> NoReturn:
    """End the process, whatever still waits in it.

    pywebview answers a call of the page in a thread of its own and waits there for the page; a page that hangs or is gone
    would keep the process for ever. Our own work is done: a campaign's current action is the only thing to wait for.
    """
    for thread in threading.enumerate():
        if thread is not threading.main_thread() and not thread.daemon:
            thread.join(None if thread.name == "runner" else STRAY_SECONDS)
    if any(not thread.daemon for thread in threading.enumerate() if thread is not threading.main_thread()):
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)
    sys.exit(status)
