"""A small file beside the database that says where each log ended, so that the loss of committed entries is noticed.

The chains prove that nothing was changed; that their ends are missing they cannot know, for the record of the ends is lost with
them. The file is never ahead of what is committed: it is written while the database's write lock is held, from what is
committed, and lowered before entries leave a log on purpose. It may lag: it is written before each act outside, when the
folder is closed, and otherwise at the first commit after `EVERY_SECONDS`. A turn pays nothing for it but a look at the clock.
"""

import contextlib
import hashlib
import json
import sqlite3
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Literal, NamedTuple

from backend.domain.events.record_loss import LostEntries
from backend.domain.values.canonical_json import canonical
from backend.domain.values.errors import OutriderError
from backend.machine.durable_files import PAGE_BYTES, overwrite_page, read_file, replace_file
from backend.store.database import Database

EVERY_SECONDS = 2.0
CHECKPOINT_SECONDS = 60.0
"""How long committed entries may be in the write-ahead log alone while entries are written."""

MEMORY_SECONDS = 10.0
"""How long the database's writer keeps what it has read: an import reads the same pages again, a long run others each time."""

_TABLES: Mapping[Literal["event", "audit"], str] = {"event": "event_log", "audit": "audit_log"}


class LogHeads(NamedTuple):
    """Where both chains of a stream end."""

    event_seq: int
    event_hash: bytes
    audit_seq: int
    audit_hash: bytes


Heads = Mapping[str, LogHeads]


class KeptHeads(NamedTuple):
    """What the file says: where each stream's logs ended, and which loss the user has not decided about yet."""

    heads: Heads
    lost: tuple[LostEntries, ...] = ()


class HeadsFile:
    """The file itself, on disk before it counts as written: two pages that are written in turn, or more as a whole.

    A power cut within a write may damage the page that is being written; then the file says what the other one does, so it
    lags. If neither can be read, that is told and never taken for a file that says nothing.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._decoded_pages: dict[bytes, _Page] = {}
        """What the pages say, by their bytes: it is read before each act, and has mostly not changed."""

    def read(self) -> KeptHeads | None:
        """None if there is none. Raises `heads_unreadable` for one of which no page can be read."""
        try:
            return self._newest().kept_heads
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as error:
            raise OutriderError("heads_unreadable", path=self.path, detail=error) from error

    def write(self, kept_heads: KeptHeads, *, forget: bool = False) -> None:
        """What was written before stays on the other page, unless it is to be forgotten. Raises OSError."""
        number = 1
        with contextlib.suppress(FileNotFoundError, ValueError):
            number = self._newest().number + 1
        page = _Page(number, kept_heads)
        encoded = _encode(page)
        small = len(encoded) <= PAGE_BYTES
        encoded = encoded.ljust(PAGE_BYTES if small else 2 * PAGE_BYTES + 1)
        self._decoded_pages[encoded] = page
        if not small:
            replace_file(self.path, encoded)
        elif forget or not overwrite_page(self.path, number % 2, encoded):
            replace_file(self.path, encoded * 2)

    def _newest(self) -> "_Page":
        """Raises ValueError if no page can be read, and OSError."""
        content = read_file(self.path)
        pages = (content[:PAGE_BYTES], content[PAGE_BYTES:]) if len(content) == 2 * PAGE_BYTES else (content,)
        decoded_pages, damage = dict[bytes, _Page](), ValueError()
        for page in pages:
            try:
                decoded_pages[page] = self._decoded_pages.get(page) or _decode(page)
            except ValueError as error:
                damage = error
        if not decoded_pages:
            raise damage
        self._decoded_pages = decoded_pages
        return max(decoded_pages.values(), key=lambda page: page.number)


class _Page(NamedTuple):
    """What a page says; the higher number was written later."""

    number: int
    kept_heads: KeptHeads


def _encode(page: _Page) -> bytes:
    body = {
        "number": page.number,
        "heads": {
            stream: [head.event_seq, head.event_hash.hex(), head.audit_seq, head.audit_hash.hex()]
            for stream, head in page.kept_heads.heads.items()
        },
        "lost": [lost._asdict() for lost in page.kept_heads.lost],
    }
    text = canonical(body)
    return f'{{"said":{text},"sha256":"{_digest(text)}"}}'.encode()


def _decode(content: bytes) -> _Page:
    """Raises ValueError."""
    try:
        whole = json.loads(content)
        body = whole["said"]
        if whole["sha256"] != _digest(canonical(body)):
            raise ValueError("its checksum does not fit")
        heads = {
            stream: LogHeads(event_seq, bytes.fromhex(event_hash), audit_seq, bytes.fromhex(audit_hash))
            for stream, (event_seq, event_hash, audit_seq, audit_hash) in body["heads"].items()
        }
        return _Page(body["number"], KeptHeads(heads, tuple(LostEntries(**lost) for lost in body["lost"])))
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(str(error)) from error


def heads_path(database: Path) -> Path:
    """Where the heads of that database are kept."""
    return database.with_suffix(".heads")


def verified_path(database: Path) -> Path:
    """Where it is kept up to where that database's logs were verified; a file of the same kind."""
    return database.with_suffix(".verified")


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def find_loss(connection: sqlite3.Connection, kept_heads: KeptHeads) -> tuple[LostEntries, ...]:
    """What the file says was committed and is not there: known losses that are still so, and new ones."""
    lost = [
        loss
        for loss in kept_heads.lost
        if _hash_at(connection, loss.stream, loss.log, loss.last) != bytes.fromhex(loss.hash)
    ]
    known_losses = {(loss.stream, loss.log, loss.last) for loss in lost}
    for stream, head in kept_heads.heads.items():
        ends: tuple[tuple[Literal["event", "audit"], int, bytes], ...] = (
            ("event", head.event_seq, head.event_hash),
            ("audit", head.audit_seq, head.audit_hash),
        )
        for log, seq, hash_ in ends:
            if seq == 0 or (stream, log, seq) in known_losses:
                continue
            stored_hash = _hash_at(connection, stream, log, seq)
            if stored_hash != hash_:
                last_seq, since = _end(connection, stream, log, seq)
                first = seq if stored_hash is not None else last_seq + 1
                lost.append(LostEntries(stream, log, first, seq, hash_.hex(), since, replaced=stored_hash is not None))
    return tuple(lost)


