"""The shared store: looking at a project, signing in and out, and which device acts. A password comes in and never goes out."""

from flask import Blueprint, Response

from backend.api.exchange import body, reply
from backend.api.services import Services
from backend.api.wire.base import Nothing
from backend.api.wire.sync import AskCode, EnterCode, ProjectAddress, SignIn


def blueprint(services: Services) -> Blueprint:
    """`/api/sync` and `/api/sync/{check,sign-in,code,enter-code,sign-out,detach,take-over,now}`."""
    routes = Blueprint("sync", __name__, url_prefix="/api/sync")
    sync = services.sync

    @routes.get("")
    def project() -> Response:
        return reply(sync.view())

    @routes.post("/check")
    def check() -> Response:
        address = body(ProjectAddress)
        return reply(sync.check(address.url, address.public_key))

    @routes.post("/sign-in")
    def sign_in() -> Response:
        return reply(sync.sign_in(body(SignIn)))

    @routes.post("/code")
    def code() -> Response:
        return reply(sync.ask_code(body(AskCode)))

    @routes.post("/enter-code")
    def enter_code() -> Response:
        return reply(sync.enter_code(body(EnterCode)))

    @routes.post("/sign-out")
    def sign_out() -> Response:
        body(Nothing)
        sync.sign_out()
        return reply(sync.view())

    @routes.post("/detach")
    def detach() -> Response:
        body(Nothing)
        sync.detach()
        return reply(sync.view())

    @routes.post("/take-over")
    def take_over() -> Response:
        body(Nothing)
        sync.take_over()
        services.session.start_again()
        return reply(sync.state())

    @routes.post("/now")
    def now() -> Response:
        body(Nothing)
        sync.now()
        return reply(sync.state())

    return routes
