"""Review: a draft is approved by the digest of what was shown, edited, or rejected."""

from flask import Blueprint, Response

from backend.api.exchange import body, reply
from backend.api.services import Services
from backend.api.wire.base import Done, Nothing
from backend.api.wire.review import Approve, Edit


def blueprint(services: Services) -> Blueprint:
    """`/api/campaigns/<id>/drafts/<id>/approve`, `…/edit`, `…/reject`."""
    routes = Blueprint("review", __name__, url_prefix="/api/campaigns/<campaign_id>/drafts/<message_id>")

    @routes.post("/approve")
    def approve(campaign_id: str, message_id: str) -> Response:
        shown = body(Approve).digest
        services.session.commands(campaign_id).approve(campaign_id, message_id, shown_digest=shown)
        return reply(Done(campaign_id=campaign_id))

    @routes.post("/edit")
    def edit(campaign_id: str, message_id: str) -> Response:
        services.session.commands(campaign_id).edit(campaign_id, message_id, body(Edit).text)
        return reply(Done(campaign_id=campaign_id))

    @routes.post("/reject")
    def reject(campaign_id: str, message_id: str) -> Response:
        body(Nothing)
        services.session.commands(campaign_id).reject(campaign_id, message_id)
        return reply(Done(campaign_id=campaign_id))

    return routes
