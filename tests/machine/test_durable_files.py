"""Files that survive a power cut, and a disk that takes little at once: replaced whole, or as they were."""

import errno
import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from backend.machine import durable_files
from backend.machine.durable_files import PAGE_BYTES, overwrite_page, read_file, replace_file
from tests.posix import make_pipe

Write = Callable[..., int]
ROOT = Path(__file__).parents[2]
OLD, NEW = b"what was there before", b"and what is to be there"


def slow(write: Write) -> Write:
    """A disk that takes a few bytes at a time."""
    return lambda descriptor, content: write(descriptor, bytes(content)[:3])


def full_after(write: Write, taken: int) -> Write:
    """A disk that takes so many bytes more."""
    room = [taken]

    def limited(descriptor: int, content: bytes) -> int:
        if room[0] == 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        room[0] -= (done := write(descriptor, bytes(content)[: room[0]]))
        return done

    return limited


def two_pages(tmp_path: Path) -> Path:
    path = tmp_path / "kept"
    replace_file(path, OLD.ljust(PAGE_BYTES) * 2)
    return path


@pytest.mark.posix
def test_nobody_waits_for_the_other_end_of_a_pipe_in_a_files_place(tmp_path: Path) -> None:
    assert read_file(make_pipe(tmp_path / "kept")) == b""


@pytest.mark.parametrize("page", [0, 1])
@pytest.mark.parametrize("new", [NEW, NEW[:4]], ids=["longer", "shorter"])
def test_a_short_write_never_counts_as_written(
    tmp_path: Path, new: bytes, page: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = two_pages(tmp_path)
    monkeypatch.setattr(os, "write", slow(os.write))
    assert overwrite_page(path, page, new)
    pages = [OLD.ljust(PAGE_BYTES)] * 2
    pages[page] = new.ljust(PAGE_BYTES)
    assert path.read_bytes() == b"".join(pages)


@pytest.mark.parametrize("page", [0, 1])
@pytest.mark.parametrize("taken", [0, 1, len(NEW) - 1, PAGE_BYTES - 1])
def test_what_cannot_be_written_whole_is_told_and_leaves_the_other_page(
    tmp_path: Path, taken: int, page: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = two_pages(tmp_path)
    monkeypatch.setattr(os, "write", full_after(os.write, taken))
    with pytest.raises(OSError, match="No space left"):
        overwrite_page(path, page, NEW)
    content, other = path.read_bytes(), 1 - page
    assert content[other * PAGE_BYTES :][:PAGE_BYTES] == OLD.ljust(PAGE_BYTES)


@pytest.mark.parametrize("size", [0, PAGE_BYTES, 2 * PAGE_BYTES - 1, 2 * PAGE_BYTES + 1])
def test_a_file_that_is_not_two_pages_is_left_as_it_is(tmp_path: Path, size: int) -> None:
    path = tmp_path / "kept"
    path.write_bytes(b"x" * size)
    assert not overwrite_page(path, 0, NEW)
    assert path.read_bytes() == b"x" * size


@pytest.mark.posix
@pytest.mark.parametrize("obstacle", ["a link", "a file that others may read", "a pipe"])
def test_what_others_put_where_a_file_is_being_written_is_not_written_into(tmp_path: Path, obstacle: str) -> None:
    """The folder may be one in which others write, too."""
    path, beside, theirs = tmp_path / "proof", tmp_path / ".new-proof", tmp_path / "theirs"
    theirs.write_bytes(OLD)
    if obstacle == "a link":
        beside.symlink_to(theirs)
    elif obstacle == "a pipe":
        make_pipe(beside)
    else:
        beside.hardlink_to(theirs)
        beside.chmod(0o666)
    replace_file(path, NEW)
    assert (path.read_bytes(), path.is_symlink(), stat.S_IMODE(path.stat().st_mode)) == (NEW, False, 0o600)
    assert theirs.read_bytes() == OLD
    assert sorted(tmp_path.iterdir()) == [path, theirs]


def test_a_file_is_replaced_whole_for_its_owner_only_and_nothing_stays_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "kept"
    path.write_bytes(b"before")
    path.chmod(0o644)
    replace_file(path, b"after")
    assert path.read_bytes() == b"after"
    assert [file.name for file in tmp_path.iterdir()] == ["kept"]
    if os.name == "posix":
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_what_was_there_stays_if_it_cannot_be_replaced(tmp_path: Path) -> None:
    path = tmp_path / "kept"
    path.write_bytes(b"before")
    (tmp_path / ".new-kept").mkdir()
    with pytest.raises(OSError, match="kept"):
        replace_file(path, b"after")
    assert path.read_bytes() == b"before"


ERRORS = (
    "EROFS", "ENOSPC", "EDQUOT", "EIO", "EMFILE", "ENFILE", "ELOOP", "EACCES", "EPERM", "ENAMETOOLONG", "ENOMEM", "ESTALE"
)  # fmt: skip


@pytest.mark.parametrize("call", ["open", "fsync", "replace", "fsync of the folder"])
def test_whatever_the_system_refuses_the_earlier_content_stays_and_nothing_beside_it(
    tmp_path: Path, call: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "kept"
    path.write_bytes(OLD)
    for name in ERRORS:
        if not hasattr(errno, name):
            continue  # another system's
        refusal = OSError(getattr(errno, name), name)

        def refused(*_: object, refusal: OSError = refusal, **__: object) -> int:
            raise refusal

        with monkeypatch.context() as patch:
            if call == "replace":
                patch.setattr(Path, "replace", refused)
            elif call == "fsync of the folder":
                patch.setattr(durable_files, "sync_folder", refused)
            else:
                patch.setattr(os, call, refused)
            with pytest.raises(OSError, match=name):
                replace_file(path, NEW)
        assert path.read_bytes() == (NEW if call == "fsync of the folder" else OLD), name
        assert [file.name for file in tmp_path.iterdir()] == ["kept"], name
    replace_file(path, NEW)
    assert path.read_bytes() == NEW


WAYS = ("O_TRUNC", "os.O_EXCL", "mkstemp(", "NamedTemporaryFile(", ".write_text(", ".write_bytes(", '.open("w')
OTHERS = {
    "adapters/files/content_files.py": "named by what it holds; removes what failed, and what a kill left is swept",
    "adapters/account_locks.py": "which data folder acts; half of it is another one's, after which one waits",
    "adapters/updates.py": "an installer's file with nobody's words, in a private place until it was tried",
    "api/exports.py": "where the user wants it; removes what failed, and what a kill left is swept",
    "runtime/copies/campaign_files.py": "several at once; removes what failed, and an erasure what a kill left",
    "terminal/review.py": "a text in the user's own editor; what a kill left is swept",
    "reference/__main__.py": "of the source, not of a data folder",
}


def test_who_writes_a_file_does_it_by_replacing_it_or_is_looked_at_here() -> None:
    """What is half written is taken for whole, and what is left beside it has people's words where nobody looks."""
    backend = ROOT / "backend"
    makers = {
        path.relative_to(backend).as_posix()
        for path in backend.rglob("*.py")
        if any(way in path.read_text("utf-8") for way in WAYS)
    }
    assert makers == {"machine/durable_files.py", *OTHERS}
