"""Diagnostics: the doctor, asked from the page."""

from flask import Blueprint, Response

from backend.api.exchange import body, reply
from backend.api.services import Services
from backend.api.wire.base import Nothing


def blueprint(services: Services) -> Blueprint:
    """`/api/diagnostics`."""
    routes = Blueprint("diagnostics", __name__, url_prefix="/api/diagnostics")

    @routes.post("")
    def examine() -> Response:
        body(Nothing)
        return reply(services.machine.examine())

    return routes
