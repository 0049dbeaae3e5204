"""Where the page is: a port that listens before anything answers; who comes early waits in the system's own queue."""

import socket
from contextlib import suppress

HOST = "127.0.0.1"
_QUEUE = 128


def open_listener(port: int = 0) -> socket.socket:
    """A socket of this machine only, on that port if it is free, else on one of the system's choice; the caller closes it."""
    if port:
        with suppress(OSError):
            return socket.create_server((HOST, port), backlog=_QUEUE)
    return socket.create_server((HOST, 0), backlog=_QUEUE)


def port_of(listener: socket.socket) -> int:
    """Which port that is."""
    port: int = listener.getsockname()[1]
    return port


def url_of(listener: socket.socket) -> str:
    """The page's address; it holds no secret."""
    return f"http://{HOST}:{port_of(listener)}/"
