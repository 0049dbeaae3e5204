"""Files that survive a power cut: replaced whole or not at all, and on the disk together with their names."""

import os
from pathlib import Path


def replace_file(path: Path, content: bytes) -> None:
    """On the disk, for its owner only, in place of what was there. Raises OSError, and then the earlier content stays."""
    beside = path.with_name(f".new-{path.name}")
    with open(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as out:  # noqa: PTH123 - Path has no mode
        out.write(content)
        out.flush()
        os.fsync(out.fileno())
    beside.replace(path)
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """A new name in it survives a power cut from here on. Raises OSError."""
    if os.name != "posix":  # elsewhere a folder cannot be opened
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
