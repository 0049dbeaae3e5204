"""The one way from a name that came from somewhere else to a path in a folder of ours."""

import re
from pathlib import Path

from backend.domain.device.device_files import is_device
from backend.domain.values.errors import OutriderError

_PLAIN = re.compile(r"(?!\.)[A-Za-z0-9_.@-]{1,160}(?<!\.)")


def path_inside(folder: Path, *names: str) -> Path:
    """The path of these names below the folder, which no link leads out of; raises `path_refused`."""
    for name in names:
        if not _PLAIN.fullmatch(name) or is_device(name):
            raise OutriderError("path_refused", name=ascii(name))
    path = folder.joinpath(*names)
    if not path.resolve().is_relative_to(folder.resolve()):
        raise OutriderError("path_refused", name=ascii("/".join(names)))
    return path
