"""Conversations: what was sent to a person and what they answered, each with who approved it and what was seen of it."""

from typing import Literal

from pydantic import Field

from backend.api.wire.base import Following, Wire
from backend.api.wire.campaigns import Question
from backend.api.wire.evidence import EvidencePiece
from backend.domain.message import MessageStatus
from backend.domain.site import Relation

ThreadState = Literal["unknown", "replied", "waiting"]


class Said(Wire):
    """One message of a conversation; `text` is cut after a while, `length` is that of the whole (in characters)."""

    author: Literal["us", "them"]
    kind: str
    text: str
    length: int
    at: int


class ThreadsAsked(Following):
    """Which conversations: of one state, of people whose name contains `name`."""

    state: Literal["", "unknown", "replied", "waiting"] = ""
    name: str = Field(default="", max_length=200)


class ThreadLine(Wire):
    """A conversation in the list; `id` is the lead's. `unknown` means that nobody knows whether the last was sent."""

    id: str
    recipient: str
    headline: str
    state: ThreadState
    last_at: int
    last: Said | None
    read_at: int | None
    finished: str


class ThreadPage(Wire):
    """Conversations, latest activity first; `next` is the cursor of what follows, null at the end."""

    rows: list[ThreadLine]
    next: str | None


class ApprovalLine(Wire):
    """Who said yes to exactly this text, and when."""

    by: str
    at: int
    digest: str
    status: str


class AttemptLine(Wire):
    """One attempt to send: what the site said, what was then seen, and what that amounted to."""

    id: str
    at: int
    settled_at: int | None
    status: str
    claim: str
    said: str
    evidence: list[EvidencePiece]


class ThreadEntry(Said):
    """A message with everything that is recorded of it."""

    id: str
    step: str
    status: MessageStatus
    reason: str
    approval: ApprovalLine | None
    attempts: list[AttemptLine]


class ThreadView(Wire):
    """A conversation, oldest first; `earlier` is how many older messages are left out.

    Nothing is sent to somebody whose thread was last read more than `fresh_ms` ago.
    """

    id: str
    recipient: str
    headline: str
    profile_url: str
    state: ThreadState | None
    relation: Relation
    read_at: int | None
    fresh_ms: int
    finished: str
    blocked: str
    earlier: int
    messages: list[ThreadEntry]
    questions: list[Question]
