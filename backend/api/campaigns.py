"""Campaigns: the list, the live view, and what the user decides about one as a whole."""

from flask import Blueprint, Response, request

from backend.api.exchange import body, reply
from backend.api.reads import campaign as reads
from backend.api.reads.campaigns import LONGEST_SEARCH, Page, campaign_list
from backend.api.services import Services
from backend.api.wire.base import Done
from backend.api.wire.campaigns import Answer, Reason
from backend.domain.campaign import CampaignStatus
from backend.domain.events import WORKSPACE


def blueprint(services: Services) -> Blueprint:
    """`/api/campaigns…`."""
    routes = Blueprint("campaigns", __name__, url_prefix="/api/campaigns")

    @routes.get("")
    def campaigns() -> Response:
        now, asked = services.session.surroundings(WORKSPACE).now, request.args
        with services.database.read() as connection:
            page = Page(asked.get("after", ""), asked.get("search", "")[:LONGEST_SEARCH])
            run = services.session.run_state()
            return reply(campaign_list(connection, page, run, now=now, importing=services.importer.running))

    @routes.get("/<campaign_id>")
    def campaign(campaign_id: str) -> Response:
        around, run = services.session.surroundings(campaign_id), services.session.run_state()
        with services.database.read() as connection:
            return reply(reads.campaign_view(connection, campaign_id, around, run))

    @routes.post("/<campaign_id>/incidents/clear")
    def clear_incident(campaign_id: str) -> Response:
        services.session.commands(campaign_id).clear_incident(campaign_id, body(Reason).reason)
        return reply(Done(campaign_id=campaign_id))

    @routes.post("/<campaign_id>/recover")
    def recover(campaign_id: str) -> Response:
        reason = body(Reason).reason
        services.session.commands(campaign_id).change_status(campaign_id, CampaignStatus.PAUSED, reason)
        return reply(Done(campaign_id=campaign_id))

    @routes.post("/<campaign_id>/questions/<question_id>/answer")
    def answer(campaign_id: str, question_id: str) -> Response:
        services.session.commands(campaign_id).answer(campaign_id, question_id, body(Answer).answer)
        return reply(Done(campaign_id=campaign_id))

    return routes
