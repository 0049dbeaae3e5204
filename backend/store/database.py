"""The SQLite file: one writer, many readers, WAL, every commit on disk before it is acknowledged."""

import contextlib
import ctypes
import errno
import shutil
import sqlite3
import stat
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Concatenate, Generic, Literal, NamedTuple, NoReturn, ParamSpec, TypeVar

from backend.domain.values.error_table import ErrorCode
from backend.domain.values.errors import OutriderError, machine_error
from backend.machine.network_drive import is_network_drive
from backend.store import migrations
from backend.store.condition_process import ConditionProcesses
from backend.store.functions import add_functions

Parameters = ParamSpec("Parameters")
Answer = TypeVar("Answer")

DatabaseConnection = sqlite3.Connection
"""What queries run on; other packages name it so, because only the store knows SQLite."""

MAX_IDLE_READERS = 8
WRITER_CACHE_KIB = 64_000
"""An import touches pages all over the leads' indexes; with SQLite's 2 MB each would be written out several times."""

CHECKPOINT_PAGES = 4_000
"""And with SQLite's 1,000, each batch of an import would be copied into the file by itself, the same pages every time."""

_CODES: dict[int, ErrorCode] = {
    sqlite3.SQLITE_BUSY: "database_locked",
    sqlite3.SQLITE_LOCKED: "database_locked",
    sqlite3.SQLITE_READONLY: "database_read_only",
    sqlite3.SQLITE_CANTOPEN: "database_read_only",
    sqlite3.SQLITE_PERM: "database_read_only",
    sqlite3.SQLITE_FULL: "database_full",
    sqlite3.SQLITE_CORRUPT: "database_corrupt",
    sqlite3.SQLITE_NOTADB: "database_corrupt",
    sqlite3.SQLITE_IOERR: "database_unread",
}

_OF_A_FULL_DISK = frozenset({sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_ERROR})
"""How a full disk shows, too: its file of shared memory, its journal or a temporary file cannot be made."""

_OF_A_NETWORK_DRIVE = frozenset({"database_corrupt", "database_failed", "database_locked", "database_unread"})
"""How a folder of another computer shows, whose locks and shared memory are not those of a disk of this one."""

FULL_BYTES = 256 * 1024
"""With less room than this a disk is full: SQLite's smallest file beside the database has 32 KiB."""

SECOND_LOOK_SECONDS = 10.0


ConstraintError = sqlite3.IntegrityError
"""A rule of the schema was broken: a defect of whoever wrote."""


class QueryTimeoutError(Exception):
    """What was asked took longer than it may."""


@contextmanager
def time_limit(connection: DatabaseConnection, seconds: float) -> Iterator[None]:
    """Interrupt a statement of the block that is still running after so long; raises `QueryTimeoutError`."""
    deadline = time.monotonic() + seconds
    connection.set_progress_handler(lambda: int(time.monotonic() > deadline), 100_000)
    try:
        yield
    except sqlite3.OperationalError as error:
        if "interrupted" not in str(error):
            raise
        raise QueryTimeoutError from error
    finally:
        connection.set_progress_handler(None, 0)


RAISED_BY_SQLITE = (sqlite3.DatabaseError, UnicodeDecodeError)


@contextmanager
def coded(path: Path) -> Iterator[None]:
    """Give SQLite's errors our stable codes. A broken rule (constraint, trigger) stays what it is: a defect."""
    try:
        yield
    except RAISED_BY_SQLITE as error:
        raise_coded(path, error)


def raise_coded(path: Path, error: sqlite3.DatabaseError | UnicodeDecodeError) -> NoReturn:
    """Raise this error of SQLite's with our stable code; a broken rule as it is."""
    if isinstance(error, sqlite3.IntegrityError):
        raise error
    if isinstance(error, UnicodeDecodeError):  # SQLite's own message about a damaged schema quotes the damage
        raise damage_error(path, error, _checked_damage(path)) from error
    if (obstacle := _obstacle(path)) is not None:
        raise obstacle from error
    primary = (getattr(error, "sqlite_errorcode", 0) or 0) & 0xFF
    raise OutriderError(_code_of(primary, path), path=path, detail=error) from error


def _obstacle(path: Path) -> OutriderError | None:
    """What is in the place of a database and can be none: a folder, a pipe, a link that leads nowhere or to itself."""
    try:
        mode = path.stat().st_mode
    except FileNotFoundError as error:
        refusal = OSError(errno.ELOOP, "it is a link that leads to no file", str(path)) if path.is_symlink() else error
    except OSError as error:
        refusal = error
    else:
        if stat.S_ISREG(mode):
            return None
        refusal = OSError(errno.EISDIR, "it is a folder" if stat.S_ISDIR(mode) else "it is no file", str(path))
    obstacle = machine_error(refusal)
    return obstacle if obstacle and obstacle.code == "path_unusable" else None


