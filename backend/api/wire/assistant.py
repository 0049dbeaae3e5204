"""The assistant: what was said, what came of it, and what it is doing."""

from typing import Annotated, Literal

from pydantic import Field

from backend.api.wire.base import Id, Wire
from backend.api.wire.campaigns import GateLine


class Attach(Wire):
    """Something given with a message: pasted text, or the ticket of a chosen or uploaded file."""

    name: Annotated[str, Field(min_length=1, max_length=200)]
    text: Annotated[str, Field(max_length=1_000_000)] | None = None
    ticket: Id | None = None


class Ask(Wire):
    """What the user says. `key` makes a repeated request the same one."""

    text: Annotated[str, Field(min_length=1, max_length=20_000)]
    attached: Annotated[list[Attach], Field(max_length=5)]
    key: Id


class Asked(Wire):
    """The request that the message began."""

    request_id: str


class FoundArtifact(Wire):
    """An artifact's newest version that fits a search."""

    artifact_type: str
    key: str
    version: int
    source: str
    bytes: int
    created_at: int


class ArtifactsFound(Wire):
    """A list; `total` counts all, `found` are the newest."""

    kind: Literal["artifacts"] = "artifacts"
    total: int
    found: list[FoundArtifact]


class ArtifactShown(Wire):
    """One artifact, to be shown direct from the store."""

    kind: Literal["artifact"] = "artifact"
    artifact: FoundArtifact
    sha256: str


class RateLine(Wire):
    """How many of a group were contacted and how many answered."""

    value: str
    contacted: int
    responded: int


class RatesShown(Wire):
    """Response rates by a field of the leads."""

    kind: Literal["rates"] = "rates"
    field: str
    rows: list[RateLine]


class LeadExplained(Wire):
    """How a lead stands and why nothing more was done: sentences, and the gates when something is owed."""

    kind: Literal["lead"] = "lead"
    lead_id: str
    name: str
    status: str
    sentences: list[str]
    gates: list[GateLine]


class Told(Wire):
    """Something was done, or could not be: one sentence; `code` when it was refused."""

    kind: Literal["told"] = "told"
    sentence: str
    code: str = ""


Result = Annotated[ArtifactsFound | ArtifactShown | RatesShown | LeadExplained | Told, Field(discriminator="kind")]


class AssistantQuestion(Wire):
    """A typed question; it waits through a restart. `answer` once it was given."""

    id: str
    kind: str
    question: str
    choices: list[str]
    answer: str | None


class Line(Wire):
    """One line of the conversation.

    `user`: what they said, with the names of what they attached. `model`: its own words, byte for byte. `outrider`: what
    the controller did with a turn (`result`), or asks (`question`).
    """

    id: str
    request_id: str
    at: int
    author: Literal["user", "model", "outrider"]
    turn: int | None
    text: str
    attached: list[str]
    result: Result | None = None
    question: AssistantQuestion | None = None


class Conversation(Wire):
    """The latest lines, oldest first; `before` asks for earlier ones. `working` is the request that turns run for now."""

    lines: list[Line]
    before: str | None
    working: str | None
