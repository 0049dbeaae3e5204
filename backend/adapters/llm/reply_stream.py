"""What a protocol's file and the rest agree on: one request to a model, and the pieces in which its answer comes."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from backend.domain.device.model_server_error import ServerError
from backend.domain.values.errors import OutriderError

TextPiece = str
"""Text of the reply. An empty one is a sign of life."""


@dataclass(frozen=True, slots=True)
class ModelRefusal:
    """The model declined, in these words."""

    text: str


@dataclass(frozen=True, slots=True)
class TokenCount:
    """Tokens of the whole attempt, as the provider counts them, None where it does not; the last word on each counts."""

    tokens_in: int | None = None
    tokens_out: int | None = None


@dataclass(frozen=True, slots=True)
class StreamEnd:
    """The answer is complete, or, with `cut`, why it is not."""

    cut_off_reason: str = ""


StreamEvent = TextPiece | ModelRefusal | TokenCount | StreamEnd


class ModelRequestError(Exception):
    """The attempt failed with this error. `passes`: it may go better next time, after `retry_after` seconds if that is said.

    `asked`: the provider may have begun to answer, and to bill. `refused`: what it said of the request itself.
    """

    def __init__(
        self,
        error: OutriderError,
        *,
        passes: bool = False,
        asked: bool = False,
        retry_after: float | None = None,
        refused: str = "",
    ) -> None:
        super().__init__(error.code)
        self.error = error
        self.retryable = passes
        self.may_be_billed = asked
        self.retry_after = retry_after
        self.refused_because = refused


class ServerErrorInStream(Exception):  # noqa: N818 - what a server reports in place of a reply
    """An error in an answer that began as if all was well."""

    def __init__(self, server_error: ServerError) -> None:
        super().__init__(server_error.status)
        self.server_error = server_error


MOST_TOKENS = 1 << 31


def token_count(count: object) -> int | None:
    """A number of tokens, if it can be one. (No request has none, and a server that says so does not count.)"""
    return count if type(count) is int and 0 < count < MOST_TOKENS else None


class ReplyStream(Protocol):
    """One attempt. Runs in a thread of its own; `hang_up` may come from another one."""

    def events(self) -> Iterator[StreamEvent]:
        """What comes, as it comes; raises `ModelRequestError`."""

    def close(self) -> None:
        """Close the connection; never raises."""
