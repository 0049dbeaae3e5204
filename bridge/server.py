"""The loopback web server: behind a socket that listens already (`bridge.listener`), a bounded set of threads.

Every user of the machine can connect. So no thread of the pool waits for what a connection may say: one thread reads the
heads of all requests without blocking, each within a time for the whole of it. Those that show the launch's token have threads
of their own, so that others, however many, never keep them waiting. Those without one get a thread when all that may be
heard of them is there, for a few seconds, and for less while more of them wait.
"""

import io
import selectors
import socket
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

from flask import Flask
from werkzeug.serving import BaseWSGIServer, WSGIRequestHandler

from backend.api.server.auth import TOKEN_HEADER, Caller
from backend.api.server.socket import ADMITTED, MOST_SOCKETS
from bridge.connection import END_OF_HEAD, MOST_HEAD_BYTES, HttpConnection
from bridge.listener import HOST, url_of

_POLL_SECONDS = 0.1
_ACCEPTED_AT_ONCE = 16


class ConnectionLimits(NamedTuple):
    """How much of the server a connection may take, and for how long (seconds)."""

    head_bytes: int = MOST_HEAD_BYTES
    head_seconds: float = 5.0
    """For the head; without the token for the body too."""
    unread: int = 128
    """Connections that nothing whole was heard of yet; one more ends the oldest."""
    with_token: int = 32
    """Requests of the page that are served at the same time."""
    programs: int = 8
    """Likewise of all connected programs, so that none of them keeps the page waiting, whatever it sends or does not read."""
    programs_waiting: int = 128
    without_token: int = 16
    without_token_body_bytes: int = 8 * 1024
    """What is beyond is not heard; it is enough for pairing and for a second start."""
    without_token_waiting: int = 64
    """Whole requests that no thread is free for; one more ends the oldest."""
    without_token_seconds: float = 10.0
    """Until the answer is taken."""
    without_token_seconds_when_busy: float = 1.0
    body_seconds: float = 60.0
    idle_seconds: float = 15.0
    """For one step of reading or writing."""


USUAL_LIMITS = ConnectionLimits()


class RequestBytes(io.RawIOBase):
    """What a connection says: first what was read ahead, then the rest if it has the token, the whole until a deadline."""

    def __init__(self, connection: HttpConnection, limits: ConnectionLimits) -> None:
        self._connection = connection
        self._limits = limits
        self._deadline = time.monotonic() + limits.body_seconds

    def readable(self) -> bool:
        """Always."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Raises `TimeoutError` once the time is over, however steadily it drips."""
        if ahead := self._connection.read_ahead[: len(buffer)]:
            buffer[: len(ahead)] = ahead
            self._connection.read_ahead = self._connection.read_ahead[len(ahead) :]
            return len(ahead)
        if not self._connection.has_token:
            return 0
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError("the request takes too long")
        line = self._connection.socket
        line.settimeout(min(left, self._limits.idle_seconds))
        try:
            return line.recv_into(buffer)
        finally:
            line.settimeout(self._limits.idle_seconds)


class LoopbackRequestHandler(WSGIRequestHandler):
    """Reads from what was read ahead; logs nothing: a line a request helps nobody."""

    server: "LoopbackServer"

    def __init__(self, connection: HttpConnection, server: "LoopbackServer") -> None:
        self._admitted = connection
        super().__init__(connection.socket, connection.address, server)

    def setup(self) -> None:
        """As always, but for where is read from."""
        super().setup()
        self._admitted.socket.settimeout(self.server.limits.idle_seconds)
        self.rfile.close()
        self.rfile = io.BufferedReader(RequestBytes(self._admitted, self.server.limits))

    def make_environ(self) -> Any:
        """With the means to say that whoever is at the other end has shown the token after all."""
        return {**super().make_environ(), ADMITTED: lambda: self.server.admit(self._admitted)}

    def send_header(self, keyword: str, value: str) -> None:
        """Every header but the one that says what serves here, and in which version."""
        if keyword.lower() != "server":
            super().send_header(keyword, value)

    def log(self, type: str, message: str, *args: Any) -> None:  # noqa: A002 - werkzeug's name
        """Only what is not a request is worth a line."""


