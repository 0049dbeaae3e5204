"""How a plain browser gets the launch token: the user types a short code from the terminal into the page, once.

A URL with the token would end up in the browser's history, in its session file, in a shared screen or in `ps`. The terminal
in which Outrider runs belongs to the user, like the page; so eight characters shown there and typed here prove that both are
the same person's. The code is worth little if it is seen later: it works once, for ten minutes, and is replaced after five
wrong tries (5 in 31⁸ ≈ 8.5·10¹¹ for each code) and at most 20 tries are heard a minute. In Outrider's own window nothing of
this is needed: the window is handed the token by a function call (bridge/window.py).
"""

import hmac
import secrets
import threading
import time
from collections import deque
from collections.abc import Callable

from backend.domain.errors import OutriderError

ALPHABET = "23456789ABCDEFGHJKMNPQRSTUVWXYZ"  # without 0 O 1 I L
LENGTH = 8
VALID_SECONDS = 600.0
TRIES = 5
TRIES_A_MINUTE = 20


class Pairing:
    """Holds the code that is good now; `show` is called with each new one, such as to print it."""

    def __init__(self, show: Callable[[str], None], ticks: Callable[[], float] = time.monotonic) -> None:
        self._show = show
        self._ticks = ticks
        self._lock = threading.Lock()
        self._heard: deque[float] = deque(maxlen=TRIES_A_MINUTE)
        self._renew()

    def redeem(self, typed: str) -> None:
        """Spend the code, or raise `pairing_refused` or `pairing_paused`."""
        shown = "".join(letter for letter in typed.upper() if letter in ALPHABET)
        with self._lock:
            now = self._ticks()
            if len(self._heard) == TRIES_A_MINUTE and now - self._heard[0] < 60:  # noqa: PLR2004 - a minute
                raise OutriderError("pairing_paused")
            self._heard.append(now)
            if now > self._expires:
                self._renew()
                raise OutriderError("pairing_refused")
            if not hmac.compare_digest(self._code.encode(), shown.encode()):
                self._left -= 1
                if self._left == 0:
                    self._renew()
                raise OutriderError("pairing_refused")
            self._renew()

    def _renew(self) -> None:
        self._code = "".join(secrets.choice(ALPHABET) for _ in range(LENGTH))
        self._left = TRIES
        self._expires = self._ticks() + VALID_SECONDS
        self._show(f"{self._code[:4]}-{self._code[4:]}")
