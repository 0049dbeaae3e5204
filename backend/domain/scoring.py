"""A scoring blueprint and a lead give a score with its reasons: the same blueprint and lead, the same score (FR-035)."""

from collections.abc import Mapping
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field


class Criterion(BaseModel):
    """Points when a field contains one of the words (case-folded); without words, when the field is filled at all."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    field: Literal["job_title", "company", "location", "email", "headline"]
    words: tuple[str, ...] = Field(default=(), max_length=50)
    weight: int = Field(ge=1, le=100)
    reason: str = Field(min_length=1, max_length=200)


class Blueprint(BaseModel):
    """Weighted criteria (FR-030, FR-031); kept as the campaign's artifact `scoring_algorithm`."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    criteria: tuple[Criterion, ...] = Field(min_length=1, max_length=50)


DEFAULT_BLUEPRINT = Blueprint(
    criteria=(
        Criterion(
            field="job_title",
            words=("founder", "ceo", "cto", "chief", "head", "director", "vp", "owner", "partner"),
            weight=50,
            reason="decides",
        ),
        Criterion(
            field="job_title",
            words=("engineer", "product", "research", "recruit", "talent", "data"),
            weight=25,
            reason="works close to the subject",
        ),
        Criterion(field="company", weight=15, reason="company known"),
        Criterion(field="email", weight=10, reason="profile complete"),
    )
)


def score_parts(blueprint: Blueprint, lead: Mapping[str, str]) -> list[tuple[Criterion, bool]]:
    """Each criterion, and whether it counts for this lead."""
    return [
        (criterion, _counts(criterion, lead.get(criterion.field, "").casefold())) for criterion in blueprint.criteria
    ]


def _counts(criterion: Criterion, value: str) -> bool:
    return bool(value) and (not criterion.words or any(word.casefold() in value for word in criterion.words))


def score(blueprint: Blueprint, lead: Mapping[str, str]) -> tuple[int, tuple[str, ...]]:
    """The lead's score, 0 to 100, and a reason for each criterion that counted ("+50 decides")."""
    earned = [criterion for criterion, counts in score_parts(blueprint, lead) if counts]
    total = sum(criterion.weight for criterion in blueprint.criteria)
    points = round(100 * sum(criterion.weight for criterion in earned) / total)
    return points, tuple(f"+{criterion.weight} {criterion.reason}" for criterion in earned)
