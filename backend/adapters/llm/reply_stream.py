"""A model's reply as a stream of events: what `openai.py` and `anthropic.py` give, and `stream_reader.py` reads."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from backend.domain.device.model_server_error import ServerError
from backend.domain.values.errors import OutriderError

TextPiece = str
"""Text of the reply. An empty one shows that the server still sends something."""


@dataclass(frozen=True, slots=True)
class ModelRefusal:
    """The model declined, in these words."""

    text: str


@dataclass(frozen=True, slots=True)
class TokenCount:
    """Tokens of the whole attempt, as the provider counts them; None where it does not. A later count replaces an earlier one."""

    tokens_in: int | None = None
    tokens_out: int | None = None


@dataclass(frozen=True, slots=True)
class StreamEnd:
    """The reply is complete, unless `cut_off_reason` says why it is not."""

    cut_off_reason: str = ""


StreamEvent = TextPiece | ModelRefusal | TokenCount | StreamEnd


class ModelRequestError(Exception):
    """The attempt failed with this error. `retryable`: another may succeed, after `retry_after` seconds if the server says so.

    `may_be_billed`: the provider may have begun to answer. `refused_because`: why it did not accept the request itself.
    """

    def __init__(
        self,
        error: OutriderError,
        *,
        retryable: bool = False,
        may_be_billed: bool = False,
        retry_after: float | None = None,
        refused_because: str = "",
    ) -> None:
        super().__init__(error.code)
        self.error = error
        self.retryable = retryable
        self.may_be_billed = may_be_billed
        self.retry_after = retry_after
        self.refused_because = refused_because


class NothingAnswered(Exception):  # noqa: N818 - how an answer ended
    """An answer with a successful status said nothing: it is empty, or only what a server sends while it waits."""


class ServerErrorInStream(Exception):  # noqa: N818 - what a server reports in place of a reply
    """An error in a response whose status was a success."""

    def __init__(self, server_error: ServerError) -> None:
        super().__init__(server_error.status)
        self.server_error = server_error


MOST_TOKENS = 1 << 31


def token_count(count: object) -> int | None:
    """A count of tokens, None if it cannot be one. (A server that says 0 does not count.)"""
    return count if type(count) is int and 0 < count < MOST_TOKENS else None


class ReplyStream(Protocol):
    """One attempt. It is read in a thread of its own; `close` may be called from another."""

    def events(self) -> Iterator[StreamEvent]:
        """The parts of the reply, as they arrive; raises `ModelRequestError`."""

    def close(self) -> None:
        """Close the connection; never raises."""
