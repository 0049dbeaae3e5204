"""The built page and its files; they hold nothing secret, so they need no token."""

from flask import Blueprint, Response, send_from_directory

from backend.api.preferences import preferences
from backend.api.server.page_files import index_html
from backend.api.server.services import Services


def blueprint(services: Services) -> Blueprint:
    """`/` and what it names."""
    routes = Blueprint("page", __name__)

    @routes.get("/")
    def index() -> Response:
        look = services.database.query(preferences)
        return Response(index_html(services.page, look), mimetype="text/html")

    @routes.get("/<path:name>")
    def file(name: str) -> Response:
        return send_from_directory(services.page, name)

    return routes
