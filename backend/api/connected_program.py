"""Where a program of this machine speaks MCP over HTTP; `backend.api.auth` has checked Host, Origin and its own token."""

from flask import Blueprint, Response, request

from backend.api.auth import MCP
from backend.api.services import Services


def blueprint(services: Services) -> Blueprint:
    """One address, which hands the request on to the MCP server."""
    found = Blueprint("mcp", __name__)

    @found.route(MCP, methods=["GET", "POST", "DELETE"])
    def speak() -> Response:
        status, headers, body = services.answer_mcp(request.method, dict(request.headers), request.get_data())
        return Response(body, status, headers)

    return found
