"""Scoring: by what leads are scored, what another blueprint would do, and scoring all of them anew."""

from flask import Blueprint, Response

from backend.api.exchange import body, reply
from backend.api.reads import scoring as reads
from backend.api.services import Services
from backend.api.wire.base import Done, Nothing
from backend.api.wire.scoring import AdoptBlueprint, BlueprintAdopted, PreviewBlueprint
from backend.domain.scoring import NewBlueprint


def blueprint(services: Services) -> Blueprint:
    """`/api/campaigns/<id>/scoring…`."""
    routes = Blueprint("scoring", __name__, url_prefix="/api/campaigns/<campaign_id>/scoring")

    @routes.get("")
    def view(campaign_id: str) -> Response:
        with services.database.read() as connection:
            return reply(reads.scoring_view(connection, campaign_id))

    @routes.post("/preview")
    def preview(campaign_id: str) -> Response:
        criteria, now = body(PreviewBlueprint).criteria, services.session.surroundings(campaign_id).now
        with services.database.read() as connection:
            return reply(reads.preview(connection, campaign_id, criteria, now))

    @routes.get("/proposed/<question_id>")
    def proposed(campaign_id: str, question_id: str) -> Response:
        now = services.session.surroundings(campaign_id).now
        with services.database.read() as connection:
            return reply(reads.proposed(connection, campaign_id, question_id, now))

    @routes.post("/blueprint")
    def adopt(campaign_id: str) -> Response:
        given = body(AdoptBlueprint)
        wanted = NewBlueprint(criteria=tuple(given.criteria))
        version = services.session.commands(campaign_id).scoring.adopt(campaign_id, wanted, follows=given.follows)
        return reply(BlueprintAdopted(campaign_id=campaign_id, version=version), 201)

    @routes.post("/again")
    def again(campaign_id: str) -> Response:
        body(Nothing)
        services.session.commands(campaign_id).scoring.again(campaign_id)
        return reply(Done(campaign_id=campaign_id), 202)

    return routes
