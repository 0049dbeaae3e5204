"""The loopback web server: behind a socket that listens already (`bridge.address`), a bounded set of threads."""

import contextlib
import socket
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from flask import Flask
from werkzeug.serving import BaseWSGIServer, WSGIRequestHandler

from bridge.address import HOST, url_of

MOST_THREADS = 48
"""Sixteen may be taken by live sockets, the rest serves requests; a browser opens six at a time and a few in reserve."""


class Handler(WSGIRequestHandler):
    """Logs nothing: a line a request helps nobody. A connection that says nothing gives its thread back."""

    timeout = 15

    def log(self, type: str, message: str, *args: Any) -> None:  # noqa: A002 - werkzeug's name
        """Only what is not a request is worth a line."""


class LoopbackServer(BaseWSGIServer):
    """Serves from its start to `close`; the socket stays its owner's.

    Threads are reused, not made for each request: the store keeps one connection for each thread that reads.
    """

    daemon_threads = True

    def __init__(self, app: Flask, listener: socket.socket) -> None:
        super().__init__(HOST, 0, app, handler=Handler, fd=listener.fileno())
        self._pool = ThreadPoolExecutor(MOST_THREADS, thread_name_prefix="api")
        self._open: set[socket.socket] = set()
        self._guard = threading.Lock()
        self._thread = threading.Thread(
            target=self.serve_forever, kwargs={"poll_interval": 0.1}, name="server", daemon=True
        )

    @property
    def authority(self) -> str:
        """ "127.0.0.1:port"."""
        return f"{HOST}:{self.port}"

    @property
    def url(self) -> str:
        """The page's address; it holds no secret."""
        return url_of(self.socket)

    def start(self) -> None:
        """Accept connections, in the background."""
        self._thread.start()

    def close(self) -> None:
        """Stop accepting, end what is open, wait for the threads."""
        self.shutdown()
        self._thread.join()
        with self._guard:
            for connection in self._open:
                with contextlib.suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)
        self._pool.shutdown(wait=True)
        self.server_close()

    def process_request(self, request: Any, client_address: Any) -> None:
        """Hand the connection to a thread of the pool."""
        with self._guard:
            self._open.add(request)
        self._pool.submit(self._serve, request, client_address)

    def _serve(self, request: Any, client_address: Any) -> None:
        try:
            self.finish_request(request, client_address)
        except OSError:
            pass  # the other side went away; there is nobody to tell
        finally:
            with self._guard:
                self._open.discard(request)
            self.shutdown_request(request)
