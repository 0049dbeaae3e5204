"""Rules of macOS and Windows, emulated on whatever system this is: what they lack or refuse must end nothing."""

import errno
import os
import stat
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from backend import durable_files, process_limits
from backend.store import backup
from backend.store.database import Database

posix = pytest.mark.skipif(sys.platform == "win32", reason="`resource` and `fcntl` are of POSIX")


@pytest.fixture
def syncs_only_what_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on Windows: a handle that is open for reading cannot be synced."""
    import fcntl  # noqa: PLC0415 - not on Windows

    really: Callable[[int], None] = os.fsync

    def fsync(descriptor: int) -> None:
        mode = fcntl.fcntl(descriptor, fcntl.F_GETFL) & os.O_ACCMODE
        if mode == os.O_RDONLY and stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))
        really(descriptor)

    monkeypatch.setattr(os, "fsync", fsync)


@posix
@pytest.mark.usefixtures("syncs_only_what_is_written")
def test_a_backup_is_made_and_put_back_where_only_what_is_written_can_be_synced(tmp_path: Path) -> None:
    path, kept = tmp_path / "outrider.db", tmp_path / "kept.db"
    database = Database(path)
    backup.back_up(database, kept)
    database.close()
    assert backup.restore(path, kept, erase_again=lambda *_: None).erased_again == 0
    Database(path).close()


@posix
@pytest.mark.usefixtures("syncs_only_what_is_written")
def test_a_file_that_only_one_may_read_is_synced(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"whole")
    durable_files.sync_file(tmp_path / "file")
    assert (tmp_path / "file").read_bytes() == b"whole"


@posix
@pytest.mark.parametrize(("system", "refused"), [("darwin", False), ("linux", True)])
def test_only_macos_may_refuse_to_bound_the_address_space(
    monkeypatch: pytest.MonkeyPatch, system: str, refused: bool
) -> None:
    import resource  # noqa: PLC0415 - not on Windows

    kept: dict[int, tuple[int, int]] = {}

    def setrlimit(kind: int, most: tuple[int, int]) -> None:
        if kind == resource.RLIMIT_AS:
            raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))
        kept[kind] = most

    monkeypatch.setattr(resource, "setrlimit", setrlimit)
    monkeypatch.setattr(sys, "platform", system)
    if refused:
        with pytest.raises(OSError, match="Invalid argument"):
            process_limits.set_limits(AS=1 << 30, CORE=0)
    else:
        process_limits.set_limits(AS=1 << 30, CORE=0)
        assert kept == {resource.RLIMIT_CORE: (0, 0)}
