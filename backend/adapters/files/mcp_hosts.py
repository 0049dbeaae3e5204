"""The configuration files of programs that can be connected: read, written with a copy beside them, and put back."""

import errno
import os
import stat
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from backend.domain.device.mcp_host import (
    HOSTS,
    McpHost,
    host,
    is_connected,
    merged,
    refuse_changing_place,
    snippet,
    unmerged,
)
from backend.domain.values.errors import OutriderError
from backend.machine.durable_files import replace_file
from backend.ports.mcp_hosts import HostConfig

COPY = ".before-outrider"
MOST_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class McpHostFiles:
    """The files below one home folder; `command` starts the server."""

    command: Sequence[str]
    home: Path
    platform: str = sys.platform
    roaming: str = ""
    """Windows's APPDATA, which a company may have put elsewhere."""

    def listed(self) -> list[HostConfig]:
        """Every program that is known."""
        return [self._config(mcp_host) for mcp_host in HOSTS]

    def write(self, host_id: str, shown: str) -> None:
        """Have the file be exactly what was shown; what was there is kept beside it.

        Raises `host_unknown`, `host_config_changed`, `host_config_unreadable`, `host_config_unwritable`, `program_moves`.
        """
        mcp_host = host(host_id)
        path, before = self._path(mcp_host), self._read(mcp_host)
        after = self._after(mcp_host, before)
        if after != shown:
            raise OutriderError("host_config_changed", host=mcp_host.title)
        if after == before:
            return
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            _replace(path, after, copied=before or "")
        except OSError as error:
            raise OutriderError("host_config_unwritable", path=path, detail=error.strerror or error) from error

    def undo(self, host_id: str) -> None:
        """Put back what was there before, but for what the program wrote since; raises `host_config_edited`."""
        mcp_host = host(host_id)
        path, after = self._path(mcp_host), self._undone(mcp_host)
        if after is None:
            raise OutriderError("host_config_edited", host=mcp_host.title)
        try:
            if after:
                _replace(path, after)
            else:
                path.unlink()
            _copy(path).unlink()
        except OSError as error:
            raise OutriderError("host_config_unwritable", path=path, detail=error.strerror or error) from error

    def _config(self, mcp_host: McpHost) -> HostConfig:
        text, after, problem = None, "", ""
        try:
            text = self._read(mcp_host)
            after = self._after(mcp_host, text)
        except OutriderError as error:
            problem = f"{error.sentence} {error.remedy}"
        connected = text is not None and is_connected(mcp_host, text, self.command)
        path = self._path(mcp_host)
        config_snippet = snippet(mcp_host, self.command)
        return HostConfig(
            mcp_host.id,
            mcp_host.title,
            str(path),
            os.path.exists(path),  # noqa: PTH110 - Path's raises where it may not look
            connected,
            self._undone(mcp_host) is not None,
            config_snippet,
            after,
            problem,
        )

    def _after(self, mcp_host: McpHost, before: str | None) -> str:
        refuse_changing_place(self.command[0])
        return merged(mcp_host, before or "", self.command)

    def _undone(self, mcp_host: McpHost) -> str | None:
        """The file's text without what we wrote; None if we wrote nothing, or it is no longer there."""
        try:
            before = _copy(self._path(mcp_host)).read_bytes().decode()
            return unmerged(mcp_host, self._read(mcp_host) or "", before, self.command)
        except (OSError, ValueError, OutriderError):
            return None

    def _read(self, mcp_host: McpHost) -> str | None:
        path = self._path(mcp_host)
        try:
            if path.stat().st_size > MOST_BYTES:
                raise OutriderError("host_config_unreadable", host=mcp_host.title)
            return path.read_bytes().decode()  # line ends as they are
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as error:
            raise OutriderError("host_config_unreadable", host=mcp_host.title) from error

    def _path(self, mcp_host: McpHost) -> Path:
        """The file itself, where the user has put a link to it."""
        places = mcp_host.places.get(self.platform, mcp_host.places["linux"])
        if self.roaming and places[:2] == ("AppData", "Roaming"):
            return Path(os.path.realpath(Path(self.roaming, *places[2:])))
        return Path(os.path.realpath(self.home.joinpath(*places)))


def _replace(path: Path, text: str, copied: str | None = None) -> None:
    """With the rights that it had; a file that its owner may not write is neither written nor copied. Raises OSError."""
    mode = path.stat().st_mode if path.exists() else None
    if mode is not None and not mode & stat.S_IWUSR:
        raise PermissionError(errno.EACCES, "it is read-only")
    if copied is not None:
        replace_file(_copy(path), copied.encode())
    replace_file(path, text.encode())
    if mode is not None:
        path.chmod(stat.S_IMODE(mode))


def _copy(path: Path) -> Path:
    return path.with_name(path.name + COPY)
