"""Inbox: conversations, and one of them."""

from flask import Blueprint, Response

from backend.api.exchange import asked, reply
from backend.api.reads import inbox as reads
from backend.api.services import Services
from backend.api.wire.inbox import ThreadsAsked


def blueprint(services: Services) -> Blueprint:
    """`/api/campaigns/<id>/threads`, `…/threads/<id of a lead>`."""
    routes = Blueprint("inbox", __name__, url_prefix="/api/campaigns/<campaign_id>/threads")

    @routes.get("")
    def threads(campaign_id: str) -> Response:
        which = asked(ThreadsAsked)
        with services.database.read() as connection:
            return reply(reads.thread_page(connection, campaign_id, which))

    @routes.get("/<lead_id>")
    def thread(campaign_id: str, lead_id: str) -> Response:
        with services.database.read() as connection:
            return reply(reads.thread_view(connection, campaign_id, lead_id))

    return routes
