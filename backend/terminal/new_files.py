"""Files that a command leaves where the user wants them: whole or not at all, and never in place of another."""

import errno
import os
from pathlib import Path

from backend.domain.values.errors import OutriderError
from backend.machine.durable_files import UNFINISHED, replace_file
from backend.machine.unfinished_files import noted


def write_new_file(data_dir: Path, file: Path, content: bytes) -> None:
    """On the disk, for its owner only; what a full disk or a kill leaves of it goes. Raises `export_failed`."""
    try:
        if os.path.lexists(file):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))
        with noted(data_dir, [file.with_name(f"{UNFINISHED}{file.name}")]):
            replace_file(file, content)
    except OSError as error:
        raise OutriderError("export_failed", detail=error.strerror or type(error).__name__) from error