def _code_of(primary: int, path: Path) -> ErrorCode:
    """The code, after a look at what SQLite cannot tell: a full disk has many faces, and not every bad read is damage."""
    code = _CODES.get(primary, "database_failed")
    if primary in _OF_A_FULL_DISK and is_full(path):
        return "database_full"
    return _on_this_disk(path, _checked_damage(path) if code == "database_corrupt" else code)


def damage_error(path: Path, detail: object, code: ErrorCode = "database_corrupt") -> OutriderError:
    """What to raise for a database that is damaged; on another computer's disk it may only look so from here."""
    return OutriderError(_on_this_disk(path, code), path=path, detail=detail)


def _on_this_disk(path: Path, code: ErrorCode) -> ErrorCode:
    """The code, unless the folder is on another computer, which shows as this."""
    return "on_network_drive" if code in _OF_A_NETWORK_DRIVE and is_network_drive(path.parent) else code


def is_full(path: Path) -> bool:
    """Whether the disk of that file has hardly any room left."""
    try:
        return shutil.disk_usage(path.parent).free < FULL_BYTES
    except OSError:
        return False


def _checked_damage(path: Path) -> ErrorCode:
    """Whether a second look, by a connection of its own, finds the damage, too; what passes is no damage."""
    try:
        second = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)
        with contextlib.closing(second), time_limit(second, SECOND_LOOK_SECONDS):
            damaged = first_damage(second) != "ok"
    except (sqlite3.Error, UnicodeDecodeError, QueryTimeoutError, ValueError):
        return "database_corrupt"
    return "database_corrupt" if damaged else "database_unread"


def _roll_back(connection: DatabaseConnection) -> None:
    """After an error, which is what is told: not that the transaction could not be ended then (a full disk)."""
    with suppress(sqlite3.Error):
        if connection.in_transaction:
            connection.execute("ROLLBACK")


class DatabaseVersion(NamedTuple):
    """How often the file was committed to: by this process, and, as SQLite counts it, by others."""

    own: int
    others: int

    def after_commit(self) -> "DatabaseVersion":
        """Once the transaction in which it was asked is committed, and nothing else."""
        return self._replace(own=self.own + 1)


def _leave_open(connection: sqlite3.Connection) -> None:
    """Until the process ends: SQLite deletes on closing, by its path, what would be the write-ahead log of another file."""
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(connection))


