"""Decisions that another device overtook: the list, and the choice between the two."""

from flask import Blueprint, Response

from backend.api.exchange import body, reply
from backend.api.services import Services
from backend.api.wire.sync import Choose, SetAside, SetAsideList
from backend.controller import overtaken_commands
from backend.controller.overtaken_commands import OvertakenDecision
from backend.domain.errors import OutriderError
from backend.store import set_aside


def blueprint(services: Services) -> Blueprint:
    """`/api/sync/set-aside`, `…/set-aside/<id>`."""
    routes = Blueprint("set_aside", __name__, url_prefix="/api/sync/set-aside")

    @routes.get("")
    def waiting() -> Response:
        return reply(_listed(services))

    @routes.post("/<set_aside_id>")
    def choose(set_aside_id: str) -> Response:
        choice = body(Choose).choice
        with services.database.read() as connection:
            overtaken = set_aside.one(connection, set_aside_id)
        if overtaken is None:
            raise OutriderError("set_aside_unknown")
        overtaken_commands.choose(services.session.commands(overtaken.campaign_id), services.blobs, overtaken, choice)
        return reply(_listed(services))

    return routes


def _listed(services: Services) -> SetAsideList:
    with services.database.read() as connection:
        found = [_shown(decision) for decision in overtaken_commands.waiting(connection)]
        return SetAsideList(open=found, noted=set_aside.turns(connection))


def _shown(decision: OvertakenDecision) -> SetAside:
    overtaken = decision.overtaken
    return SetAside(
        id=overtaken.id,
        campaign_id=overtaken.campaign_id,
        campaign=overtaken.campaign,
        decided_at=overtaken.decided_at,
        set_aside_at=overtaken.set_aside_at,
        what=decision.what,
        mine=decision.mine,
        theirs=decision.theirs,
        again=decision.again,
        place=decision.place,
    )
