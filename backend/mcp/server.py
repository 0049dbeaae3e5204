"""The MCP server: the official SDK around our tables of tools and resources, over this process's own input and output."""

import json
from collections.abc import Mapping
from importlib.metadata import version
from typing import Any, cast

import anyio
import mcp_types as types
from mcp.server import Server
from mcp.server.context import ServerRequestContext
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError

from backend.domain.values.errors import OutriderError
from backend.mcp import resources, tools
from backend.mcp.stdio import Wire, own_wire
from backend.mcp.tools import McpContext
from backend.store.queries.turn.mcp_clients import LONGEST_NAME

INSTRUCTIONS = (
    "Outrider runs outreach campaigns. You can look things up and propose; every proposal waits for the user, who decides in"
    " Outrider's window. No tool approves or sends anything, and no answer given here counts as the user's."
)
_Request = ServerRequestContext[object]


def build_server(context: McpContext) -> "Server[object]":
    """The server with all it offers. Nothing is ever asked of the host: its "accept" would be no person's word."""

    async def list_tools(request: _Request, _: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        _note(context, request)
        return types.ListToolsResult(tools=[_tool(tool) for tool in tools.TOOLS.values()])

    async def call_tool(request: _Request, params: types.CallToolRequestParams) -> types.CallToolResult:
        try:
            _note(context, request)
            answer = tools.call(context, params.name, params.arguments or {})
        except OutriderError as error:
            if error.code == "mcp_tool_unknown":  # the protocol has an error of its own for it
                raise MCPError(types.INVALID_PARAMS, f"{error.sentence} [{error.code}]") from error
            error_body = {"code": error.code, "sentence": error.sentence, "remedy": error.remedy}
            return types.CallToolResult(
                content=[_text(error_body)], structured_content={"error": error_body}, is_error=True
            )
        return types.CallToolResult(content=[_text(answer)], structured_content=answer)

    async def list_resources(_: _Request, __: types.PaginatedRequestParams | None) -> types.ListResourcesResult:
        entries = resources.listed(context)
        return types.ListResourcesResult(
            resources=[types.Resource(uri=entry.uri, name=entry.name, mime_type=entry.media_type) for entry in entries]
        )

    async def list_templates(_: _Request, __: types.PaginatedRequestParams | None) -> types.ListResourceTemplatesResult:
        templates = [
            types.ResourceTemplate(uri_template=resources.ARTIFACT, name="artifact"),
            types.ResourceTemplate(uri_template=resources.LOG, name="log", mime_type="application/json"),
        ]
        return types.ListResourceTemplatesResult(resource_templates=templates)

    async def read_resource(_: _Request, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        try:
            resource = resources.read(context, params.uri)
        except OutriderError as error:
            raise MCPError(types.INVALID_PARAMS, f"{error.sentence} [{error.code}]", {"uri": params.uri}) from error
        contents = types.TextResourceContents(uri=params.uri, text=resource.text, mime_type=resource.media_type)
        return types.ReadResourceResult(contents=[contents])

    return Server(
        "outrider",
        version=version("outrider"),
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_resources,
        on_list_resource_templates=list_templates,
        on_read_resource=read_resource,
    )


def _note(context: McpContext, request: _Request) -> None:
    """The name is the user's where they gave the program one, or else its own word, which counts for nothing but to be shown."""
    client_params = request.session.client_params
    name, version_of_client = "unnamed", ""
    if client_params is not None:
        name, version_of_client = client_params.client_info.name[:LONGEST_NAME], client_params.client_info.version
    context.on_client(context.program or name, version_of_client, context.transport)


def serve_stdio(context: McpContext) -> None:
    """Serve until the host closes its end."""
    server = build_server(context)

    async def run(wire: Wire) -> None:
        async with stdio_server(cast("Any", wire.requests), cast("Any", wire.answers)) as (read, write):
            await server.run(read, write, server.create_initialization_options())

    with own_wire() as wire:
        anyio.run(run, wire)


def _tool(tool: tools.McpTool) -> types.Tool:
    return types.Tool(
        name=tool.name,
        description=tool.description,
        input_schema=tool.arguments.model_json_schema(),
        annotations=types.ToolAnnotations(read_only_hint=tool.read_only, destructive_hint=False, open_world_hint=False),
    )


def _text(answer: Mapping[str, object]) -> types.TextContent:
    return types.TextContent(text=json.dumps(answer, ensure_ascii=True))
