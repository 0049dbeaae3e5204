"""How a launch is ended from outside: Ctrl-C or SIGTERM, heard even while the window's own loop holds the main thread."""

import os
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

SIGNALS = (signal.SIGINT, signal.SIGTERM)


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
