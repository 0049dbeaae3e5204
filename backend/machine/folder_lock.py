"""A lock on a folder that the operating system releases when the process ends, however it ends.

On POSIX systems the folder itself is locked: a lock file can be deleted or replaced, and then nobody sees that it is held. On
Windows, where no folder can be opened, a file in it is; one that is open cannot be deleted there.
"""

import errno
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path

LOCK_FILE = "outrider.lock"
FOLDERS_CAN_BE_LOCKED = sys.platform != "win32"


def lock_folder(folder: Path, *, made_for_it: bool = False) -> Callable[[], None]:
    """Lock the folder; returns what releases it, and removes an empty one that was `made_for_it`.

    Raises BlockingIOError while somebody else holds it, FileNotFoundError if it was removed meanwhile, and other OSErrors. No
    child process goes on holding it.
    """
    return (_lock_itself if FOLDERS_CAN_BE_LOCKED else _lock_by_file)(folder, made_for_it)


def _lock_itself(folder: Path, made_for_it: bool) -> Callable[[], None]:
    if sys.platform == "win32":
        raise NotImplementedError
    import fcntl  # noqa: PLC0415 - of POSIX

    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        is_still_there = os.path.samestat(os.fstat(descriptor), folder.stat())
    except BaseException:
        os.close(descriptor)
        raise
    if not is_still_there:
        os.close(descriptor)
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(folder))

    def release() -> None:
        if made_for_it:
            with suppress(OSError):
                folder.rmdir()  # while it is held: whoever has opened it sees that it is no longer there
        fcntl.flock(
            descriptor, fcntl.LOCK_UN
        )  # closing alone would not do: a child has a copy until its program starts
        os.close(descriptor)

    return release


def _lock_by_file(folder: Path, made_for_it: bool) -> Callable[[], None]:
    from filelock import FileLock, Timeout  # noqa: PLC0415 - only Windows needs it

    lock = FileLock(folder / LOCK_FILE, thread_local=False)
    try:
        lock.acquire(timeout=0)
    except Timeout as timeout:
        raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN), str(folder)) from timeout
    return partial(_release_file, lock.release, folder if made_for_it else None)


def _release_file(release: Callable[[], None], made_folder: Path | None) -> None:
    release()
    if made_folder is not None:
        with suppress(
            OSError
        ):  # somebody else holds it already: what is open is not deleted there, and no folder around it
            (made_folder / LOCK_FILE).unlink(missing_ok=True)
            made_folder.rmdir()
