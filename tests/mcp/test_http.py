"""MCP over HTTP in the running app: the SDK's own client, two hosts at once, and everybody who may not ask."""

import json
import socket
from collections.abc import Awaitable, Callable
from contextlib import ExitStack
from typing import Any

import anyio
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client

from backend.api.server.auth import MAX_REQUEST_BYTES
from backend.api.server.program_keys import MOST
from backend.api.server.socket import MOST_SOCKETS
from backend.mcp.tools import TOOLS
from tests.api.app import App
from tests.api.conftest import app, built_page, campaign
from tests.api.runs import ask
from tests.mcp.apart import run_apart
from tests.mcp.http_key import NAME, key_of
from tests.mcp.test_stdio import NO_REQUESTS
from tests.patience import PATIENCE

__all__ = ["app", "built_page", "campaign"]

CALL = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "list_campaigns", "arguments": {}}}
ACCEPTS = {"Accept": "application/json, text/event-stream", "MCP_Protocol_Version": "2025-11-25"}


def asked(app: App, *talks: Callable[[Client], Awaitable[None]], mode: str = "auto") -> None:
    """Each talk by a host of its own, all at the same time."""

    async def host(talk: Callable[[Client], Awaitable[None]]) -> None:
        headers = {"X-Outrider-Token": key_of(app)}
        async with create_mcp_http_client(headers=headers) as http:
            transport = streamable_http_client(f"{app.origin}/mcp", http_client=http)
            async with Client(transport, mode=mode, read_timeout_seconds=60) as client:
                await talk(client)

    async def run() -> None:
        async with anyio.create_task_group() as group:
            for talk in talks:
                group.start_soon(host, talk)

    run_apart(run)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_the_sdks_own_client_has_the_same_tools_and_two_hosts_lose_nothing(app: App, campaign: str, mode: str) -> None:
    async def talk(client: Client) -> None:
        assert [tool.name for tool in (await client.list_tools()).tools] == list(TOOLS)
        listed = await client.call_tool("list_campaigns")
        assert [row["id"] for row in listed.structured_content["campaigns"]] == [campaign]
        for _ in range(3):
            summoned = await client.call_tool("summon_servitor", {"assignment": "Sum up"})
            assert summoned.structured_content["state"] == "Working"
        for arguments in ({"campaign": 5}, {"campaign": campaign, "words": "y" * 100_000}, {"words": ["x"]}):
            refused = await client.call_tool("search_artifacts", arguments)
            assert refused.structured_content["error"]["code"] == "mcp_arguments"

    asked(app, talk, talk, mode=mode)
    view = ask(app, "/api/connect")
    assert len(view["servitors"]) == 6
    assert {client["transport"] for client in view["clients"]} == {"http"}
    assert view["clients"][0]["name"]


def test_only_a_program_with_its_own_token_and_our_address_is_heard(app: App, campaign: str) -> None:
    own = key_of(app)
    good: dict[str, str | None] = {**ACCEPTS, "X_Outrider_Token": own, "Origin": None}
    heard = app.ask("/mcp", CALL, **good)
    assert (heard.status, campaign in heard.text) == (200, True), heard.text
    wrong: list[dict[str, str | None]] = [
        {"X_Outrider_Token": None},
        {"X_Outrider_Token": "x"},
        {"X_Outrider_Token": app.token},  # the page's token is no program's
        {"Host": "localhost:1"},
        {"Host": app.authority.replace("127.0.0.1", "localhost")},
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Sec_Fetch_Site": "cross-site"},
        {"Content_Type": "text/plain"},
    ]
    for changes in wrong:
        refused = app.ask("/mcp", CALL, **{**good, **changes})
        assert refused.status in (401, 403, 415), (changes, refused.text)
        assert campaign not in refused.text
    for path in ("/api/campaigns", "/api/connect"):
        assert app.ask(path, X_Outrider_Token=own).code == "token_refused"
    assert app.ask("/mcp", method="GET", **good).status == 405
    assert app.ask("/mcp", b"x" * 300_000, **good).status == 413
    for odd in (b"{ not JSON", b"[]", b'{"jsonrpc":"2.0","id":1,"method":"no/such"}'):
        assert app.ask("/mcp", odd, **good).status < 500


@pytest.mark.parametrize(
    ("line", "request_id", "code"), [row for row in NO_REQUESTS if len(row[0]) < MAX_REQUEST_BYTES]
)
def test_what_is_no_request_is_refused_as_on_the_other_wire_and_never_accepted(
    app: App, line: bytes, request_id: int | None, code: int
) -> None:
    answer = app.ask("/mcp", line, **{**ACCEPTS, "X_Outrider_Token": key_of(app), "Origin": None})
    assert (answer.status, answer.json["id"], answer.json["error"]["code"]) == (400, request_id, code)


def test_blanks_around_a_headers_value_are_no_part_of_it(app: App, campaign: str) -> None:
    named = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
    named["io.modelcontextprotocol/clientInfo"] = {"name": "host", "version": "1"}
    call = {**CALL, "params": {"name": "list_campaigns", "arguments": {}, "_meta": named}}
    own: dict[str, str | None] = {
        "Accept": ACCEPTS["Accept"],
        "MCP_Protocol_Version": "2026-07-28",
        "Mcp_Method": "tools/call",
        "X_Outrider_Token": key_of(app),
        "Origin": None,
    }
    for name, heard in (("list_campaigns", True), ("  list_campaigns \t", True), ("why", False)):
        answer = app.ask("/mcp", call, **own, Mcp_Name=name)
        assert (answer.status == 200, campaign in answer.text) == (heard, heard), answer.text


