"""One connection to the loopback server, from its acceptance to its end."""

import contextlib
import socket
import time
from typing import Any

from backend.api.server.auth import Caller

END_OF_HEAD = b"\r\n\r\n"
MOST_HEAD_BYTES = 32 * 1024


class HttpConnection:
    """A connection, and what was read of it so far."""

    def __init__(self, accepted: socket.socket, address: Any) -> None:
        self.socket = accepted
        self.address = address
        self.read_ahead = b""
        self.caller: Caller = "stranger"
        self.body_bytes: int | None = None
        """How much of a body there must be first; None: its head is not read."""
        self.since = time.monotonic()

    @property
    def has_token(self) -> bool:
        """Whether it is known who asks."""
        return self.caller != "stranger"

    def age(self) -> float:
        """Since it was accepted; once it is served, since then."""
        return time.monotonic() - self.since

    def cut(self) -> None:
        """End both directions, which wakes whoever waits for it; whoever holds it closes it."""
        with contextlib.suppress(OSError):
            self.socket.shutdown(socket.SHUT_RDWR)

    def drop(self) -> None:
        """End it without an answer."""
        self.cut()
        self.socket.close()
