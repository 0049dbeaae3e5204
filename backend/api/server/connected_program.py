"""Where a program of this machine speaks MCP over HTTP; `backend.api.server.auth` has checked Host, Origin and its own key."""

from flask import Blueprint, Response, request

from backend.api.server.auth import MCP, TOKEN_HEADER
from backend.api.server.services import Services
from backend.domain.values.errors import OutriderError


def blueprint(services: Services) -> Blueprint:
    """One address, which hands the request on to the MCP server."""
    mcp_blueprint = Blueprint("mcp", __name__)

    @mcp_blueprint.route(MCP, methods=["GET", "POST", "DELETE"])
    def speak() -> Response:
        asked = request.get_data()  # which may have taken a minute
        program = services.program_keys.program(request.headers.get(TOKEN_HEADER, ""))
        if program is None:  # revoked since it was checked
            raise OutriderError("token_refused")
        status, headers, body = services.answer_mcp(program, request.method, dict(request.headers), asked)
        return Response(body, status, headers)

    return mcp_blueprint
