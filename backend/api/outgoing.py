"""What leaves this machine: the list of hosts and the register of calls."""

from flask import Blueprint, Response

from backend.api.exchange import reply
from backend.api.reads import outgoing as reads
from backend.api.services import Services
from backend.domain.events import WORKSPACE


def blueprint(services: Services) -> Blueprint:
    """`/api/outgoing`."""
    routes = Blueprint("outgoing", __name__, url_prefix="/api")

    @routes.get("/outgoing")
    def outgoing() -> Response:
        services.outgoing.write()  # what was called a moment ago is looked for first
        clock = services.session.commands(WORKSPACE).clock
        with services.database.read() as connection:
            return reply(reads.outgoing(connection, services.outgoing, clock.now()))

    return routes
