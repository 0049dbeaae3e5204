"""Where the window may go: to our own page. An address of the web or of mail that the user clicked opens in their own programs.

Decided once for the three engines (Qt, WebView2, WebKit): pywebview hands any new window's address to the system, where the scheme
chooses a program, and on Windows a file's address would start that file.
"""

import re
import threading
from collections.abc import Callable
from contextlib import suppress
from enum import StrEnum
from urllib.parse import urlsplit

from backend.domain.values.errors import OutriderError
from bridge import links

_DEFAULT_PORTS = {"http": 80, "https": 443}
_MOST_CHARACTERS = 4_000
"""Windows takes little more from a program that opens an address."""
_MAIL = re.compile(
    r"mailto:[\w.+-]+@[\w-]+(\.[\w-]+)+(\?(subject|body)=[\w.~%+-]*(&(subject|body)=[\w.~%+-]*)*)?",
    re.ASCII | re.IGNORECASE,
)
"""One recipient, with a subject and a text at most: other fields attach files or copy somebody in."""


class Opening(StrEnum):
    """Where an address opens."""

    HERE = "here"
    OUTSIDE = "outside"
    NOWHERE = "nowhere"


def where_to_open(home: str, address: str) -> Opening:
    """Here only under the origin of `home`, outside if it is a plain address of the web or of mail, and otherwise nowhere."""
    if is_same_origin(home, address):
        return Opening.HERE
    if len(address) > _MOST_CHARACTERS:
        return Opening.NOWHERE
    return Opening.OUTSIDE if _is_web(address) or _MAIL.fullmatch(address) else Opening.NOWHERE


def is_same_origin(address: str, other_address: str) -> bool:
    """Whether both are pages of one server: an address that only begins like ours is another."""
    origin = _origin(address)
    return origin is not None and origin == _origin(other_address)


class NavigationGuard:
    """Answers a window's engine. Only a click opens anything outside; a page that goes elsewhere by itself goes nowhere."""

    def __init__(self, home: str, open_outside: Callable[[str], None] | None = None) -> None:
        self._home = home
        self._open_outside = open_outside or _open_in_thread

    def allows(self, address: str, *, clicked: bool) -> bool:
        """Whether the window, or a frame of its page, goes there; what opens outside is opened."""
        opening = where_to_open(self._home, address)
        if opening is Opening.OUTSIDE and clicked:
            self._open_outside(address)
        return opening is Opening.HERE

    def open_new_window(self, address: str, *, clicked: bool) -> None:
        """A second window is asked for, which is never made; what opens outside is opened."""
        self.allows(address, clicked=clicked)


def _origin(address: str) -> tuple[str, str, int | None] | None:
    """Scheme, host and port; None where two readers of the address may not agree on them."""
    if not address.isprintable() or any(letter.isspace() or letter == "\\" for letter in address):
        return None
    try:
        parts = urlsplit(address)
        host, port = parts.hostname, parts.port
    except ValueError:
        return None
    if parts.scheme not in _DEFAULT_PORTS or not host or "@" in parts.netloc:
        return None
    return parts.scheme, host, port or _DEFAULT_PORTS[parts.scheme]


def _is_web(address: str) -> bool:
    try:
        links.checked(address)
    except OutriderError:
        return False
    return True


def _open_in_thread(address: str) -> None:
    """The system takes its time, in which the window's own thread would stand still."""

    def open_it() -> None:
        with suppress(OutriderError):  # there is nobody to answer
            links.open_outside(address)

    threading.Thread(target=open_it, name="opening outside", daemon=True).start()
