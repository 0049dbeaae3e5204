"""Files that hold people's words until they are done or given up: a kill leaves none for longer than until the next start.

Each has a folder in the data folder, locked by the process that writes; the file itself is in it, or is where the user wants it
and is named in it. What is in a folder that nobody has locked was left by a process that was killed.
"""

import json
import os
import secrets
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from backend.machine.durable_files import replace_file
from backend.machine.folder_lock import LOCK_FILE, lock_folder

FOLDER = "unfinished"
_NAMED = "files.json"
_TRIES = 10


@contextmanager
def private_place(data_dir: Path) -> Iterator[Path]:
    """A folder of one's own that is removed with what is in it, however this ends. Raises OSError."""
    place, release = _new_place(data_dir / FOLDER)
    try:
        yield place
    finally:
        _clear(place)
        release()
        _remove_if_empty(data_dir / FOLDER)


@contextmanager
def noted(data_dir: Path, paths: list[Path]) -> Iterator[None]:
    """These files, which are hidden ones beside what the user wants, are removed at the end: now, or at the next start if killed.

    Where that cannot be noted, on a full disk for example, they are written all the same.
    """
    place: Path | None = None
    release: Callable[[], None] = lambda: None  # noqa: E731 - nothing is locked yet
    with suppress(OSError):
        place, release = _new_place(data_dir / FOLDER)
        replace_file(place / _NAMED, json.dumps([str(path.absolute()) for path in paths]).encode())
    try:
        yield
    finally:
        removed = [_remove(path) for path in paths]
        if place is not None and all(removed):
            _clear(place)
        release()
        _remove_if_empty(data_dir / FOLDER)


def remove_unfinished_files(data_dir: Path, detach: Callable[[Path], object] = lambda _: None) -> None:
    """Remove what processes left that were killed; what one still writes stays, and so does what cannot be removed yet.

    `detach` gives up a disk that is shown in a place, which would keep it from being removed.
    """
    folder = data_dir / FOLDER
    with suppress(OSError):
        for place in sorted(folder.iterdir()):
            with suppress(OSError):
                release = lock_folder(place, made_for_it=True)
                try:
                    removed = [_remove(path) for path in _named(place)]
                    for path in filter(os.path.ismount, place.iterdir()):
                        detach(path)
                    if all(removed):
                        _clear(place)
                finally:
                    release()
        _remove_if_empty(folder)


def _new_place(folder: Path) -> tuple[Path, Callable[[], None]]:
    for _ in range(_TRIES):
        place = folder / secrets.token_hex(8)
        with suppress(FileNotFoundError, FileExistsError, BlockingIOError):  # a start is just removing what is left
            folder.mkdir(mode=0o700, exist_ok=True)
            place.mkdir(mode=0o700)
            return place, lock_folder(place, made_for_it=True)
    raise BlockingIOError("it is removed again and again")


def _named(place: Path) -> list[Path]:
    """Only hidden ones: nothing else is ever noted, whatever the file says by now."""
    try:
        named = json.loads((place / _NAMED).read_bytes())
    except (OSError, ValueError):  # there is none, or it was cut off before anything was written
        return []
    paths = [Path(name) for name in named if isinstance(name, str)] if isinstance(named, list) else []
    return [path for path in paths if path.is_absolute() and path.name.startswith(".")]


def _remove(path: Path) -> bool:
    """Whether it is gone; on a drive that is not there now it may come back."""
    with suppress(OSError):
        path.unlink(missing_ok=True)
        return path.parent.is_dir()
    return False


def _clear(place: Path) -> None:
    """But for what locks it, which goes with the lock."""
    with suppress(OSError):
        for path in place.iterdir():
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path, ignore_errors=True)
            elif path.name != LOCK_FILE:
                path.unlink(missing_ok=True)


def _remove_if_empty(folder: Path) -> None:
    with suppress(OSError):
        folder.rmdir()
