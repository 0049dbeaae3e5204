"""What a turn for the user's request came to, typed: kept with the conversation, shown to the user and to the next turn."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter


class _Strict(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class FoundArtifact(_Strict):
    """One version of an artifact, without its content."""

    artifact_type: str
    key: str
    version: int
    source: str
    bytes: int
    created_at: int


class ArtifactsFound(_Strict):
    """The newest of those that fit, and how many fit."""

    kind: Literal["artifacts"] = "artifacts"
    total: int
    found: tuple[FoundArtifact, ...]


class ArtifactShown(_Strict):
    """One artifact, to be shown direct from the store; `sha256` of its content's bytes."""

    kind: Literal["artifact"] = "artifact"
    artifact: FoundArtifact
    sha256: str


class RateLine(_Strict):
    """How many of a group were contacted and how many answered."""

    value: str
    contacted: int
    responded: int


class RatesShown(_Strict):
    """Response rates by a field of the leads."""

    kind: Literal["rates"] = "rates"
    field: str
    rows: tuple[RateLine, ...]


class GateSaid(_Strict):
    """One line of the checklist; `until` in ms UTC."""

    code: str
    passes: bool
    sentence: str = ""
    until: int | None = None


class LeadExplained(_Strict):
    """How a lead stands and why nothing more was done."""

    kind: Literal["lead"] = "lead"
    lead_id: str
    name: str
    status: str
    sentences: tuple[str, ...]
    gates: tuple[GateSaid, ...]


class Told(_Strict):
    """One sentence; `code` when something was refused or ended early."""

    kind: Literal["told"] = "told"
    sentence: str
    code: str = ""


Finding = Annotated[
    ArtifactsFound | ArtifactShown | RatesShown | LeadExplained | Told,
    Field(discriminator="kind"),
]
FINDING: TypeAdapter[Finding] = TypeAdapter(Finding)
