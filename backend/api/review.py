"""Review: a draft is approved by the digest of what was shown, edited, or rejected; an approval is taken back."""

from flask import Blueprint, Response

from backend.api.exchange import asked, body, reply
from backend.api.failures import shape
from backend.api.reads import review as reads
from backend.api.services import Services
from backend.api.wire.base import Done, Following, Nothing
from backend.api.wire.review import Approve, ApproveSeveral, Decided, DecidedList, Edit, Shown
from backend.controller.commands import Commands
from backend.domain.errors import OutriderError


def blueprint(services: Services) -> Blueprint:
    """`/api/campaigns/<id>/drafts…` and `…/outgoing…`."""
    routes = Blueprint("review", __name__, url_prefix="/api/campaigns/<campaign_id>")

    @routes.get("/drafts")
    def drafts(campaign_id: str) -> Response:
        part, around = asked(Following), services.session.surroundings(campaign_id)
        with services.database.read() as connection:
            return reply(reads.draft_page(connection, campaign_id, around, part.after, part.limit))

    @routes.get("/outgoing")
    def outgoing(campaign_id: str) -> Response:
        part, around = asked(Following), services.session.surroundings(campaign_id)
        with services.database.read() as connection:
            return reply(reads.outgoing_page(connection, campaign_id, around, part.after, part.limit))

    @routes.post("/drafts/approve")
    def approve_several(campaign_id: str) -> Response:
        given, commands = body(ApproveSeveral).drafts, services.session.commands(campaign_id)
        return reply(DecidedList(drafts=[_approved(commands, campaign_id, draft) for draft in given]))

    @routes.post("/drafts/<message_id>/approve")
    def approve(campaign_id: str, message_id: str) -> Response:
        shown = body(Approve).digest
        services.session.commands(campaign_id).approve(campaign_id, message_id, shown_digest=shown)
        return reply(Done(campaign_id=campaign_id))

    @routes.post("/drafts/<message_id>/edit")
    def edit(campaign_id: str, message_id: str) -> Response:
        services.session.commands(campaign_id).edit(campaign_id, message_id, body(Edit).text)
        return reply(Done(campaign_id=campaign_id))

    @routes.post("/drafts/<message_id>/reject")
    def reject(campaign_id: str, message_id: str) -> Response:
        body(Nothing)
        services.session.commands(campaign_id).reject(campaign_id, message_id)
        return reply(Done(campaign_id=campaign_id))

    @routes.post("/drafts/<message_id>/restore")
    def restore(campaign_id: str, message_id: str) -> Response:
        body(Nothing)
        services.session.commands(campaign_id).restore(campaign_id, message_id)
        return reply(Done(campaign_id=campaign_id))

    @routes.post("/outgoing/<message_id>/withdraw")
    def withdraw(campaign_id: str, message_id: str) -> Response:
        body(Nothing)
        services.session.commands(campaign_id).withdraw(campaign_id, message_id)
        return reply(Done(campaign_id=campaign_id))

    return routes


def _approved(commands: Commands, campaign_id: str, draft: Shown) -> Decided:
    """Each by itself: one text that changed meanwhile does not keep the others back."""
    try:
        commands.approve(campaign_id, draft.id, shown_digest=draft.digest)
    except OutriderError as refused:
        return Decided(id=draft.id, error=shape(refused))
    return Decided(id=draft.id, error=None)
