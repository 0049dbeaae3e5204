"""Review: what waits for the user's yes, what was approved and has not been sent, and what the user decides about a text."""

from pydantic import Field

from backend.api.wire.base import ErrorShape, Id, Wire
from backend.api.wire.campaigns import GateLine, Question
from backend.api.wire.inbox import Said
from backend.domain.message import MessageStatus


class Draft(Wire):
    """A text that waits in Review; `digest` binds recipient, exact text and campaign version.

    `thread` are the last messages of the conversation, oldest first, as of `read_at`.
    """

    id: str
    lead_id: str
    kind: str
    step: str
    recipient: str
    headline: str
    profile_url: str
    text: str
    length: int
    limit: int
    digest: str
    created_at: int
    gates: list[GateLine]
    thread: list[Said]
    read_at: int | None


class DraftPage(Wire):
    """Drafts, oldest first; `next` is the cursor of what follows, null at the end."""

    rows: list[Draft]
    next: str | None


class Outgoing(Wire):
    """A text that was approved and has not been sent, or of which nobody knows whether it was: why it waits.

    `ready_at` is when its sequence owes it; `question` is what the user is asked about an unknown outcome.
    """

    id: str
    lead_id: str
    kind: str
    step: str
    recipient: str
    headline: str
    profile_url: str
    text: str
    status: MessageStatus
    reason: str
    approved_by: str
    approved_at: int | None
    expires_at: int | None
    ready_at: int | None
    gates: list[GateLine]
    question: Question | None


class OutgoingPage(Wire):
    """Approved texts, oldest first; `next` is the cursor of what follows, null at the end."""

    rows: list[Outgoing]
    next: str | None


class Approve(Wire):
    """Approve exactly the text whose digest this is."""

    digest: str = Field(max_length=128)


class Shown(Wire):
    """A draft as it was shown."""

    id: Id
    digest: str = Field(max_length=128)


class ApproveSeveral(Wire):
    """Approve each of these texts, each bound to the digest of what was shown of it."""

    drafts: list[Shown] = Field(min_length=1, max_length=200)


class Decided(Wire):
    """What became of one of several: null when it was carried out, else why not."""

    id: str
    error: ErrorShape | None


class DecidedList(Wire):
    """What became of each, in the order in which they were given."""

    drafts: list[Decided]


class Edit(Wire):
    """The draft's new text; it still needs approval."""

    text: str = Field(max_length=20_000)
