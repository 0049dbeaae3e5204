"""What a defect leaves behind: a file of types, places in the code and versions; no message, no value, nobody's text."""

import os
import platform
import sys
import tempfile
import time
from importlib.metadata import version
from pathlib import Path

from backend.domain.values.errors import without_words


def write_crash(error: BaseException, command: str, folder: Path) -> Path:
    """Write the report below `folder`, or where temporary files go if that fails; where it is."""
    text = _report(error, command)
    for directory in (folder / "crashes", Path(tempfile.gettempdir())):
        path = directory / f"outrider-crash-{time.strftime('%Y%m%dT%H%M%S', time.gmtime())}-{os.getpid()}.txt"
        try:
            directory.mkdir(mode=0o700, parents=True, exist_ok=True)
            with open(path, "x", encoding="utf-8", newline="\n", opener=_private) as file:
                file.write(text)
        except OSError:
            continue
        return path
    return Path(os.devnull)


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _report(error: BaseException, command: str) -> str:
    lines = [
        f"command: outrider {command}",
        f"outrider: {version('outrider')}",
        f"python: {platform.python_version()} on {platform.platform()}",
        "",
    ]
    return "\n".join([*lines, *without_words(error, _short)]) + "\n"


def _short(filename: str) -> str:
    """The file without the folders that say whose machine this is."""
    path = Path(filename)
    for root in sorted(map(Path, sys.path), key=lambda root: -len(str(root))):
        if root.is_absolute() and path.is_relative_to(root):
            return path.relative_to(root).as_posix()
    return path.name
