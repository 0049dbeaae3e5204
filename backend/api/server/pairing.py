"""How a plain browser gets the launch token: the user types a short code from the terminal into the page, once.

A URL with the token would end up in the browser's history, in its session file, in a shared screen or in `ps`. The terminal
in which Outrider runs belongs to the user, like the page; so ten characters shown there and typed here prove that both are
the same person's. The code is worth little if it is seen later: it works once, for ten minutes. Wrong ones change nothing,
or any user of the machine could keep the right one from being heard; there are 31¹⁰ ≈ 8·10¹⁴ codes, so that a million
tries a minute find one in ten million. In Outrider's own window nothing of this is needed: the window is handed the token
by a function call (bridge/window.py).

A page that is loaded again in its tab asks for no other code: with the token it gets a ticket, which it leaves in the tab's own
storage while it is being loaded, and then exchanges for the token and the next ticket. A ticket is good once, in this launch. The
token itself is never stored, and there is no cookie: a browser would send it to every other server on this machine, too.
"""

import hmac
import secrets
import threading
import time
from collections import deque
from collections.abc import Callable
from hashlib import sha256

from backend.domain.values.errors import OutriderError

ALPHABET = "23456789ABCDEFGHJKMNPQRSTUVWXYZ"  # without 0 O 1 I L
LENGTH = 10
VALID_SECONDS = 600.0
MOST_TICKETS = 32
"""Of pages that may come back; the oldest goes first."""


class Pairing:
    """Holds the code that is good now; `show` is called with each new one, such as to print it."""

    def __init__(self, show: Callable[[str], None], ticks: Callable[[], float] = time.monotonic) -> None:
        self._show = show
        self._ticks = ticks
        self._lock = threading.Lock()
        self._tickets = deque[bytes](maxlen=MOST_TICKETS)
        self._renew()

    def redeem(self, typed: str) -> None:
        """Spend the code, or raise `pairing_expired` or `pairing_refused`."""
        shown = "".join(letter for letter in typed.upper() if letter in ALPHABET)
        with self._lock:
            expired = self._ticks() > self._expires
            matches = hmac.compare_digest(self._code.encode(), shown.encode())
            if expired or matches:
                self._renew()
            if expired:
                raise OutriderError("pairing_expired")
            if not matches:
                raise OutriderError("pairing_refused")

    def new_code(self) -> str:
        """One that is good now, for whoever started Outrider once more; the one before is not good any longer."""
        with self._lock:
            return self._renew()

    def ticket(self) -> str:
        """What a page that has the token comes back by after it was loaded again, once."""
        ticket = secrets.token_urlsafe(32)
        with self._lock:
            self._tickets.append(_digest(ticket))
        return ticket

    def come_back(self, ticket: str) -> None:
        """Spend the ticket, or raise `pairing_refused`."""
        with self._lock:
            try:
                self._tickets.remove(_digest(ticket))
            except ValueError:
                raise OutriderError("pairing_refused") from None

    def _renew(self) -> str:
        self._code = "".join(secrets.choice(ALPHABET) for _ in range(LENGTH))
        self._expires = self._ticks() + VALID_SECONDS
        shown = f"{self._code[: LENGTH // 2]}-{self._code[LENGTH // 2 :]}"
        self._show(shown)
        return shown


def _digest(ticket: str) -> bytes:
    """Looked up by this, the time that takes says nothing of a ticket."""
    return sha256(ticket.encode()).digest()
