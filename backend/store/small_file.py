"""What this device remembers beside the database, in a small file each: read if it is what it was, replaced whole."""

from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from backend.domain.values.shapes import Shape
from backend.machine.durable_files import read_file, replace_file

AnyShape = TypeVar("AnyShape", bound=Shape)


def load_small(path: Path, shape: type[AnyShape], most_bytes: int) -> AnyShape | None:
    """None if there is no such file, or it is not what it was."""
    try:
        content = read_file(path)
        return shape.model_validate_json(content) if len(content) <= most_bytes else None
    except (OSError, ValidationError):
        return None


def save_small(path: Path, content: Shape) -> None:
    """Keep it; the next start does without it where it cannot be kept."""
    with suppress(OSError):
        replace_file(path, content.model_dump_json().encode())
