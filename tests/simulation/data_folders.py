"""Data folders with a connection to each, kept from launch to launch and from world to world with all that it has prepared.

To read the schema and to prepare the same statements after each launch took a fifth of a world's time. Nothing else outlives a
launch: its pages in memory are dropped, and who gets a folder writes its file over, so that the connection reads what stands
there, and recovers the write-ahead log beside it, as a new one does.
"""

import atexit
import shutil
import sqlite3
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

MEMORY = Path("/dev/shm")


def temporary_folder(prefix: str) -> Path:
    """In memory, where the system has such a place."""
    return Path(tempfile.mkdtemp(prefix=prefix, dir=MEMORY if MEMORY.is_dir() else None))


class _Kept(NamedTuple):
    connection: sqlite3.Connection
    file: tuple[int, int]


class DataFolders:
    """All of one process. A folder is taken, its database opened, and both given back together."""

    def __init__(self) -> None:
        self._root: Path | None = None
        self._made = 0
        self._idle: list[Path] = []
        self._kept: dict[Path, _Kept] = {}

    def take(self) -> Path:
        """A folder with nothing in it but, maybe, a database that is to be written over."""
        while self._idle:
            if (folder := self._idle.pop()).is_dir():
                return folder
            self._kept.pop(folder).connection.close()  # somebody else tidied up
        if self._root is None or not self._root.is_dir():
            self._root = temporary_folder("outrider-folders-")
            atexit.register(shutil.rmtree, self._root, ignore_errors=True)
        self._made += 1
        folder = self._root / str(self._made)
        folder.mkdir()
        return folder

    def are_there(self) -> bool:
        """Whether nobody else took them away."""
        return self._root is None or self._root.is_dir()

    def connection(self, database: Path) -> sqlite3.Connection | None:
        """What is kept for this very file; None for one that was put in its place."""
        entry = self._kept.pop(database.parent, None)
        if entry is None or entry.file == _file_at(database):
            return entry.connection if entry else None
        entry.connection.close()
        return None

    def give_back(self, database: Path, connection: sqlite3.Connection) -> None:
        """Whoever had the folder is gone for good."""
        folder = database.parent
        try:
            _let_go(connection)
            for other in folder.iterdir():
                if other.is_dir():
                    shutil.rmtree(other)
                elif other != database:
                    other.unlink()
            self._kept[folder] = _Kept(connection, _file_at(database))
            self._idle.append(folder)
        except (sqlite3.Error, OSError):  # somebody still reads, say: then it is not used again
            self._kept.pop(folder, None)
            connection.close()
            shutil.rmtree(folder, ignore_errors=True)


def write_over(path: Path, content: bytes) -> None:
    """Put it into the file, whose pages in memory are used again: to give them back and get others takes longer."""
    with path.open("r+b" if path.exists() else "wb") as file:
        file.write(content)
        file.truncate()


def _let_go(connection: sqlite3.Connection) -> None:
    """Of the file, and of everything that was read from it but its schema."""
    with suppress(sqlite3.Error):
        connection.execute("ROLLBACK")
    connection.execute("PRAGMA journal_mode=DELETE").fetchall()
    connection.execute("PRAGMA locking_mode=NORMAL").fetchall()
    connection.execute("SELECT 1 FROM sqlite_schema LIMIT 1").fetchall()  # with the next read the lock goes
    connection.execute("PRAGMA shrink_memory")


def _file_at(path: Path) -> tuple[int, int]:
    status = path.stat()
    return status.st_dev, status.st_ino


FOLDERS = DataFolders()
