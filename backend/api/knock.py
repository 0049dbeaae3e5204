"""How a second start on the same data folder reaches the first: it knocks, and the window comes to the front.

The second process is not the page and has no token; it reads the first one's port and a secret of its own from a small file
in the data folder, which only its owner can read (`bridge/doorstep.py`). Knocking shows the window and does nothing else.
"""

import hmac
import secrets
from collections.abc import Callable

from backend.domain.errors import OutriderError


class Knock:
    """`answer` shows the window and says whether there is one; whoever opens the window sets it."""

    def __init__(self) -> None:
        self.secret = secrets.token_urlsafe(32)
        self.answer: Callable[[], bool] = lambda: False

    def heard(self, secret: str) -> bool:
        """Whether there is a window, which is in front now; raises `knock_refused`."""
        if not hmac.compare_digest(self.secret.encode(), secret.encode("utf-8", "surrogatepass")):
            raise OutriderError("knock_refused")
        return self.answer()
