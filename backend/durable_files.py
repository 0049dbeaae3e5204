"""Files that survive a power cut: replaced whole or not at all, and on the disk together with their names."""

import errno
import os
from contextlib import suppress
from pathlib import Path

PAGE_BYTES = 4096
"""What a disk writes at once."""


def replace_file(path: Path, content: bytes) -> None:
    """On the disk, for its owner only, in place of what was there. Raises OSError, and then the earlier content stays."""
    beside = path.with_name(f".new-{path.name}")
    with open(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as out:  # noqa: PTH123 - Path has no mode
        out.write(content)
        out.flush()
        os.fsync(out.fileno())
    beside.replace(path)
    sync_folder(path.parent)


def read_file(path: Path) -> bytes:
    """All of a small file, by as few calls as that takes. Raises OSError."""
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
    try:
        content = b""
        while part := os.read(descriptor, 4 * PAGE_BYTES):
            content += part
        return content
    finally:
        os.close(descriptor)


def overwrite_page(path: Path, content: bytes) -> bool:
    """As `replace_file` for a small file that is there already, in a fifth of the time; False if it is not there or not small.

    It keeps its length: blanks follow what is shorter. A reader may meet it half written, so the content needs a checksum.
    """
    try:
        descriptor = os.open(path, os.O_RDWR | getattr(os, "O_BINARY", 0))
    except FileNotFoundError:
        return False
    try:
        before = os.read(descriptor, PAGE_BYTES + 1)
        if max(len(before), len(content)) > PAGE_BYTES:
            return False
        try:
            _write_whole(descriptor, content.ljust(len(before)))
        except OSError:
            with suppress(OSError):  # half of a new file is worse than all of the old one
                os.ftruncate(descriptor, len(before))
                _write_whole(descriptor, before)
            raise
    finally:
        os.close(descriptor)
    return True


def _write_whole(descriptor: int, content: bytes) -> None:
    """From the file's beginning, and on the disk; a short write is none. Raises OSError."""
    os.lseek(descriptor, 0, os.SEEK_SET)
    rest = memoryview(content)
    while rest:
        written = os.write(descriptor, rest)
        if not written:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        rest = rest[written:]
    os.fsync(descriptor)


def sync_file(path: Path) -> None:
    """What was written into it survives a power cut from here on. Windows syncs only what is open for writing. Raises OSError."""
    with path.open("rb+") as whole:
        os.fsync(whole.fileno())


def sync_folder(folder: Path) -> None:
    """A new name in it survives a power cut from here on. Raises OSError."""
    if os.name != "posix":  # elsewhere a folder cannot be opened
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
