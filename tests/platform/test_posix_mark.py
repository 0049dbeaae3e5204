"""A test that needs POSIX is marked so, by whatever way it needs it; where there is none, it is left out and counted."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MADE_UP = """
import pytest
from tests.posix import is_root

@pytest.fixture
def root():
    return is_root()

@pytest.mark.posix
def test_marked(root): pass

def test_portable(): pass
"""
UNMARKED = "def test_unmarked(root): pass"


@pytest.mark.posix
def test_a_test_that_needs_posix_without_the_mark_fails(tmp_path: Path) -> None:
    output = _tested(tmp_path, MADE_UP + UNMARKED)
    assert "test_made_up.py::test_unmarked has to be marked `posix`" in output
    assert "2 passed, 1 error" in output
    assert "left out" not in output


@pytest.mark.parametrize("beside", ["0", "2"])
def test_without_posix_the_marked_ones_are_left_out_and_counted(tmp_path: Path, beside: str) -> None:
    (tmp_path / "conftest.py").write_text("from tests import posix_mark\nposix_mark.has_posix = False\n")
    output = _tested(tmp_path, MADE_UP, "-n", beside)
    assert "left out, because they need POSIX: 1\n" in output
    assert "1 passed" in output


def _tested(folder: Path, source: str, *options: str) -> str:
    """What pytest prints about a file with these tests."""
    (folder / "test_made_up.py").write_text(source)
    (folder / "pytest.ini").write_text("[pytest]\nmarkers = posix\n")
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-p",
        "tests.posix_mark",
        "-p",
        "no:cacheprovider",
        *options,
        str(folder),
    ]
    surroundings = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    return subprocess.run(command, cwd=ROOT, env=surroundings, capture_output=True, text=True, check=False).stdout
