"""Finds files in a folder and in those within it, whatever the folder is like; links are not followed, nothing is opened."""

import os
import stat
import time
from collections.abc import Callable
from pathlib import Path

from backend.domain.device.agent_tools import MOST_FILES, FileSearch, ToolAnswer
from backend.domain.values.errors import OutriderError

_DAY = 86_400.0
_CLOCK_AHEAD = 300.0
"""The clock of a shared disk may be ahead of ours."""
_ASKED_EVERY = 500


class FileSearcher:
    """The FileSearchTool (spec 003 §5). `seconds` and `most` limit a search."""

    def __init__(self, *, seconds: float = 300.0, most: int = MOST_FILES) -> None:
        self._seconds = seconds
        self._most = most

    def search(self, params: FileSearch, cancelled: Callable[[], bool]) -> ToolAnswer:
        """Whole paths in the order of their names; what cannot be looked at is left out and counted.

        Raises `agent_folder_missing`, `agent_folder_unreadable`, `agent_search_time`, `agent_search_size` and `agent_cancelled`.
        """
        root = str(Path.cwd() / params.directory)  # links on the way to it are the user's own
        now, deadline = time.time(), time.monotonic() + self._seconds
        window = (now - params.modified_within_days * _DAY, now + _CLOCK_AHEAD)
        paths: list[str] = []
        folders, unreadable, looked_at = [root], 0, 0
        while folders:
            folder = folders.pop()
            try:
                with os.scandir(folder) as entries:
                    for entry in entries:
                        looked_at += 1
                        if looked_at % _ASKED_EVERY == 0:
                            self._go_on(params, deadline, cancelled)
                        try:
                            if entry.is_dir(follow_symlinks=False):
                                folders.append(entry.path)
                            elif _fits(entry, params.extension, window):
                                paths.append(entry.path)
                        except OSError:  # it vanished, or may not be looked at
                            unreadable += 1
                        if len(paths) > self._most:
                            raise OutriderError("agent_search_size", directory=root, limit=self._most)
            except OSError as error:
                if folder == root:
                    raise _refusal(root, error) from error
                unreadable += 1
            self._go_on(params, deadline, cancelled)
        if not os.path.isdir(root):  # noqa: PTH112 - Path's raises where rights were taken away meanwhile
            raise OutriderError("agent_folder_missing", directory=root)
        skipped = f"; {unreadable:,} could not be looked at" if unreadable else ""
        return ToolAnswer(tuple(sorted(paths)), f"{len(paths):,} files of {looked_at:,} entries{skipped}")

    def _go_on(self, params: FileSearch, deadline: float, cancelled: Callable[[], bool]) -> None:
        if cancelled():
            raise OutriderError("agent_cancelled", agent="FileSearchTool")
        if time.monotonic() > deadline:
            raise OutriderError("agent_search_time", directory=params.directory, limit=f"{self._seconds:g}")


def _fits(entry: "os.DirEntry[str]", extension: str, window: tuple[float, float]) -> bool:
    if not entry.name.lower().endswith(extension):
        return False
    file_status = entry.stat(follow_symlinks=False)
    return stat.S_ISREG(file_status.st_mode) and window[0] <= file_status.st_mtime <= window[1]


def _refusal(root: str, error: OSError) -> OutriderError:
    if isinstance(error, FileNotFoundError):
        return OutriderError("agent_folder_missing", directory=root)
    return OutriderError("agent_folder_unreadable", directory=root, detail=error.strerror or str(error))
