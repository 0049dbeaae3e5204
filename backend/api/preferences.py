"""How Outrider looks; kept in the workspace, and told to the page before its first paint (page.py)."""

from flask import Blueprint, Response

from backend.api.exchange import body, reply
from backend.api.reads.preferences import NAME, preferences
from backend.api.services import Services
from backend.api.wire.preferences import Preferences
from backend.domain.events import WORKSPACE


def blueprint(services: Services) -> Blueprint:
    """`/api/preferences`."""
    routes = Blueprint("preferences", __name__, url_prefix="/api/preferences")

    @routes.get("")
    def read() -> Response:
        with services.database.read() as connection:
            return reply(preferences(connection))

    @routes.post("")
    def keep() -> Response:
        wanted = body(Preferences)
        services.session.commands(WORKSPACE).workspace.keep(NAME, wanted.model_dump())
        return reply(wanted)

    return routes
