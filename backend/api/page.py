"""The built page and its files; they hold nothing secret, so they need no token."""

from flask import Blueprint, Response, send_from_directory

from backend.api.services import Services
from backend.domain.errors import OutriderError


def blueprint(services: Services) -> Blueprint:
    """`/` and what it names."""
    routes = Blueprint("page", __name__)

    @routes.get("/")
    def index() -> Response:
        if not (services.page / "index.html").is_file():
            raise OutriderError("page_missing", path=services.page)
        return send_from_directory(services.page, "index.html")

    @routes.get("/<path:name>")
    def file(name: str) -> Response:
        return send_from_directory(services.page, name)

    return routes