def file_at(path: Path) -> tuple[int, int] | None:
    """Which file that is, whatever its name was before; None if there is none."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _has_words(wal: Path) -> bool:
    try:
        return wal.stat().st_size > 0
    except OSError:
        return False


def compacting_path(path: Path) -> Path:
    """Where a database is written anew before that replaces what is in its file."""
    return path.with_name(f"{path.name}.compacting")


class Database:
    """Opens the file, brings its schema up to date, and hands out connections. Errors: `database_*` codes."""

    statements = 512  # that a connection keeps prepared
    conditions: ConditionProcesses | None = None
    """Where the user's own SQL is asked, which nothing else bounds; None for who asks no such thing."""

    def __init__(self, path: Path, *, busy_seconds: float = 5.0) -> None:
        self._begin(path)
        self._busy_seconds = busy_seconds
        self._closed = self._wal_holds_erased = False
        self._idle_readers: list[sqlite3.Connection] = []
        with coded(path), suppress(FileExistsError, PermissionError, FileNotFoundError):
            path.touch(mode=0o600, exist_ok=False)  # people's data: for its owner only
        left_wal = _has_words(path.with_name(f"{path.name}-wal"))
        self._writer = self._connect()
        self._file = file_at(path)
        with coded(path):
            try:
                self._writer.execute(f"PRAGMA cache_size=-{WRITER_CACHE_KIB}")
                # Or what a statement would have to undo goes to a file: people's words, at a sixth of the cost of a lead's row.
                self._writer.execute("PRAGMA temp_store=MEMORY")
                self._writer.execute(f"PRAGMA wal_autocheckpoint={CHECKPOINT_PAGES}")
                migrations.look(self._writer, path)  # before anything is changed in a file that may not be ours
                self._use_wal()
                if migrations.upgrade(self._writer, path):
                    # A file that is a bare header until the first checkpoint would lose everything with its log.
                    self._writer.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()
                if left_wal:
                    self._empty_left_wal()
            except BaseException:
                self._writer.close()
                raise

    def _begin(self, path: Path) -> None:
        """What a copy in memory keeps of itself, too."""
        self.path = path
        self._lock = threading.RLock()
        self._commits = 0
        self._current = threading.local()

    def _connect(self, *, read_only: bool = False) -> sqlite3.Connection:
        with coded(self.path):
            # autocommit: transactions are begun and ended where one can read it, never by the driver's guess
            connection = sqlite3.connect(
                self.path,
                timeout=self._busy_seconds,
                isolation_level=None,
                check_same_thread=False,
                cached_statements=self.statements,
            )
            try:
                connection.execute("PRAGMA synchronous=FULL")
                if sys.platform == "darwin":  # there, fsync alone leaves data in the drive's cache
                    connection.execute("PRAGMA fullfsync=1")
                connection.execute("PRAGMA foreign_keys=ON")
                connection.execute("PRAGMA secure_delete=ON")  # what is erased is not left in the file's free space
                connection.execute(f"PRAGMA query_only={int(read_only)}")
                add_functions(connection)
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

    def is_in_place(self) -> bool:
        """Whether the file at the path is still the one that was opened: not moved away, deleted or replaced since."""
        return file_at(self.path) == self._file

    def refuse_another_file(self) -> None:
        """Raises `data_folder_gone`: what is at the path now is not ours, and our lock is on a folder that is elsewhere."""
        if not self.is_in_place():
            raise OutriderError("data_folder_gone", path=self.path.parent)

    def version(self) -> DatabaseVersion | None:
        """What differs after any commit, whoever made it; what is read after it was asked is at least as new.

        Within a write transaction, what was committed before that. None if it cannot be told: within a read, which sees an
        earlier moment; while another thread writes, for which nobody waits here; if the file cannot be read.
        """
        if getattr(self._current, "connection", None) is not None or not self._lock.acquire(blocking=False):
            return None
        try:
            return DatabaseVersion(self._commits, *self._writer.execute("PRAGMA data_version").fetchone())
        except sqlite3.Error:
            return None
        finally:
            self._lock.release()

    @contextmanager
    def write(self) -> Iterator[sqlite3.Connection]:
        """One write transaction: committed at the end, rolled back on any exception. Writers take turns."""
        writer = self._writer
        with self._lock:
            self.refuse_another_file()
            # Not by `coded`: a context manager within this one would cost as much as a query.
            try:
                writer.execute("BEGIN IMMEDIATE")
            except sqlite3.DatabaseError as error:
                raise_coded(self.path, error)
            before = writer.total_changes
            try:
                yield writer
                writer.execute("COMMIT")
                self._commits += writer.total_changes != before
            except RAISED_BY_SQLITE as error:
                _roll_back(writer)
                self.refuse_another_file()
                raise_coded(self.path, error)
            except BaseException:
                _roll_back(writer)
                raise

    def query(
        self,
        query: Callable[Concatenate[DatabaseConnection, Parameters], Answer],
        *args: Parameters.args,
        **kwargs: Parameters.kwargs,
    ) -> Answer:
        """What a single query answers now; what it gives must not read on later."""
        with self.read() as connection:
            return query(connection, *args, **kwargs)

    @contextmanager
    def read(self) -> Iterator[sqlite3.Connection]:
        """One consistent view of the database, on a connection that cannot write."""
        current: sqlite3.Connection | None = getattr(self._current, "connection", None)
        if current is not None:  # a read within a read sees the same moment
            yield current
            return
        # What another file's log made of ours would be read, and where there is none, connecting would make one.
        self.refuse_another_file()
        connection = self._idle_reader() or self._new_reader()
        self._current.connection = connection
        try:
            connection.execute("BEGIN")
            yield connection
            connection.execute("COMMIT")
        except RAISED_BY_SQLITE as error:
            _roll_back(connection)
            self.refuse_another_file()
            raise_coded(self.path, error)
        except BaseException:
            _roll_back(connection)
            raise
        finally:
            self._current.connection = None
            self._put_back(connection)

    def _new_reader(self) -> sqlite3.Connection:
        connection = self._connect(read_only=True)
        if not self.is_in_place():
            connection.close()
            self.refuse_another_file()
        return connection

    def damage(self) -> str:
        """What is wrong with the file, or "ok"; a large one is not read."""
        with self.read() as connection:
            return damage_of_small(connection)

    def checkpoint(self) -> None:
        """Copy what is committed from the write-ahead log into the file, as far as no reader is in the way."""
        with self._lock, coded(self.path):
            self.refuse_another_file()
            if self._wal_holds_erased:
                self.empty_wal()
            else:
                self._writer.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()

    def empty_wal(self) -> None:
        """Copy the write-ahead log into the file and cut it to nothing: something in it was erased.

        A reader that is in the way for longer than one waits for a lock puts it off to the next checkpoint, or to closing; so
        does a disk that refuses, which raises.
        """
        with self._lock, coded(self.path):
            self._wal_holds_erased = True
            (busy, *_) = self._writer.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            self._wal_holds_erased = bool(busy)

    def _empty_left_wal(self) -> None:
        """Of whoever was killed: after its last erasure, maybe, and before it emptied this.

        Who has the file open, or a disk that refuses, keeps nobody from starting; the next checkpoint does it then.
        """
        self._wal_holds_erased = True
        self._writer.execute("PRAGMA busy_timeout=0")
        with suppress(OutriderError):
            self.empty_wal()
        self._writer.execute(f"PRAGMA busy_timeout={round(self._busy_seconds * 1_000)}")

    def release_memory(self) -> None:
        """Give back the pages that the writer keeps in memory: what a long run has touched is most of a file, one by one."""
        with self._lock, suppress(sqlite3.Error):
            self._writer.execute("PRAGMA shrink_memory")

    def compact(self) -> None:
        """Write the file anew without its free pages, in one transaction.

        Nobody writes meanwhile. It takes the new file's size on the disk twice, beside this one, and no more memory than a
        batch of an import.
        """
        beside = compacting_path(self.path)
        with self._lock, coded(self.path):
            self.refuse_another_file()
            try:
                beside.unlink(missing_ok=True)
                beside.touch(mode=0o600)
                self._writer.execute("VACUUM INTO ?", (str(beside),))  # VACUUM itself would make it in memory
                deadline = time.monotonic() + self._busy_seconds

                def refuse_to_wait(status: int, _left: int, _all: int) -> None:
                    if status in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED) and time.monotonic() > deadline:
                        raise OutriderError("database_locked", path=self.path, detail="another program writes")

                self.refuse_another_file()
                with contextlib.closing(sqlite3.connect(beside)) as compacted:
                    compacted.backup(self._writer, progress=refuse_to_wait)
            except (OSError, *RAISED_BY_SQLITE):
                self.refuse_another_file()
                raise
            finally:
                with suppress(OSError):
                    beside.unlink(missing_ok=True)
            self._commits += 1
            self.empty_wal()
            self.release_memory()

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
        """Close every connection; the write-ahead log is folded into the file, if it is still ours."""
        with self._lock:
            self._closed = True
            close = sqlite3.Connection.close if self.is_in_place() else _leave_open
            while reader := self._idle_reader():
                close(reader)
            close(self._writer)


