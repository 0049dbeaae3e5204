"""How a plain browser gets the launch token: the user types a short code from the terminal into the page, once.

A URL with the token would end up in the browser's history, in its session file, in a shared screen or in `ps`. The terminal
in which Outrider runs belongs to the user, like the page; so ten characters shown there and typed here prove that both are
the same person's. The code is worth little if it is seen later: it works once, for ten minutes. Wrong ones change nothing,
or any user of the machine could keep the right one from being heard; there are 31¹⁰ ≈ 8·10¹⁴ codes, so that a million
tries a minute find one in ten million. In Outrider's own window nothing of this is needed: the window is handed the token
by a function call (bridge/window.py).
"""

import hmac
import secrets
import threading
import time
from collections.abc import Callable

from backend.domain.errors import OutriderError

ALPHABET = "23456789ABCDEFGHJKMNPQRSTUVWXYZ"  # without 0 O 1 I L
LENGTH = 10
VALID_SECONDS = 600.0


class Pairing:
    """Holds the code that is good now; `show` is called with each new one, such as to print it."""

    def __init__(self, show: Callable[[str], None], ticks: Callable[[], float] = time.monotonic) -> None:
        self._show = show
        self._ticks = ticks
        self._lock = threading.Lock()
        self._renew()

    def redeem(self, typed: str) -> None:
        """Spend the code, or raise `pairing_refused`."""
        shown = "".join(letter for letter in typed.upper() if letter in ALPHABET)
        with self._lock:
            expired = self._ticks() > self._expires
            right = hmac.compare_digest(self._code.encode(), shown.encode())
            if expired or right:
                self._renew()
            if expired or not right:
                raise OutriderError("pairing_refused")

    def _renew(self) -> None:
        self._code = "".join(secrets.choice(ALPHABET) for _ in range(LENGTH))
        self._expires = self._ticks() + VALID_SECONDS
        self._show(f"{self._code[: LENGTH // 2]}-{self._code[LENGTH // 2 :]}")
