"""A file that a command writes for the user is there whole, or not at all."""

import errno
import os
import stat
from pathlib import Path

import pytest

from backend import terminal
from backend.domain.values.errors import OutriderError
from backend.machine.unfinished_files import remove_unfinished_files
from backend.terminal.new_files import write_new_file

DATA = b"personal data\n" * 10_000


class Killed(BaseException):
    """The process ends here."""


@pytest.mark.parametrize("fault", [OSError(errno.ENOSPC, "No space left on device"), Killed()], ids=["full", "killed"])
def test_nothing_is_left_of_a_file_that_could_not_be_written_and_the_same_name_can_be_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: BaseException
) -> None:
    data, target = tmp_path / "data", tmp_path / "proof.html"
    data.mkdir()
    with monkeypatch.context() as patch:
        fsync = os.fsync

        def failing(descriptor: int) -> None:
            fsync(descriptor)
            if any(path.name.endswith(target.name) for path in tmp_path.iterdir()):
                raise fault

        patch.setattr(os, "fsync", failing)
        with pytest.raises((OutriderError, Killed)):
            write_new_file(data, target, DATA)
    remove_unfinished_files(data)
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []
    write_new_file(data, target, DATA)
    assert (target.read_bytes(), stat.S_IMODE(target.stat().st_mode) & 0o077) == (DATA, 0)


@pytest.mark.parametrize("there", ["a file", "a link that leads nowhere"])
def test_no_other_file_is_written_over(tmp_path: Path, there: str) -> None:
    target = tmp_path / "proof.html"
    if there == "a file":
        target.write_bytes(b"theirs")
    else:
        target.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OutriderError) as refused:
        write_new_file(tmp_path, target, DATA)
    assert refused.value.code == "export_failed"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["proof.html"]


def test_every_command_writes_so() -> None:
    sources = {path.name: path.read_text("utf-8") for path in Path(terminal.__path__[0]).glob("*.py")}
    others = {name for name, source in sources.items() if '.open("x' in source or '.open("w' in source}
    assert others == set()
