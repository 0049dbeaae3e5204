"""What a turn and the assistant leave behind: turns, bills, lines of the conversation, attachments, artifacts."""

from collections.abc import Mapping, Sequence
from typing import NotRequired, TypedDict

from backend.domain.events.facts.fact import OPTIONAL, Fact, Verb, column
from backend.domain.values.canonical_json import Json

_NEW = Verb.CREATES


class TurnColumns(TypedDict):
    """How a turn went; what is usual is left out."""

    history: str
    steps: Sequence[int]
    proposal: str
    faulted: NotRequired[int]
    verdict: NotRequired[str]
    task_id: NotRequired[str]
    lead_id: NotRequired[str]
    error: NotRequired[str]
    request_id: NotRequired[str]


class Cost(TypedDict, total=False):
    """What a reply cost: money in millionths of a US dollar; empty for a reply of the script."""

    model: str
    tokens_in: int
    tokens_out: int
    cost_micros: int


class _Turn(Fact):
    """The columns of every turn."""

    history: str
    steps: Sequence[int]
    proposal: str
    verdict: str = OPTIONAL
    faulted: int = OPTIONAL
    task_id: str = OPTIONAL
    lead_id: str = OPTIONAL
    error: str = OPTIONAL
    request_id: str = OPTIONAL
    model: str = OPTIONAL
    tokens_in: int = OPTIONAL
    tokens_out: int = OPTIONAL
    cost_micros: int = OPTIONAL


class TurnCompleted(_Turn, entity="turn", verb=_NEW):
    """A turn ended as it should."""


class TurnFaulted(_Turn, entity="turn", verb=_NEW):
    """A turn got no reply; nothing was executed."""


class ReplyBilled(Fact, entity="bill", verb=_NEW):
    """A reply was paid for and became no turn."""

    model: str
    tokens_in: int
    tokens_out: int
    cost_micros: int


class LineOptions(TypedDict, total=False):
    """What a line of the conversation may have besides."""

    payload: Mapping[str, Json]
    turn: int
    given_key: str


class ConversationSaid(Fact, entity="line", verb=_NEW):
    """A line of the conversation with the assistant."""

    request_id: str
    line: int
    created_at: int
    role: str
    line_kind: str = column(alias="kind")
    content: str
    payload: Mapping[str, Json] = OPTIONAL
    turn: int = OPTIONAL
    given_key: str = OPTIONAL


class AttachmentGiven(Fact, entity="attachment", verb=_NEW):
    """The user gave a text with a request."""

    request_id: str
    place: int
    name: str
    content: str


class UnusualArtifact(TypedDict, total=False):
    """What is left out for a plain text."""

    media_type: str
    in_file: int


class ArtifactPersisted(Fact, entity="artifact", verb=_NEW):
    """A version of an artifact was kept."""

    artifact_type: str
    artifact_key: str
    made_by: str
    content: str
    schema: Mapping[str, Json]
    version: int
    created_at: int
    sha256: str
    bytes: int
    media_type: str = OPTIONAL
    in_file: int = OPTIONAL
