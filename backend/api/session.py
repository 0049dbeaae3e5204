"""This launch: pairing, presence, what runs."""

from flask import Blueprint, Response

from backend.api.exchange import body, reply
from backend.api.services import Services
from backend.api.wire.session import Heartbeat, Knocked, KnockRequest, Paired, PairRequest, SessionView


def blueprint(services: Services) -> Blueprint:
    """`/api/session`, `/api/pair`, `/api/presence`."""
    routes = Blueprint("session", __name__, url_prefix="/api")

    @routes.get("/session")
    def session() -> Response:
        now = services.session
        return reply(
            SessionView(
                version=services.version,
                presence_minutes=now.presence_minutes,
                hidden_browser=now.hidden_browser,
                run=now.run_state(),
            )
        )

    @routes.post("/pair")
    def pair() -> Response:
        services.pairing.redeem(body(PairRequest).code)
        return reply(Paired(token=services.token.value))

    @routes.post("/knock")
    def knock() -> Response:
        return reply(Knocked(window=services.knock.heard(body(KnockRequest).secret)))

    @routes.post("/presence")
    def presence() -> Response:
        services.session.heartbeat(body(Heartbeat).idle_ms)
        return Response(status=204)

    return routes
