"""What a protocol's file and the rest agree on: one request to a model, and the pieces in which its answer comes."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from backend.domain.errors import OutriderError

TextPiece = str
"""Text of the reply. An empty one is a sign of life."""


@dataclass(frozen=True, slots=True)
class ModelRefusal:
    """The model declined, in these words."""

    text: str


@dataclass(frozen=True, slots=True)
class TokenCount:
    """Tokens of the whole attempt, as the provider counts them; the last word on it counts."""

    tokens_in: int
    tokens_out: int


@dataclass(frozen=True, slots=True)
class StreamEnd:
    """The answer is complete, or, with `cut`, why it is not."""

    cut_off_reason: str = ""


StreamEvent = TextPiece | ModelRefusal | TokenCount | StreamEnd


class ModelRequestError(Exception):
    """The attempt failed with this error. `passes`: it may go better next time, after `retry_after` seconds if that is said.

    `asked`: the provider may have begun to answer, and to bill.
    """

    def __init__(
        self, error: OutriderError, *, passes: bool = False, asked: bool = False, retry_after: float | None = None
    ) -> None:
        super().__init__(error.code)
        self.error = error
        self.retryable = passes
        self.may_be_billed = asked
        self.retry_after = retry_after


class ReplyStream(Protocol):
    """One attempt. Runs in a thread of its own; `hang_up` may come from another one."""

    def events(self) -> Iterator[StreamEvent]:
        """What comes, as it comes; raises `ModelRequestError`."""

    def close(self) -> None:
        """Close the connection; never raises."""
