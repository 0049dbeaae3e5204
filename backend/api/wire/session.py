"""This launch of Outrider: pairing, presence, what the page must know first."""

from pydantic import Field

from backend.api.wire.base import Wire
from backend.api.wire.runs import RunState


class PairRequest(Wire):
    """The code from the terminal, once, for this launch's token."""

    code: str = Field(max_length=32)


class Paired(Wire):
    """The token; it stays in the page's memory."""

    token: str


class KnockRequest(Wire):
    """Another start on the same data folder, with the secret from its file."""

    secret: str = Field(max_length=128)


class Knocked(Wire):
    """Whether there is a window; it is in front now."""

    window: bool


class Heartbeat(Wire):
    """The page is visible, and this long ago (ms) somebody used it."""

    idle_ms: int = Field(ge=0, le=86_400_000)


class SessionView(Wire):
    """This launch of Outrider."""

    version: str
    presence_minutes: int
    hidden_browser: bool
    run: RunState
