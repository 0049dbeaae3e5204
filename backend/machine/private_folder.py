"""A data folder that nobody else on this machine can read."""

import os
import stat
import tempfile
from contextlib import suppress
from pathlib import Path

from backend.machine.real_path import real_path

_OTHERS = stat.S_IRWXG | stat.S_IRWXO
_MARKS = ("outrider.db", "outrider.lock")


def keep_private(folder: Path) -> None:
    """Take every right of others from a data folder and from what they could reach in it.

    A folder that is more than ours (somebody's home, a temporary folder, one that holds other things) is left as it is.
    """
    if os.name != "posix" or not _is_ours(folder):
        return
    with suppress(OSError):  # somebody else's folder: `outrider doctor` says so
        _tighten(folder)


def _is_ours(folder: Path) -> bool:
    real = real_path(folder)
    if real in (Path.home(), *Path.home().parents, real_path(Path(tempfile.gettempdir()))):
        return False
    return not any(real.iterdir()) or any((real / name).exists() for name in _MARKS)


def _tighten(folder: Path) -> None:
    _close(folder)
    with os.scandir(folder) as entries:
        for entry in entries:
            mode = entry.stat(follow_symlinks=False).st_mode
            if stat.S_ISLNK(mode) or not mode & _OTHERS:
                continue  # whoever cannot enter a folder reaches nothing in it
            with suppress(OSError):
                _tighten(Path(entry.path)) if stat.S_ISDIR(mode) else _close(Path(entry.path))


def _close(path: Path) -> None:
    mode = stat.S_IMODE(path.stat().st_mode)
    if mode & _OTHERS:
        path.chmod(mode & ~_OTHERS)
