"""How a second start on the same data folder reaches the first, whose window then comes to the front.

The second process is not the page and has no token; it reads the first one's port and a secret of its own from a small file
in the data folder, which only its owner can read (`bridge/single_instance.py`). The port may have become somebody else's, so
the secret itself is never sent: each side shows that it knows it by an HMAC over the second one's nonce. Nothing can be had by
it but the window in front, or where there is none a code for the page: whoever reads that file is the one the page is for.
"""

import hmac
import secrets
from collections.abc import Callable

from pydantic import Field

from backend.domain.values.errors import OutriderError
from backend.domain.values.shapes import Shape


class ShowWindowRequest(Shape):
    """Another start on the same data folder, which proves to know the secret from the folder's file."""

    nonce: str = Field(min_length=32, max_length=128)
    proof: str = Field(max_length=128)


class WindowShown(Shape):
    """Whether there is a window, which is in front now, else a code for the page; proved to be by the launch that was meant."""

    window: bool
    code: str = Field(default="", max_length=32)
    proof: str = Field(max_length=128)


SECOND_START, RUNNING_LAUNCH = "second start", "running launch"
"""Who proves something; so that nobody's own words can be said back to them."""


def proof_of(secret: str, who: str, authority: str, nonce: str, message: str = "") -> str:
    """That `who` knows the secret, says this, and is or means the launch at `authority`, a "127.0.0.1:port"."""
    text = "\n".join((who, authority, nonce, message))
    return hmac.new(secret.encode(), text.encode("utf-8", "surrogatepass"), "sha256").hexdigest()


def window_state(shown: bool, code: str) -> str:
    """The answer as it is proved."""
    return "window shown" if shown else f"no window\n{code}"


class WindowActivation:
    """`show_window` shows the window and says whether there is one; whoever opens the window sets it.

    `make_room` moves it aside and gives the free place beside it (x, y, width, height); None where there is none.
    """

    def __init__(self) -> None:
        self.secret = secrets.token_urlsafe(32)
        self.show_window: Callable[[], bool] = lambda: False
        self.make_room: Callable[[], tuple[int, int, int, int] | None] = lambda: None

    def show_window_now(self) -> None:
        """Bring the window to the front, if there is one."""
        self.show_window()

    def activate(self, authority: str, request: ShowWindowRequest, new_code: Callable[[], str]) -> WindowShown:
        """The window in front, or a `new_code` where there is none; raises `show_window_refused`."""
        nonce, proof = request.nonce, request.proof
        expected = proof_of(self.secret, SECOND_START, authority, nonce)
        if not hmac.compare_digest(expected.encode(), proof.encode("utf-8", "surrogatepass")):
            raise OutriderError("show_window_refused")
        shown = self.show_window()
        code = "" if shown else new_code()
        state = window_state(shown, code)
        return WindowShown(
            window=shown, code=code, proof=proof_of(self.secret, RUNNING_LAUNCH, authority, nonce, state)
        )
