"""Files that are not done yet: gone when they are, gone after a kill, and nobody else's business while they are written."""

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from backend.machine import unfinished_files
from backend.machine.unfinished_files import FOLDER, noted, private_place, remove_unfinished_files


def left(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*")}


def left_by_a_kill(data: Path, *named: str) -> Path:
    place = data / FOLDER / "killed"
    place.mkdir(parents=True)
    (place / "files.json").write_text(json.dumps(named))
    return place


def test_a_private_place_is_gone_with_all_that_is_in_it(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), private_place(tmp_path) as place:  # noqa: PT012
        (place / "text").write_text("Hi Ada")
        (place / "deep").mkdir()
        (place / "deep" / "text~").write_text("Hi Ada")
        raise ZeroDivisionError
    assert left(tmp_path) == set()


def test_nothing_is_left_of_what_was_noted_and_is_done(tmp_path: Path) -> None:
    with noted(tmp_path, [tmp_path / ".x.partial"]):
        assert left(tmp_path) != set()
    assert left(tmp_path) == set()


def test_what_cannot_be_removed_at_the_end_is_at_the_next_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    beside, unlink = tmp_path / ".x.partial", Path.unlink

    def refused(path: Path, **options: bool) -> None:
        if path == beside:
            raise PermissionError
        unlink(path, **options)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "unlink", refused)
        with noted(tmp_path, [beside]):
            beside.write_text("half")
    assert beside.exists()
    remove_unfinished_files(tmp_path)
    assert left(tmp_path) == set()


def test_what_is_still_written_stays_whoever_starts_meanwhile(tmp_path: Path) -> None:
    data, beside = tmp_path / "data", tmp_path / ".x.partial"
    data.mkdir()
    with noted(data, [beside]), private_place(data) as place:
        beside.write_text("half")
        (place / "text").write_text("Hi Ada")
        remove_unfinished_files(data)
        assert beside.exists()
        assert (place / "text").exists()


def test_only_hidden_files_that_are_named_whole_are_removed(tmp_path: Path) -> None:
    names = ["letters.txt", ".x.partial"]
    for name in names:
        (tmp_path / name).write_text("mine")
    left_by_a_kill(tmp_path, *(str(tmp_path / name) for name in names), ".relative")
    remove_unfinished_files(tmp_path)
    assert left(tmp_path) == {"letters.txt"}


@pytest.mark.parametrize("content", ["", "{", "3", "[3, null]", '"text"', "\0"])
def test_a_note_that_was_cut_off_is_removed(tmp_path: Path, content: str) -> None:
    (left_by_a_kill(tmp_path) / "files.json").write_text(content)
    remove_unfinished_files(tmp_path)
    assert left(tmp_path) == set()


def test_what_is_on_a_drive_that_is_not_there_is_removed_once_it_is(tmp_path: Path) -> None:
    drive, data = tmp_path / "drive", tmp_path / "data"
    data.mkdir()
    left_by_a_kill(data, str(drive / ".x.partial"))
    remove_unfinished_files(data)
    drive.mkdir()
    (drive / ".x.partial").write_text("half")
    remove_unfinished_files(data)
    assert left(tmp_path) == {"data", "drive"}


@pytest.mark.parametrize("call", ["replace_file", "_new_place"])
def test_where_nothing_can_be_noted_the_file_is_written_all_the_same(
    tmp_path: Path, call: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object) -> None:
        raise OSError

    monkeypatch.setattr(unfinished_files, call, refused)
    written = False
    with noted(tmp_path, [tmp_path / ".x.partial"]):
        written = True
    assert written
    assert left(tmp_path) == set()


def test_a_disk_image_that_a_kill_left_is_detached_before_its_place_is_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it shows can be read only, so that its place could never be removed."""
    place = left_by_a_kill(tmp_path)
    (shown := place / "app").mkdir()
    (shown / "Outrider.app").touch(mode=0o400)
    mounted = {str(shown)}
    remove = shutil.rmtree

    def detach(folder: Path) -> None:
        mounted.remove(str(folder))
        (folder / "Outrider.app").unlink()

    def remove_what_is_ours(path: Path, **options: Any) -> None:
        if str(path) not in mounted:
            remove(path, **options)

    monkeypatch.setattr(os.path, "ismount", lambda path: str(path) in mounted)
    monkeypatch.setattr(shutil, "rmtree", remove_what_is_ours)
    remove_unfinished_files(tmp_path)
    assert shown.exists()
    remove_unfinished_files(tmp_path, detach)
    assert left(tmp_path) == set()
