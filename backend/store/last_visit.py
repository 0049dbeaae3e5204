"""The visit of the user at this device, in a small file beside the database: in no log, as each device has its own."""

from pathlib import Path

from backend.domain.device.visit import Visit
from backend.store.small_file import load_small, save_small

FILE = "last-visit.json"
_MOST_BYTES = 1024 * 1024


def load_visit(folder: Path) -> Visit | None:
    """None if it is not known."""
    return load_small(folder / FILE, Visit, _MOST_BYTES)


def save_visit(folder: Path, visit: Visit) -> None:
    """Keep it; where it cannot be kept, the next start says less."""
    save_small(folder / FILE, visit)
