"""Where a path leads, also if it leads in a circle."""

from pathlib import Path

import pytest

from backend.machine.real_path import real_path


@pytest.mark.posix
def test_links_in_a_circle_are_left_as_they_are_or_are_the_computers_error(tmp_path: Path) -> None:
    circle, other = tmp_path / "one", tmp_path / "other"
    circle.symlink_to(other)
    other.symlink_to(circle)
    assert real_path(circle / "file").parent.parent == real_path(tmp_path)
    with pytest.raises(OSError, match="symbolic links"):
        real_path(circle, strict=True)
    (tmp_path / "link").symlink_to(tmp_path)
    assert real_path(tmp_path / "link" / "link", strict=True) == tmp_path.resolve()
