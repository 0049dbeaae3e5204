"""The Flask application: guards, then one blueprint a noun."""

from flask import Flask

from backend.api import (
    artifacts,
    assistant,
    auth,
    campaigns,
    diagnostics,
    evidence,
    failures,
    files,
    imports,
    inbox,
    insights,
    keys,
    lead_files,
    leads,
    models,
    new_campaign,
    outgoing,
    page,
    preferences,
    review,
    runs,
    scoring,
    session,
    set_aside,
    settings,
    skills,
    socket,
    soul,
    sync,
    tasks,
    timeline,
    turns,
)
from backend.api.services import Services


def create_app(services: Services) -> Flask:
    """The whole loopback API and the page it serves."""
    app = Flask("backend.api", static_folder=None)
    auth.guard(app, services.token, services.authority)
    failures.register(app)
    for noun in (
        session, campaigns, new_campaign, runs, turns, tasks, leads, scoring, lead_files, imports, review, inbox, evidence,
        artifacts, assistant, files, timeline, insights, settings, models, keys, soul, skills, preferences, outgoing,
        set_aside, sync, diagnostics, page,
    ):  # fmt: skip
        app.register_blueprint(noun.blueprint(services))
    socket.register(app, services)
    return app
