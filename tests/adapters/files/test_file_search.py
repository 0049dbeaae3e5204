"""A search takes folders as they are: links, loops, rights, odd names, a hundred thousand files, folders that vanish."""

import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from backend.adapters.files.file_search import FileSearcher
from backend.domain.device.agent_tools import FileSearch, ToolAnswer
from backend.domain.values.errors import OutriderError
from tests.posix import file_socket, make_pipe

DAY = 86_400


def search(
    folder: Path | str,
    days: int = 7,
    searcher: FileSearcher | None = None,
    cancelled: Callable[[], bool] = lambda: False,
) -> ToolAnswer:
    params = FileSearch(directory=str(folder), extension=".pdf", modified_within_days=days)
    return (searcher or FileSearcher()).search(params, cancelled)


def test_files_are_found_by_extension_and_by_when_they_were_modified(tmp_path: Path) -> None:
    now = time.time()
    for name, age in (
        ("a.pdf", 0),
        ("B.PDF", 6.9),
        ("sub/c.Pdf", 2),
        ("old.pdf", 7.1),
        ("future.pdf", -2),
        ("a.txt", 0),
    ):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.touch()
        os.utime(path, (now, now - age * DAY))
    (tmp_path / "pdf").touch()
    (tmp_path / "folder.pdf").mkdir()
    paths = search(tmp_path).value
    assert paths == tuple(str(tmp_path / name) for name in ("B.PDF", "a.pdf", "sub/c.Pdf"))


@pytest.mark.posix
def test_links_are_not_followed_and_what_is_no_file_is_not_touched(tmp_path: Path) -> None:
    inside = tmp_path / "in"
    inside.mkdir()
    (tmp_path / "outside.pdf").touch()
    (inside / "loop").symlink_to(inside)
    (inside / "up").symlink_to(tmp_path)
    (inside / "link.pdf").symlink_to(tmp_path / "outside.pdf")
    (inside / "dangling.pdf").symlink_to(tmp_path / "nowhere")
    make_pipe(inside / "pipe.pdf")
    with file_socket() as listening:
        listening.bind(str(inside / "s.pdf"))
        assert search(inside).value == ()


def test_the_folder_itself_may_be_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "a.pdf").touch()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert search(tmp_path / "link").value == (str(tmp_path / "link" / "a.pdf"),)


def test_odd_names_come_back_as_they_are(tmp_path: Path) -> None:
    odd = [b"\xff\xfe.pdf", b"a\nb.pdf", b"-rf.pdf", b"\xe2\x80\xae.pdf", b"'\"$(x).pdf", b" .pdf", b".pdf"]
    for name in odd:
        Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name)).touch()
    paths = search(tmp_path).value
    assert {os.fsencode(path).rpartition(b"/")[2] for path in paths} == set(odd)


def test_what_cannot_be_looked_at_is_left_out_and_counted(tmp_path: Path) -> None:
    (tmp_path / "a.pdf").touch()
    deep = tmp_path
    while len(str(deep)) < 3_890:  # wherever the folder is: it can still be opened, and what lies in it cannot
        deep /= "d" * 200
        deep.mkdir()
    descriptor = os.open(deep, os.O_RDONLY)  # deeper than a path may be long
    os.mkdir("e" * 255, dir_fd=descriptor)
    os.close(descriptor)
    answer = search(tmp_path)
    assert answer.value == (str(tmp_path / "a.pdf"),)
    assert answer.outcome.endswith("; 1 could not be looked at")


@pytest.mark.parametrize("kind", ["missing", "file", "dangling", "long"])
def test_a_folder_that_is_none_is_refused(tmp_path: Path, kind: str) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")
    with pytest.raises(OutriderError) as refused:
        search(tmp_path / ("x" * 300 if kind == "long" else kind))
    codes = {"missing": "agent_folder_missing", "dangling": "agent_folder_missing"}
    assert refused.value.code == codes.get(kind, "agent_folder_unreadable")


def test_a_folder_that_vanishes_while_it_is_searched_is_told(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    for number in range(30):
        (folder / f"sub{number}").mkdir(parents=True)
    asked = iter(range(100))

    def vanishing() -> bool:
        if next(asked) == 5:
            shutil.rmtree(folder)
        return False

    with pytest.raises(OutriderError) as refused:
        search(folder, cancelled=vanishing)
    assert refused.value.code == "agent_folder_missing"


def test_ten_thousand_files_are_searched_and_the_search_is_bounded(tmp_path: Path) -> None:
    for number in range(100):
        (tmp_path / str(number)).mkdir()
    for number in range(10_000):
        (tmp_path / str(number % 100) / f"{number}.{'pdf' if number % 2 else 'txt'}").touch()
    answer = search(tmp_path)
    assert len(answer.value) == 5_000
    assert answer.outcome == "5,000 files of 10,100 entries"
    for searcher, code in (
        (FileSearcher(most=1_000), "agent_search_size"),
        (FileSearcher(seconds=0.0), "agent_search_time"),
    ):
        with pytest.raises(OutriderError) as refused:
            search(tmp_path, searcher=searcher)
        assert refused.value.code == code


def test_a_search_stops_when_it_is_cancelled(tmp_path: Path) -> None:
    with pytest.raises(OutriderError) as refused:
        search(tmp_path, cancelled=lambda: True)
    assert refused.value.code == "agent_cancelled"
