"""The ledger: a line for each thing that was received and what became of it; on the disk before anyone acts on it."""

import json
import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from io import BytesIO
from pathlib import Path
from typing import Any, Literal

from filelock import FileLock, Timeout

from backend.machine.durable_files import sync_folder
from backend.machine.real_path import real_path

Kind = Literal[
    "clock",
    "login",
    "logout",
    "profile_view",
    "invitation",
    "message",
    "withdraw",
    "roster",
    "fault",
    "postponed",
    "restored",
]

# delivered: the person has it. refused: they do not, and the sender was told.
# dropped: they do not, and the sender was told otherwise or nothing.
Disposition = Literal["", "delivered", "dropped", "refused"]


@dataclass(frozen=True, slots=True)
class Entry:
    """A fact in the order of arrival: n counts from 1 without gaps, at is virtual time."""

    n: int
    at: int
    kind: Kind
    to: str = ""
    text: str = ""
    disposition: Disposition = ""
    reason: str = ""
    detail: Mapping[str, Any] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)

    def to_line(self) -> str:
        return json.dumps(self.as_dict(), ensure_ascii=False, separators=(",", ":")) + "\n"

    @classmethod
    def from_line(cls, line: bytes) -> "Entry":
        """Raises ValueError when the line is not a whole entry."""
        try:
            return cls(**json.loads(line))
        except TypeError as error:
            raise ValueError(f"not a ledger entry: {error}") from error


class LedgerDamaged(Exception):  # noqa: N818 - a fact about the file
    """A line other than the last cannot be read, so the state cannot be rebuilt."""


class LedgerInUse(Exception):  # noqa: N818
    """Another process writes this ledger."""


def read_entries(content: bytes) -> tuple[list[Entry], int]:
    """The entries, and the length of the content that holds them; only the last line may be torn."""
    entries: list[Entry] = []
    intact_length = 0
    lines = BytesIO(content).readlines()
    for number, line in enumerate(lines, 1):
        try:
            entry = read_line(number, line)
        except ValueError as error:
            if number == len(lines):
                break
            raise LedgerDamaged(f"line {number} of the ledger cannot be read: {error}") from error
        entries.append(entry)
        intact_length += len(line)
    return entries, intact_length


def read_line(number: int, line: bytes) -> Entry:
    if not line.endswith(b"\n"):
        raise ValueError("the line does not end")
    entry = Entry.from_line(line)
    if entry.n != number:
        raise ValueError(f"expected entry {number}, found {entry.n}")
    return entry


class Ledger:
    """Everything the network ever received; opening it reads the file back and cuts a torn last line off."""

    def __init__(self, path: Path) -> None:
        self.path = real_path(path)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._lock = FileLock(f"{self.path}.lock")
        try:
            self._lock.acquire(timeout=0)
        except Timeout as error:
            raise LedgerInUse(f"another process is writing {self.path}") from error
        try:
            self._open()
        except BaseException:
            self._lock.release()
            raise

    def _open(self) -> None:
        content = self.path.read_bytes() if self.path.exists() else b""
        self.entries, intact_length = read_entries(content)
        # It holds what was written to people: for its owner only.
        self._file = open(  # noqa: SIM115 - kept open
            self.path, "ab", buffering=0, opener=lambda path, flags: os.open(path, flags, 0o600)
        )
        if intact_length < len(content):
            self._file.truncate(intact_length)
            os.fsync(self._file.fileno())
            sys.stderr.write(
                f"practice: cut off a torn last line of {len(content) - intact_length} bytes in {self.path}\n"
            )
        self._length = intact_length
        sync_folder(self.path.parent)  # the file itself may be new

    def append(self, entries: Sequence[Entry]) -> None:
        """Returns when the entries are on the disk; several go in one write, so a crash keeps a prefix of them."""
        if not entries:
            return
        lines = "".join(entry.to_line() for entry in entries).encode()
        rest = memoryview(lines)
        self._cut_off_unkept()
        try:
            while rest:
                rest = rest[self._file.write(rest) :]
            os.fsync(self._file.fileno())
        except OSError:
            # On a full disk, half a line must not stay in the middle of the file.
            with suppress(OSError):  # then before the next one
                self._cut_off_unkept()
            raise
        self._length += len(lines)
        self.entries.extend(entries)

    def _cut_off_unkept(self) -> None:
        """What was written and not acknowledged. Raises OSError, and then nothing can be appended behind it."""
        if os.fstat(self._file.fileno()).st_size > self._length:
            self._file.truncate(self._length)

    def close(self) -> None:
        self._file.close()
        self._lock.release()
