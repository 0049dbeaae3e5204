"""A copy of a database in memory: everything works on it as on the file, and nothing of it is ever stored."""

import sqlite3
from contextlib import AbstractContextManager
from pathlib import Path
from types import TracebackType

from backend.store.database import RAISED_BY_SQLITE, Database, coded, raise_coded
from backend.store.functions import add_functions

_FILE_FORMATS, _WITHOUT_LOG = slice(18, 20), b"\x01\x01"


class _Read(AbstractContextManager[sqlite3.Connection]):
    """Reads on the one connection. No generator: a dry run reads tens of thousands of times."""

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        self._connection = connection
        self._path = path

    def __enter__(self) -> sqlite3.Connection:
        return self._connection

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, RAISED_BY_SQLITE):
            raise_coded(self._path, error)


class ScratchDatabase(Database):
    """For one thread. It has one connection, so a read within a write sees what the write did so far."""

    def __init__(self, source: Database) -> None:
        """Raises `database_*`; the source is only read."""
        self._begin(source.path)
        self._writer = sqlite3.connect(":memory:", isolation_level=None, cached_statements=512)
        try:
            with source.read() as connection, coded(source.path):
                connection.backup(self._writer)
            add_functions(self._writer)
            self._writer.execute("PRAGMA foreign_keys=ON")
            self._writer.execute("PRAGMA synchronous=OFF")
            self._read = _Read(self._writer, source.path)
        except BaseException:
            self._writer.close()
            raise
        if source.conditions is not None:
            self.conditions = source.conditions.of_copy(self._image)

    def is_in_place(self) -> bool:
        """It has no place."""
        return True

    def damage(self) -> str:
        """What it is a copy of was read whole to make it."""
        return "ok"

    def read(self) -> "_Read":  # type: ignore[override]  # as a context manager the same
        """What is so now."""
        return self._read

    def checkpoint(self) -> None:
        """Nothing to copy to."""

    def close(self) -> None:
        """Forget it all."""
        if self.conditions is not None:
            self.conditions.close()
        self._writer.close()

    def _image(self) -> bytes:
        """All of it, for another process, which opens no copy that names a log beside it (two bytes of the header)."""
        image = bytearray(self._writer.serialize())
        image[_FILE_FORMATS] = _WITHOUT_LOG
        return bytes(image)