def lost_with_database(kept_heads: KeptHeads) -> tuple[LostEntries, ...]:
    """What is missing if there is no database at all."""
    with contextlib.closing(sqlite3.connect(":memory:")) as nothing:
        for table in _TABLES.values():
            nothing.execute(f"CREATE TABLE {table} (campaign_id TEXT, seq INTEGER, timestamp INTEGER, hash BLOB)")
        return find_loss(nothing, kept_heads)


def _hash_at(connection: sqlite3.Connection, stream: str, log: Literal["event", "audit"], seq: int) -> bytes | None:
    row = connection.execute(f"SELECT hash FROM {_TABLES[log]} WHERE campaign_id=? AND seq=?", (stream, seq)).fetchone()
    return row[0] if row else None


def _end(
    connection: sqlite3.Connection, stream: str, log: Literal["event", "audit"], before: int
) -> tuple[int, int | None]:
    row = connection.execute(
        f"SELECT seq, timestamp FROM {_TABLES[log]} WHERE campaign_id=? AND seq<=? ORDER BY seq DESC LIMIT 1",
        (stream, before),
    ).fetchone()
    return (row[0], row[1]) if row else (0, None)


class HeadsKeeper:
    """Keeps the file of a database that is open, and compares both."""

    def __init__(self, database: Database, *, every_seconds: float = EVERY_SECONDS) -> None:
        self.file = HeadsFile(heads_path(database.path))
        self._database = database
        self._every_seconds = every_seconds
        self._kept_at = self._checkpoint_at = self._released_at = -float("inf")

    def check(self) -> tuple[LostEntries, ...]:
        """What was committed and is not there; a new loss is noted, to stay known. Raises `heads_unreadable`."""
        with self._database.write() as connection:
            kept_heads = self.file.read() or KeptHeads({})
            lost = find_loss(connection, kept_heads)
            with contextlib.suppress(OSError):  # it lags, and says the same again the next time
                self._write(KeptHeads(_committed_heads(connection), lost), kept_heads)
        return lost

    def look(self) -> tuple[LostEntries, ...]:
        """As `check`, and changes nothing: for whoever only looks. Raises `heads_unreadable`."""
        lost: tuple[LostEntries, ...] = ()
        for _ in range(2):  # between both reads entries may have left a log on purpose; not twice
            kept_heads = self.file.read() or KeptHeads({})
            lost = self._database.query(find_loss, kept_heads)
            if not lost:
                break
        return lost

    def committed(self) -> None:
        """Something was committed: keep the heads if that is due."""
        if time.monotonic() - self._kept_at >= self._every_seconds:
            self.keep()

    def keep(self) -> None:
        """Write down where the logs end now.

        It lags if it cannot be written (a full disk, a busy database); what is committed stays committed, and the next
        commit tries again.
        """
        self._kept_at = time.monotonic()
        if self._kept_at - self._released_at >= MEMORY_SECONDS:
            self._released_at = self._kept_at
            self._database.release_memory()
        with contextlib.suppress(OutriderError, OSError):
            self.check()  # never written over unread: what it said and is not there stays known
            if self._kept_at - self._checkpoint_at >= CHECKPOINT_SECONDS:
                self._checkpoint_at = self._kept_at
                self._database.checkpoint()

    def lower(self, heads: Heads) -> None:
        """Entries are about to leave these logs on purpose: the file must not speak of them when that is committed.

        Within the transaction that takes them out. Raises OSError: what cannot be lowered is not taken out.
        """
        kept_heads = self.file.read()
        if kept_heads is not None:
            self.file.write(kept_heads._replace(heads={**kept_heads.heads, **heads}), forget=True)

    def accept_loss(self) -> None:
        """The user goes on from what is there, and that is recorded: the loss is none any more."""
        with self._database.write() as connection:
            kept_heads = self.file.read() or KeptHeads({})
            self._write(KeptHeads(_committed_heads(connection)), kept_heads)

    def begin_anew(self) -> None:
        """The file is damaged, and the user goes on without what it said: from now on it says what is there."""
        with self._database.write() as connection:
            self.file.write(KeptHeads(_committed_heads(connection)), forget=True)

    def _write(self, kept_heads: KeptHeads, before: KeptHeads) -> None:
        if kept_heads != before or not self.file.path.exists():
            self.file.write(kept_heads)


def _committed_heads(connection: sqlite3.Connection) -> Heads:
    """The caller holds the write lock and has changed nothing, so what it reads is committed."""
    rows = connection.execute("SELECT campaign_id, event_seq, event_hash, audit_seq, audit_hash FROM log_heads")
    return {stream: LogHeads(*head) for stream, *head in rows}
