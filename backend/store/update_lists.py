"""What `outrider update` leaves in the data folder: installers of newer versions, and when the newest list was made.

An older list than that, signed by the same key, is somebody's replay.
"""

from contextlib import suppress
from importlib.metadata import version
from pathlib import Path

from backend.domain.device.update import outdated
from backend.domain.values.shapes import Moment, Shape
from backend.machine.durable_files import replace_file
from backend.store.small_file import load_small

FOLDER = "updates"
FILE = "newest-lists.json"
_MOST_BYTES = 64 * 1024


class NewestLists(Shape):
    """Keys as hexadecimal text, times in ms UTC."""

    made_at: dict[str, Moment]


def newest_seen(data_dir: Path, key: bytes) -> int:
    """0 if none was seen."""
    seen = load_small(data_dir / FOLDER / FILE, NewestLists, _MOST_BYTES)
    return seen.made_at.get(key.hex(), 0) if seen else 0


def remember_newest(data_dir: Path, key: bytes, made_at: int) -> None:
    """Raises OSError: what is not remembered protects nobody."""
    file = data_dir / FOLDER / FILE
    seen = load_small(file, NewestLists, _MOST_BYTES)
    file.parent.mkdir(mode=0o700, exist_ok=True)
    replace_file(
        file, NewestLists(made_at={**(seen.made_at if seen else {}), key.hex(): made_at}).model_dump_json().encode()
    )


def remove_outdated(data_dir: Path) -> None:
    """Remove the installers of versions that are not newer than this one; what cannot be removed yet stays."""
    with suppress(OSError):
        names = [path.name for path in (data_dir / FOLDER).iterdir() if path.name != FILE]
        for name in outdated(names, version("outrider")) if names else ():
            with suppress(OSError):
                (data_dir / FOLDER / name).unlink()
