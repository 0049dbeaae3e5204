"""Turns: what happened in each, from the records."""

from flask import Blueprint, Response, request

from backend.api.exchange import number, reply
from backend.api.reads import turns as reads
from backend.api.services import Services

PAGE, MOST = 50, 200


def blueprint(services: Services) -> Blueprint:
    """`/api/campaigns/<id>/turns?before=&task=&limit=`, `…/turns/<n>`, `…/turns/<n>/reply`."""
    routes = Blueprint("turns", __name__, url_prefix="/api/campaigns/<campaign_id>/turns")

    @routes.get("")
    def turns(campaign_id: str) -> Response:
        before, task_id = number("before"), request.args.get("task")
        limit = min(number("limit") or PAGE, MOST)
        with services.database.read() as connection:
            if task_id:
                return reply(reads.of_task(connection, campaign_id, task_id, before, limit))
            return reply(reads.page(connection, campaign_id, before, limit))

    @routes.get("/<int(max=999999999):turn>")
    def detail(campaign_id: str, turn: int) -> Response:
        with services.database.read() as connection:
            return reply(reads.detail(connection, campaign_id, turn))

    @routes.get("/<int(max=999999999):turn>/reply")
    def whole_reply(campaign_id: str, turn: int) -> Response:
        with services.database.read() as connection:
            return reply(reads.reply(connection, campaign_id, turn))

    return routes
