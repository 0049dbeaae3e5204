"""What a turn and the assistant leave behind: turns, bills, lines of the conversation, attachments, artifacts."""

from collections.abc import Mapping, Sequence
from typing import TypedDict

from backend.domain.events.facts.fact import OMITTED, Fact, Verb, column
from backend.domain.values.canonical_json import Json

_NEW = Verb.CREATES


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
    verdict: str = OMITTED
    faulted: int = OMITTED
    task_id: str = OMITTED
    lead_id: str = OMITTED
    error: str = OMITTED
    request_id: str = OMITTED
    model: str = OMITTED
    tokens_in: int = OMITTED
    tokens_out: int = OMITTED
    cost_micros: int = OMITTED


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


class ConversationSaid(Fact, entity="line", verb=_NEW):
    """A line of the conversation with the assistant."""

    request_id: str
    line: int
    created_at: int
    role: str
    line_kind: str = column(alias="kind")
    content: str
    payload: Mapping[str, Json] = OMITTED
    turn: int = OMITTED
    given_key: str = OMITTED


class AttachmentGiven(Fact, entity="attachment", verb=_NEW):
    """The user gave a text with a request."""

    request_id: str
    place: int
    name: str
    content: str


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
    media_type: str = OMITTED
    in_file: int = OMITTED
