"""The configuration of programs on this machine that can be connected by MCP."""

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class HostConfig:
    """A program's file: what is added, the whole, whether our last change can be undone; with a `problem` it cannot be written."""

    id: str
    title: str
    path: str
    exists: bool
    connected: bool
    can_undo: bool
    snippet: str
    after: str
    problem: str


class McpHosts(Protocol):
    """Reads and changes them."""

    def listed(self) -> list[HostConfig]:
        """Every program that is known."""
        ...

    def write(self, host_id: str, shown: str) -> None:
        """Have the file be exactly what was shown; raises `host_…`."""
        ...

    def undo(self, host_id: str) -> None:
        """Put back what was there before; raises `host_config_edited`."""
        ...
