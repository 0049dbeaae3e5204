"""The window's page before there is a backend: its files are served while the backend is imported and opened.

One thread answers requests for the page's own files, by the same check and with the same headers as later. Every other
request waits, also one that the check refuses, and goes to the backend's server when that is there.

Every user of the machine can connect, so what was seen last (names of campaigns) is only in the answer to the address with
the window's own key, which nobody else knows.
"""

import hmac
import selectors
import socket
import threading
from collections.abc import Mapping
from concurrent.futures import Future
from pathlib import Path

from backend.api.server.auth import check, security_headers
from backend.api.server.launch_token import LaunchToken
from backend.api.server.page_files import LastSeen, Preferences, index_html
from backend.domain.values.errors import OutriderError
from bridge.connection import END_OF_HEAD, MOST_HEAD_BYTES, HttpConnection
from bridge.listener import HOST, port_of

MOST_CONNECTIONS = 128
"""One more ends the oldest, as in the backend's server."""
LAST_ANSWERS_SECONDS = 5.0
"""How long an answer may still take after everything else was handed over."""
_NOTHING = LastSeen()
_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml; charset=utf-8",
    ".woff2": "font/woff2",
}


class EarlyPage:
    """Serves the page's files from `start` to `hand_over`; the listening socket stays its owner's.

    `query` is that of the window's own address, "window=KEY", to which alone it says what was `seen` last.
    """

    def __init__(
        self, listener: socket.socket, page: Path, look: Preferences, query: str, seen: LastSeen = _NOTHING
    ) -> None:
        self._listener = listener
        self._authority = f"{HOST}:{port_of(listener)}"
        self._page, self._look = page, look
        self._query, self._seen = query, seen
        self._files: Mapping[str, Path] = {
            f"/{path.relative_to(page).as_posix()}": path for path in page.rglob("*") if path.suffix in _TYPES
        }
        self._handed: Future[list[HttpConnection]] = Future()
        self._thread = threading.Thread(target=self._serve, name="early page", daemon=True)
        # Only that thread touches these.
        self._selector = selectors.DefaultSelector()
        self._open: dict[
            HttpConnection, None
        ] = {}  # all there are, the oldest first; some are read or answered, the others wait
        self._reading: set[HttpConnection] = set()
        self._answering: dict[HttpConnection, bytes] = {}

    def start(self) -> None:
        """Accept connections, in the background."""
        self._hears, self._speaks = socket.socketpair()
        self._thread.start()

    def hand_over(self) -> list[HttpConnection]:
        """Accept no more; the connections that are not answered, for the caller to serve or to drop. Once."""
        self._speaks.send(b"x")
        return self._handed.result()

    @property
    def handed_over(self) -> bool:
        """Whether somebody else serves now."""
        return self._handed.done()

    def close(self) -> None:
        """Accept no more and drop who waits, unless it was all handed over."""
        if not self._handed.done():
            for connection in self.hand_over():
                connection.drop()

    def answer(self, head: bytes) -> bytes | None:
        """The whole answer to a request for one of the page's files; None: it is for the backend."""
        first, *lines = head.decode("latin-1").split("\r\n")
        method, path, _ = [*first.split(" "), "", ""][:3]
        path, _, query = path.partition("?")
        headers: dict[str, str] = {}
        for line in lines:
            name, _, value = line.partition(":")
            if headers.setdefault(name.title(), value.strip()) != value.strip():
                return None
        try:
            check(method, path, headers, self._authority, LaunchToken())
        except OutriderError:
            return None
        if method != "GET" or (content := self._content(path, query)) is None:
            return None
        response_headers = {
            "Content-Type": _TYPES[Path(path).suffix or ".html"],
            "Content-Length": str(len(content)),
            "HttpConnection": "close",
            **security_headers(self._authority),
        }
        return b"HTTP/1.1 200 OK\r\n%b\r\n%b" % (
            "".join(f"{name}: {value}\r\n" for name, value in response_headers.items()).encode("latin-1"),
            content,
        )

    def _content(self, path: str, query: str) -> bytes | None:
        try:
            if path == "/":
                is_window_query = hmac.compare_digest(query.encode(), self._query.encode())
                return index_html(self._page, self._look, self._seen if is_window_query else None).encode()
            return self._files[path].read_bytes()
        except (KeyError, OSError, OutriderError):  # the backend says what is wrong
            return None

    # --- its thread ---

    def _serve(self) -> None:
        self._listener.setblocking(False)
        self._selector.register(self._listener, selectors.EVENT_READ)
        self._selector.register(self._hears, selectors.EVENT_READ)
        while not self._handed.done() or self._answering:
            ready = self._selector.select(LAST_ANSWERS_SECONDS if self._handed.done() else None)
            if not ready:
                break
            for key, _ in ready:
                if key.fileobj is self._listener:
                    self._accept()
                elif key.data in self._answering:
                    self._write(key.data)
                elif key.data in self._reading:
                    self._read(key.data)
            if any(key.fileobj is self._hears for key, _ in ready):  # the last of all: what was accepted goes along
                self._give()
        for connection in self._answering:
            connection.drop()
        self._selector.close()
        self._hears.close()
        self._speaks.close()

    def _accept(self) -> None:
        try:
            accepted, address = self._listener.accept()
        except OSError:  # it went away meanwhile
            return
        accepted.setblocking(False)
        connection = HttpConnection(accepted, address)
        self._open[connection] = None
        self._reading.add(connection)
        self._selector.register(accepted, selectors.EVENT_READ, connection)
        self._read(connection)  # it is mostly there already
        if len(self._open) > MOST_CONNECTIONS:
            self._drop(next(iter(self._open)))

    def _read(self, connection: HttpConnection) -> None:
        try:
            received = connection.socket.recv(MOST_HEAD_BYTES)
        except BlockingIOError:
            return
        except OSError:
            received = b""
        connection.read_ahead += received
        head, ended, _ = connection.read_ahead.partition(END_OF_HEAD)
        if not ended:
            if not received or len(head) > MOST_HEAD_BYTES:
                self._drop(connection)
            return
        self._reading.remove(connection)
        if answer := self.answer(head):
            self._answering[connection] = answer
            self._selector.modify(connection.socket, selectors.EVENT_WRITE, connection)
            self._write(connection)
        else:
            self._selector.unregister(connection.socket)

    def _write(self, connection: HttpConnection) -> None:
        rest = self._answering[connection]
        try:
            rest = rest[connection.socket.send(rest) :]
        except BlockingIOError:
            return
        except OSError:
            rest = b""
        self._answering[connection] = rest
        if not rest:
            self._drop(connection)

    def _drop(self, connection: HttpConnection) -> None:
        if connection in self._reading or connection in self._answering:  # those that wait are not listened to
            self._selector.unregister(connection.socket)
        self._reading.discard(connection)
        self._answering.pop(connection, None)
        del self._open[connection]
        connection.drop()

    def _give(self) -> None:
        self._selector.unregister(self._listener)
        self._selector.unregister(self._hears)
        for connection in self._reading:
            self._selector.unregister(connection.socket)
        self._reading.clear()
        self._handed.set_result([connection for connection in self._open if connection not in self._answering])