class LoopbackServer(BaseWSGIServer):
    """Serves from its start to `close`; the socket stays its owner's.

    Threads are reused, not made for each request: the store keeps one connection for each thread that reads.
    """

    def __init__(
        self,
        app: Flask,
        listener: socket.socket,
        caller_of: Callable[[str], Caller],
        limits: ConnectionLimits = USUAL_LIMITS,
    ) -> None:
        super().__init__(HOST, 0, app, handler=LoopbackRequestHandler, fd=listener.fileno())
        self.limits = limits
        self._caller_of = caller_of
        self._most_served: tuple[tuple[Caller, int], ...] = (
            ("page", limits.with_token + MOST_SOCKETS),
            ("program", limits.programs),
            ("stranger", limits.without_token),
        )
        self._most_waiting: tuple[tuple[Caller, int], ...] = (
            ("program", limits.programs_waiting),
            ("stranger", limits.without_token_waiting),
        )
        most_threads = sum(most for _, most in self._most_served)
        self._pool = ThreadPoolExecutor(most_threads, thread_name_prefix="api")
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._accept_and_read, name="server", daemon=True)
        # Only that thread touches these.
        self._selector = selectors.DefaultSelector()
        self._unread: dict[int, HttpConnection] = {}  # by file descriptor, the oldest first
        # Every thread does, under the lock.
        self._lock = threading.Lock()
        self._waiting: dict[Caller, deque[HttpConnection]] = {caller: deque() for caller, _ in self._most_served}
        self._serving: set[HttpConnection] = set()

    @property
    def authority(self) -> str:
        """ "127.0.0.1:port"."""
        return f"{HOST}:{self.port}"

    @property
    def url(self) -> str:
        """The page's address; it holds no secret."""
        return url_of(self.socket)

    def start(self, early: Iterable[HttpConnection] = ()) -> None:
        """Accept connections, in the background; `early` ones came before and are heard first."""
        self._early = early
        self._thread.start()

    def close(self) -> None:
        """Stop accepting, end what is open, wait for the threads."""
        self._ending.set()
        self._thread.join()
        for connection in self._unread.values():
            connection.drop()
        with self._lock:
            for waiting in self._waiting.values():
                while waiting:
                    waiting.popleft().drop()
            for connection in self._serving:
                connection.cut()
        self._pool.shutdown(wait=True)
        self._selector.close()
        self.server_close()

    def admit(self, connection: HttpConnection) -> None:
        """Whoever is at its other end has shown the token: it counts no more as one without, and has no time limit."""
        with self._lock:
            connection.caller = "page"
            self._begin_what_waits()

    # --- one thread: accept and read ---

    def _accept_and_read(self) -> None:
        self.socket.setblocking(False)
        self._selector.register(self.socket, selectors.EVENT_READ)
        for early in self._early:
            early.since = time.monotonic()
            self._begin_reading(early)
        while not self._ending.is_set():
            for key, _ in self._selector.select(_POLL_SECONDS):
                if key.fileobj is self.socket:
                    self._accept()
                elif (connection := self._unread.get(key.fd)) is not None:
                    self._read(connection)
            self._end_what_takes_too_long()

    def _accept(self) -> None:
        for _ in range(_ACCEPTED_AT_ONCE):
            try:
                accepted, address = self.socket.accept()
            except BlockingIOError:
                return
            except OSError:  # there are no file descriptors left, or it went away meanwhile
                self._drop_oldest_unread()
                return
            if len(self._unread) >= self.limits.unread:
                self._drop_oldest_unread()
            accepted.setblocking(False)
            self._begin_reading(HttpConnection(accepted, address))

    def _begin_reading(self, connection: HttpConnection) -> None:
        self._unread[connection.socket.fileno()] = connection
        self._selector.register(connection.socket, selectors.EVENT_READ)
        self._read(connection)  # it is mostly there already, and so is never the oldest

    def _read(self, connection: HttpConnection) -> None:
        ended_early = False
        try:
            received = connection.socket.recv(self.limits.head_bytes)
            connection.read_ahead += received
            ended_early = not received
        except BlockingIOError:
            pass
        except OSError:
            ended_early = True
        head, ended, body = connection.read_ahead.partition(END_OF_HEAD)
        too_long = len(head) > self.limits.head_bytes
        if ended and not too_long and connection.body_bytes is None:
            self._understand(connection, head)
        if connection.body_bytes is not None and len(body) >= connection.body_bytes:
            self._forget_unread(connection)
            self._queue(connection)
        elif ended_early or too_long:
            self._forget_unread(connection)
            connection.drop()

    def _understand(self, connection: HttpConnection, head: bytes) -> None:
        """Only for when there is a thread for it: the request itself is checked by `backend.api.server.auth`."""
        lines = [line.partition(":") for line in head.decode("latin-1").split("\r\n")[1:]]
        headers = {name.strip().lower(): value.strip() for name, _, value in lines}
        connection.caller = self._caller_of(headers.get(TOKEN_HEADER.lower(), ""))
        length = headers.get("content-length", "")
        most = self.limits.without_token_body_bytes
        if connection.has_token or not (length.isascii() and length.isdecimal()):
            connection.body_bytes = 0
        elif len(length) > len(str(most)):
            connection.body_bytes = most
        else:
            connection.body_bytes = min(int(length), most)

    def _forget_unread(self, connection: HttpConnection) -> None:
        self._selector.unregister(connection.socket)
        del self._unread[connection.socket.fileno()]

    def _drop_oldest_unread(self) -> None:
        if self._unread:
            oldest = next(iter(self._unread.values()))
            self._forget_unread(oldest)
            oldest.drop()

    def _end_what_takes_too_long(self) -> None:
        for connection in [
            connection for connection in self._unread.values() if connection.age() > self.limits.head_seconds
        ]:
            self._forget_unread(connection)
            connection.drop()
        with self._lock:
            busy = bool(self._waiting["stranger"])
            limits = self.limits
            seconds = limits.without_token_seconds_when_busy if busy else limits.without_token_seconds
            for connection in self._serving:
                if not connection.has_token and connection.age() > seconds:
                    connection.cut()

    # --- every thread: serve, and begin what waits ---

    def _queue(self, connection: HttpConnection) -> None:
        with self._lock:
            self._waiting[connection.caller].append(connection)
            self._begin_what_waits()
            for caller, most in self._most_waiting:
                if len(self._waiting[caller]) > most:
                    self._waiting[caller].popleft().drop()

    def _begin_what_waits(self) -> None:
        for caller, most in self._most_served:
            waiting = self._waiting[caller]
            while waiting and sum(served.caller == caller for served in self._serving) < most:
                connection = waiting.popleft()
                connection.since = time.monotonic()
                self._serving.add(connection)
                self._pool.submit(self._serve, connection)

    def _serve(self, connection: HttpConnection) -> None:
        try:
            LoopbackRequestHandler(connection, self)
        except OSError:
            pass  # the other side went away; there is nobody to tell
        finally:
            with self._lock:
                self._serving.discard(connection)
                connection.cut()  # a thread that still reads from a live socket ends by that
                if not self._ending.is_set():
                    self._begin_what_waits()
            connection.socket.close()
