"""The SQLite file: one writer, many readers, WAL, every commit on disk before it is acknowledged."""

import sqlite3
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from backend.domain.errors import OutriderError
from backend.store import migrations

MAX_IDLE_READERS = 8
WRITER_CACHE_KIB = 16_000
"""An import touches pages all over the leads' indexes; with SQLite's 2 MB each would be written out several times."""

CHECKPOINT_PAGES = 4_000
"""And with SQLite's 1,000, each batch of an import would be copied into the file by itself, the same pages every time."""

_CODES = {
    sqlite3.SQLITE_BUSY: "database_locked",
    sqlite3.SQLITE_LOCKED: "database_locked",
    sqlite3.SQLITE_READONLY: "database_read_only",
    sqlite3.SQLITE_CANTOPEN: "database_read_only",
    sqlite3.SQLITE_PERM: "database_read_only",
    sqlite3.SQLITE_FULL: "database_full",
    sqlite3.SQLITE_CORRUPT: "database_corrupt",
    sqlite3.SQLITE_NOTADB: "database_corrupt",
}


@contextmanager
def _coded(path: Path) -> Iterator[None]:
    """Give SQLite's errors our stable codes. A broken rule (constraint, trigger) stays what it is: a defect."""
    try:
        yield
    except sqlite3.IntegrityError:
        raise
    except UnicodeDecodeError as error:  # SQLite's own message about a damaged schema quotes the damage
        raise OutriderError("database_corrupt", path=path, detail=error) from error
    except sqlite3.DatabaseError as error:
        primary = (getattr(error, "sqlite_errorcode", 0) or 0) & 0xFF
        raise OutriderError(_CODES.get(primary, "database_failed"), path=path, detail=error) from error


class Database:
    """Opens the file, brings its schema up to date, and hands out connections. Errors: `database_*` codes."""

    def __init__(self, path: Path, *, busy_seconds: float = 5.0) -> None:
        self.path = path
        self._busy_seconds = busy_seconds
        self._lock = threading.RLock()
        self._closed = False
        self._current = threading.local()
        self._idle_readers: list[sqlite3.Connection] = []
        with _coded(path), suppress(FileExistsError, PermissionError, FileNotFoundError):
            path.touch(mode=0o600, exist_ok=False)  # people's data: for its owner only
        self._writer = self._connect()
        with _coded(path):
            try:
                self._writer.execute(f"PRAGMA cache_size=-{WRITER_CACHE_KIB}")
                self._writer.execute(f"PRAGMA wal_autocheckpoint={CHECKPOINT_PAGES}")
                migrations.look(self._writer, path)  # before anything is changed in a file that may not be ours
                self._use_wal()
                migrations.upgrade(self._writer, path)
            except BaseException:
                self._writer.close()
                raise

    def _connect(self, *, read_only: bool = False) -> sqlite3.Connection:
        with _coded(self.path):
            # autocommit: transactions are begun and ended where one can read it, never by the driver's guess
            connection = sqlite3.connect(
                self.path,
                timeout=self._busy_seconds,
                isolation_level=None,
                check_same_thread=False,
                cached_statements=256,
            )
            try:
                connection.execute("PRAGMA synchronous=FULL")
                if sys.platform == "darwin":  # there, fsync alone leaves data in the drive's cache
                    connection.execute("PRAGMA fullfsync=1")
                connection.execute("PRAGMA foreign_keys=ON")
                connection.execute(f"PRAGMA query_only={int(read_only)}")
            except BaseException:
                connection.close()
                raise
            return connection

    def _use_wal(self) -> None:
        """SQLite does not wait for a lock here by itself, whatever the busy time-out is."""
        deadline = time.monotonic() + self._busy_seconds
        while True:
            try:
                self._writer.execute("PRAGMA journal_mode=WAL")
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() >= deadline:
                    raise
                time.sleep(0.01)
            else:
                return

    @contextmanager
    def write(self) -> Iterator[sqlite3.Connection]:
        """One write transaction: committed at the end, rolled back on any exception. Writers take turns."""
        with self._lock, _coded(self.path):
            self._writer.execute("BEGIN IMMEDIATE")
            try:
                yield self._writer
                self._writer.execute("COMMIT")
            except BaseException:
                if self._writer.in_transaction:
                    self._writer.execute("ROLLBACK")
                raise

    @contextmanager
    def read(self) -> Iterator[sqlite3.Connection]:
        """One consistent view of the database, on a connection that cannot write."""
        current: sqlite3.Connection | None = getattr(self._current, "connection", None)
        if current is not None:  # a read within a read sees the same moment
            yield current
            return
        connection = self._idle_reader() or self._connect(read_only=True)
        self._current.connection = connection
        try:
            with _coded(self.path):
                connection.execute("BEGIN")
                try:
                    yield connection
                finally:
                    connection.execute("COMMIT")
        finally:
            self._current.connection = None
            self._put_back(connection)

    def _idle_reader(self) -> sqlite3.Connection | None:
        try:
            return self._idle_readers.pop()
        except IndexError:
            return None

    def _put_back(self, connection: sqlite3.Connection) -> None:
        # Threads come and go (one a request); connections are kept for a few at a time.
        if self._closed or connection.in_transaction or len(self._idle_readers) >= MAX_IDLE_READERS:
            connection.close()
        else:
            self._idle_readers.append(connection)

    def close(self) -> None:
        """Close every connection; the write-ahead log is folded into the file."""
        with self._lock:
            self._closed = True
            while reader := self._idle_reader():
                reader.close()
            self._writer.close()
