"""A scoring blueprint and a lead give a score with its explanation: the same both, the same score (FR-029…FR-035)."""

from collections.abc import Callable, Iterable
from datetime import date, timedelta
from functools import lru_cache
from typing import Annotated, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, model_validator

from backend.domain.model.criteria import (
    Complete,
    Criterion,
    Keywords,
    LeadFields,
    criterion_scorer,
    described,
    fields_of,
)
from backend.domain.values.error_table import ErrorCode

TOTAL_WEIGHT = 100
"""What the weights of a blueprint amount to, exactly; so a score lies between 0 and 100."""
MAX_CRITERIA = 20
MAX_SIZE = 16_000
"""Characters of a blueprint as JSON: it is part of the campaign's record."""
_DAY = 86_400_000
_EPOCH = date(1970, 1, 1)


class _Strict(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, defer_build=True)


class NewBlueprint(_Strict):
    """Weighted criteria that somebody would like; `problem_with` says whether they can be a blueprint."""

    criteria: tuple[Criterion, ...] = Field(min_length=1, max_length=MAX_CRITERIA)

    @property
    def fields(self) -> frozenset[str]:
        """The fields of a lead that it looks at."""
        return frozenset(field for criterion in self.criteria for field in fields_of(criterion.rule))


class Blueprint(NewBlueprint):
    """The campaign's rules (FR-030, FR-031): artifact `scoring_algorithm`, version `version`.

    Recency is counted to `reference_date` (ISO), which is kept: no clock is asked when a lead is scored.
    """

    version: int = Field(default=1, ge=1)
    reference_date: Annotated[str, Field(pattern=r"^\d{4}-\d{2}-\d{2}$")] = "2026-01-01"

    @model_validator(mode="after")
    def _sums(self) -> "Blueprint":
        if (total := _total(self)) != TOTAL_WEIGHT:
            raise ValueError(f"the weights amount to {total}, not {TOTAL_WEIGHT}")
        date.fromisoformat(self.reference_date)
        return self


class CriterionScore(NamedTuple):
    """What one criterion gave a lead: points of its weight, and why in words."""

    criterion: Criterion
    points: int
    why: str

    @property
    def reason(self) -> str:
        """`+50 title contains "vp"`; a count in the words is set off from the points."""
        return f"+{self.points}{':' if self.why[:1].isdigit() else ''} {self.why}"


def problem_with(
    blueprint: NewBlueprint, known_fields: Iterable[str] | None
) -> tuple[ErrorCode, dict[str, object]] | None:
    """The code and facts of what keeps it from being a blueprint; `known_fields` are the fields of the campaign's leads."""
    if (total := _total(blueprint)) != TOTAL_WEIGHT:
        return "blueprint_weights", {"sum": total}
    if (size := len(blueprint.model_dump_json())) > MAX_SIZE:
        return "blueprint_too_large", {"size": size, "limit": MAX_SIZE}
    fields = None if known_fields is None else frozenset(known_fields)
    if fields is not None and (unknown := sorted(blueprint.fields - fields)):
        return "blueprint_field_unknown", {"field": unknown[0], "known": ", ".join(sorted(fields))[:400]}
    return None


def in_force(blueprint: NewBlueprint, version: int, now: int) -> Blueprint:
    """The blueprint as it takes effect at `now` (ms UTC); raises ValueError for what `problem_with` names."""
    reference = (_EPOCH + timedelta(milliseconds=now // _DAY * _DAY)).isoformat()
    return Blueprint(criteria=blueprint.criteria, version=version, reference_date=reference)


def same_rules(blueprint: NewBlueprint, other: NewBlueprint) -> bool:
    """Whether they score alike, apart from the reference date."""
    return blueprint.criteria == other.criteria


@lru_cache(maxsize=16)
def scorer(blueprint: Blueprint) -> Callable[[LeadFields], int]:
    """The blueprint as a function of a lead; for scoring many."""
    judges = [criterion_scorer(criterion, blueprint.reference_date) for criterion in blueprint.criteria]
    return lambda lead: sum(judged(lead)[0] for judged in judges)


@lru_cache(maxsize=16)
def explainer(blueprint: Blueprint) -> Callable[[LeadFields], tuple[CriterionScore, ...]]:
    """The explanation as a function of a lead; the points add up to the score."""
    judges = [(criterion, criterion_scorer(criterion, blueprint.reference_date)) for criterion in blueprint.criteria]
    return lambda lead: tuple(CriterionScore(criterion, *judged(lead)) for criterion, judged in judges)


def score(blueprint: Blueprint, lead: LeadFields) -> int:
    """The lead's score, 0 to 100."""
    return scorer(blueprint)(lead)


def explain(blueprint: Blueprint, lead: LeadFields) -> tuple[CriterionScore, ...]:
    """How the score comes about, criterion by criterion (FR-032)."""
    return explainer(blueprint)(lead)


def weights(blueprint: NewBlueprint) -> dict[str, int]:
    """The weight of each criterion by its name, for the artifact `lead_scoring_config`; equal names are numbered."""
    weights_by_name: dict[str, int] = {}
    for criterion in blueprint.criteria:
        name, n = criterion.name, 1
        while name in weights_by_name:
            n += 1
            name = f"{criterion.name} ({n})"
        weights_by_name[name] = criterion.weight
    return weights_by_name


def summary(blueprint: NewBlueprint) -> list[str]:
    """The criteria in words, one line each."""
    return [f"{c.weight} · {c.name}: {described(c.rule)}" for c in blueprint.criteria]


def _total(blueprint: NewBlueprint) -> int:
    return sum(criterion.weight for criterion in blueprint.criteria)


DEFAULT_BLUEPRINT = Blueprint(
    criteria=(
        Criterion(
            name="Decision maker",
            weight=50,
            rule=Keywords(
                fields=("job_title",),
                words=("founder", "co-founder", "cofounder", "ceo", "cto", "chief", "head", "director", "vp", "vice president",
                       "owner", "partner"),
            ),
        ),
        Criterion(
            name="Works close to the subject",
            weight=25,
            rule=Keywords(
                fields=("job_title",),
                words=("engineer", "engineering", "product", "research", "researcher", "recruit", "recruiter", "recruiting",
                       "recruitment", "talent", "data"),
            ),
        ),
        Criterion(name="Company known", weight=15, rule=Complete(fields=("company",))),
        Criterion(name="E-mail known", weight=10, rule=Complete(fields=("email",))),
    )
)  # fmt: skip
"""What a campaign begins with."""
