"""Files that the user chose, behind tickets: a page names no path, so no page can reach a file that was not chosen.

A ticket is random and of this launch only. Uploads lie in a private folder below the data folder, which is emptied when a
launch begins and when it ends; files that were chosen in the window's dialog stay where they are.
"""

import errno
import os
import re
import secrets
import shutil
import threading
from collections.abc import Iterable
from pathlib import Path, PurePosixPath
from typing import IO, NamedTuple

from backend.api.shapes import Offered
from backend.domain.device.device_files import is_device
from backend.domain.values.errors import OutriderError
from backend.domain.values.hidden_characters import as_it_looks

LONGEST_NAME = 60
"""Characters, each up to four bytes: file systems take 255."""
LONGEST_ENDING = 8
_UNSAFE = re.compile(r'[\x00-\x1f\x7f<>:"/\\|?*\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff]')


class TicketedFile(NamedTuple):
    """A file to read, and what its owner calls it."""

    path: Path
    name: str


def safe_name(name: str, otherwise: str = "file") -> str:
    """The last part of a name, fit for every file system and for display; its ending survives shortening."""
    last = as_it_looks(_UNSAFE.sub("_", re.split(r"[/\\]", name)[-1])).strip(" .")
    ending = PurePosixPath(last).suffix[:LONGEST_ENDING]
    last = last[: LONGEST_NAME - len(ending)].removesuffix(ending) + ending
    return f"_{last}" if is_device(last) else last or otherwise


class FileTickets:
    """Hands out tickets and takes them back; safe to use from any thread."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = threading.Lock()
        self._sources: dict[str, TicketedFile] = {}
        self._destinations: dict[str, Path] = {}
        self.close()

    def ticket_for_reading(self, path: Path, name: str) -> Offered:
        """A ticket for a file, or a folder, that may be read. Raises OSError when there is none."""
        size = path.stat().st_size
        ticket = secrets.token_urlsafe(24)
        with self._lock:
            self._sources[ticket] = TicketedFile(path, name)
        return Offered(ticket=ticket, name=name, size=size)

    def ticket_for_writing(self, path: Path) -> str:
        """A ticket for a file that may be written, once."""
        ticket = secrets.token_urlsafe(24)
        with self._lock:
            self._destinations[ticket] = path
        return ticket

    def source(self, ticket: str) -> TicketedFile:
        """The file behind a ticket, as often as it is asked for. Raises `file_ticket_unknown`."""
        with self._lock:
            ticketed_file = self._sources.get(ticket)
        if ticketed_file is None:
            raise OutriderError("file_ticket_unknown")
        return ticketed_file

    def destination(self, ticket: str) -> Path:
        """The path behind a ticket, which is spent by asking. Raises `file_ticket_unknown`."""
        with self._lock:
            path = self._destinations.pop(ticket, None)
        if path is None:
            raise OutriderError("file_ticket_unknown")
        return path

    def store_upload(self, chunks: Iterable[bytes], name: str) -> Offered:
        """Store an upload; nothing of it stays if `chunks` raises."""
        folder = self.upload_folder() / secrets.token_hex(8)
        folder.mkdir(mode=0o700)
        path = folder / safe_name(name)
        try:
            with path.open("xb") as out:
                write_all(out, chunks)
            return self.ticket_for_reading(path, path.name)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise

    def upload_folder(self) -> Path:
        """The private folder, made when it is needed."""
        self._folder.mkdir(mode=0o700, exist_ok=True)
        return self._folder

    def close(self) -> None:
        """Forget every ticket and remove what was uploaded."""
        with self._lock:
            self._sources.clear()
            self._destinations.clear()
        shutil.rmtree(self._folder, ignore_errors=True)


def write_all(out: IO[bytes], chunks: Iterable[bytes]) -> int:
    """Write one after another, and hand all of it to the disk; how many bytes. Raises OSError, for a short write, too."""
    size = 0
    for chunk in chunks:
        if out.write(chunk) != len(chunk):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        size += len(chunk)
    out.flush()
    return size
