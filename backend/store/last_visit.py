"""The visit of the user at this device, in a small file beside the database: in no log, as each device has its own."""

from contextlib import suppress
from pathlib import Path

from pydantic import ValidationError

from backend.domain.visit import Visit
from backend.durable_files import read_file, replace_file

FILE = "last-visit.json"
_MOST_BYTES = 1024 * 1024


def load_visit(folder: Path) -> Visit | None:
    """None if there is no such file, or it is not what it was."""
    try:
        content = read_file(folder / FILE)
        return Visit.model_validate_json(content) if len(content) <= _MOST_BYTES else None
    except (OSError, ValidationError):
        return None


def save_visit(folder: Path, visit: Visit) -> None:
    """Keep it; where it cannot be kept, the next start says less."""
    with suppress(OSError):
        replace_file(folder / FILE, visit.model_dump_json().encode())
