"""What is in the data folder is its owner's business alone."""

import stat
from pathlib import Path

import pytest

from backend.machine.private_folder import keep_private
from backend.machine.settings import read_settings

pytestmark = pytest.mark.posix  # modes


def open_to_others(folder: Path) -> list[str]:
    return sorted(
        path.relative_to(folder.parent).as_posix()
        for path in (folder, *folder.rglob("*"))
        if not path.is_symlink() and path.stat().st_mode & 0o077
    )


@pytest.fixture
def opened(tmp_path: Path) -> Path:
    """A data folder that everybody may read."""
    folder = tmp_path / "data"
    for name in ("outrider.db", "outrider.db-wal", "evidence/ab/abcd", "browser/practice/Cookies", "crashes/1.txt"):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"x")
    outside = tmp_path / "outside"
    outside.write_bytes(b"x")
    (folder / "link").symlink_to(outside)
    for path in (folder, outside, *folder.rglob("*")):
        if not path.is_symlink():
            path.chmod(0o755 if path.is_dir() else 0o644)
    return folder


def test_a_data_folder_that_was_open_is_closed_at_the_next_start(opened: Path) -> None:
    assert len(open_to_others(opened)) == 11
    read_settings({}, data_dir=opened)
    assert open_to_others(opened) == []
    assert stat.S_IMODE((opened.parent / "outside").stat().st_mode) == 0o644, "a link leads elsewhere"


def test_an_empty_folder_made_beforehand_is_closed(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir(mode=0o755)
    folder.chmod(0o755)
    keep_private(folder)
    assert open_to_others(folder) == []


def test_a_folder_that_holds_other_things_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "documents"
    folder.mkdir()
    folder.chmod(0o755)
    (folder / "letter.txt").write_text("x")
    (folder / "letter.txt").chmod(0o644)
    keep_private(folder)
    assert len(open_to_others(folder)) == 2
    (folder / "outrider.db").write_bytes(b"x")
    monkeypatch.setenv("HOME", str(folder))
    keep_private(folder)
    assert "documents/letter.txt" in open_to_others(folder)
