"""Scoring: by what leads are scored, what another blueprint would do, and scoring all of them anew; bounded at any size."""

import json
from collections.abc import Iterable
from typing import Annotated

from pydantic import Field

from backend.api.artifacts import ArtifactSaved
from backend.api.questions import Question, question
from backend.api.server.endpoint import Routes
from backend.api.server.services import Services
from backend.commands.lead_scoring import BLUEPRINT
from backend.domain.leads.blueprints import blueprint_for
from backend.domain.leads.ranking import RankedLead, compare_rankings
from backend.domain.model.artifact import ArtifactType
from backend.domain.model.criteria import PRESETS, Criterion, described
from backend.domain.model.scoring import MAX_CRITERIA, NewBlueprint, in_force, problem_with
from backend.domain.turn.agent_questions import APPROVE_BLUEPRINT
from backend.domain.values.errors import OutriderError
from backend.domain.values.shapes import ErrorShape, Shape
from backend.store.database import DatabaseConnection
from backend.store.queries.campaign import questions
from backend.store.queries.campaign.campaigns import existing_campaign
from backend.store.queries.campaign.questions import QuestionRow
from backend.store.queries.leads import leads as lead_queries
from backend.store.queries.leads import scored_leads
from backend.store.queries.leads.scored_leads import ScoringRun
from backend.store.queries.turn import artifacts
from backend.store.queries.turn.artifacts import ArtifactVersion

MOST_VERSIONS = 50

MOST_PROPOSED = 10

routes = Routes("scoring", "/campaigns/<campaign_id>/scoring")


class CriterionLine(Shape):
    """A criterion, and what it asks in words."""

    criterion: Criterion
    asks: str


class BlueprintInForce(Shape):
    """The rules by which the leads are scored; recency is counted to `reference_date`."""

    version: int
    reference_date: str
    criteria: list[CriterionLine]


class ProposedBlueprint(Shape):
    """A blueprint that takes effect by the user's yes to this question."""

    question: Question
    criteria: list[CriterionLine]


class ScoringView(Shape):
    """What the leads are scored by, and all that is needed to change it.

    `fields` may be asked for; `suggested` is what the campaign's goal amounts to; `run` is the latest; `unscored`
    says whether a lead has no score yet.
    """

    blueprint: BlueprintInForce
    versions: list[ArtifactVersion]
    fields: list[str]
    presets: list[Criterion]
    suggested: list[Criterion]
    proposed: list[ProposedBlueprint]
    run: ScoringRun | None
    leads: int
    unscored: bool


Criteria = Annotated[list[Criterion], Field(min_length=1, max_length=MAX_CRITERIA)]


class PreviewBlueprint(Shape):
    """Criteria that are being written."""

    criteria: Criteria


class AdoptBlueprint(Shape):
    """Criteria that are to be in force after version `follows`."""

    criteria: Criteria
    follows: int


class PlaceLine(Shape):
    """A lead's score and rank (from 1) by the blueprint in force and by the other one; `manual`: by the user's hand."""

    lead_id: str
    name: str
    manual: bool
    score_before: int
    score_after: int
    rank_before: int
    rank_after: int


class EffectView(Shape):
    """What another blueprint would do, on `leads` of `of`, evenly spread; the spreads count scores of 0 to 9, … 90 to 100."""

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


class BlueprintPreview(Shape):
    """The criteria in words and their effect, or what keeps them from being a blueprint."""

    criteria: list[CriterionLine]
    problem: ErrorShape | None
    effect: EffectView | None


