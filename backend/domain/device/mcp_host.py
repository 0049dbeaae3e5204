"""Programs that can be connected by MCP, and what stands in their configuration so that they start `outrider mcp`."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from backend.domain.values.commented_json import Node, parse, with_member, without_member
from backend.domain.values.errors import OutriderError

NAME = "outrider"


class McpHost(NamedTuple):
    """A program: below `servers_key` of its file stand the servers that it starts; `typed` ones also name the transport."""

    id: str
    title: str
    servers_key: str
    typed: bool
    places: Mapping[str, Sequence[str]]
    """Its file by `sys.platform`, below the home folder (Windows: below APPDATA if it begins with it)."""


HOSTS: Sequence[McpHost] = (
    McpHost(
        "claude-desktop",
        "Claude Desktop",
        "mcpServers",
        False,
        {
            "linux": (".config", "Claude", "claude_desktop_config.json"),
            "darwin": ("Library", "Application Support", "Claude", "claude_desktop_config.json"),
            "win32": ("AppData", "Roaming", "Claude", "claude_desktop_config.json"),
        },
    ),
    McpHost(
        "vscode",
        "VS Code",
        "servers",
        True,
        {
            "linux": (".config", "Code", "User", "mcp.json"),
            "darwin": ("Library", "Application Support", "Code", "User", "mcp.json"),
            "win32": ("AppData", "Roaming", "Code", "User", "mcp.json"),
        },
    ),
    McpHost(
        "cursor", "Cursor", "mcpServers", False, dict.fromkeys(("linux", "darwin", "win32"), (".cursor", "mcp.json"))
    ),
)


def host(host_id: str) -> McpHost:
    """The program of that id; raises `host_unknown`."""
    for program in HOSTS:
        if program.id == host_id:
            return program
    raise OutriderError("host_unknown", host=host_id[:60])


def server_entry(of: McpHost, command: Sequence[str]) -> dict[str, Any]:
    """What a program needs to start this server, which learns from here what it is called."""
    entry = {"command": command[0], "args": [*command[1:], "--program", of.title]}
    return {"type": "stdio", **entry} if of.typed else entry


def snippet(of: McpHost, command: Sequence[str]) -> str:
    """The whole file, if nothing else stood in it."""
    return json.dumps({of.servers_key: {NAME: server_entry(of, command)}}, indent=2, ensure_ascii=False) + "\n"


def merged(of: McpHost, text: str, command: Sequence[str]) -> str:
    """The file's text with the server in it, and everything else as it was. Raises `host_config_unreadable`."""
    if not text.strip():
        return snippet(of, command)
    root, entry = _parsed(of, text), server_entry(of, command)
    servers = root.member(of.servers_key)
    if servers is None:
        return with_member(text, root, of.servers_key, {NAME: entry})
    if not isinstance(servers.value, dict):
        raise OutriderError("host_config_unreadable", host=of.title)
    return with_member(text, servers, NAME, entry)


def unmerged(of: McpHost, text: str, before: str, command: Sequence[str]) -> str | None:
    """The file's text as it was before, and what the program wrote in it since stays; None if our entry is no longer in it."""
    if text == merged(of, before, command):
        return before
    if not is_connected(of, text, command):
        return None
    servers = _parsed(of, text).member(of.servers_key)
    earlier = _parsed(of, before).member(of.servers_key) if before.strip() else None
    old = earlier.member(NAME) if earlier else None
    if servers is None:
        return None
    return with_member(text, servers, NAME, old.value) if old else without_member(text, servers, NAME)


def refuse_changing_place(program: str) -> None:
    """Raises `program_moves`: a downloaded app that was not moved is run from another place each time, or from its disk image."""
    if "/AppTranslocation/" in program or program.startswith("/Volumes/"):
        raise OutriderError("program_moves", program=program)


def is_connected(of: McpHost, text: str, command: Sequence[str]) -> bool:
    """Whether exactly this server stands in it."""
    try:
        servers = _parsed(of, text).value.get(of.servers_key)
    except OutriderError:
        return False
    return isinstance(servers, dict) and servers.get(NAME) == server_entry(of, command)


def _parsed(of: McpHost, text: str) -> Node:
    try:
        root = parse(text)
    except (ValueError, RecursionError) as error:
        raise OutriderError("host_config_unreadable", host=of.title) from error
    if not isinstance(root.value, dict):
        raise OutriderError("host_config_unreadable", host=of.title)
    return root
