"""Windows's rules for files that POSIX does not have, emulated: what it refuses is refused to our own code here, too.

`pytest -p tests.platform.windows_files tests/store` runs whatever tests by these rules. What is open is what this process has
open; that of others is not seen.
"""

import contextlib
import errno
import os
import shutil
import stat
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from backend.machine import durable_files


@contextlib.contextmanager
def by_windows_rules() -> Iterator[None]:
    """Within the block, and the same on Windows itself, where nothing needs to be emulated."""
    if sys.platform == "win32":
        yield
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(durable_files, "FOLDERS_CAN_BE_SYNCED", False)
        patch.setattr(shutil, "_use_fd_functions", False)  # there it does without open folders
        patch.setattr(os, "fsync", _syncing_only_what_is_written(os.fsync))
        patch.setattr(os, "open", _opening_no_folder(os.open))
        for name in ("replace", "rename"):
            patch.setattr(os, name, _refusing_what_is_open(getattr(os, name), 2))
        for name in ("unlink", "remove"):
            patch.setattr(os, name, _refusing_what_is_open(getattr(os, name), 1))
        patch.setattr(os, "rename", _renaming_onto_nothing(os.rename))
        yield


@pytest.fixture(autouse=True)
def windows_rules() -> Iterator[None]:
    """For whoever loads this module as a plug-in."""
    with by_windows_rules():
        yield


def _syncing_only_what_is_written(sync: Callable[[int], None]) -> Callable[[int], None]:
    if sys.platform == "win32":
        return sync
    import fcntl  # noqa: PLC0415 - of POSIX

    def fsync(descriptor: int) -> None:
        reading = fcntl.fcntl(descriptor, fcntl.F_GETFL) & os.O_ACCMODE == os.O_RDONLY
        if reading and stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))
        sync(descriptor)

    return fsync


def _opening_no_folder(really: Callable[..., int]) -> Callable[..., int]:
    unnamed = getattr(os, "O_TMPFILE", 0)  # Linux's way to a file without a name, in a folder

    def opened(path: Any, flags: int, *rest: Any, **more: Any) -> int:
        if Path(path).is_dir() and not (unnamed and flags & unnamed == unnamed):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
        return really(path, flags, *rest, **more)

    return opened


def _refusing_what_is_open(really: Callable[..., None], names: int) -> Callable[..., None]:
    def act(*arguments: Any, **more: Any) -> None:
        for path in map(Path, arguments[:names]):
            if _is_open(path):
                raise PermissionError(errno.EACCES, "The process cannot access the file: it is open", str(path))
        really(*arguments, **more)

    return act


def _renaming_onto_nothing(really: Callable[..., None]) -> Callable[..., None]:
    def rename(source: Any, target: Any, **more: Any) -> None:
        if Path(target).exists():
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(target))
        really(source, target, **more)

    return rename


@contextlib.contextmanager
def read_by_a_scanner(tries: int) -> Iterator[list[float]]:
    """Another program has whatever is moved open for so many tries; gives the pauses between them, which take no time."""
    paused, really = list[float](), os.replace

    def replace(source: Any, target: Any, **more: Any) -> None:
        if len(paused) < tries:
            raise PermissionError(errno.EACCES, "The process cannot access the file: another one reads it", str(target))
        really(source, target, **more)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "replace", replace)
        patch.setattr(durable_files, "WAITS_FOR_READERS", (0.01, 0.02, 0.05))
        patch.setattr(durable_files, "time", SimpleNamespace(sleep=paused.append))
        yield paused


def _is_open(path: Path) -> bool:
    """Whether this process holds it, or a file within it."""
    for descriptor in Path("/dev/fd").iterdir():
        with contextlib.suppress(OSError):
            status = os.fstat(int(descriptor.name))
            if not stat.S_ISREG(status.st_mode):
                continue
            if path.is_file() and not path.is_symlink() and os.path.samestat(status, path.stat()):
                return True
            if path.is_dir() and descriptor.readlink().is_relative_to(path.resolve()):
                return True
    return False