def test_a_host_that_leaves_in_mid_call_costs_nobody_anything(app: App, campaign: str) -> None:
    own, body = key_of(app), json.dumps(CALL)
    head = (
        f"POST /mcp HTTP/1.1\r\nHost: {app.authority}\r\nX-Outrider-Token: {own}\r\nContent-Type: application/json\r\n"
        f"Accept: application/json, text/event-stream\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    for sent in (head + body, head + body[:20], head):
        with socket.create_connection(("127.0.0.1", app.server.port)) as leaves:
            leaves.sendall(sent.encode())

    async def talk(client: Client) -> None:
        answer: Any = await client.call_tool("campaign_status", {"campaign": campaign})
        assert answer.structured_content["id"] == campaign

    asked(app, talk)


def test_programs_that_do_not_finish_their_requests_keep_the_page_from_nothing(app: App, campaign: str) -> None:
    limits, body = app.server.limits, json.dumps(CALL)
    head = (
        f"POST /mcp HTTP/1.1\r\nHost: {app.authority}\r\nX-Outrider-Token: {key_of(app)}\r\n"
        "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: "
    )
    many = limits.with_token + limits.programs + MOST_SOCKETS + 1
    with ExitStack() as connections:
        for _ in range(many):
            program = connections.enter_context(socket.create_connection(("127.0.0.1", app.server.port)))
            program.sendall(f"{head}{len(body) + 1}\r\n\r\n{body}".encode())
        assert campaign in app.ask("/api/campaigns").text
    assert campaign in app.ask("/mcp", CALL, **{**ACCEPTS, "X_Outrider_Token": key_of(app), "Origin": None}).text


def test_each_program_has_a_key_of_its_own_that_is_renewed_and_revoked_at_once(app: App, campaign: str) -> None:
    def heard(key: str) -> bool:
        answer = app.ask("/mcp", CALL, **{**ACCEPTS, "X_Outrider_Token": key, "Origin": None})
        assert (campaign in answer.text) is (answer.status == 200)
        return answer.status == 200

    def keys() -> dict[str, str]:
        return {program["name"]: program["key"] for program in ask(app, "/api/connect")["http"]["programs"]}

    assert keys() == {}, "nothing speaks here before the user made it a key"
    for name in ("Claude", "Cursor"):
        assert app.ask("/api/connect/programs/add", {"name": name}).status == 204
    first = keys()
    assert [heard(key) for key in first.values()] == [True, True]
    assert {client["name"] for client in ask(app, "/api/connect")["clients"]} == {"Claude", "Cursor"}

    assert app.ask("/api/connect/programs/renew", {"name": "Claude"}).status == 204
    renewed = keys()
    assert renewed["Cursor"] == first["Cursor"]
    assert [heard(first["Claude"]), heard(renewed["Claude"]), heard(first["Cursor"])] == [False, True, True]

    assert app.ask("/api/connect/programs/revoke", {"name": "Claude"}).status == 204
    assert [heard(renewed["Claude"]), heard(first["Cursor"])] == [False, True]
    assert keys() == {"Cursor": first["Cursor"]}


@pytest.mark.parametrize("decision", ["revoke", "renew"])
def test_a_request_under_way_counts_no_more_once_its_key_does_not(app: App, campaign: str, decision: str) -> None:
    """However long it takes to be sent: its words come after the user's."""
    key, arguments = key_of(app), {"name": "summon_servitor", "arguments": {"assignment": "Sum up"}}
    body = json.dumps({**CALL, "params": arguments})
    head = (
        f"POST /mcp HTTP/1.1\r\nHost: {app.authority}\r\nX-Outrider-Token: {key}\r\nContent-Type: application/json\r\n"
        f"Accept: application/json, text/event-stream\r\nContent-Length: {len(body)}\r\nExpect: 100-continue\r\n\r\n"
    )
    with socket.create_connection(("127.0.0.1", app.server.port), timeout=PATIENCE) as program:
        program.sendall(head.encode())
        assert b"100 Continue" in program.recv(1_000), "it is being served"
        program.sendall(body[:10].encode())
        assert app.ask(f"/api/connect/programs/{decision}", {"name": NAME}).status == 204
        program.sendall(body[10:].encode())
        assert b" 401 " in program.recv(1_000).splitlines()[0]
    assert ask(app, "/api/connect")["servitors"] == []


@pytest.mark.parametrize(
    ("address", "name", "code"),
    [
        ("add", "Cursor", "program_key_taken"),
        ("add", "  Cursor ", "program_key_taken"),
        ("add", "", "program_name_invalid"),
        ("add", "Cur\u200bsor", "program_name_invalid"),
        ("add", "x" * 61, "program_name_invalid"),
        ("renew", "Claude", "program_key_unknown"),
        ("revoke", "Claude", "program_key_unknown"),
    ],
)
def test_a_program_is_named_once_and_as_it_looks(app: App, address: str, name: str, code: str) -> None:
    assert app.ask("/api/connect/programs/add", {"name": "Cursor"}).status == 204
    assert app.ask(f"/api/connect/programs/{address}", {"name": name}).code == code


def test_there_are_not_more_keys_than_somebody_can_look_after(app: App) -> None:
    for number in range(MOST):
        app.launch.services.program_keys.add(f"Program {number}")
    assert app.ask("/api/connect/programs/add", {"name": "One more"}).code == "program_keys_too_many"
