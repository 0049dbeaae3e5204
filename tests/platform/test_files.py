"""What keeps files, by this system's rules and by Windows's: a row each; whatever is done here is done there, too."""

import contextlib
import errno
import os
import runpy
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest

from backend.adapters.files.content_files import is_intact, path_of, store_content
from backend.machine import durable_files, folder_lock
from backend.practice.ledger import Ledger
from backend.runtime.copies.campaign_files import write_files
from backend.store import backup
from backend.store.database import Database
from tests.platform.windows_files import by_windows_rules, read_by_a_scanner

SYSTEMS: dict[str, Callable[[], contextlib.AbstractContextManager[None]]] = {
    "this system": contextlib.nullcontext,
    "Windows": by_windows_rules,
}


@pytest.fixture(params=SYSTEMS)
def system(request: pytest.FixtureRequest) -> Iterator[str]:
    with SYSTEMS[request.param]():
        yield request.param


def back_up_and_restore(folder: Path) -> None:
    path, copy = folder / "outrider.db", folder / "kept.db"
    with contextlib.closing(Database(path)) as database:
        backup.back_up(database, copy)
    for _ in range(2):  # the second time another one was put aside before
        assert backup.restore(path, copy, erase_again=lambda *_: None).erased_again == 0
    Database(path).close()


def put_back_at_the_next_start(folder: Path) -> None:
    path, copy = folder / "outrider.db", folder / "kept.db"
    with contextlib.closing(Database(path)) as database:
        backup.back_up(database, copy)
        backup.check(path, copy)
        backup.schedule(path)
    backup.restore_scheduled(path, erase_again=lambda *_: None)
    Database(path).close()


def replace_a_small_file(folder: Path) -> None:
    for content in (b"before", b"after"):
        durable_files.replace_file(folder / "kept", content)
        assert durable_files.read_file(folder / "kept") == content


def overwrite_a_page(folder: Path) -> None:
    path = folder / "kept"
    durable_files.replace_file(path, b" " * 2 * durable_files.PAGE_BYTES)
    assert durable_files.overwrite_page(path, 1, b"new")
    assert path.read_bytes()[durable_files.PAGE_BYTES :].startswith(b"new")


def sync_what_was_written(folder: Path) -> None:
    (folder / "file").write_bytes(b"whole")
    durable_files.sync_file(folder / "file")
    durable_files.sync_folder(folder)
    assert (folder / "file").read_bytes() == b"whole"


def store_the_same_content_twice(folder: Path) -> None:
    (sha256, _), again = (store_content(folder, [b"con", b"tent"]) for _ in range(2))
    assert again == (sha256, len(b"content"))
    assert is_intact(path_of(folder, sha256), sha256)
    assert len([path for path in folder.rglob("*") if path.is_file()]) == 1


def write_a_campaigns_files_again(folder: Path) -> None:
    for text in ("before", "after"):
        write_files(folder / "campaign", {"README.md": text})
    assert (folder / "campaign" / "README.md").read_text() == "after"


def open_a_torn_ledger(folder: Path) -> None:
    path = folder / "network.jsonl"
    path.write_bytes(b"torn")
    Ledger(path).close()
    assert path.read_bytes() == b""


@pytest.mark.parametrize(
    "work",
    [
        back_up_and_restore,
        put_back_at_the_next_start,
        replace_a_small_file,
        overwrite_a_page,
        sync_what_was_written,
        store_the_same_content_twice,
        write_a_campaigns_files_again,
        open_a_torn_ledger,
    ],
)
@pytest.mark.usefixtures("system")
def test_it_is_done_by_the_rules_of(work: Callable[[Path], None], tmp_path: Path) -> None:
    work(tmp_path)


def test_what_another_program_reads_for_a_moment_is_replaced_all_the_same(tmp_path: Path) -> None:
    """A scanner or an indexer opens on Windows what was just written, and meanwhile nobody may move or replace it."""
    (path := tmp_path / "kept").write_bytes(b"before")
    with read_by_a_scanner(2) as paused:
        durable_files.replace_file(path, b"after")
    assert (path.read_bytes(), paused) == (b"after", [0.01, 0.02])


def test_what_another_program_goes_on_reading_is_told_and_stays(tmp_path: Path) -> None:
    (path := tmp_path / "kept").write_bytes(b"before")
    with read_by_a_scanner(99), pytest.raises(PermissionError):
        durable_files.replace_file(path, b"after")
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == {"kept": b"before"}


def sync_what_is_open_for_reading(path: Path) -> None:
    with path.open("rb") as file:
        os.fsync(file.fileno())


def open_a_folder(path: Path) -> None:
    os.close(os.open(path.parent, os.O_RDONLY))


def replace_an_open_file(path: Path) -> None:
    beside = path.with_name("beside")
    beside.touch()
    with path.open("rb"):
        beside.replace(path)


def move_an_open_file(path: Path) -> None:
    with path.open("rb"):
        path.rename(path.with_name("aside"))


def move_a_folder_with_an_open_file(path: Path) -> None:
    with path.open("rb"):
        path.parent.rename(path.parent.with_name("aside"))


def delete_an_open_file(path: Path) -> None:
    with path.open("rb"):
        path.unlink()


def move_onto_another_file(path: Path) -> None:
    path.with_name("other").touch()
    path.rename(path.with_name("other"))


@pytest.mark.parametrize(
    ("refused", "error"),
    [
        (sync_what_is_open_for_reading, errno.EBADF),
        (open_a_folder, errno.EACCES),
        (replace_an_open_file, errno.EACCES),
        (move_an_open_file, errno.EACCES),
        (move_a_folder_with_an_open_file, errno.EACCES),
        (delete_an_open_file, errno.EACCES),
        (move_onto_another_file, errno.EEXIST),
    ],
)
def test_windows_refuses(refused: Callable[[Path], None], error: int, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (path := tmp_path / "folder" / "file").touch()
    with by_windows_rules(), pytest.raises(OSError, match=r".") as raised:
        refused(path)
    assert raised.value.errno == error


@pytest.mark.parametrize(
    ("module", "name", "expected"),
    [
        (durable_files, "FOLDERS_CAN_BE_SYNCED", {"linux": True, "darwin": True, "win32": False}),
        (folder_lock, "FOLDERS_CAN_BE_LOCKED", {"linux": True, "darwin": True, "win32": False}),
    ],
)
@pytest.mark.parametrize("system", ["linux", "darwin", "win32"])
def test_what_a_module_knows_of_its_system_is_so_there(
    monkeypatch: pytest.MonkeyPatch, module: ModuleType, name: str, expected: dict[str, object], system: str
) -> None:
    """The rules above set it themselves; here the module is imported as that system would."""
    monkeypatch.setattr(sys, "platform", system)
    assert runpy.run_path(str(module.__file__))[name] == expected[system]


def test_only_windows_waits_for_whoever_reads_what_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    waits = {}
    for system in ("linux", "darwin", "win32"):
        monkeypatch.setattr(sys, "platform", system)
        waits[system] = sum(runpy.run_path(str(durable_files.__file__))["WAITS_FOR_READERS"])
    assert waits["linux"] == waits["darwin"] == 0
    assert 0.5 < waits["win32"] < 2
