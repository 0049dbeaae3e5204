"""The blueprint in force, those that are proposed, and what another one would do: bounded at any number of leads."""

import json
import sqlite3
from collections.abc import Iterable

from backend.api.reads.lines import question
from backend.api.wire.artifacts import VersionLine
from backend.api.wire.base import ErrorShape
from backend.api.wire.scoring import (
    BlueprintInForce,
    BlueprintPreview,
    CriterionLine,
    EffectView,
    PlaceLine,
    ProposedBlueprint,
    ScoringRun,
    ScoringView,
)
from backend.controller.rescoring import BLUEPRINT
from backend.domain.artifact import ArtifactType, Source
from backend.domain.blueprints import blueprint_for
from backend.domain.campaign import Campaign
from backend.domain.criteria import PRESETS, Criterion, described
from backend.domain.decisions import APPROVE_BLUEPRINT
from backend.domain.errors import OutriderError
from backend.domain.ranking import Place, effect
from backend.domain.scoring import NewBlueprint, in_force, problem_with
from backend.store import reading, scored_leads

MOST_VERSIONS = 50
_VERSIONS = (
    "SELECT version, source, created_at FROM artifacts WHERE campaign_id=? AND artifact_type=? AND artifact_key=?"
    " ORDER BY version DESC LIMIT ?"
)
_RUN = (
    "SELECT id, blueprint, status, leads, done, changed, finished_at FROM scorings WHERE campaign_id=?"
    " ORDER BY id DESC LIMIT 1"
)
_OPEN = (
    "SELECT id, kind, question, choices, created_at, payload FROM input_requests"
    " WHERE campaign_id=? AND status='open' AND kind=? ORDER BY id LIMIT 10"
)
_UNSCORED = "SELECT 1 FROM leads WHERE campaign_id=? AND weight_score IS NULL LIMIT 1"


def scoring_view(connection: sqlite3.Connection, campaign_id: str) -> ScoringView:
    """All about the campaign's scoring; raises `campaign_unknown`."""
    campaign = _campaign(connection, campaign_id)
    blueprint, fields = campaign.settings.blueprint, scored_leads.names(connection, campaign_id)
    versions = connection.execute(_VERSIONS, (campaign_id, ArtifactType.SCORING_ALGORITHM, BLUEPRINT, MOST_VERSIONS))
    run = connection.execute(_RUN, (campaign_id,)).fetchone()
    return ScoringView(
        blueprint=BlueprintInForce(
            version=blueprint.version, reference_date=blueprint.reference_date, criteria=_lines(blueprint.criteria)
        ),
        versions=[VersionLine(version=n, source=Source(by), created_at=at) for n, by, at in versions],
        fields=list(fields),
        presets=list(PRESETS),
        suggested=list(blueprint_for(campaign.goal, fields).criteria),
        proposed=[
            ProposedBlueprint(question=question(row[:5]), criteria=_lines(_wanted(row[5]).criteria))
            for row in connection.execute(_OPEN, (campaign_id, APPROVE_BLUEPRINT))
        ],
        run=ScoringRun(**dict(zip(ScoringRun.model_fields, run, strict=True))) if run else None,
        leads=_leads(connection, campaign_id),
        unscored=connection.execute(_UNSCORED, (campaign_id,)).fetchone() is not None,
    )


def preview(
    connection: sqlite3.Connection, campaign_id: str, criteria: Iterable[Criterion], now: int
) -> BlueprintPreview:
    """What these criteria would do at `now` (ms UTC); raises `campaign_unknown`."""
    campaign, wanted = _campaign(connection, campaign_id), NewBlueprint(criteria=tuple(criteria))
    lines = _lines(wanted.criteria)
    if problem := problem_with(wanted, scored_leads.names(connection, campaign_id)):
        error = OutriderError(problem[0], **problem[1])
        shape = ErrorShape(code=error.code, sentence=error.sentence, remedy=error.remedy)
        return BlueprintPreview(criteria=lines, problem=shape, effect=None)
    leads = _leads(connection, campaign_id)
    found = effect(
        campaign.settings.blueprint,
        in_force(wanted, campaign.settings.blueprint.version + 1, now),
        scored_leads.sample(connection, campaign_id, leads),
    )
    return BlueprintPreview(
        criteria=lines,
        problem=None,
        effect=EffectView(
            leads=found.leads,
            of=leads,
            rising=found.rising,
            falling=found.falling,
            spread_before=list(found.spread_before),
            spread_after=list(found.spread_after),
            top_before=_places(found.top_before),
            top_after=_places(found.top_after),
            risers=_places(found.risers),
            fallers=_places(found.fallers),
        ),
    )


def proposed(connection: sqlite3.Connection, campaign_id: str, question_id: str, now: int) -> BlueprintPreview:
    """What the blueprint of that open question would do; raises `question_unknown`."""
    row = connection.execute(
        "SELECT payload FROM input_requests WHERE id=? AND campaign_id=? AND status='open' AND kind=?",
        (question_id, campaign_id, APPROVE_BLUEPRINT),
    ).fetchone()
    if row is None:
        raise OutriderError("question_unknown", question=question_id)
    return preview(connection, campaign_id, _wanted(row[0]).criteria, now)


def _campaign(connection: sqlite3.Connection, campaign_id: str) -> Campaign:
    campaign = reading.campaign(connection, campaign_id)
    if campaign is None:
        raise OutriderError("campaign_unknown", campaign=campaign_id)
    return campaign


def _leads(connection: sqlite3.Connection, campaign_id: str) -> int:
    return sum(reading.lead_counts(connection, campaign_id).values())


def _wanted(payload: str) -> NewBlueprint:
    return NewBlueprint.model_validate_json(json.dumps(json.loads(payload)["blueprint"]))


def _lines(criteria: Iterable[Criterion]) -> list[CriterionLine]:
    return [CriterionLine(criterion=criterion, asks=described(criterion.rule)) for criterion in criteria]


def _places(places: Iterable[Place]) -> list[PlaceLine]:
    return [
        PlaceLine(lead_id=place.id, **{name: getattr(place, name) for name in Place._fields[1:]}) for place in places
    ]