SQLITE_VERSION = sqlite3.sqlite_version


class CachedRead(Generic[Answer]):
    """What a query answers, asked again only if anything was committed since."""

    def __init__(self, database: Database, query: Callable[[DatabaseConnection], Answer]) -> None:
        self._database, self._query = database, query
        self._last: tuple[DatabaseVersion, Answer] | None = None

    def __call__(self) -> Answer:
        """At this moment."""
        version, last = self._database.version(), self._last
        if last is not None and last[0] == version:
            return last[1]
        with self._database.read() as connection:
            answer = self._query(connection)
        self._last = None if version is None else (version, answer)
        return answer


def supports_strict_tables() -> bool:
    """Whether this SQLite knows the STRICT tables that the schema is made of."""
    try:
        with contextlib.closing(sqlite3.connect(":memory:")) as scratch:
            scratch.execute("CREATE TABLE proof (id INTEGER PRIMARY KEY) STRICT")
    except sqlite3.OperationalError:
        return False
    return True


def schema_version(connection: DatabaseConnection) -> int:
    """The number of the last migration that the file has been through."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


SMALL_BYTES = 32 * 1024 * 1024
"""A database up to this size is read whole before each run; of a larger one `outrider doctor` and the logs' chains tell."""


def damage_of_small(connection: DatabaseConnection) -> str:
    """What is wrong with the file, or "ok"; a large one is not read."""
    (pages,) = connection.execute("PRAGMA page_count").fetchone()
    (size,) = connection.execute("PRAGMA page_size").fetchone()
    return first_damage(connection) if pages * size <= SMALL_BYTES else "ok"


def first_damage(
    connection: DatabaseConnection, check: Literal["quick_check", "integrity_check"] = "quick_check"
) -> str:
    """What is wrong with the file, or "ok"; reads all of it but the full-text indexes, which `search_indexes` looks after.

    SQLite looks at those, too, from 3.44 on; where another connection has written since this one looked, it calls them damaged.
    """
    rows = [str(row[0]) for row in connection.execute(f"PRAGMA {check}")]
    return next((row for row in rows if "fts5" not in row.lower()), "ok")
