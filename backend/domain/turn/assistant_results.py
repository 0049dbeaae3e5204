"""What a turn for the user's request came to, typed: kept with the conversation, shown to the user and to the next turn."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Annotated, Literal

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError

from backend.domain.gates.gates import GateLine
from backend.domain.model.artifact import Maker
from backend.domain.model.lead import LeadStatus
from backend.domain.values.shapes import Shape


class FoundArtifact(Shape):
    """One version of an artifact, without its content."""

    artifact_type: str
    key: str
    version: int
    made_by: Maker
    bytes: int
    created_at: int


class ArtifactsFound(Shape):
    """The newest of those that fit, and how many fit."""

    kind: Literal["artifacts"] = "artifacts"
    total: int
    found: tuple[FoundArtifact, ...]


class ArtifactShown(Shape):
    """One artifact, to be shown direct from the store; `sha256` of its content's bytes."""

    kind: Literal["artifact"] = "artifact"
    artifact: FoundArtifact
    sha256: str


class RateLine(Shape):
    """How many of a group were contacted and how many answered."""

    value: str
    contacted: int
    responded: int


class RatesShown(Shape):
    """Response rates by a field of the leads."""

    kind: Literal["rates"] = "rates"
    field: str
    rows: tuple[RateLine, ...]


class LeadExplained(Shape):
    """How a lead stands and why nothing more was done."""

    kind: Literal["lead"] = "lead"
    lead_id: str
    name: str
    status: LeadStatus
    sentences: tuple[str, ...]
    gates: tuple[GateLine, ...]


class FactRow(Shape):
    """One line of an answer; `lead_id` when it is about a person, `at` when it came about (ms UTC).

    `earliest` is of what is still to come: nothing is done sooner (ms UTC), and whoever else is due then may be first.
    """

    label: str
    value: str = ""
    lead_id: str = ""
    at: int | None = None
    earliest: int | None = None


class FactsShown(Shape):
    """An answer from the campaign's data: one sentence, and the people or numbers behind it."""

    kind: Literal["facts"] = "facts"
    sentence: str
    rows: tuple[FactRow, ...]


class ScriptAnswered(Shape):
    """What a script answered that the user had approved: kept as the artifact `result_id`; `told` is its beginning in JSON."""

    kind: Literal["script"] = "script"
    key: str
    script_sha256: str
    result_id: str
    result_sha256: str
    told: str


class StatusLine(Shape):
    """One sentence; `code` when something was refused or ended early."""

    kind: Literal["status"] = "status"
    sentence: str
    code: str = ""


AssistantResult = Annotated[
    ArtifactsFound | ArtifactShown | RatesShown | LeadExplained | FactsShown | ScriptAnswered | StatusLine,
    Field(discriminator="kind"),
]
ASSISTANT_RESULT: TypeAdapter[AssistantResult] = TypeAdapter(AssistantResult, config=ConfigDict(defer_build=True))


def artifacts_found(results: Sequence[str]) -> list[tuple[str, str]]:
    """(type, key) of the artifacts that these results (JSON, oldest first) name, those of the latest first."""
    artifacts: list[FoundArtifact] = []
    for result in reversed(results):
        match _known(result):
            case ArtifactShown(artifact=shown):
                artifacts.append(shown)
            case ArtifactsFound(found=listed):
                artifacts += listed
    return [(artifact.artifact_type, artifact.key) for artifact in artifacts]


def _known(result: str) -> AssistantResult | None:
    """None for what another version of Outrider recorded."""
    with suppress(ValidationError):
        return ASSISTANT_RESULT.validate_json(result)
    return None


_COUNTED = {
    "artifacts": "searches of artifacts",
    "artifact": "artifacts shown",
    "rates": "response rates shown",
    "lead": "leads explained",
    "facts": "answers from the campaign's data",
    "script": "scripts answered",
    "status": "sentences on what was done or refused",
}


def summary_of_earlier(counts: Mapping[str, int]) -> str:
    """What came of a request before the results that are still shown whole, by how many of each kind; empty for nothing.

    As long as the kinds are many, whatever the conversation; worked out at each turn and stored nowhere (spec 000 §8.4).
    """
    phrases = [f"{counts[kind]} {noun}" for kind, noun in _COUNTED.items() if counts.get(kind)]
    return f"Before these: {', '.join(phrases)}." if phrases else ""
