"""The Flask application: guards, the endpoints of every noun, the feed, and the page."""

from collections.abc import Callable, Sequence
from functools import partial

from flask import Flask, Response, request
from werkzeug.routing import Rule

from backend.api import (
    agents,
    artifacts,
    assistant,
    backup,
    campaign_settings,
    campaigns,
    conflicts,
    connect,
    consents,
    diagnostics,
    do_not_contact,
    drafts,
    dry_runs,
    egress,
    evidence,
    find,
    imports,
    inbox,
    insights,
    keys,
    lead_details,
    lead_files,
    leads,
    mailed_link,
    models,
    new_campaign,
    past,
    people,
    preferences,
    proof,
    questions,
    rankings,
    reconciliation,
    record_loss,
    report,
    runs,
    runtime,
    same_person,
    scoring,
    scripts,
    send_session,
    sequence,
    session,
    settings,
    skills,
    soul,
    sync,
    tasks,
    threads,
    timeline,
    today,
    turns,
)
from backend.api.server import auth, connected_program, error_responses, page, socket, uploads
from backend.api.server.endpoint import Routes
from backend.api.server.services import Services
from backend.domain.values.errors import OutriderError
from backend.domain.values.identifiers import is_entity_id
from backend.store.queries.reports import campaign_overview

NOUNS: Sequence[Routes] = [
    session.routes,
    campaigns.routes,
    campaign_settings.routes,
    new_campaign.routes,
    questions.routes,
    runs.routes,
    runtime.routes,
    same_person.routes,
    turns.routes,
    tasks.routes,
    leads.routes,
    find.routes,
    lead_details.routes,
    imports.routes,
    inbox.routes,
    lead_files.routes,
    scoring.routes,
    rankings.routes,
    drafts.routes,
    send_session.queue,
    send_session.routes,
    sequence.routes,
    threads.routes,
    evidence.routes,
    artifacts.routes,
    assistant.routes,
    timeline.routes,
    past.routes,
    people.routes,
    proof.routes,
    insights.routes,
    report.routes,
    scripts.routes,
    uploads.routes,
    settings.routes,
    preferences.routes,
    do_not_contact.routes,
    consents.routes,
    models.routes,
    keys.routes,
    soul.routes,
    skills.routes,
    egress.routes,
    sync.routes,
    conflicts.routes,
    diagnostics.routes,
    record_loss.routes,
    backup.routes,
    reconciliation.routes,
    today.routes,
    agents.routes,
    connect.routes,
    dry_runs.routes,
]
"""All that the page may ask."""


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
    app.before_request(partial(_refuse_unknown_campaigns, services))
    error_responses.register_error_handlers(app)
    for noun in nouns:
        for endpoint in noun.endpoints:
            endpoint.register(app, services)
    app.register_blueprint(connected_program.blueprint(services))
    app.register_blueprint(mailed_link.blueprint(services))
    app.register_blueprint(page.blueprint(services))
    socket.register(app, services)
    return app


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


def _refuse_unknown_campaigns(services: Services) -> None:
    """Before any route: none of them answers an empty list, or acknowledges anything, for a campaign that there is not."""
    campaign_id = (request.view_args or {}).get("campaign_id")
    if campaign_id is not None:
        with services.database.read() as connection:
            if not campaign_overview.exists(connection, campaign_id):
                raise OutriderError("campaign_unknown", campaign=campaign_id)