@routes.get()
def view(connection: DatabaseConnection, campaign_id: str) -> ScoringView:
    """All about the campaign's scoring; raises `campaign_unknown`."""
    campaign = existing_campaign(connection, campaign_id)
    blueprint, fields = campaign.settings.blueprint, scored_leads.scorable_fields(connection, campaign_id)
    versions = artifacts.versions(connection, campaign_id, ArtifactType.SCORING_ALGORITHM, BLUEPRINT, MOST_VERSIONS)
    return ScoringView(
        blueprint=BlueprintInForce(
            version=blueprint.version, reference_date=blueprint.reference_date, criteria=_lines(blueprint.criteria)
        ),
        versions=versions,
        fields=list(fields),
        presets=list(PRESETS),
        suggested=list(blueprint_for(campaign.goal, fields).criteria),
        proposed=[
            ProposedBlueprint(question=question(row), criteria=_lines(_wanted(row).criteria))
            for row in questions.list_open(connection, campaign_id, MOST_PROPOSED, kind=APPROVE_BLUEPRINT)
        ],
        run=scored_leads.latest_scoring(connection, campaign_id),
        leads=_leads(connection, campaign_id),
        unscored=lead_queries.has_unscored(connection, campaign_id),
    )


@routes.post("/preview")
def preview(services: Services, campaign_id: str, body: PreviewBlueprint) -> BlueprintPreview:
    """What these criteria would do now; raises `campaign_unknown`."""
    now = services.turn_inputs(campaign_id).now
    return services.database.query(preview_of, campaign_id, body.criteria, now)


@routes.get("/proposed/<question_id>")
def proposed(
    services: Services, connection: DatabaseConnection, campaign_id: str, question_id: str
) -> BlueprintPreview:
    """What the blueprint of that open question would do; raises `question_unknown`."""
    open_question = questions.existing_proposal(connection, campaign_id, question_id, APPROVE_BLUEPRINT)
    now = services.turn_inputs(campaign_id).now
    return preview_of(connection, campaign_id, _wanted(open_question).criteria, now)


@routes.post("/blueprint", status=201)
def adopt(services: Services, campaign_id: str, body: AdoptBlueprint) -> ArtifactSaved:
    """Put these criteria in force: they are a version of an artifact."""
    new_blueprint = NewBlueprint(criteria=tuple(body.criteria))
    version = services.commands(campaign_id).scoring.adopt(campaign_id, new_blueprint, follows=body.follows)
    return ArtifactSaved(campaign_id=campaign_id, version=version)


routes.command("/again", "scoring.again")


def preview_of(
    connection: DatabaseConnection, campaign_id: str, criteria: Iterable[Criterion], now: int
) -> BlueprintPreview:
    """What these criteria would do at `now` (ms UTC); raises `campaign_unknown`."""
    campaign, new_blueprint = existing_campaign(connection, campaign_id), NewBlueprint(criteria=tuple(criteria))
    lines = _lines(new_blueprint.criteria)
    if problem := problem_with(new_blueprint, scored_leads.scorable_fields(connection, campaign_id)):
        error = OutriderError(problem[0], **problem[1])
        return BlueprintPreview(criteria=lines, problem=ErrorShape.showing(error), effect=None)
    leads = _leads(connection, campaign_id)
    comparison = compare_rankings(
        campaign.settings.blueprint,
        in_force(new_blueprint, campaign.settings.blueprint.version + 1, now),
        scored_leads.sample(connection, campaign_id, leads),
    )
    return BlueprintPreview(
        criteria=lines,
        problem=None,
        effect=EffectView(
            leads=comparison.leads,
            of=leads,
            rising=comparison.rising,
            falling=comparison.falling,
            spread_before=list(comparison.spread_before),
            spread_after=list(comparison.spread_after),
            top_before=_places(comparison.top_before),
            top_after=_places(comparison.top_after),
            risers=_places(comparison.risers),
            fallers=_places(comparison.fallers),
        ),
    )


def _leads(connection: DatabaseConnection, campaign_id: str) -> int:
    return sum(lead_queries.lead_counts(connection, campaign_id).values())


def _wanted(row: QuestionRow) -> NewBlueprint:
    return NewBlueprint.model_validate_json(json.dumps(row.payload["blueprint"]))


def _lines(criteria: Iterable[Criterion]) -> list[CriterionLine]:
    return [CriterionLine(criterion=criterion, asks=described(criterion.rule)) for criterion in criteria]


def _places(places: Iterable[RankedLead]) -> list[PlaceLine]:
    return [
        PlaceLine(lead_id=lead.id, **{name: getattr(lead, name) for name in RankedLead._fields[1:]}) for lead in places
    ]
