"""A copy of a database in memory: everything works on it as on the file, and nothing of it is ever stored."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from backend.store.database import Database, coded


class ScratchDatabase(Database):
    """For one thread. It has one connection, so a read within a write sees what the write did so far."""

    def __init__(self, source: Database) -> None:
        """Raises `database_*`; the source is only read."""
        self._begin(source.path)
        self._writer = sqlite3.connect(":memory:", isolation_level=None, cached_statements=512)
        try:
            with source.read() as connection, coded(source.path):
                connection.backup(self._writer)
            self._writer.execute("PRAGMA foreign_keys=ON")
            self._writer.execute("PRAGMA synchronous=OFF")
        except BaseException:
            self._writer.close()
            raise

    def is_in_place(self) -> bool:
        """It has no place."""
        return True

    def damage(self) -> str:
        """What it is a copy of was read whole to make it."""
        return "ok"

    @contextmanager
    def read(self) -> Iterator[sqlite3.Connection]:
        """What is so now."""
        with coded(self.path):
            yield self._writer

    def checkpoint(self) -> None:
        """Nothing to copy to."""

    def close(self) -> None:
        """Forget it all."""
        self._writer.close()
