"""Tasks: the campaign's list of what is to be done."""

from flask import Blueprint, Response, request

from backend.api.exchange import choice, number, reply
from backend.api.reads import tasks as reads
from backend.api.services import Services
from backend.domain.task import TaskStatus

PAGE, MOST = 100, 200


def blueprint(services: Services) -> Blueprint:
    """`/api/campaigns/<id>/tasks?status=&after=&limit=`, `…/tasks/<id>`."""
    routes = Blueprint("tasks", __name__, url_prefix="/api/campaigns/<campaign_id>/tasks")

    @routes.get("")
    def tasks(campaign_id: str) -> Response:
        around = services.session.surroundings(campaign_id)
        with services.database.read() as connection:
            return reply(
                reads.page(
                    connection,
                    campaign_id,
                    around,
                    status=choice("status", TaskStatus),
                    after=request.args.get("after"),
                    limit=min(number("limit") or PAGE, MOST),
                )
            )

    @routes.get("/<task_id>")
    def detail(campaign_id: str, task_id: str) -> Response:
        around = services.session.surroundings(campaign_id)
        with services.database.read() as connection:
            return reply(reads.detail(connection, campaign_id, around, task_id))

    return routes
