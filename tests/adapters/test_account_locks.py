"""One data folder at a time acts by an account, whatever happens to the one that does."""

import math
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from backend.adapters.account_locks import HOLDER, FileAccountLocks
from backend.domain.values.errors import OutriderError
from backend.machine import folder_lock
from backend.ports.account_locks import SenderAccount

ACCOUNT = SenderAccount("https://network.test", "me")
OTHER = SenderAccount("https://network.test", "somebody else")
HOLDER_PROGRAM = """
import sys
from pathlib import Path
from backend.adapters.account_locks import FileAccountLocks
from backend.ports.account_locks import SenderAccount
from backend.machine import folder_lock
folder_lock.FOLDERS_CAN_BE_LOCKED = sys.argv[3] == "True"
locks = FileAccountLocks(Path(sys.argv[1]), Path(sys.argv[2]))
account = SenderAccount(*sys.argv[4:6])
locks.take(account, "run")
if len(sys.argv) > 6:
    locks.note_act(account)
print("held", flush=True)
sys.stdin.read()
"""


@pytest.fixture(
    autouse=True,
    params=[
        pytest.param(True, marks=pytest.mark.posix, id="posix"),
        pytest.param(False, id="windows"),
    ],
)
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """As POSIX systems lock folders, and as Windows does."""
    monkeypatch.setattr(folder_lock, "FOLDERS_CAN_BE_LOCKED", request.param)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "state" / "accounts"


@pytest.fixture
def here(folder: Path, tmp_path: Path) -> Iterator[FileAccountLocks]:
    locks = FileAccountLocks(folder, tmp_path / "here")
    yield locks
    locks.close()


@pytest.fixture
def copy(folder: Path, tmp_path: Path) -> Iterator[FileAccountLocks]:
    locks = FileAccountLocks(folder, tmp_path / "copy")
    yield locks
    locks.close()


def held_elsewhere(folder: Path, data_dir: Path, *acted: str) -> "subprocess.Popen[str]":
    """Another process that holds the account, until its input is closed; with "acted" it has acted by it."""
    arguments = [str(folder), str(data_dir), str(folder_lock.FOLDERS_CAN_BE_LOCKED), *ACCOUNT, *acted]
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER_PROGRAM, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


def refusal(locks: FileAccountLocks) -> OutriderError:
    with pytest.raises(OutriderError) as refused:
        locks.take(ACCOUNT, "run")
    return refused.value


def test_a_second_data_folder_is_refused_and_told_which_one_holds_it(
    here: FileAccountLocks, copy: FileAccountLocks, tmp_path: Path
) -> None:
    here.take(ACCOUNT, "run")
    refused = refusal(copy)
    assert refused.code == "account_in_use"
    assert str(tmp_path / "here") in refused.sentence
    assert "https://network.test" in refused.sentence


def test_another_account_is_free(here: FileAccountLocks, copy: FileAccountLocks) -> None:
    here.take(ACCOUNT, "run")
    assert copy.take(OTHER, "run") == math.inf


def test_once_released_it_is_another_ones_and_nothing_is_waited_for(
    here: FileAccountLocks, copy: FileAccountLocks
) -> None:
    here.take(ACCOUNT, "run")
    here.release(ACCOUNT, "run")
    assert copy.take(ACCOUNT, "run") == math.inf
    assert refusal(here).code == "account_in_use"


def test_it_is_held_as_long_as_anything_in_the_folder_needs_it(here: FileAccountLocks, copy: FileAccountLocks) -> None:
    here.take(ACCOUNT, "run")
    here.take(ACCOUNT, "send session")
    here.take(ACCOUNT, "send session")
    here.release(ACCOUNT, "run")
    assert refusal(copy).code == "account_in_use"
    here.release(ACCOUNT, "send session")
    copy.take(ACCOUNT, "run")


def test_what_is_not_held_is_released_without_effect(here: FileAccountLocks, copy: FileAccountLocks) -> None:
    here.release(ACCOUNT, "run")
    copy.take(ACCOUNT, "run")
    here.release(ACCOUNT, "run")
    assert refusal(here).code == "account_in_use"


def test_a_killed_one_holds_nothing_and_the_next_folder_hears_that_it_had_acted(
    folder: Path, copy: FileAccountLocks, tmp_path: Path
) -> None:
    with held_elsewhere(folder, tmp_path / "here", "acted") as process:
        assert refusal(copy).code == "account_in_use"
        process.kill()
        process.wait()
    assert 0 <= copy.take(ACCOUNT, "run") < 60


def test_of_one_that_was_killed_before_it_acted_nothing_is_under_way(
    folder: Path, copy: FileAccountLocks, tmp_path: Path
) -> None:
    with held_elsewhere(folder, tmp_path / "here") as process:
        process.kill()
        process.wait()
    assert copy.take(ACCOUNT, "run") == math.inf


