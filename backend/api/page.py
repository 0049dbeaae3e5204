"""The built page and its files; they hold nothing secret, so they need no token."""

import hashlib
from pathlib import Path

from flask import Blueprint, Response, send_from_directory

from backend.api.preferences import preferences
from backend.api.services import Services
from backend.domain.errors import OutriderError


def build_of(page: Path) -> str:
    """Which build the page is: its index names every other file by what is in it."""
    try:
        return hashlib.sha256((page / "index.html").read_bytes()).hexdigest()[:16]
    except OSError as error:
        raise OutriderError("page_missing", path=page) from error


def blueprint(services: Services) -> Blueprint:
    """`/` and what it names."""
    routes = Blueprint("page", __name__)

    @routes.get("/")
    def index() -> Response:
        build = build_of(services.page)
        with services.database.read() as connection:
            look = preferences(connection)
        # Before any script: a page that begins light and turns dark hurts. The build tells a page that it is stale.
        given = {"build": build, **look.model_dump()}
        marks = " ".join(f'data-{name}="{value}"' for name, value in given.items())
        html = (services.page / "index.html").read_text("utf-8").replace("<html", f"<html {marks}", 1)
        return Response(html, mimetype="text/html")

    @routes.get("/<path:name>")
    def file(name: str) -> Response:
        return send_from_directory(services.page, name)

    return routes
