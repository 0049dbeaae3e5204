"""The Flask application: guards, the endpoints of every noun, the feed, and the page."""

import importlib
import pkgutil
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from flask import Flask, Response, request, send_from_directory
from werkzeug.routing import Rule

from backend import api
from backend.api import mailed_link
from backend.api.preferences import preferences
from backend.api.server import auth, error_responses, socket, uploads
from backend.api.server.endpoint import Routes
from backend.api.server.page_files import index_html
from backend.api.server.services import Services
from backend.domain.values.errors import OutriderError
from backend.domain.values.shapes import is_entity_id
from backend.store.queries.reports import campaign_overview

_WRITE_TYPES = frozenset({"generate", "openapi", "typescript"})
"""Modules that a running app needs nothing of, and this one's users."""


def _nouns() -> Iterator[Routes]:
    for name in sorted(module.name for module in pkgutil.iter_modules(api.__path__)):
        if name not in _WRITE_TYPES and name != "app":
            module = importlib.import_module(f"{api.__name__}.{name}")
            yield from (value for value in vars(module).values() if isinstance(value, Routes))
    yield uploads.routes


NOUNS: Sequence[Routes] = list(_nouns())
"""All that the page may ask: the routes of every file here."""


class MatchedRule(Rule):
    """A rule that addresses are matched with and never built from.

    Werkzeug compiles two functions a rule that build its address, a fifth of a second for all of them, before anything is answered.
    """

    def _compile_builder(self, append_unknown: bool = True) -> Callable[..., tuple[str, str]]:
        return _not_built


def _not_built(rule: Rule, **values: object) -> tuple[str, str]:
    raise NotImplementedError(f"{rule.rule}: addresses are written by hand here")


def create_app(services: Services, nouns: Sequence[Routes] = NOUNS) -> Flask:
    """The whole loopback API and the page it serves."""
    app = Flask("backend.api", static_folder=None)
    app.url_rule_class = MatchedRule
    _guard(app, services)
    app.before_request(_refuse_strange_ids)
    app.before_request(partial(_refuse_another_folder, services))
    app.before_request(partial(_refuse_unknown_campaigns, services))
    error_responses.register_error_handlers(app)
    for noun in nouns:
        for endpoint in noun.endpoints:
            endpoint.register(app, services)
    app.add_url_rule(
        auth.MCP, view_func=partial(_answer_program, services), endpoint="mcp", methods=["GET", "POST", "DELETE"]
    )
    app.register_blueprint(mailed_link.blueprint(services))
    _serve_page(app, services)
    socket.register(app, services)
    return app


def _answer_program(services: Services) -> Response:
    """Hand the request of a program that speaks MCP on; Host, Origin and its own key were checked."""
    asked = request.get_data()  # which may have taken a minute
    program = services.program_keys.program(request.headers.get(auth.TOKEN_HEADER, ""))
    if program is None:  # revoked since it was checked
        raise OutriderError("token_refused")
    status, headers, body = services.answer_mcp(program, request.method, dict(request.headers), asked)
    return Response(body, status, headers)


def _serve_page(app: Flask, services: Services) -> None:
    """The built page and its files; they hold nothing secret, so they need no token."""

    @app.get("/")
    def index() -> Response:
        return Response(index_html(services.page, services.database.query(preferences)), mimetype="text/html")

    @app.get("/<path:name>")
    def file(name: str) -> Response:
        return send_from_directory(services.page, name)


def _guard(app: Flask, services: Services) -> None:
    """Check each request before anything else, and harden each answer."""
    app.config["MAX_CONTENT_LENGTH"] = auth.MAX_REQUEST_BYTES

    @app.before_request
    def refuse_strangers() -> None:
        authority = services.authority()
        auth.check(request.method, request.path, request.headers, authority, services.token, services.program_keys)

    @app.after_request
    def harden(response: Response) -> Response:
        response.headers.update(auth.security_headers(services.authority()))
        return response


def _refuse_strange_ids() -> None:
    """After the guards: nothing is looked up by an id that cannot be one of ours."""
    for name, value in (request.view_args or {}).items():
        if name.endswith("_id") and not is_entity_id(value):
            raise OutriderError("page_unknown")


STILL_ANSWERED = auth.WITHOUT_TOKEN | {
    auth.MCP,
    "/api/presence",
    "/api/presence/return",
    "/api/pause",
    "/api/agents/cancel",
}
"""What is no command, or ends something, and writes no file of its own."""


def _refuse_another_folder(services: Services) -> None:
    """Before any command: some write, remove or replace files of the data folder without asking the database first."""
    acts = request.method not in ("GET", "HEAD") or request.path.startswith(auth.MAILED_LINK)
    if acts and request.path not in STILL_ANSWERED:
        services.database.refuse_another_file()


def _refuse_unknown_campaigns(services: Services) -> None:
    """Before any route: none of them answers an empty list, or acknowledges anything, for a campaign that there is not."""
    campaign_id = (request.view_args or {}).get("campaign_id")
    if campaign_id is not None:
        with services.database.read() as connection:
            if not campaign_overview.exists(connection, campaign_id):
                raise OutriderError("campaign_unknown", campaign=campaign_id)