def test_who_stops_while_an_outcome_is_not_known_says_so_to_the_next_folder(
    here: FileAccountLocks, copy: FileAccountLocks
) -> None:
    here.take(ACCOUNT, "run")
    here.take(ACCOUNT, "another run")
    here.note_act(ACCOUNT)
    here.release(ACCOUNT, "run", is_settled=False)
    here.release(ACCOUNT, "another run")
    assert 0 <= copy.take(ACCOUNT, "run") < 60
    copy.release(ACCOUNT, "run")
    assert here.take(ACCOUNT, "run") == math.inf, "that one waited for it"


def test_whoever_acted_and_knows_what_came_of_it_leaves_nothing(here: FileAccountLocks, copy: FileAccountLocks) -> None:
    here.take(ACCOUNT, "run")
    here.note_act(ACCOUNT)
    here.release(ACCOUNT, "run")
    assert copy.take(ACCOUNT, "run") == math.inf


def test_an_act_that_cannot_be_noted_is_not_done(folder: Path, here: FileAccountLocks) -> None:
    here.take(ACCOUNT, "run")
    (folder / ACCOUNT.lock_name).rename(folder / "elsewhere")
    with pytest.raises(OutriderError) as refused:
        here.note_act(ACCOUNT)
    assert refused.value.code == "account_lock_failed"
    (folder / "elsewhere").rename(folder / ACCOUNT.lock_name)


def test_the_killed_one_itself_has_its_own_record_and_need_not_wait(
    folder: Path, here: FileAccountLocks, tmp_path: Path
) -> None:
    with held_elsewhere(folder, tmp_path / "here", "acted") as process:
        process.kill()
        process.wait()
    assert here.take(ACCOUNT, "run") == math.inf


def test_nothing_is_left_of_what_was_released(folder: Path, here: FileAccountLocks) -> None:
    """A practice network has another address each time."""
    here.take(ACCOUNT, "run")
    here.take(OTHER, "run")
    here.release(ACCOUNT, "run")
    here.close()
    assert list(folder.iterdir()) == []


def test_a_holder_that_has_not_written_its_name_yet_is_a_holder(
    folder: Path, here: FileAccountLocks, copy: FileAccountLocks
) -> None:
    here.take(ACCOUNT, "run")
    (folder / ACCOUNT.lock_name / HOLDER).unlink()
    assert refusal(copy).code == "account_in_use"


def test_where_the_folder_cannot_be_made_nothing_begins(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    refused = refusal(FileAccountLocks(tmp_path / "file" / "accounts", tmp_path / "here"))
    assert refused.code == "account_lock_failed"
    assert str(tmp_path / "file" / "accounts") in refused.sentence
    assert "OUTRIDER_ACCOUNTS_DIR" in refused.remedy


def test_a_folder_that_keeps_no_record_is_not_held(
    folder: Path, here: FileAccountLocks, copy: FileAccountLocks
) -> None:
    (folder / ACCOUNT.lock_name / HOLDER).mkdir(parents=True)
    assert refusal(here).code == "account_lock_failed"
    (folder / ACCOUNT.lock_name / HOLDER).rmdir()
    copy.take(ACCOUNT, "run")


RACER_PROGRAM = """
import os, sys
from pathlib import Path
from backend.adapters.account_locks import FileAccountLocks
from backend.ports.account_locks import SenderAccount
from backend.domain.values.errors import OutriderError
from backend.machine import folder_lock
folder_lock.FOLDERS_CAN_BE_LOCKED = sys.argv[3] == "True"
locks, account = FileAccountLocks(Path(sys.argv[1]), Path(sys.argv[2])), SenderAccount(*sys.argv[4:])
alone, times = Path(sys.argv[1]).with_name("alone"), 0
while times < 200:
    try:
        locks.take(account, "run")
    except OutriderError as error:
        assert error.code == "account_in_use", error
        continue
    os.close(os.open(alone, os.O_CREAT | os.O_EXCL))
    alone.unlink()
    locks.release(account, "run")
    times += 1
"""


@pytest.mark.posix
@pytest.mark.parametrize("way", [True], indirect=True)
def test_two_that_take_and_release_it_all_the_time_are_never_both_its_holder(folder: Path, tmp_path: Path) -> None:
    folder.parent.mkdir(parents=True)
    arguments = [str(folder_lock.FOLDERS_CAN_BE_LOCKED), *ACCOUNT]
    racers = [
        subprocess.Popen([sys.executable, "-c", RACER_PROGRAM, str(folder), str(tmp_path / name), *arguments])
        for name in ("here", "copy")
    ]
    assert [racer.wait(60) for racer in racers] == [0, 0]
