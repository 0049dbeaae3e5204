"""The voice: read, checked while it is typed, and changed by its own command only."""

from flask import Blueprint, Response, request

from backend.api.exchange import body, reply
from backend.api.reads import soul as reads
from backend.api.services import Services
from backend.api.wire.soul import CheckSoul, RestoreSoul, SaveSoul, SoulSaved
from backend.domain.events import WORKSPACE


def blueprint(services: Services) -> Blueprint:
    """`/api/soul…`."""
    routes = Blueprint("soul", __name__, url_prefix="/api/soul")

    @routes.get("")
    def view() -> Response:
        with services.database.read() as connection:
            return reply(reads.soul_view(connection))

    @routes.get("/versions")
    def history() -> Response:
        with services.database.read() as connection:
            return reply(reads.history(connection, request.args.get("after", "")))

    @routes.get("/versions/<int(max=999999999):version>")
    def text(version: int) -> Response:
        with services.database.read() as connection:
            return reply(reads.soul_text(connection, version))

    @routes.post("/check")
    def check() -> Response:
        return reply(reads.soul_check(body(CheckSoul).text))

    @routes.post("")
    def save() -> Response:
        given = body(SaveSoul)
        version = services.session.commands(WORKSPACE).soul.save(given.text, follows=given.follows)
        return reply(SoulSaved(version=version))

    @routes.post("/restore")
    def restore() -> Response:
        given = body(RestoreSoul)
        version = services.session.commands(WORKSPACE).soul.restore(given.version, follows=given.follows)
        return reply(SoulSaved(version=version))

    return routes
