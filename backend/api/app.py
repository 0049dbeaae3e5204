"""The Flask application: guards, then one blueprint a noun."""

from flask import Flask

from backend.api import auth, campaigns, failures, files, imports, leads, page, review, runs, session, socket
from backend.api.services import Services


def create_app(services: Services) -> Flask:
    """The whole loopback API and the page it serves."""
    app = Flask("backend.api", static_folder=None)
    auth.guard(app, services.token, services.authority)
    failures.register(app)
    for noun in (session, campaigns, runs, review, leads, imports, files, page):
        app.register_blueprint(noun.blueprint(services))
    socket.register(app, services)
    return app
