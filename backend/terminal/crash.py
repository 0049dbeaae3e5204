"""What a defect leaves behind: a file that says where it happened, without values, secrets or people's texts."""

import os
import platform
import re
import sys
import tempfile
import time
import traceback
from pathlib import Path

# Anything that looks like a key, a token or a password in a URL; a message may quote what it choked on.
_SECRET = re.compile(
    r"(?i)(?<=://)[^/\s@]+(?=@)|\b(?:sk|pk|ghp|xox[a-z])[-_][\w-]{8,}|\bbearer\s+\S+|\b[\w-]{32,}\b"
    r"|(?<=key=)\S+|(?<=token=)\S+|(?<=password=)\S+"
)
_LONGEST = 500


def write_crash(error: BaseException, command: str, folder: Path) -> Path:
    """Write the report below `folder`, or where temporary files go if that fails; where it is."""
    text = _report(error, command)
    for place in (folder / "crashes", Path(tempfile.gettempdir())):
        path = place / f"outrider-crash-{time.strftime('%Y%m%dT%H%M%S', time.gmtime())}-{os.getpid()}.txt"
        try:
            place.mkdir(mode=0o700, parents=True, exist_ok=True)
            with open(path, "x", encoding="utf-8", opener=_private) as file:
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
        f"python: {platform.python_version()} on {platform.platform()}",
        "",
    ]
    chain: BaseException | None = error
    while chain is not None:
        lines += [f"{type(chain).__name__}: {_SECRET.sub('[withheld]', str(chain))[:_LONGEST]}"]
        frames = traceback.extract_tb(chain.__traceback__)
        lines += [f"  {_short(frame.filename)}:{frame.lineno} {frame.name}" for frame in frames]
        chain = chain.__cause__ or chain.__context__
    return "\n".join(lines) + "\n"


def _short(filename: str) -> str:
    """The file without the folders that say whose machine this is."""
    path = Path(filename)
    for root in sorted(map(Path, sys.path), key=lambda root: -len(str(root))):
        if root.is_absolute() and path.is_relative_to(root):
            return path.relative_to(root).as_posix()
    return path.name
