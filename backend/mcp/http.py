"""The MCP server over HTTP: one request in, one answer out; who may ask was checked before (`backend.api.server.auth`)."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import anyio
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

from backend.mcp.server import build_server
from backend.mcp.stdio import answer_to_unreadable, decoded, is_message
from backend.mcp.tools import McpContext

PATH = "/mcp"
LONGEST_SECONDS = 60.0

HttpAnswer = tuple[int, dict[str, str], bytes]
"""Status, headers, body."""


def answer(context: McpContext, method: str, headers: Mapping[str, str], body: bytes) -> HttpAnswer:
    """Streamable HTTP without sessions: each request stands by itself, so nothing is left of a host that went away."""
    if method != "POST":
        return 405, {"Allow": "POST"}, b""
    text = decoded(body)
    if not is_message(text) and (refusal := answer_to_unreadable(text)):
        return 400, {"Content-Type": "application/json"}, refusal.encode()
    return anyio.run(_answer, replace(context, transport="http"), headers, body)


async def _answer(context: McpContext, headers: Mapping[str, str], body: bytes) -> HttpAnswer:
    manager = StreamableHTTPSessionManager(build_server(context), json_response=True, stateless=True)
    status, response_headers, response_body = 504, dict[str, str](), bytearray()
    pending_bodies = [body]

    async def receive() -> dict[str, Any]:
        if pending_bodies:
            return {"type": "http.request", "body": pending_bodies.pop(), "more_body": False}
        await anyio.sleep_forever()
        raise AssertionError

    async def send(message: Mapping[str, Any]) -> None:
        nonlocal status
        if message["type"] == "http.response.start":
            status = message["status"]
            response_headers.update(
                {name.decode("latin-1"): value.decode("latin-1") for name, value in message["headers"]}
            )
        else:
            response_body.extend(message.get("body", b""))

    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "POST",
        "scheme": "http",
        "path": PATH,
        "raw_path": PATH.encode(),
        "root_path": "",
        "query_string": b"",
        # Blanks around a value are no part of it (RFC 9110, 5.5).
        "headers": [
            (name.lower().encode("latin-1"), value.strip(" \t").encode("latin-1")) for name, value in headers.items()
        ],
    }
    with anyio.move_on_after(LONGEST_SECONDS):
        async with manager.run():
            await manager.handle_request(scope, receive, send)
    response_headers.pop("content-length", None)
    return status, response_headers, bytes(response_body)
