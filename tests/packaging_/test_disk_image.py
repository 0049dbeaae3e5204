"""The disk image of macOS is made, also where its system still looks through the volume that it was copied to."""

import subprocess
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

Script = Callable[[str], ModuleType]
BUSY = 1
"""The status of hdiutil that says "Resource busy"."""


@pytest.fixture
def made(script: Script, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[int], int]:
    """How often hdiutil is run by a build for which it is busy so many times."""
    package = script("package")
    (tmp_path / "Outrider.app").mkdir()
    monkeypatch.setattr(package, "OUT", tmp_path)
    monkeypatch.setattr(package, "WORK", tmp_path / "work")
    monkeypatch.setattr(package.time, "sleep", lambda _: None)

    def build(busy: int) -> int:
        runs: list[list[str]] = []

        def run(command: list[str], *, check: bool) -> subprocess.CompletedProcess[bytes]:
            runs.append(command)
            done = subprocess.CompletedProcess[bytes](command, BUSY if len(runs) <= busy else 0)
            if check:
                done.check_returncode()
            return done

        monkeypatch.setattr(package.subprocess, "run", run)
        (image,) = package.disk_image()
        assert {str(image)} == {command[-1] for command in runs}
        return len(runs)

    return build


@pytest.mark.posix  # it makes a link
@pytest.mark.parametrize("busy", range(5))
def test_a_busy_volume_is_waited_for(made: Callable[[int], int], busy: int) -> None:
    assert made(busy) == busy + 1


@pytest.mark.posix
def test_what_does_not_end_is_an_error(made: Callable[[int], int]) -> None:
    with pytest.raises(subprocess.CalledProcessError):
        made(99)
