"""A newer version tried on a copy: it replays the copy's log and must come to the very tables that are here."""

import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from backend.adapters.child_processes import (
    FOLDER_VARIABLES,
    LOCALE_VARIABLES,
    SEARCH_VARIABLES,
    inherited_environment,
    own_group,
)
from backend.domain.values.errors import OutriderError
from backend.machine.unfinished_files import private_place
from backend.store import backup
from backend.store.database import Database, is_full

SECONDS = 1_800
_FULL = ("disk_full", "database_full")
_CHECK = ("replay", "--check", "--data-dir")


def try_update(file: Path, database: Database) -> None:
    """Replay a copy of the log with the version in an installer's file, installing nothing.

    Raises `update_differs`, `update_not_tried` where its program cannot be had without installing it, and `disk_full`. The copy
    goes afterwards.
    """
    with private_place(database.path.parent) as folder:
        data = folder / "data"
        data.mkdir(mode=0o700)
        backup.back_up(database, data / "outrider.db")
        try:
            with unpacked(file, folder) as program:
                replay_copy([str(program)], data)
        except OutriderError as error:
            if is_full(data) or any(f"[{code}]" in str(error) for code in _FULL):  # no fault of the version's
                raise OutriderError(
                    "disk_full", path=data, detail="the new version was not tried to the end"
                ) from error
            raise


def replay_copy(program: Sequence[str], data: Path) -> None:
    """Have a program replay that data folder; raises `update_differs`."""
    surroundings = inherited_environment(
        (*FOLDER_VARIABLES, *LOCALE_VARIABLES, *(name for name in SEARCH_VARIABLES if name != "PATH"))
    )
    try:
        done = subprocess.run(  # noqa: S603 - a program whose file was signed
            [*program, *_CHECK, str(data)],
            env=surroundings,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=SECONDS,
            check=False,
            **own_group(),
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise OutriderError("update_differs", detail=f"it did not end well: {type(error).__name__}") from error
    if done.returncode != 0:
        lines = [*done.stderr.strip().splitlines(), *done.stdout.strip().splitlines()]
        raise OutriderError("update_differs", detail=" ".join(lines[-2:])[-300:] or f"status {done.returncode}")


@contextmanager
def unpacked(file: Path, folder: Path) -> Iterator[Path]:
    """The program in an installer's file, taken out of it or looked at in it. Raises `update_not_tried`."""
    out = folder / "app"
    out.mkdir()
    try:
        if file.suffix == ".deb":
            _run("dpkg-deb", "--extract", str(file), str(out))
            yield out / "usr/lib/outrider/outrider"
        elif file.suffix == ".dmg" and sys.platform == "darwin":
            _run("hdiutil", "attach", "-nobrowse", "-readonly", "-mountpoint", str(out), str(file))
            try:
                yield out / "Outrider.app/Contents/MacOS/outrider"
            finally:
                detach_image(out)
        else:  # Windows's installer gives out nothing that it does not install
            raise OutriderError("update_not_tried", name=file.name)
    except (OSError, subprocess.SubprocessError) as error:
        raise OutriderError("update_not_tried", name=file.name) from error


def detach_image(folder: Path) -> None:
    """Have macOS give up the disk image that it shows there; what does not work is left to the next start."""
    with suppress(OSError, subprocess.SubprocessError):
        _run("hdiutil", "detach", "-force", str(folder))


def _run(*command: str) -> None:
    subprocess.run(command, check=True, capture_output=True, timeout=SECONDS, **own_group())  # noqa: S603 - of the system
