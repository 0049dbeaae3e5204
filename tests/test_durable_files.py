"""Files that survive a power cut."""

import os
import stat
from pathlib import Path

import pytest

from backend.durable_files import replace_file


def test_a_file_is_replaced_whole_for_its_owner_only_and_nothing_stays_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "kept"
    path.write_bytes(b"before")
    path.chmod(0o644)
    replace_file(path, b"after")
    assert path.read_bytes() == b"after"
    assert [one.name for one in tmp_path.iterdir()] == ["kept"]
    if os.name == "posix":
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_what_was_there_stays_if_it_cannot_be_replaced(tmp_path: Path) -> None:
    path = tmp_path / "kept"
    path.write_bytes(b"before")
    (tmp_path / ".new-kept").mkdir()
    with pytest.raises(OSError, match="kept"):
        replace_file(path, b"after")
    assert path.read_bytes() == b"before"
