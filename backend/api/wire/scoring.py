"""Scoring: the blueprint in force, one that is proposed or being written, and what it would do to the ranking."""

from typing import Annotated, Literal

from pydantic import Field

from backend.api.wire.artifacts import VersionLine
from backend.api.wire.base import ErrorShape, Wire
from backend.api.wire.campaigns import Question
from backend.domain.criteria import Criterion
from backend.domain.scoring import MAX_CRITERIA


class CriterionLine(Wire):
    """A criterion, and what it asks in words."""

    criterion: Criterion
    asks: str


class BlueprintInForce(Wire):
    """The rules by which the leads are scored; recency is counted to `reference_date`."""

    version: int
    reference_date: str
    criteria: list[CriterionLine]


class ProposedBlueprint(Wire):
    """A blueprint that takes effect by the user's yes to this question."""

    question: Question
    criteria: list[CriterionLine]


class ScoringRun(Wire):
    """All leads scored by a blueprint: `done` of `leads` so far, `changed` scores among them."""

    id: str
    blueprint: int
    status: Literal["running", "done", "superseded"]
    leads: int
    done: int
    changed: int
    finished_at: int | None


class ScoringView(Wire):
    """What the leads are scored by, and all that is needed to change it.

    `fields` may be asked for; `suggested` is what the campaign's goal amounts to; `run` is the latest; `unscored`
    says whether a lead has no score yet.
    """

    blueprint: BlueprintInForce
    versions: list[VersionLine]
    fields: list[str]
    presets: list[Criterion]
    suggested: list[Criterion]
    proposed: list[ProposedBlueprint]
    run: ScoringRun | None
    leads: int
    unscored: bool


Criteria = Annotated[list[Criterion], Field(min_length=1, max_length=MAX_CRITERIA)]


class PreviewBlueprint(Wire):
    """Criteria that are being written."""

    criteria: Criteria


class AdoptBlueprint(Wire):
    """Criteria that are to be in force after version `follows`."""

    criteria: Criteria
    follows: int


class BlueprintAdopted(Wire):
    """The version that is in force now."""

    campaign_id: str
    version: int


class PlaceLine(Wire):
    """A lead's score and rank (from 1) by the blueprint in force and by the other one; `manual`: by the user's hand."""

    lead_id: str
    name: str
    manual: bool
    score_before: int
    score_after: int
    rank_before: int
    rank_after: int


class EffectView(Wire):
    """What another blueprint would do: on all `of` leads, or on `leads` of them, evenly spread.

    The spreads are numbers of leads with scores of 0 to 9, 10 to 19, … 90 to 100.
    """

    leads: int
    of: int
    rising: int
    falling: int
    spread_before: list[int]
    spread_after: list[int]
    top_before: list[PlaceLine]
    top_after: list[PlaceLine]
    risers: list[PlaceLine]
    fallers: list[PlaceLine]


class BlueprintPreview(Wire):
    """The criteria in words and their effect, or what keeps them from being a blueprint."""

    criteria: list[CriterionLine]
    problem: ErrorShape | None
    effect: EffectView | None
