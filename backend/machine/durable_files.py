"""Files that survive a power cut: replaced whole or not at all, and on the disk together with their names."""

import contextlib
import errno
import os
import sys
import time
from pathlib import Path

PAGE_BYTES = 4096
"""What a disk writes at once."""
UNFINISHED = ".new-"
"""Begins the name of a file that has not taken its place yet."""
FOLDERS_CAN_BE_SYNCED = sys.platform != "win32"
"""Windows opens no folder; it keeps names by a journal of its own."""

WAITS_FOR_READERS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5) if sys.platform == "win32" else ()
"""Seconds between tries: there a scanner, an indexer or another program of ours may be reading what is to be replaced."""


def replace_file(path: Path, content: bytes, *, synced: bool = True) -> None:
    """On the disk, for its owner only, in place of what was there.

    Raises OSError, and then the earlier content stays, and nothing beside it. What is not `synced` need not survive a power cut.
    """
    beside = path.with_name(f"{UNFINISHED}{path.name}")
    with contextlib.suppress(FileNotFoundError):
        os.unlink(beside)  # noqa: PTH108 - what a kill left, or what somebody else put there to be written into
    descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with open(descriptor, "wb") as out:  # noqa: PTH123 - Path has no mode
            out.write(content)
            out.flush()
            if synced:
                os.fsync(out.fileno())
        move_onto(beside, path)
    except BaseException:
        with contextlib.suppress(OSError):
            beside.unlink()
        raise
    if synced:
        sync_folder(path.parent)


def move_onto(source: Path, target: Path) -> Path:
    """Give a file a name that may be taken; who has either open for a moment is waited for. Raises OSError; then nothing moved."""
    for seconds in WAITS_FOR_READERS:
        with contextlib.suppress(PermissionError):
            return source.replace(target)
        time.sleep(seconds)
    return source.replace(target)


def read_file(path: Path) -> bytes:
    """All of a small file, by as few calls as that takes. Raises OSError. A pipe in its place is empty, not waited for."""
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0))
    try:
        content = b""
        while part := os.read(descriptor, 4 * PAGE_BYTES):
            content += part
        return content
    finally:
        os.close(descriptor)


def overwrite_page(path: Path, page_index: int, content: bytes) -> bool:
    """Write one of the two pages that are a file, in a fifth of `replace_file`'s time; False if it is not there or no such file.

    Blanks follow what is shorter than a page. A reader or a power cut may meet the page half written, so the content needs a
    checksum; the other page stays. Raises OSError.
    """
    try:
        descriptor = os.open(path, os.O_RDWR | getattr(os, "O_BINARY", 0))
    except FileNotFoundError:
        return False
    try:
        if os.fstat(descriptor).st_size != 2 * PAGE_BYTES:
            return False
        os.lseek(descriptor, page_index * PAGE_BYTES, os.SEEK_SET)
        rest = memoryview(content.ljust(PAGE_BYTES))
        while rest:  # a short write is none
            written = os.write(descriptor, rest)
            if not written:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            rest = rest[written:]
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    return True


def sync_file(path: Path) -> None:
    """What was written into it survives a power cut from here on. Windows syncs only what is open for writing. Raises OSError."""
    with path.open("rb+") as whole:
        os.fsync(whole.fileno())


def sync_folder(folder: Path) -> None:
    """A new name in it survives a power cut from here on. Raises OSError."""
    if not FOLDERS_CAN_BE_SYNCED:
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
