"""One Outrider a data folder, whatever somebody does to the files in it."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from backend.adapters.instance_lock import InstanceLock
from backend.domain.values.errors import OutriderError

HOLDER = """
import sys
from pathlib import Path
from backend.adapters.instance_lock import InstanceLock
with InstanceLock(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "data"
    made.mkdir()
    (made / "outrider.db").write_bytes(b"")
    return made


def hold(folder: Path) -> "subprocess.Popen[str]":
    """Another Outrider on that folder, until its input is closed."""
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    return holder


def refused(folder: Path) -> str:
    with pytest.raises(OutriderError) as error, InstanceLock(folder):
        pass
    return error.value.code


def delete_every_file(folder: Path) -> None:
    for file in folder.iterdir():
        file.unlink()


def replace_every_file(folder: Path) -> None:
    for file in folder.iterdir():
        copy = file.with_suffix(".copy")
        shutil.copyfile(file, copy)
        copy.replace(file)


def new_lock_file(folder: Path) -> None:
    (folder / "outrider.lock").unlink(missing_ok=True)
    (folder / "outrider.lock").touch()


@pytest.mark.posix  # Windows deletes no open file
@pytest.mark.parametrize("happens", [delete_every_file, replace_every_file, new_lock_file, lambda _: None])
def test_a_deleted_or_replaced_lock_file_lets_no_second_one_in(folder: Path, happens: Callable[[Path], None]) -> None:
    with hold(folder) as holder:
        happens(folder)
        assert refused(folder) == "instance_running"
        holder.communicate("")
    with InstanceLock(folder):
        pass


def test_a_killed_one_holds_nothing_any_more(folder: Path) -> None:
    with hold(folder) as holder:
        holder.kill()
        holder.wait()
    with InstanceLock(folder):
        pass


def test_a_child_process_does_not_go_on_holding_it(folder: Path) -> None:
    with InstanceLock(folder):
        child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE, close_fds=False)
    with child, InstanceLock(folder):
        child.communicate(b"\n")


@pytest.mark.posix  # Windows locks no folder
def test_a_child_process_that_was_given_the_locked_folder_does_not_go_on_holding_it(folder: Path) -> None:
    """Every child has it for a moment, until its program is started."""
    with InstanceLock(folder):
        descriptors = [number for number in range(256) if is_open_on(number, folder)]
        assert descriptors
        child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE, pass_fds=descriptors)
    with child, InstanceLock(folder):
        child.communicate(b"\n")


def is_open_on(number: int, folder: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(number), folder.stat())
    except OSError:
        return False


def test_within_one_process_it_is_held_once_too(folder: Path) -> None:
    with InstanceLock(folder):
        assert refused(folder) == "instance_running"
    with InstanceLock(folder):
        pass


@pytest.mark.posix  # links need a right on Windows
def test_by_another_name_it_is_the_same_folder(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(folder)
    with hold(tmp_path / "link") as holder:
        assert refused(folder) == "instance_running"
        holder.communicate("")


@pytest.mark.posix  # links need a right on Windows
def test_a_database_that_is_a_link_is_locked_where_it_is(folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "outrider.db").symlink_to(folder / "outrider.db")
    with hold(other) as holder:
        assert refused(folder) == "instance_running"
        holder.communicate("")
    with hold(folder) as holder:
        assert refused(other) == "instance_running"
        holder.communicate("")


@pytest.mark.posix  # links need a right on Windows
def test_a_database_with_a_second_name_is_refused(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "second.db").hardlink_to(folder / "outrider.db")
    with pytest.raises(OutriderError, match="a second name"), InstanceLock(folder):
        pass
    (tmp_path / "second.db").unlink()
    with InstanceLock(folder):
        pass


def test_a_folder_that_is_not_there_cannot_be_used(tmp_path: Path) -> None:
    assert refused(tmp_path / "nowhere") == "data_dir_unusable"
