"""Runs: start, continue, one step, stop. Pressing one of these is itself a sign that the user is here."""

from flask import Blueprint, Response

from backend.api.exchange import body, reply
from backend.api.reads import live
from backend.api.services import Services
from backend.api.wire.base import Done, Nothing


def blueprint(services: Services) -> Blueprint:
    """`/api/rehearsals` and `/api/campaigns/<id>/run`, `…/start`, `…/step`, `…/stop`."""
    routes = Blueprint("runs", __name__, url_prefix="/api")

    @routes.post("/rehearsals")
    def rehearse() -> Response:
        body(Nothing)
        services.session.returned()
        return reply(Done(campaign_id=services.session.start_rehearsal()), 201)

    @routes.get("/campaigns/<campaign_id>/run")
    def run(campaign_id: str) -> Response:
        around = services.session.surroundings(campaign_id)
        with services.database.read() as connection:
            return reply(live.view(connection, campaign_id, around))

    @routes.post("/campaigns/<campaign_id>/start")
    def start(campaign_id: str) -> Response:
        body(Nothing)
        services.session.returned()
        services.session.start(campaign_id)
        return reply(Done(campaign_id=campaign_id), 202)

    @routes.post("/campaigns/<campaign_id>/step")
    def step(campaign_id: str) -> Response:
        body(Nothing)
        services.session.returned()
        services.session.step(campaign_id)
        return reply(Done(campaign_id=campaign_id), 202)

    @routes.post("/campaigns/<campaign_id>/stop")
    def stop(campaign_id: str) -> Response:
        body(Nothing)
        services.session.stop(campaign_id)
        return reply(Done(campaign_id=campaign_id), 202)

    return routes
