"""Where the link of a sign-in mail leads: opened in a browser on this machine, it signs in here.

Every Supabase project lets a link lead to a loopback address with any port, listed or not (RFC 8252, 7.3). What comes with
it is a code that is worth nothing without the proof this launch made when it asked (PKCE); the address itself has a mark that
stands in that mail alone, so that nobody else on the machine makes us ask the project.
"""

import html

from flask import Blueprint, Response, request

from backend.api.server.auth import MAILED_LINK
from backend.api.server.services import Services
from backend.domain.values.error_table import ERRORS
from backend.domain.values.errors import OutriderError


def link_address(services: Services) -> str:
    """What the mark follows."""
    return f"http://{services.authority()}{MAILED_LINK.rstrip('/')}"


def blueprint(services: Services) -> Blueprint:
    """The page that the browser shows then; it holds no script and loads nothing."""
    routes = Blueprint("mailed_link", __name__)

    @routes.get(f"{MAILED_LINK}<mark>")
    def follow(mark: str) -> Response:
        try:
            services.sync.follow_link(mark, request.url)
        except OutriderError as error:
            return _page(error.sentence, error.remedy, ERRORS[error.code].status)
        return _page("You are signed in.", "Close this page and go back to Outrider.", 200)

    return routes


def _page(sentence: str, remedy: str, status: int) -> Response:
    text = (
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>Outrider</title>'
        f"<h1>{html.escape(sentence)}</h1><p>{html.escape(remedy)}</p></html>"
    )
    return Response(text, status, mimetype="text/html")
