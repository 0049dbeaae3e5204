"""Insights: read only."""

from flask import Blueprint, Response, request

from backend.api.exchange import reply
from backend.api.reads import insights as reads
from backend.api.services import Services


def blueprint(services: Services) -> Blueprint:
    """`/api/campaigns/<id>/insights` and `…/insights/rates?field=job_title`."""
    routes = Blueprint("insights", __name__, url_prefix="/api/campaigns/<campaign_id>/insights")

    @routes.get("")
    def insights(campaign_id: str) -> Response:
        around = services.session.surroundings(campaign_id)
        with services.database.read() as connection:
            return reply(reads.insights(connection, campaign_id, around))

    @routes.get("/rates")
    def rates(campaign_id: str) -> Response:
        with services.database.read() as connection:
            return reply(reads.rates(connection, campaign_id, request.args.get("field", "job_title")))

    return routes
