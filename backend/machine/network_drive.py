"""Asks the system whether a folder is on another computer, whose disk only looks like one of ours."""

import ctypes
import os
import platform
import sys
from pathlib import Path

from backend.domain.device.network_folder import (
    STATFS_BYTES,
    is_mounted_from_network,
    is_on_network,
    is_remote_on_macos,
)
from backend.machine.real_path import real_path


def is_network_drive(folder: Path) -> bool:
    """False, too, where the system does not say: it is asked only to explain what went wrong, or to warn."""
    try:
        return _is_remote(real_path(folder))
    except (OSError, AttributeError):
        return False


def _is_remote(folder: Path) -> bool:
    if sys.platform == "win32":
        return is_on_network(str(folder), ctypes.WinDLL("kernel32").GetDriveTypeW)
    if sys.platform == "darwin":
        return is_remote_on_macos(_statfs(folder))
    if sys.platform == "linux":
        return is_mounted_from_network(str(folder), Path("/proc/self/mountinfo").read_text("utf-8", "surrogateescape"))
    return False


def _statfs(folder: Path) -> bytes:
    """On Macs with Intel the plain name is the old call, whose numbers are narrower."""
    library, filled = ctypes.CDLL(None, use_errno=True), ctypes.create_string_buffer(2 * STATFS_BYTES)
    ask = library["statfs$INODE64" if platform.machine() == "x86_64" else "statfs"]
    if ask(os.fsencode(folder), filled):
        raise OSError(ctypes.get_errno(), "statfs")
    return filled.raw
