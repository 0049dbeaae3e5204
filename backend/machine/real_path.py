"""Where a path leads."""

import os
from pathlib import Path


def real_path(path: Path, *, strict: bool = False) -> Path:
    """As `Path.resolve` has it. Links that lead in a circle are an OSError if it is `strict`, and else left as they are.

    `Path.resolve` raises RuntimeError for them, which is no error of the computer's to anybody who asks.
    """
    return Path(os.path.realpath(path, strict=strict))
