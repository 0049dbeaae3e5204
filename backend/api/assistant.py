"""The assistant: what the user says, what came of it, and taking the conversation away."""

from flask import Blueprint, Response, request

from backend.api.exchange import body, number, reply
from backend.api.reads import assistant as reads
from backend.api.services import Services
from backend.api.wire.assistant import Ask, Asked, Attach
from backend.api.wire.base import Done
from backend.domain.artifact import MAX_INLINE, text_of
from backend.domain.errors import OutriderError
from backend.domain.request import Given

MAX_ASK_BYTES = 8 * 1024 * 1024


def blueprint(services: Services) -> Blueprint:
    """`/api/campaigns/<id>/assistant…`."""
    routes = Blueprint("assistant", __name__, url_prefix="/api/campaigns/<campaign_id>/assistant")

    @routes.get("")
    def conversation(campaign_id: str) -> Response:
        before, working = number("before"), services.assistant.working(campaign_id)
        with services.database.read() as connection:
            return reply(reads.conversation(connection, campaign_id, before, working))

    @routes.post("/messages")
    def say(campaign_id: str) -> Response:
        request.max_content_length = MAX_ASK_BYTES
        said = body(Ask)
        attached = [_given(services, one) for one in said.attached]
        begun = services.assistant.say(campaign_id, said.text, attached, key=said.key)
        return reply(Asked(request_id=begun), 201)

    @routes.post("/stop")
    def stop(campaign_id: str) -> Response:
        services.assistant.stop(campaign_id)
        return reply(Done(campaign_id=campaign_id))

    @routes.delete("")
    def delete(campaign_id: str) -> Response:
        services.session.commands(campaign_id).requests.delete(campaign_id)
        return reply(Done(campaign_id=campaign_id))

    @routes.post("/restore")
    def restore(campaign_id: str) -> Response:
        services.session.commands(campaign_id).requests.restore(campaign_id)
        return reply(Done(campaign_id=campaign_id))

    return routes


def _given(services: Services, one: Attach) -> Given:
    """The text of what was attached, character for character."""
    if (one.text is None) == (one.ticket is None):
        raise OutriderError("bad_request", detail=f"attached: {one.name} is neither text nor a file")
    if one.text is not None:
        raw = one.text.encode()
    else:
        source = services.files.source(str(one.ticket))
        try:
            with source.path.open("rb") as file:
                raw = file.read(MAX_INLINE + 1)
        except OSError as error:
            raise OutriderError("file_ticket_unknown") from error
    return Given(one.name, text_of(raw))
